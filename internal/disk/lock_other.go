//go:build !unix

package disk

import "os"

// take refuses: transfers of one key cannot be distinguished on this system.
func take(f *os.File) error { return &os.PathError{Op: "lock", Path: f.Name(), Err: os.ErrInvalid} }
