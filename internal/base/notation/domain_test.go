package notation_test

import (
	"strings"
	"testing"

	"vitrine/internal/base/notation"
)

// TestDomain checks domains as people write them, and what is none.
func TestDomain(t *testing.T) {
	for text, want := range map[string]string{
		"example.com": "example.com", "Mail.Example.COM": "mail.example.com",
		"bücher.example": "xn--bcher-kva.example", "BÜCHER.example": "xn--bcher-kva.example",
		"пример.рф": "xn--e1afmkfd.xn--p1ai", "日本語ドメイン.jp": "xn--eckwd4c7c5976acvb2w6i.jp",
		"xn--bcher-kva.example": "xn--bcher-kva.example",
		"аpple.com":             "", // the first letter is Cyrillic
		"exαmple.com":           "", // Greek
		"":                      "", "@": "", "com": "", "example..com": "", ".com": "", "example.com.": "",
		"-a.com": "", "a b.com": "",
		"192.0.2.1": "", "a_b.com": "", "exam\x00ple.com": "", "ann@example.com": "",
		strings.Repeat("a", 64) + ".com": "", strings.Repeat("a.", 130) + "com": "",
	} {
		got, err := notation.Domain(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("Domain(%q) = %q, %v, want %q", text, got, err, want)
		}
	}
}
