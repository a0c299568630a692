package visitor

import (
	"net/netip"
	"strings"
)

// country returns the ISO 3166-1 alpha-2 code of an address's country, or "" if
// it has none: private, loopback, unassigned.
func country(addr netip.Addr) string {
	addr = addr.Unmap().WithZone("")
	if !addr.IsGlobalUnicast() || addr.IsPrivate() {
		return ""
	}
	if code := countryOf(addr); code != noCountry {
		return code
	}
	return ""
}

// ClientAddr returns the address of the client of a request that came from
// remote, possibly through proxies. forwardedFor holds the values of the
// X-Forwarded-For headers in order. Only elements that trusted proxies wrote
// are used: the rightmost address that is not a trusted proxy's is the
// client's. If all are trusted proxies, the leftmost is (a client beside the
// proxies). If remote is not a trusted proxy, or an element is not an address,
// the result is remote.
//
// The address has no zone, and IPv4 is never mapped into IPv6. It is the zero
// Addr if remote is invalid, as behind a Unix socket.
func ClientAddr(remote netip.AddrPort, forwardedFor []string, trusted []netip.Prefix) netip.Addr {
	peer := plain(remote.Addr())
	if !within(peer, trusted) {
		return peer
	}
	client := peer
	for i := len(forwardedFor) - 1; i >= 0; i-- {
		for list, element := forwardedFor[i], ""; list != ""; {
			list, element = cutLast(list)
			if element == "" {
				continue
			}
			addr, ok := parseHop(element)
			if !ok {
				return peer
			}
			if client = addr; !within(addr, trusted) {
				return client
			}
		}
	}
	return client
}

// UntrustedProxy reports whether a request was forwarded by a neighbour that is
// not trusted, most likely a reverse proxy. Then all clients behind it have one
// address.
func UntrustedProxy(remote netip.AddrPort, forwardedFor []string, trusted []netip.Prefix) bool {
	peer := plain(remote.Addr())
	return len(forwardedFor) > 0 && (peer.IsLoopback() || peer.IsPrivate()) && !within(peer, trusted)
}

// cutLast removes the last element of a comma-separated list.
func cutLast(list string) (rest, element string) {
	if i := strings.LastIndexByte(list, ','); i >= 0 {
		list, element = list[:i], list[i+1:]
	} else {
		list, element = "", list
	}
	return list, strings.Trim(element, " \t")
}

// parseHop parses an address as proxies write it: bare, or with a port and IPv6
// in brackets. Some write brackets without a port.
func parseHop(s string) (netip.Addr, bool) {
	if a, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]")); err == nil {
		return plain(a), !a.IsUnspecified()
	}
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return plain(ap.Addr()), !ap.Addr().IsUnspecified()
	}
	return netip.Addr{}, false
}

func plain(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// within reports whether an address is in one of the prefixes. A prefix of IPv4
// mapped into IPv6 means the IPv4 network.
func within(a netip.Addr, prefixes []netip.Prefix) bool {
	for _, p := range prefixes {
		if p.Addr().Is4In6() && p.Bits() >= 96 {
			p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
		}
		if p.Contains(a) {
			return true
		}
	}
	return false
}
