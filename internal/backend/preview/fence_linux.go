package preview

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"vitrine"

	"golang.org/x/sys/unix"
)

// namespaces reports whether this system supports namespaces for children.
const namespaces = true

// inside is the user ID of a child in its namespaces. It is not root, so that
// programs that the child executes lose the capabilities of the namespaces.
const inside = 1000

// attributes returns the attributes of a child: its own process group and, if
// fenced, its own namespaces of users, processes, network, mounts and System V
// IPC. In them it has no network, cannot signal other processes, and its death
// kills all its processes.
func attributes(fenced bool) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if fenced {
		a.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID |
			syscall.CLONE_NEWIPC | syscall.CLONE_NEWNS
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: inside, HostID: os.Geteuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: inside, HostID: os.Getegid(), Size: 1}}
		a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN} // needed for its mounts and dropped afterwards
	}
	return a
}

// killAll kills a child and its process group.
func killAll(p *os.Process) error {
	err := syscall.Kill(-p.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

func openPart(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
}

func linked(st os.FileInfo) bool {
	s, ok := st.Sys().(*syscall.Stat_t)
	return !ok || s.Nlink != 1
}

// sameFile returns a new descriptor of the blob's file, or nil if the blob is
// not a file.
func sameFile(b vitrine.Blob) (*os.File, error) {
	f, ok := b.(interface{ Fd() uintptr })
	if !ok {
		return nil, nil
	}
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "blob"), nil
}

// fence drops the rights of this process and its children that making parts
// does not need. It returns the limits that could not be set. Without a wall
// around its files, the order loses its programs.
func (o *order) fence() (unlimited []string, err error) {
	debug.SetMemoryLimit(goMemory)
	seconds := uint64(standard.usual.Seconds()) * 2 // CPU time; several cores may run together
	if o.Ext == "" || byOffice(o.Ext) {
		seconds = uint64(standard.long.Seconds())
	}
	for resource, most := range map[int]uint64{
		unix.RLIMIT_CORE: 0, unix.RLIMIT_CPU: seconds, unix.RLIMIT_FSIZE: maxWritten, unix.RLIMIT_NOFILE: maxOpen,
		unix.RLIMIT_DATA: maxData, unix.RLIMIT_AS: maxSpace,
	} {
		if err := lower(resource, most); err != nil {
			return nil, fmt.Errorf("set limit %d: %w", resource, err)
		}
	}
	// If memory runs out anyway, the kernel kills this process first.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	if _, _, e := syscall.AllThreadsSyscall(unix.SYS_SETPRIORITY, unix.PRIO_PROCESS, 0, nice); e != 0 {
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, nice) // with cgo, only for this thread
	}
	if o.Plain {
		return nil, nil
	}
	lacks := func(wall string, err error) {
		unlimited = append(unlimited, fmt.Sprintf("previews run without %s, which this system refuses (%v)", wall, err))
	}
	private := false
	if o.Namespaces && o.Ext != "" {
		err := o.mountOwn()
		if private = err == nil; !private {
			lacks("their own mounts", err)
		}
	}
	if err := dropCapabilities(); err != nil {
		return nil, fmt.Errorf("drop capabilities: %w", err)
	}
	if err := noNewPrivileges(); err != nil {
		return nil, fmt.Errorf("set no_new_privs: %w", err)
	}
	if err := o.landlock(private); err != nil {
		lacks("Landlock", err)
		if !o.Namespaces {
			o.FFmpeg, o.Heif = "", ""
			unlimited = append(unlimited, noPrograms)
		}
	}
	filter, err := callFilter(byOffice(o.Ext))
	if err == nil {
		err = filterCalls(filter)
	}
	if err != nil {
		lacks("a filter of system calls", err)
	}
	return unlimited, nil
}

// apart reports whether this process runs in its own namespaces. Otherwise its
// mounts would affect the machine.
func (o order) apart() bool { return o.Namespaces && os.Getpid() == 1 && os.Geteuid() == inside }

// sharedTmp is the directory in which LibreOffice always creates a socket.
const sharedTmp = "/tmp"

// mountOwn mounts everything read-only, except the child's directory and a
// small private /tmp.
func (o order) mountOwn() error {
	if !o.apart() {
		return errors.New("not in namespaces")
	}
	if err := unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""); err != nil {
		return err
	}
	keep := map[string]int{}
	for _, path := range []string{o.Dir, o.Cache, filepath.Dir(o.Office), filepath.Dir(o.FFmpeg),
		filepath.Dir(o.Heif)} {
		if fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0); err == nil &&
			(path == o.Dir || strings.HasPrefix(path, sharedTmp+"/")) {
			keep[path] = fd
		}
	}
	if err := unix.Mount("tmpfs", sharedTmp, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "size=16m"); err != nil {
		return err
	}
	for path, fd := range keep {
		if err := os.MkdirAll(path, 0o700); err != nil {
			return err
		}
		if err := unix.Mount(fmt.Sprintf("/proc/self/fd/%d", fd), path, "", unix.MS_BIND, ""); err != nil {
			return err
		}
		unix.Close(fd)
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE,
		&unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return err
	}
	for _, path := range []string{sharedTmp, o.Dir} {
		if err := unix.MountSetattr(unix.AT_FDCWD, path, 0,
			&unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}); err != nil {
			return err
		}
	}
	return os.Chdir(filepath.Join(o.Dir, workDir)) // enter the directory through its new mount
}

// dropCapabilities drops all capabilities of this process and its children.
func dropCapabilities() error {
	if _, _, e := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0,
		0, 0); e != 0 && e != unix.ENOTSUP {
		return e
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	_, _, e := syscall.AllThreadsSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)),
		uintptr(unsafe.Pointer(&none[0])), 0)
	if e != 0 && e != unix.ENOTSUP { // ENOTSUP: with cgo
		return e
	}
	return nil
}

// noNewPrivileges keeps this process and its children from gaining rights.
func noNewPrivileges() error {
	_, _, e := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0)
	if e == unix.ENOTSUP { // with cgo: the filter of system calls gives it to the other threads
		runtime.LockOSThread()
		return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	}
	if e != 0 {
		return e
	}
	return nil
}

// lower sets a resource limit unless the current one is lower.
func lower(resource int, most uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(resource, &now); err != nil {
		return err
	}
	most = min(most, now.Max)
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: most, Max: most})
}

const (
	landRead    = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	landExecute = landRead | unix.LANDLOCK_ACCESS_FS_EXECUTE
	landView    = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE
)

// landlock restricts file access to programs, the child's directory and its
// file. The process must have no_new_privs.
func (o order) landlock(private bool) error {
	version, _, e := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if e != 0 {
		return e
	}
	rules := unix.LandlockRulesetAttr{Handled_access_fs: 1<<13 - 1}
	if version >= 2 {
		rules.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= 3 {
		rules.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version >= 4 {
		rules.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if version >= 6 {
		rules.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	fd, _, e := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)), unsafe.Sizeof(rules), 0)
	if e != 0 {
		return e
	}
	defer unix.Close(int(fd))
	all := rules.Handled_access_fs
	if err := o.allow(int(fd), all, private); err != nil {
		return err
	}
	if _, _, e := syscall.AllThreadsSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); e != 0 {
		return e
	}
	return nil
}

// allow adds the permitted paths to a ruleset.
func (o order) allow(rules int, all uint64, private bool) error {
	programs := []string{"/usr", "/lib", "/lib32", "/lib64", "/bin", "/opt", "/nix/store"}
	for _, p := range []string{o.Office, o.FFmpeg, o.Heif} {
		if real, err := filepath.EvalSymlinks(p); p != "" && err == nil {
			programs = append(programs, filepath.Dir(p), filepath.Dir(real))
		}
	}
	reads := []string{"/proc", "/sys/devices/system/cpu", "/etc/fonts", "/etc/libreoffice", "/etc/ld.so.cache",
		"/etc/ld.so.conf",
		"/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf",
		"/etc/locale.alias",
		"/var/cache/fontconfig", "/var/lib/libreoffice", "/var/spool/libreoffice"}
	cache := uint64(landRead)
	if o.Ext == "" {
		cache = all
	}
	own := []string{o.Dir}
	if private || byOffice(o.Ext) {
		own = append(own, sharedTmp)
	}
	for _, r := range []struct {
		access uint64
		paths  []string
	}{
		{landExecute, programs}, {landRead, reads},
		{landView, []string{"/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"}},
		{cache, []string{o.Cache}}, {all &^ unix.LANDLOCK_ACCESS_FS_EXECUTE, own},
	} {
		for _, path := range r.paths {
			if err := allowPath(rules, path, r.access); err != nil {
				return err
			}
		}
	}
	if o.Ext == "" {
		return nil
	}
	return allowFD(rules, fileFD, unix.LANDLOCK_ACCESS_FS_READ_FILE)
}

// allowPath permits access to a path and everything below it. It ignores a
// missing path.
func allowPath(rules int, path string, access uint64) error {
	if path == "" || path == string(filepath.Separator) {
		return nil
	}
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= landView
	}
	return allowFD(rules, fd, access)
}

func allowFD(rules, fd int, access uint64) error {
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	_, _, e := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if e != 0 {
		return e
	}
	return nil
}

// room returns the free space of a directory in bytes, or a large number if it
// is unknown.
func room(dir string) int64 {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return math.MaxInt64
	}
	return int64(min(st.Bavail*uint64(st.Bsize), math.MaxInt64))
}

// isShortage reports whether a child could not start because of a temporary
// shortage.
func isShortage(err error) bool {
	for _, e := range []error{unix.EAGAIN, unix.ENOMEM, unix.EMFILE, unix.ENFILE} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// tick is the kernel's unit of CPU time in /proc.
const tick = 10 * time.Millisecond

// groupTime returns the CPU time of a process group, including the children
// that its processes waited for.
func groupTime(group int) (total time.Duration) {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // the process has ended
		}
		// The program name is in parentheses and may contain any character.
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) < 15 || fields[2] != strconv.Itoa(group) {
			continue
		}
		for _, f := range fields[11:15] { // user and system time, also of children
			n, _ := strconv.ParseInt(f, 10, 64)
			total += time.Duration(n) * tick
		}
	}
	return total
}

// ownTime returns the CPU time of this process.
func ownTime() time.Duration {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		return math.MaxInt64
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// programError returns the error of a program with its exit status and the last
// line of its output.
func programError(cmd *exec.Cmd, err error, out string) error {
	return fmt.Errorf("%s: %w (%s)", filepath.Base(cmd.Path), err, strings.TrimSpace(lastLine(out)))
}
