package visitor

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
)

func TestCountry(t *testing.T) {
	for addr, want := range map[string]string{
		"8.8.8.8": "US", "::ffff:8.8.8.8": "US", "2001:4860:4860::8888": "US", "212.58.244.70": "GB",
		"193.0.6.139": "NL", "2001:67c:2e8:22::c100:68b": "NL",
		"127.0.0.1": "", "::1": "", "10.1.2.3": "", "172.16.0.1": "", "192.168.1.1": "", "fd00::1": "", "fe80::1": "",
		"fe80::1%eth0": "",
		"169.254.1.1":  "", "100.64.0.1": "", "0.0.0.0": "", "::": "", "224.0.0.1": "", "255.255.255.255": "",
		"240.0.0.1": "", "2001:db8::1": "",
		"ff02::1": "", "203.0.113.7": "",
	} {
		if got := country(netip.MustParseAddr(addr)); got != want {
			t.Errorf("country(%s) = %q, want %q", addr, got, want)
		}
	}
	if got := country(netip.Addr{}); got != "" {
		t.Errorf("country of no address = %q, want \"\"", got)
	}
}

func prefixes(s string) (ps []netip.Prefix) {
	for _, p := range strings.Fields(s) {
		ps = append(ps, netip.MustParsePrefix(p))
	}
	return ps
}

func TestClientAddr(t *testing.T) {
	for _, c := range []struct {
		about, remote, forwarded, trusted, want string // values of forwarded are separated by "|"
	}{
		{"no proxy configured", "198.51.100.7:1", "1.2.3.4", "", "198.51.100.7"},
		{"an untrusted peer lies", "198.51.100.7:1", "1.2.3.4", "10.0.0.0/8", "198.51.100.7"},
		{"one proxy", "10.0.0.1:1", "1.2.3.4", "10.0.0.0/8", "1.2.3.4"},
		{"no header", "10.0.0.1:1", "", "10.0.0.0/8", "10.0.0.1"},
		{"two proxies", "10.0.0.1:1", "1.2.3.4, 10.0.0.2", "10.0.0.0/8", "1.2.3.4"},
		{"the client lies to its proxy", "10.0.0.1:1", "6.6.6.6, 1.2.3.4", "10.0.0.0/8", "1.2.3.4"},
		{"the client lies with a proxy's address", "10.0.0.1:1", "6.6.6.6, 10.0.0.9, 1.2.3.4", "10.0.0.0/8", "1.2.3.4"},
		{"several headers count as one list", "10.0.0.1:1", "6.6.6.6|1.2.3.4|10.0.0.2", "10.0.0.0/8", "1.2.3.4"},
		{"a client beside the proxies", "10.0.0.1:1", "10.0.0.7, 10.0.0.2", "10.0.0.0/8", "10.0.0.7"},
		{"rubbish", "10.0.0.1:1", "unknown", "10.0.0.0/8", "10.0.0.1"},
		{"rubbish where the client should stand", "10.0.0.1:1", "1.2.3.4, _hidden, 10.0.0.2", "10.0.0.0/8", "10.0.0.1"},
		{"rubbish that nobody trusted wrote", "10.0.0.1:1", "rubbish, 1.2.3.4", "10.0.0.0/8", "1.2.3.4"},
		{"empty elements", "10.0.0.1:1", " , 1.2.3.4 ,, ,", "10.0.0.0/8", "1.2.3.4"},
		{"nothing but commas", "10.0.0.1:1", ",,|,", "10.0.0.0/8", "10.0.0.1"},
		{"with a port", "10.0.0.1:1", "1.2.3.4:5678", "10.0.0.0/8", "1.2.3.4"},
		{"IPv6", "[2001:db8::1]:1", "2001:db8:1::7", "2001:db8::/48", "2001:db8:1::7"},
		{"IPv6 in brackets", "10.0.0.1:1", "[2001:db8::7]", "10.0.0.0/8", "2001:db8::7"},
		{"IPv6 with a port", "10.0.0.1:1", "[2001:db8::7]:443", "10.0.0.0/8", "2001:db8::7"},
		{"a zone", "10.0.0.1:1", "fe80::7%eth0", "10.0.0.0/8", "fe80::7"},
		{"a trusted peer with a zone", "[fe80::1%eth0]:1", "1.2.3.4", "fe80::/10", "1.2.3.4"},
		{"IPv4 in IPv6 everywhere", "[::ffff:10.0.0.1]:1", "::ffff:1.2.3.4", "10.0.0.0/8", "1.2.3.4"},
		{"IPv4 in IPv6 in the configuration", "10.0.0.1:1", "1.2.3.4", "::ffff:10.0.0.0/104", "1.2.3.4"},
		{"all of IPv6 trusted does not trust IPv4", "10.0.0.1:1", "1.2.3.4", "::/0", "10.0.0.1"},
		{"everything trusted", "10.0.0.1:1", "1.2.3.4, 5.6.7.8", "0.0.0.0/0 ::/0", "1.2.3.4"},
		{"the unspecified address is rubbish", "10.0.0.1:1", "0.0.0.0", "10.0.0.0/8", "10.0.0.1"},
	} {
		var forwarded []string
		if c.forwarded != "" {
			forwarded = strings.Split(c.forwarded, "|")
		}
		got := ClientAddr(netip.MustParseAddrPort(c.remote), forwarded, prefixes(c.trusted))
		if got != netip.MustParseAddr(c.want) {
			t.Errorf("%s: %s, want %s", c.about, got, c.want)
		}
	}
	if got := ClientAddr(netip.AddrPort{}, []string{"1.2.3.4"}, prefixes("0.0.0.0/0 ::/0")); got.IsValid() {
		t.Errorf("ClientAddr without a peer = %s", got)
	}
}

func FuzzClientAddr(f *testing.F) {
	f.Add("10.0.0.1:1", "1.2.3.4, 10.0.0.2", "rubbish", "10.0.0.0/8")
	f.Add("[fe80::1%eth0]:1", "[2001:db8::7]:443", "", "::/0")
	f.Add("[::ffff:10.0.0.1]:1", "::ffff:1.2.3.4,,", ",", "::ffff:10.0.0.0/104")
	f.Fuzz(func(t *testing.T, remote, first, second, trusted string) {
		ap, err := netip.ParseAddrPort(remote)
		if err != nil {
			return
		}
		p, err := netip.ParsePrefix(trusted)
		if err != nil {
			return
		}
		peer := plain(ap.Addr())
		got := ClientAddr(ap, []string{first, second}, []netip.Prefix{p})
		if !got.IsValid() || got.Is4In6() || got.Zone() != "" {
			t.Fatalf("ClientAddr = %v, want a plain address", got)
		}
		if !within(peer, []netip.Prefix{p}) && got != peer {
			t.Fatalf("ClientAddr = %v, want the untrusted peer", got)
		}
		// A client's entries to the left of what a trusted proxy added change
		// nothing.
		if got != peer && !within(got, []netip.Prefix{p}) {
			for _, lie := range []string{"6.6.6.6, ", "rubbish, ", ",", "10.0.0.1, "} {
				if again := ClientAddr(ap, []string{lie + first, second}, []netip.Prefix{p}); again != got {
					t.Fatalf("%q before the list changed the result to %v from %v", lie, again, got)
				}
			}
		}
		if one := ClientAddr(ap, []string{first + "," + second}, []netip.Prefix{p}); one != got {
			t.Fatalf("as one header %v, as two %v", one, got)
		}
	})
}

// TestCountriesAreTwoLetters checks that the country table has only country
// codes.
func TestCountriesAreTwoLetters(t *testing.T) {
	var seen []string
	for a := range 224 {
		for b := range 256 {
			c := country(netip.AddrFrom4([4]byte{byte(a), byte(b), 7, 9}))
			if c != "" && (len(c) != 2 || c == "ZZ" || strings.ToUpper(c) != c) {
				t.Fatalf("country of %d.%d = %q, want two letters", a, b, c)
			}
			if !slices.Contains(seen, c) {
				seen = append(seen, c)
			}
		}
	}
	if len(seen) < 100 {
		t.Errorf("%d countries in the table, want at least 100", len(seen))
	}
}

// TestUntrustedProxy checks that a peer in the same network which forwards
// requests and is not trusted is reported, and that any other sender of the
// header is not.
func TestUntrustedProxy(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.1/32")}
	for remote, want := range map[string]bool{"127.0.0.1:1": true, "[::1]:1": true, "[::ffff:192.168.1.1]:1": true,
		"10.0.0.2:1": true, "[fd00::1]:1": true,
		"10.0.0.1:1": false, "192.0.2.1:1": false, "[2001:db8::1]:1": false} {
		if got := UntrustedProxy(netip.MustParseAddrPort(remote), []string{"192.0.2.9"}, trusted); got != want {
			t.Errorf("UntrustedProxy(%s) = %t, want %t", remote, got, want)
		}
		if UntrustedProxy(netip.MustParseAddrPort(remote), nil, trusted) {
			t.Errorf("UntrustedProxy(%s) without the header = true, want false", remote)
		}
	}
	if UntrustedProxy(netip.AddrPort{}, []string{"192.0.2.9"}, nil) {
		t.Error("UntrustedProxy of a Unix socket = true, want false")
	}
}
