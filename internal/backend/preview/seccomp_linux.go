package preview

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// refusedCalls are system calls that making parts does not need. With them, a
// program that a file has taken over could reach the network, other processes,
// or parts of the kernel in which faults are often found. The filter is our
// own, because the library for it allows calls of another instruction set.
var refusedCalls = []uint32{
	unix.SYS_ACCT, unix.SYS_ADD_KEY, unix.SYS_ADJTIMEX, unix.SYS_BPF, unix.SYS_CHROOT, unix.SYS_CLOCK_ADJTIME,
	unix.SYS_CLOCK_SETTIME, unix.SYS_DELETE_MODULE, unix.SYS_FANOTIFY_INIT, unix.SYS_FINIT_MODULE, unix.SYS_FSCONFIG,
	unix.SYS_FSMOUNT, unix.SYS_FSOPEN, unix.SYS_FSPICK, unix.SYS_INIT_MODULE, unix.SYS_IO_URING_ENTER,
	unix.SYS_IO_URING_REGISTER, unix.SYS_IO_URING_SETUP, unix.SYS_KCMP, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_KEXEC_LOAD,
	unix.SYS_KEYCTL, unix.SYS_MOUNT, unix.SYS_MOUNT_SETATTR, unix.SYS_MOVE_MOUNT, unix.SYS_NAME_TO_HANDLE_AT,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_OPEN_TREE, unix.SYS_PERF_EVENT_OPEN, unix.SYS_PIDFD_GETFD,
	unix.SYS_PIVOT_ROOT, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PTRACE, unix.SYS_QUOTACTL,
	unix.SYS_REBOOT, unix.SYS_REQUEST_KEY, unix.SYS_SETNS, unix.SYS_SETTIMEOFDAY, unix.SYS_SWAPOFF, unix.SYS_SWAPON,
	unix.SYS_SYSLOG, unix.SYS_UMOUNT2, unix.SYS_UNSHARE, unix.SYS_USERFAULTFD, unix.SYS_VHANGUP,
}

// newNamespaces are the flags of clone that create a namespace, in which a
// program would have capabilities again.
const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWPID |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// The members of the kernel's seccomp_data that filters load, on
// little-endian processors.
const (
	callNumber    = 0
	callProcessor = 4
	firstArgument = 16
)

// firstX32 is the number of the first system call of x32 on amd64: a second
// set of numbers.
const firstX32 = 0x40000000

// processors are the names of instruction sets in seccomp_data.
var processors = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

func answer(e syscall.Errno) bpf.RetConstant {
	return bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(e)}
}

// callFilter returns the filter of system calls. unixSockets permits sockets of
// the kind that LibreOffice uses within itself.
func callFilter(unixSockets bool) ([]bpf.Instruction, error) {
	processor, ok := processors[runtime.GOARCH]
	if !ok {
		return nil, fmt.Errorf("there is no filter for %s", runtime.GOARCH)
	}
	allow := bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}
	filter := []bpf.Instruction{
		// Numbers of another instruction set, such as 386 on amd64, mean other
		// calls.
		bpf.LoadAbsolute{Off: callProcessor, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: processor, SkipTrue: 1}, answer(unix.ENOSYS),
		bpf.LoadAbsolute{Off: callNumber, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: firstX32, SkipTrue: 1}, answer(unix.ENOSYS),
		// Its flags are in memory, which a filter cannot read. Programs then
		// use clone.
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_CLONE3, SkipTrue: 1}, answer(unix.ENOSYS),
	}
	for _, call := range refusedCalls {
		filter = append(filter, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: call, SkipTrue: 1}, answer(unix.EPERM))
	}
	filter = append(filter,
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_CLONE, SkipTrue: 3},
		bpf.LoadAbsolute{Off: firstArgument, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: newNamespaces, SkipTrue: 1}, answer(unix.EPERM),
		bpf.LoadAbsolute{Off: callNumber, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_SOCKET, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_SOCKETPAIR, SkipTrue: 1},
		allow)
	if unixSockets {
		filter = append(filter, bpf.LoadAbsolute{Off: firstArgument, Size: 4},
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.AF_UNIX, SkipTrue: 1}, allow)
	}
	return append(filter, answer(unix.EPERM)), nil
}

// filterCalls gives all threads of this process, and its children, a filter of
// system calls. They must have no_new_privs.
func filterCalls(filter []bpf.Instruction) error {
	raw, err := bpf.Assemble(filter)
	if err != nil {
		return err
	}
	code := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		code[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	thread, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&program)))
	if e != 0 {
		return e
	}
	if thread != 0 {
		return errors.New("a thread cannot have the filter")
	}
	return nil
}
