//go:build unix

package durable

import (
	"os"

	"golang.org/x/sys/unix"
)

// Lock locks a file at once, for this process alone or to share, or
// fails.
func Lock(f *os.File, alone bool) error {
	if alone {
		return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	return unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB)
}
