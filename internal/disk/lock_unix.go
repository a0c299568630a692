//go:build unix

package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// take locks an open file for this one opening of it, against all others in
// this process and in others, until it is closed.
func take(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if errors.Is(err, unix.EWOULDBLOCK) {
			return errLocked
		}
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
