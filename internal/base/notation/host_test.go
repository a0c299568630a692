package notation_test

import (
	"net/url"
	"testing"

	"vitrine/internal/base/notation"
)

func TestHost(t *testing.T) {
	for address, want := range map[string]string{
		"https://Share.Example":           "share.example",
		"https://share.example:8443":      "share.example:8443",
		"https://münchen.example":         "xn--mnchen-3ya.example",
		"https://MÜNCHEN.example:8443":    "xn--mnchen-3ya.example:8443",
		"https://m%C3%BCnchen.example":    "xn--mnchen-3ya.example",
		"https://例え.テスト":                  "xn--r8jz45g.xn--zckzah",
		"https://faß.example":             "xn--fa-hia.example",
		"http://127.0.0.1:8080":           "127.0.0.1:8080",
		"http://[::1]":                    "[::1]",
		"http://[::1]:8080":               "[::1]:8080",
		"http://under_score.example":      "under_score.example",
		"https://xn--mnchen-3ya.example/": "xn--mnchen-3ya.example",
		"https://bad。-.münchen":           "",
		"https://a\u202eb.example":        "",
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		got, err := notation.Host(u)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("Host(%s) = %q, %v, want %q", address, got, err, want)
		}
	}
}
