package part

import "testing"

// TestTarget checks what is kept of the targets of links.
func TestTarget(t *testing.T) {
	for href, want := range map[string]string{
		"https://a.test":                 "https://a.test/",
		"https://me:pw@A.test:8/b?q=1#x": "https://a.test:8/b",
		"HTTPS://a.test/%7Eé b":          "https://a.test/~%C3%A9%20b",
		"mailto:x@a.test":                "mailto",
		"TEL:1":                          "tel",
		"http://a.test/b":                "http",
		"https://[::1]:8/":               "https://[::1]:8/",
		"https":                          "",
		"https:a":                        "",
		"https://<b>/":                   "",
		"javascript:alert(1)":            "",
		"data:text/html,x":               "",
		"":                               "",
		"1a:b":                           "",
		"a_b:c":                          "",
		"averyveryverylongscheme:with":   "",
	} {
		if got, ok := ClickTarget(href); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %t, want %q", href, got, ok, want)
		}
		if again, ok := ClickTarget(want); want != "" && (!ok || again != want) {
			t.Errorf("%q again: %q", want, again)
		}
	}
}
