package clamav

import (
	"strings"
	"testing"
)

func TestParseAddress(t *testing.T) {
	for in, want := range map[string]string{
		"unix:/run/clamav/clamd.ctl": "unix:/run/clamav/clamd.ctl", "/run/clamd.sock": "unix:/run/clamd.sock",
		"unix:///run//c":     "unix:/run/c",
		"tcp:127.0.0.1:3310": "tcp:127.0.0.1:3310", "scanner:3310": "tcp:scanner:3310",
		"tcp:[::1]:3310": "tcp:[::1]:3310", "[fe80::1%eth0]:1": "tcp:[fe80::1%eth0]:1",
		"localhost:03310": "tcp:localhost:3310",
	} {
		if a, err := ParseAddress(in); err != nil || a.String() != want {
			t.Errorf("ParseAddress(%q) = %v, %v, want %s", in, a, err, want)
		}
	}
	for in, want := range map[string]string{
		"": "missing port", "unix:": "must begin with /", "unix:run/x": "must begin with /",
		"unix:@abstract": "must begin with /", "/": "name a file",
		"/" + strings.Repeat("x", 200): "at most 103 bytes", "/run/a\nb": "invisible characters",
		"tcp:localhost": "missing port", "localhost": "missing port",
		":3310": "host is missing", "tcp::3310": "host is missing", "::1:3310": "too many colons", "h:0": "1 to 65535",
		"h:65536": "1 to 65535", "h:-1": "1 to 65535",
		"h:clamd": "1 to 65535", "tcp://h:3310": "no host", "[]:1": "host is missing", "[::1]": "missing port",
		"a b:1": "no host", "http://h": "1 to 65535",
	} {
		if a, err := ParseAddress(in); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "unix:/path") {
			t.Errorf("ParseAddress(%q) = %v, %v, want an error with %q", in, a, err, want)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, s := range []string{"unix:/run/c", "/run/c", "tcp:h:1", "[::1]:3310", "", ":", "unix:", "tcp:unix:/a:1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := ParseAddress(s)
		if err != nil {
			if a != (Address{}) || strings.ContainsAny(err.Error(), "\x00\r\n\x1b") {
				t.Fatalf("ParseAddress(%q) = %v, error %q", s, a, err)
			}
			return
		}
		if again, err := ParseAddress(a.String()); err != nil || again != a {
			t.Fatalf("ParseAddress(%q) = %v, which parses to %v (%v)", s, a, again, err)
		}
	})
}

func TestNewRefuses(t *testing.T) {
	for _, o := range []Options{{}, {Addresses: []string{"x"}}, {Addresses: []string{"/a", "unix:/a"}},
		{Addresses: []string{"/a"}, Concurrency: -1}, {Addresses: []string{"/a"}, Timeout: -1}} {
		if s, err := New(o); err == nil {
			t.Errorf("New(%+v) = %v, want an error", o, s)
		}
	}
	s, err := New(Options{Addresses: []string{"/a", "h:1"}})
	if err != nil || s.Name() != "clamd at unix:/a, tcp:h:1" {
		t.Errorf("New = %v, %v", s, err)
	}
}
