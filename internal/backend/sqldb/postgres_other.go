//go:build !linux

package sqldb

import "syscall"

// setUserTimeout leaves it to the system when a connection fails.
func setUserTimeout(string, string, syscall.RawConn) error { return nil }
