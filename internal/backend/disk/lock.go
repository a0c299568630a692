package disk

import (
	"errors"
	"os"
)

var errLocked = errors.New("locked")

// lock opens a file and locks it until the file is closed. It returns errLocked
// if another holder has the lock. The path named the returned file when the
// lock was taken. Others rename or delete the file only with the lock.
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
		// The file was renamed or deleted between open and lock, so another
		// transfer owns it.
		f.Close()
	}
}
