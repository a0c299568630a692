//go:build !unix

package disk

import "os"

// await permits deletes and refuses backups: this system has no locks to keep
// them apart.
func await(f *os.File, shared bool) error {
	if shared {
		return nil
	}
	return &os.PathError{Op: "lock", Path: f.Name(), Err: os.ErrInvalid}
}
