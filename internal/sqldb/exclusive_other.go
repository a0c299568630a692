//go:build !unix

package sqldb

import "os"

// lockFile refuses: processes cannot be kept apart by files on this system.
func lockFile(f *os.File) error { return &os.PathError{Op: "lock", Path: f.Name(), Err: os.ErrInvalid} }
