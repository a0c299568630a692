//go:build !unix

package sqldb

import "os"

// lockFile fails: on this system files cannot lock out other processes.
func lockFile(f *os.File) error { return &os.PathError{Op: "lock", Path: f.Name(), Err: os.ErrInvalid} }
