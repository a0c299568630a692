package disk

import (
	"errors"
	"os"
)

var errLocked = errors.New("locked")

// lock opens a file of a name and takes its lock, which ends with the file. It
// answers errLocked when another holds it. The file returned is the one that
// has the name at the moment of the lock; as long as it is locked nobody else
// renames or removes it.
func lock(path string, flag int) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, flag, 0o600)
		if err != nil {
			return nil, err
		}
		if err := take(f); err != nil {
			f.Close()
			return nil, err
		}
		held, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, err
		}
		if named, err := os.Lstat(path); err == nil && os.SameFile(held, named) {
			return f, nil
		}
		// Renamed or removed between opening and locking: what this is now
		// belongs to someone else.
		f.Close()
	}
}
