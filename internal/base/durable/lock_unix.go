//go:build unix

package durable

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func lock(f *os.File, how Hold) error {
	operation := unix.LOCK_EX
	if how.Shared {
		operation = unix.LOCK_SH
	}
	if !how.Wait {
		operation |= unix.LOCK_NB
	}
	for {
		err := unix.Flock(int(f.Fd()), operation)
		if errors.Is(err, unix.EWOULDBLOCK) {
			return ErrLocked
		}
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func unlock(f *os.File) {
	if f != nil {
		_ = unix.Flock(int(f.Fd()), unix.LOCK_UN) // closing reports the error
	}
}
