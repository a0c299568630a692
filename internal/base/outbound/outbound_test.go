package outbound

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"vitrine/internal/test/vitrinetest"

	"golang.org/x/net/dns/dnsmessage"
)

// TestParse checks addresses that are refused before a request.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"https://app.example/hook?a=b":                     "",
		"https://8.8.8.8/":                                 "",
		"https://[2606:4700::1111]/":                       "",
		"https://BÜCHER.example":                           "",
		"http://app.example":                               "https://",
		"ftp://app.example":                                "https://",
		"javascript:alert(1)":                              "not an address",
		"app.example":                                      "not an address",
		"https://":                                         "not an address",
		"https://ann:secret@app.example":                   "user name",
		"https://app.example:25/":                          "Port 25",
		"https://app.example:0/":                           "port",
		"https://app.example:x/":                           "not an address",
		"https://app.example/#a":                           "#",
		"https://app.example/" + strings.Repeat("a", 2000): "not an address",
		"https://localhost/":                               "not a public",
		"https://a.localhost/":                             "not a public",
		"https://127.0.0.1/":                               "not a public",
		"https://127.1/":                                   "usual form",
		"https://0x7f000001/":                              "usual form",
		"https://2130706433/":                              "usual form",
		"https://0177.0.0.01/":                             "usual form",
		"https://127.0.0.0x1./":                            "usual form",
		"https://169.254.169.254/latest/":                  "not a public",
		"https://100.100.100.200/":                         "not a public",
		"https://10.0.0.1/":                                "not a public",
		"https://[::1]/":                                   "not a public",
		"https://[::]/":                                    "not a public",
		"https://[::ffff:10.0.0.1]/":                       "not a public",
		"https://[64:ff9b::a00:1]/":                        "not a public",
		"https://[2002:a00:1::]/":                          "not a public",
		"https://[fd00:ec2::254]/":                         "not a public",
		"https://[fe80::1%25eth0]/":                        "not a public",
	} {
		_, err := new(Guard).Parse(text)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestPublic checks that no private address is public, whatever it is mapped
// into.
func TestPublic(t *testing.T) {
	for _, text := range []string{"0.0.0.0", "10.1.2.3", "100.64.0.1", "127.9.9.9", "169.254.169.254", "172.31.0.1",
		"192.0.0.192", "192.168.0.1", "198.19.0.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"} {
		addr := netip.MustParseAddr(text)
		mapped := netip.AddrFrom16(addr.As16())
		if Public(addr) || Public(mapped) {
			t.Errorf("%s is public", text)
		}
	}
	for _, text := range []string{"::", "::1", "::ffff:0:10.0.0.1", "fc00::1", "fe80::1", "fec0::1", "ff02::1",
		"64:ff9b::1", "64:ff9b:1::1", "2001::1", "2001:db8::1", "2002::1", "3fff::1", "5f00::1"} {
		if Public(netip.MustParseAddr(text)) {
			t.Errorf("%s is public", text)
		}
	}
	for _, text := range []string{"1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111"} {
		if !Public(netip.MustParseAddr(text)) {
			t.Errorf("%s is not public", text)
		}
	}
	if Public(netip.Addr{}) {
		t.Error("no address is public")
	}
}

// names is a name server that gives each request the next address.
func names(t *testing.T, addrs ...string) *net.Resolver {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	go func() {
		n := 0
		for b := make([]byte, 1500); ; {
			size, from, err := c.ReadFrom(b)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(b[:size]) != nil || len(m.Questions) == 0 {
				continue
			}
			q := m.Questions[0]
			m.Response, m.Additionals = true, nil
			if q.Type == dnsmessage.TypeA {
				m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type,
					Class: q.Class}, Body: &dnsmessage.AResource{A: netip.MustParseAddr(addrs[min(n, len(addrs)-1)]).As4()}}}
				n++
			}
			answer, _ := m.Pack()
			_, _ = c.WriteTo(answer, from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", c.LocalAddr().String())
	}}
}

// TestDo sends requests to receivers: one is allowed, one listens on another
// address of this machine. It checks that a name that leads to the second one
// between two requests is refused without a connection, and that no redirect is
// followed.
func TestDo(t *testing.T) {
	allowed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.2/secret", http.StatusFound)
	}))
	defer allowed.Close()
	var connections atomic.Int64
	port := netip.MustParseAddrPort(strings.TrimPrefix(allowed.URL, "http://")).Port()
	l, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr("127.0.0.2"), port)))
	if err != nil {
		vitrinetest.Missing(t, "a second address of this machine, 127.0.0.2: that no request leaves for it")
	}
	private := &httptest.Server{Listener: l, Config: &http.Server{
		ConnState: func(_ net.Conn, s http.ConnState) {
			if s == http.StateNew {
				connections.Add(1)
			}
		}}}
	private.Start()
	defer private.Close()
	g := &Guard{Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
		Resolver: names(t, "127.0.0.1", "127.0.0.2", "10.0.0.1", "169.254.169.254", "0.0.0.0")}
	get := func(scheme string) (*http.Response, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
			scheme+"://hook.example:"+l.Addr().String()[len("127.0.0.2:"):]+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		return g.Do(r)
	}
	res, err := get("http")
	if err != nil || res.Body.Close() != nil || res.StatusCode != http.StatusFound {
		t.Fatalf("the first request: %v, %v, want the redirect itself", res, err)
	}
	for _, scheme := range []string{"http", "https", "http", "https"} {
		if _, err := get(scheme); !errors.Is(err, errPrivate) || Explain(err) != errPrivate.Error() {
			t.Errorf("a name that now leads to a private address: %v, want %v", err, errPrivate)
		}
	}
	if n := connections.Load(); n != 0 {
		t.Errorf("%d connections to the private address", n)
	}
}
