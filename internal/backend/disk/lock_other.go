//go:build !unix

package disk

import "os"

// take returns an error, because this system cannot lock files.
func take(f *os.File) error { return &os.PathError{Op: "lock", Path: f.Name(), Err: os.ErrInvalid} }
