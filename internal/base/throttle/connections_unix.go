//go:build unix

package throttle

import (
	"errors"
	"net"

	"golang.org/x/sys/unix"
)

// descriptors returns the limit of open files of this process.
func descriptors() uint64 {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil {
		return 1024
	}
	return uint64(l.Cur)
}

// temporary reports whether an error is about what the system has too little
// of.
func temporary(err error) bool {
	for _, e := range []unix.Errno{unix.EMFILE, unix.ENFILE, unix.ENOBUFS, unix.ENOMEM} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// closed reports whether a connection is closed, without reading from it.
func closed(c *net.TCPConn) bool {
	raw, err := c.SyscallConn()
	if err != nil {
		return true
	}
	gone := false
	err = raw.Control(func(fd uintptr) {
		var b [1]byte
		for {
			n, _, err := unix.Recvfrom(int(fd), b[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
			switch {
			case errors.Is(err, unix.EINTR):
				continue
			case errors.Is(err, unix.EAGAIN):
			default:
				gone = err != nil || n == 0
			}
			return
		}
	})
	return gone || err != nil
}
