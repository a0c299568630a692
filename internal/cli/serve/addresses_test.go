package serve

import (
	"strings"
	"testing"
)

// TestMetricsAddress checks that the metrics have an address of their own.
func TestMetricsAddress(t *testing.T) {
	for _, c := range []struct{ listen, metrics, err string }{
		{"127.0.0.1:8080", "127.0.0.1:9464", ""},
		{"127.0.0.1:8080", ":9464", ""},
		{"10.0.0.1:8080", "127.0.0.1:8080", ""},
		{"127.0.0.1:0", "127.0.0.1:0", ""}, // each gets a free port
		{":8080", ":8080", "is the address of --listen"},
		{":8080", "127.0.0.1:8080", "is the address of --listen"},
		{"127.0.0.1:8080", "0.0.0.0:8080", "is the address of --listen"},
		{"127.0.0.1:8080", "localhost:8080", "is the address of --listen"},
		{"[::1]:8080", "[0:0:0:0:0:0:0:1]:8080", "is the address of --listen"},
		{":80", ":http", "is the address of --listen"},
		{":8080", "9464", `--metrics-listen: "9464" is not HOST:PORT`},
		{":8080", ":99999", "--metrics-listen:"},
	} {
		_, err := parse(t, "--listen", c.listen, "--metrics-listen", c.metrics)
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("--listen %s --metrics-listen %s: %v, want %q", c.listen, c.metrics, err, c.err)
		}
	}
}

// TestSecurityContact checks which contacts are accepted, and their form.
func TestSecurityContact(t *testing.T) {
	for in, want := range map[string]string{
		"security@share.example":        "mailto:security@share.example",
		"mailto:security@share.example": "mailto:security@share.example",
		"https://share.example/report":  "https://share.example/report",
		"http://share.example/report":   "",
		"share.example":                 "",
		"Security <a@share.example>":    "",
		"a@share.example\nExpires: 0":   "",
		"https://a b":                   "",
		"https://x\r\nContact: y":       "",
	} {
		c, err := parse(t, "--security-contact", in)
		if (err == nil) != (want != "") || err == nil && string(c.Security) != want {
			t.Errorf("%q: %q, %v; want %q", in, c.Security, err, want)
		}
	}
}
