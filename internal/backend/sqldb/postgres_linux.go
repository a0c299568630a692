package sqldb

import (
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// setUserTimeout makes a connection fail when sent data is not acknowledged for
// half a minute. The default of the system is a quarter of an hour.
func setUserTimeout(network, _ string, c syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	var failed error
	err := c.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, 30_000)
	})
	if err == nil {
		err = failed
	}
	return err
}
