//go:build unix

package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// take takes the exclusive lock of an open file. The lock excludes other opens
// of the file, also in this process. Closing the file releases it.
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
