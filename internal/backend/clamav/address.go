package clamav

import (
	"errors"
	"fmt"
	"net"
	"path"
	"strconv"
	"strings"
	"unicode"
)

// maxPath is the longest name of a Unix socket, in bytes, that every system
// accepts.
const maxPath = 103

// Address is an address of clamd: a Unix socket or a TCP port.
type Address struct{ network, address string }

// String returns the address in a form that ParseAddress reads: unix:/path or
// tcp:host:port.
func (a Address) String() string { return a.network + ":" + a.address }

// ParseAddress parses unix:/path, /path, tcp:host:port or host:port. An IPv6
// address must be in brackets.
func ParseAddress(s string) (Address, error) {
	fail := func(problem string) (Address, error) {
		return Address{}, fmt.Errorf("the address of clamd must be unix:/path/to/socket or tcp:host:port, not %q: %s",
			s, problem)
	}
	if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
		return fail("it has invisible characters")
	}
	if file, ok := strings.CutPrefix(s, "unix:"); ok || strings.HasPrefix(s, "/") {
		file = path.Clean(file)
		if !ok {
			file = path.Clean(s)
		}
		switch {
		case !strings.HasPrefix(file, "/") || file == "/":
			return fail("the path of the socket must begin with / and name a file")
		case len(file) > maxPath:
			return fail(fmt.Sprintf("the path of a socket can have at most %d bytes", maxPath))
		}
		return Address{"unix", file}, nil
	}
	host, port, err := net.SplitHostPort(strings.TrimPrefix(s, "tcp:"))
	var wrong *net.AddrError
	switch {
	case errors.As(err, &wrong):
		return fail(wrong.Err)
	case err != nil:
		return fail(err.Error())
	case host == "":
		return fail("the host is missing")
	case strings.ContainsAny(host, " /@[]"):
		return fail("no host has this name")
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return fail("the port must be a number from 1 to 65535")
	}
	return Address{"tcp", net.JoinHostPort(host, strconv.FormatUint(n, 10))}, nil
}
