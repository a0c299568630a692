package durable

import (
	"errors"
	"os"
)

// ErrLocked reports that another holder has the lock of a file.
var ErrLocked = errors.New("another holder has the lock")

// Hold says how a file is locked.
type Hold struct {
	Shared bool // with other holders that share it
	Wait   bool // until others let it go, instead of ErrLocked
}

// Locked is an open file with a lock. Other opens of the file are other
// holders, also in this process.
type Locked struct{ *os.File }

// Lock locks an open file. After an error the file is open as before.
func Lock(f *os.File, how Hold) (Locked, error) { return Locked{f}, lock(f, how) }

// Close releases the lock and closes the file. Closing alone would not do: a
// program that is being started has a copy of each descriptor until it runs,
// and the copy keeps the lock.
func (l Locked) Close() error {
	unlock(l.File)
	return l.File.Close()
}
