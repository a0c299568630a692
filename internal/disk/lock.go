package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

var errLocked = errors.New("locked")

// lock opens a file of a name and takes its lock, which ends with the file. It answers errLocked when another holds it. The file
// returned is the one that has the name at the moment of the lock.
func lock(path string, flag int) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, flag, 0o600)
		if err != nil {
			return nil, err
		}
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
			f.Close()
			if errors.Is(err, unix.EWOULDBLOCK) {
				return nil, errLocked
			}
			return nil, err
		}
		held, err1 := f.Stat()
		named, err2 := os.Stat(path)
		if err1 == nil && err2 == nil && os.SameFile(held, named) {
			return f, nil
		}
		// Renamed or removed between opening and locking: what this is now belongs to somebody else.
		f.Close()
		if err1 != nil {
			return nil, err1
		}
	}
}
