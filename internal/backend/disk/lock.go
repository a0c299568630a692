package disk

import (
	"os"

	"vitrine/internal/base/durable"
)

// lock opens a file and locks it until the file is closed. It returns
// [durable.ErrLocked] if another holder has the lock. The path named the
// returned file when the lock was taken. Others rename or delete the file only
// with the lock.
func lock(path string, flag int) (durable.Locked, error) {
	for {
		f, err := openLocked(path, flag, durable.Hold{})
		if err != nil {
			return f, err
		}
		held, err := f.Stat()
		if err != nil {
			f.Close()
			return f, err
		}
		if named, err := os.Lstat(path); err == nil && os.SameFile(held, named) {
			return f, nil
		}
		// The file was renamed or deleted between open and lock, so another
		// transfer owns it.
		f.Close()
	}
}

func openLocked(path string, flag int, how durable.Hold) (durable.Locked, error) {
	f, err := os.OpenFile(path, flag, 0o600)
	if err != nil {
		return durable.Locked{}, err
	}
	l, err := durable.Lock(f, how)
	if err != nil {
		f.Close()
	}
	return l, err
}
