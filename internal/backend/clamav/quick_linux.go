package clamav

import (
	"net"
	"syscall"
)

// ackQuickly makes the system acknowledge data of clamd as soon as it is read.
// clamd sends the number of an answer in a packet of its own and holds back the
// rest until that is acknowledged (Nagle's algorithm). Delayed acknowledgements
// would cost 40 ms a scan.
func ackQuickly(c net.Conn) net.Conn {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return c
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return c
	}
	return quickConn{tcp, raw}
}

type quickConn struct {
	*net.TCPConn
	raw syscall.RawConn
}

func (c quickConn) Read(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	if err == nil {
		_ = c.raw.Control(func(fd uintptr) { // the system leaves this mode by itself; without it scans are only slower
			_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_QUICKACK, 1)
		})
	}
	return n, err
}
