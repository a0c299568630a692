//go:build !unix

package disk

import "os"

// waitForLock permits deletes and returns an error for backups, because this
// system has no locks to separate them.
func waitForLock(f *os.File, shared bool) error {
	if shared {
		return nil
	}
	return &os.PathError{Op: "lock", Path: f.Name(), Err: os.ErrInvalid}
}
