package clamav

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vitrine/internal/test/vitrinetest"
)

// TestAdvice checks that each problem that an administrator can solve is
// reported with its solution.
func TestAdvice(t *testing.T) {
	dial := func(e syscall.Errno) error {
		return &net.OpError{Op: "dial", Net: "unix", Err: os.NewSyscallError("connect", e)}
	}
	socket, port := Address{"unix", "/run/c"}, Address{"tcp", "h:1"}
	for _, c := range []struct {
		at   Address
		err  error
		want string
	}{
		{socket, dial(syscall.EACCES), "group of the socket"},
		{socket, dial(syscall.ENOENT), "no such socket"},
		{socket, dial(syscall.ECONNREFUSED), "nothing listens there: start clamd"},
		{port, dial(syscall.ECONNREFUSED), "TCPSocket"},
		{port, dial(syscall.ETIMEDOUT), "cannot be reached"},
		{port, dial(syscall.EHOSTUNREACH), ""},
		{port, errSlow, ""},
		{port, errGreeting, ""},
		{socket, errors.New("else"), ""},
	} {
		if got := advice(c.at, c.err); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("advice(%v, %v) = %q, want %q", c.at, c.err, got, c.want)
		}
	}
}

func TestCheck(t *testing.T) {
	d := vitrinetest.Clamd(t)
	none := filepath.Join(t.TempDir(), "none")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	closed := l.Addr().String()
	must(t, l.Close())
	s := scanner(t, Options{Addresses: []string{d.Socket, none, d.TCP, closed}})
	for i, want := range []string{"clamd at unix:" + d.Socket + ": ClamAV ",
		"clamd at unix:" + none + ": there is no such socket",
		"clamd at tcp:" + d.TCP + ": ClamAV ", "clamd at tcp:" + closed + ": nothing listens there"} {
		if got := s.Check(t.Context())[i].String(); !strings.HasPrefix(got, want) {
			t.Errorf("Check = %q, want %q", got, want)
		}
	}
	expect(t, s, "all the same", vitrinetest.EICAR(), eicarFound)
}
