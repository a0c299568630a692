//go:build !unix

package throttle

import "net"

// descriptors returns a limit that is not met: there is none to ask for.
func descriptors() uint64 { return 1 << 30 }

func temporary(error) bool { return false }

func closed(*net.TCPConn) bool { return false }
