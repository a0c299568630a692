// Package notation reads and writes what people type and read: hosts as the
// network needs them, times, numbers, words for a shell, and the word that a
// misspelt one may mean.
package notation

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"golang.org/x/net/idna"
)

// Host returns the host and port of an address in lower case. Letters outside
// ASCII become Punycode, the form in which browsers send them: a link with
// anything else would lead nowhere.
func Host(u *url.URL) (string, error) {
	name, err := HostASCII(u.Hostname())
	switch {
	case err != nil:
		return "", err
	case u.Port() != "":
		return net.JoinHostPort(name, u.Port()), nil
	case strings.Contains(name, ":"):
		return "[" + name + "]", nil
	}
	return name, nil
}

// HostASCII returns the name of a host in lower case, with Punycode for letters
// outside ASCII.
func HostASCII(name string) (string, error) {
	if !strings.ContainsFunc(name, func(r rune) bool { return r > '~' }) {
		return strings.ToLower(name), nil
	}
	ascii, err := idna.Lookup.ToASCII(name)
	if err != nil {
		return "", fmt.Errorf("%q is not the name of a host", name)
	}
	return ascii, nil
}

// Origin parses the address of an instance. It accepts only scheme and host,
// because pages and API are at the root.
func Origin(flag, s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil ||
		u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%s: %q is not an address of scheme and host alone, such as https://share.example", flag,
			s)
	}
	host, err := Host(u)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return &url.URL{Scheme: u.Scheme, Host: host}, nil
}

// Loopback reports whether a host, without a port, is this machine.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}
