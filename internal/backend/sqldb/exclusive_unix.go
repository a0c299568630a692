//go:build unix

package sqldb

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile locks an open file against all other handles of the file, in this
// process and in others, until f is closed.
func lockFile(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if errors.Is(err, unix.EWOULDBLOCK) {
			return ErrHeld
		}
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
