package content

import (
	"bytes"
	"mime"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"vitrine/internal/web/httpx"
	"vitrine/internal/web/public"
)

// TestDisposition checks that the UTF-8 parameter has the original name, and
// that no name ends the header or the quotes (RFC 6266).
func TestDisposition(t *testing.T) {
	for name, want := range map[string]string{
		"report.pdf":                  `attachment; filename="report.pdf"; filename*=UTF-8''report.pdf`,
		"a b.txt":                     `attachment; filename="a b.txt"; filename*=UTF-8''a%20b.txt`,
		"Grüße.pdf":                   `attachment; filename="Gr__e.pdf"; filename*=UTF-8''Gr%C3%BC%C3%9Fe.pdf`,
		`say "hi".txt`:                `attachment; filename="say _hi_.txt"; filename*=UTF-8''say%20_hi_.txt`,
		"a\r\nSet-Cookie: x=1.txt":    `attachment; filename="a__Set-Cookie_ x=1.txt"; filename*=UTF-8''a__Set-Cookie_%20x%3D1.txt`,
		"evil\u202efdp.exe":           `attachment; filename="evil_fdp.exe"; filename*=UTF-8''evil_fdp.exe`,
		"../../etc/passwd":            `attachment; filename="passwd"; filename*=UTF-8''passwd`,
		`..\..\boot.ini`:              `attachment; filename=".._.._boot.ini"; filename*=UTF-8''.._.._boot.ini`,
		"100%;x.csv":                  `attachment; filename="100__x.csv"; filename*=UTF-8''100%25%3Bx.csv`,
		"bad\xffbyte.txt":             `attachment; filename="bad_byte.txt"; filename*=UTF-8''bad_byte.txt`,
		"\u05e9\u05dc\u05d5\u05dd.md": `attachment; filename="____.md"; filename*=UTF-8''%D7%A9%D7%9C%D7%95%D7%9D.md`,
	} {
		if got := httpx.Disposition("attachment", name); got != want {
			t.Errorf("%q:\n got %s\nwant %s", name, got, want)
		}
	}
}

func FuzzDisposition(f *testing.F) {
	f.Add("report.pdf")
	f.Add("a\"\\\r\n\x00\u202e%41;é")
	f.Fuzz(func(t *testing.T, name string) {
		got := httpx.Disposition("inline", name)
		if strings.ContainsFunc(got, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Fatalf("Disposition of %q = %q, want printable ASCII", name, got)
		}
		kind, params, err := mime.ParseMediaType(got)
		if err != nil || kind != "inline" || strings.ContainsAny(params["filename"], "\"\\/\r\n\x00") ||
			!utf8.ValidString(params["filename"]) {
			t.Fatalf("Disposition of %q = %q, which parses as %q %v: %v", name, got, kind, params, err)
		}
	})
}

func TestPrologue(t *testing.T) {
	for html, want := range map[string]string{
		"":                           "",
		"text":                       "",
		"<p>":                        "",
		"<html>":                     "",
		"<!doctype html><html>":      "<!doctype html>",
		"\n <!DOCTYPE html>\n<p>":    "\n <!DOCTYPE html>",
		"<!-- > --><!doctype html>x": "<!-- > --><!doctype html>",
		"<?xml version='1.0'?><!doctype html><html>": "<?xml version='1.0'?><!doctype html>",
		"<!-- never ends":          "",
		"<!doctype":                "",
		"\xef\xbb\xbf<html>":       "\xef\xbb\xbf",
		"<!doctype html><!-- open": "<!doctype html>",
	} {
		if got := html[:prologue([]byte(html))]; got != want {
			t.Errorf("prologue of %q = %q, want %q", html, got, want)
		}
	}
}

func FuzzPrologue(f *testing.F) {
	f.Add([]byte("<!-- x --><!doctype html><html>"))
	f.Fuzz(func(t *testing.T, html []byte) {
		n := prologue(html)
		if n < 0 || n > len(html) {
			t.Fatalf("prologue = %d of %d bytes", n, len(html))
		}
		// The bytes before the script contain no element. What looks like one
		// is in a comment or a declaration.
		if i := bytes.Index(html[:n], []byte("<script")); i >= 0 && !bytes.Contains(html[:i], []byte("<!")) &&
			!bytes.Contains(html[:i], []byte("<?")) {
			t.Fatalf("prologue = %q", html[:n])
		}
	})
}

func TestAcceptsGzip(t *testing.T) {
	for header, want := range map[string]bool{"": false, "gzip": true, "br, gzip;q=0.5": true, "gzip;q=0": false,
		"GZIP": true, "identity": false, "x-gzip": false, "*": false} {
		r := &http.Request{Header: http.Header{"Accept-Encoding": {header}}}
		if got := httpx.AcceptsGzip(r); got != want {
			t.Errorf("AcceptsGzip with %q = %t, want %t", header, got, want)
		}
	}
}

func TestFromStart(t *testing.T) {
	for header, want := range map[string]bool{"": true, "bytes=0-": true, "bytes=0-99": true, "bytes=1-": false,
		"bytes=-5": false, "bytes=5-9, 0-3": true, "items=3-": true, "bytes=": false, "bytes=x": false} {
		if got := public.FromStart(header); got != want {
			t.Errorf("FromStart(%q) = %t, want %t", header, got, want)
		}
	}
}
