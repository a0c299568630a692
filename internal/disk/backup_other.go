//go:build !unix

package disk

import "os"

// await lets deletes pass and refuses backups: they cannot be kept apart on
// this system.
func await(f *os.File, shared bool) error {
	if shared {
		return nil
	}
	return &os.PathError{Op: "lock", Path: f.Name(), Err: os.ErrInvalid}
}
