// Package outbound sends requests to addresses that users have named. None
// leaves for a private network, in whatever notation or by whatever name its
// address is given, unless the administrator allows that network.
package outbound

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"vitrine/internal/base/notation"
)

// Guard decides where requests may go. The zero value allows https on port 443
// of public addresses.
type Guard struct {
	// Networks may be reached although they are private, also by http and on
	// any port.
	Networks []netip.Prefix
	// Ports are allowed besides 443.
	Ports []int
	// Resolver finds addresses; nil means the system's.
	Resolver *net.Resolver

	once          sync.Once
	secure, plain *http.Transport
}

// refusal is an error in a sentence for the user.
type refusal string

func (r refusal) Error() string { return string(r) }

// maxURL bounds the length of an address.
const maxURL = 2000

const (
	connectTime    = 5 * time.Second
	maxHeaderBytes = 16 << 10
)

// Parse parses an address that requests may be sent to, as far as that is known
// without a connection. Errors are sentences for the user.
func (g *Guard) Parse(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil || u.Host == "" || len(text) > maxURL:
		return nil, refusal("This is not an address such as https://app.example/hook.")
	case u.User != nil:
		return nil, refusal("The address must not contain a user name or a password.")
	case u.Scheme != "https" && (u.Scheme != "http" || len(g.Networks) == 0):
		return nil, refusal("The address must begin with https://.")
	case u.Fragment != "":
		return nil, refusal("The address must not contain a part after #.")
	}
	host, err := notation.Host(u)
	if err != nil {
		return nil, refusal("The address has no valid host.")
	}
	u.Host = host
	port := 443
	if u.Scheme == "http" {
		port = 80
	}
	if text := u.Port(); text != "" || strings.HasSuffix(host, ":") {
		if port, err = strconv.Atoi(text); err != nil || port < 1 || port > 65535 {
			return nil, refusal("The address has no valid port.")
		}
	}
	if len(g.Networks) == 0 && port != 443 && !slices.Contains(g.Ports, port) {
		return nil, refusal(fmt.Sprintf("Port %d is not allowed. Use port 443.", port))
	}
	return u, g.checkName(u.Hostname(), port)
}

// checkName returns an error for the name of a host that is not public, and for
// an address that is not written in its usual form.
func (g *Guard) checkName(name string, port int) error {
	if addr, err := netip.ParseAddr(name); err == nil {
		return g.check(addr, port, true)
	}
	last := name[strings.LastIndexByte(strings.TrimSuffix(name, "."), '.')+1:]
	if _, err := strconv.ParseUint(strings.TrimSuffix(last, "."), 0, 64); err == nil {
		return refusal("This address is not written in its usual form, such as 203.0.113.7. Use the name of a host.")
	}
	if notation.Loopback(name) && len(g.Networks) == 0 {
		return errPrivate
	}
	return nil
}

var (
	errPrivate error = refusal("The address is not a public one.")
	errPort    error = refusal("The port of the address is not allowed.")
)

// check returns an error if no connection may be opened to an address and port.
func (g *Guard) check(addr netip.Addr, port int, secure bool) error {
	addr = addr.Unmap()
	for _, n := range g.Networks {
		if n.Contains(addr.WithZone("")) {
			return nil
		}
	}
	switch {
	case !secure || !Public(addr):
		return errPrivate
	case port != 443 && !slices.Contains(g.Ports, port):
		return errPort
	}
	return nil
}

// special are networks of no public host: private, shared by carriers, of
// documentation and tests, and those with an address of IPv4 inside.
var special = func() (list []netip.Prefix) {
	for _, text := range strings.Fields(`0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12
		192.0.0.0/24 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24
		198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3 2001::/23 2001:db8::/32 2002::/16 3fff::/20`) {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}()

// global is all of IPv6 that is given to public hosts.
var global = netip.MustParsePrefix("2000::/3")

// Public reports whether an address is one of a host on the public internet.
func Public(addr netip.Addr) bool {
	addr = addr.Unmap()
	if !addr.IsValid() || addr.Zone() != "" || addr.Is6() && !global.Contains(addr) {
		return false
	}
	return !slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// transport returns what opens connections, by TLS or not. Each connection
// serves one request, so that each request is checked. Proxies are not used:
// they would connect to addresses that nobody has checked.
func (g *Guard) transport(secure bool) *http.Transport {
	d := &net.Dialer{Timeout: connectTime, Resolver: g.Resolver,
		Control: func(_, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil {
				return errPrivate
			}
			return g.check(to.Addr(), int(to.Port()), secure)
		}}
	return &http.Transport{DialContext: d.DialContext, DisableKeepAlives: true, DisableCompression: true,
		TLSHandshakeTimeout: connectTime, MaxResponseHeaderBytes: maxHeaderBytes}
}

// Do sends a request. It follows no redirect. Explain explains errors.
func (g *Guard) Do(r *http.Request) (*http.Response, error) {
	if _, err := g.Parse(r.URL.String()); err != nil {
		return nil, err
	}
	g.once.Do(func() { g.secure, g.plain = g.transport(true), g.transport(false) })
	if r.URL.Scheme == "https" {
		return g.secure.RoundTrip(r)
	}
	return g.plain.RoundTrip(r)
}

// Explain says in a sentence why Do has failed. It names no address that the
// user has not named.
func Explain(err error) string {
	var dns *net.DNSError
	var op *net.OpError
	var call *os.SyscallError
	switch {
	case errors.Is(err, errPrivate), errors.Is(err, errPort):
		if errors.Is(err, errPort) {
			return errPort.Error()
		}
		return errPrivate.Error()
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "No answer came in time."
	case errors.As(err, &dns):
		return "The name of the host was not found."
	case errors.As(err, &call):
		return "The connection failed: " + call.Err.Error() + "."
	case errors.As(err, &op) && op.Timeout():
		return "No answer came in time."
	}
	return "The request failed: " + strings.TrimSuffix(strings.TrimPrefix(err.Error(), "net/http: "), ".") + "."
}
