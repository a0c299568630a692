package public

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/base/signer"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/markup"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

func unzip(t testing.TB, z []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(z))
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// TestDocumentIsTheTemplates checks that a page made of cached pieces equals
// the template's output.
func TestDocumentIsTheTemplates(t *testing.T) {
	const hostile = "\"'><script>alert(1)</script>\x00{{.Nonce}}&amp;\u2028 n v ✓"
	for i, v := range slices.Concat(viewer.Table, viewer.Table) {
		for _, download := range []string{"", "/p/slug/download"} {
			f := form(i / len(viewer.Table))
			t.Run(fmt.Sprint(v.Name, f, download), func(t *testing.T) {
				page := func() *linkPage {
					return &linkPage{Page: ui.Page{Title: hostile, Icon: "https://files.example/assets/icon.svg"},
						URL:   "https://example.org/p/slug",
						Facts: []string{hostile, "3 pages"}, ViewOnly: download == "", Badge: "TXT",
						Viewer: v,
						Form:   f, Embed: hostile, OEmbed: "https://example.org/oembed?url=x",
						Picture: viewer.Picture{Address: "https://example.org/p/slug/picture"},
						Content: viewer.Content{File: "https://files.example/c/1.2.3/file", Sandbox: viewer.HTMLSandbox,
							Document: markup.Text(strings.Repeat(hostile+"\n", 100)), TextCut: true, Wrap: true, Lines: true,
							Tracks: []viewer.Track{{Language: hostile, Label: hostile,
								Address: "https://files.example/c/1.2.3/en"}}},
						Report: "/p/slug/report",
						QR:     "/p/slug/qr", Kind: "pages", Beacon: "/p/slug/beacon", Download: download,
						Notice: notice{Message: hostile}}
				}
				d, err := newDocument(&vitrine.Link{ID: 1}, page())
				if err != nil {
					t.Fatal(err)
				}
				signer := signer.New([]byte("secret"))
				for i := range 3 {
					nonce := httpx.NewNonce()
					token := signer.ViewToken(vitrine.Viewed{Link: 1, View: vitrine.ViewIDAt(time.Now().UnixMilli(), i),
						Kind: "pages", Pages: 7 + i*100})
					p := page()
					p.Nonce = nonce
					p.identify(token)
					var want bytes.Buffer
					if err := p.template().Execute(&want, p); err != nil {
						t.Fatal(err)
					}
					if n := strings.Count(want.String(), `nonce="`+nonce+`"`); n < 3 ||
						n != strings.Count(want.String(), "nonce=") {
						t.Fatalf("the nonce occurs in %d places", n)
					}
					f := filling{nonce: nonce, token: token}
					if got := d.fill(nil, f); !bytes.Equal(got, want.Bytes()) {
						t.Fatalf("page\n%s\nwant\n%s", got, want.Bytes())
					}
					if got := unzip(t, d.compressed(nil, f)); !bytes.Equal(got, want.Bytes()) {
						t.Fatalf("decompressed page\n%s\nwant\n%s", got, want.Bytes())
					}
				}
			})
		}
	}
}

// TestDocumentRefusesFillings checks that a value that needs escaping is
// refused.
func TestDocumentRefusesFillings(t *testing.T) {
	d, err := newDocument(&vitrine.Link{ID: 1}, &linkPage{Viewer: viewer.Card})
	if err != nil {
		t.Fatal(err)
	}
	for c := range 256 {
		s := "ab" + string([]byte{byte(c)}) + "cd"
		good := regexp.MustCompile(`^[\w.-]+$`).MatchString(s)
		if good && (template.HTMLEscapeString(s) != s || template.JSEscapeString(s) != s || url.QueryEscape(s) != s) {
			t.Errorf("%q needs escaping", s)
		}
		for _, f := range []filling{{nonce: s, token: "token"}, {nonce: "nonce", token: s}} {
			w := httptest.NewRecorder()
			err := d.write(w, httptest.NewRequest("GET", "/", nil), f)
			if (err == nil) != good || (err != nil && w.Body.Len() > 0) {
				t.Errorf("fill %q: %v, %d bytes", f, err, w.Body.Len())
			}
		}
	}
	if plain("<") || plain("a\"") || plain("&a") {
		t.Error("plain accepts a special character at the end or the beginning")
	}
}

// TestDocumentWritten checks that each client gets a page whole and with its
// length, whatever its size and whether the client takes gzip, and only the
// length for HEAD.
func TestDocumentWritten(t *testing.T) {
	for _, size := range []int{1, maxRoom - 500, maxRoom, 3 * maxRoom} {
		for _, coding := range []string{"identity", "gzip"} {
			for _, bar := range []string{"", "<p>The bar.</p>"} {
				text := bytes.Repeat([]byte("page "), size)[:size]
				d := &document{pieces: []piece{{text, nonceGap}, {text, barGap}, {text, tokenGap}, {text, 0}}, size: 4 * size}
				want := string(text) + "nonce" + string(text) + bar + string(text) + "token" + string(text)
				length := map[string]string{}
				for _, method := range []string{http.MethodGet, http.MethodHead} {
					r, w := httptest.NewRequest(method, "/", nil), httptest.NewRecorder()
					r.Header.Set("Accept-Encoding", coding)
					if err := d.write(w, r, filling{nonce: "nonce", token: "token", bar: bar}); err != nil {
						t.Fatal(err)
					}
					sent := w.Body.Bytes()
					length[method] = w.Header().Get("Content-Length")
					if method == http.MethodHead {
						if len(sent) > 0 || length[method] != length[http.MethodGet] {
							t.Errorf("HEAD, %d bytes, %s: %d bytes sent, Content-Length %s, want none and %s", size, coding,
								len(sent), length[method], length[http.MethodGet])
						}
						continue
					}
					if length[method] != strconv.Itoa(len(sent)) {
						t.Errorf("%d bytes, %s: Content-Length %s, but %d bytes are sent", size, coding, length[method], len(sent))
					}
					if coding == "gzip" {
						sent = unzip(t, sent)
					}
					if string(sent) != want {
						t.Errorf("%d bytes, %s: %d bytes, want %d others", size, coding, len(sent), len(want))
					}
				}
			}
		}
	}
}

// FuzzDocumentCompressed checks that any page with values of any length is
// decompressed to the same bytes.
func FuzzDocumentCompressed(f *testing.F) {
	f.Add([]byte("<a>"), []byte("<b>"), "nonce", "token", "other.token")
	f.Add([]byte{}, []byte{0, 0, 0}, "", "", "x")
	f.Add([]byte(strings.Repeat("ab", 40_000)), []byte(strings.Repeat("ab", 40_000)), "abab", "bababa", "ababab")
	f.Fuzz(func(t *testing.T, a, b []byte, nonce, first, second string) {
		if len(nonce) > 0xffff || len(first) > 0xffff || len(second) > 0xffff {
			return // longer than a value can be
		}
		d := &document{pieces: []piece{{a, nonceGap}, {b, tokenGap}, {a, nonceGap}, {nil, tokenGap}, {b, 0}}}
		for _, token := range []string{first, second, first} {
			f := filling{nonce: nonce, token: token}
			want := string(a) + nonce + string(b) + token + string(a) + nonce + token + string(b)
			if got := string(d.fill(nil, f)); got != want {
				t.Fatalf("filled = %q, want %q", got, want)
			}
			if got := string(unzip(t, d.compressed(nil, f))); got != want {
				t.Fatalf("decompressed = %q, want %q", got, want)
			}
		}
	})
}

// TestDocumentCache checks that pages are cached for an hour, only for the
// link's current state, and within limits.
func TestDocumentCache(t *testing.T) {
	var c documentCache
	hour := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	doc := func(id vitrine.LinkID, title string, size int) *document {
		return &document{link: vitrine.Link{ID: id, Title: title, CreatedAt: time.UnixMilli(1).UTC()}, size: size}
	}
	kept := func(hour time.Time, d *document) bool {
		same := d.link
		same.CreatedAt = time.UnixMilli(1).UTC() // as after reading its row again
		return c.of(hour, &same, d.form) != nil
	}
	one, changed := doc(1, "one", 10), doc(1, "changed", 10)
	c.of(hour, &one.link, OwnPage)
	c.keep(hour, one)
	if !kept(hour, one) || kept(hour, changed) {
		t.Error("the cache must return the page of the unchanged link, and none of the changed one")
	}
	c.keep(hour, changed)
	frame := doc(1, "changed", 5)
	frame.form = Embedded
	if kept(hour, frame) {
		t.Error("the page is returned for the embed of its link")
	}
	c.keep(hour, frame)
	if !kept(hour, frame) || !kept(hour, changed) || c.size != 15 {
		t.Errorf("page and embed of one link: size = %d bytes, want both and 15", c.size)
	}
	c.drop(frame)
	if kept(hour, one) || !kept(hour, changed) || c.size != 10 {
		t.Errorf("new page of a link: size = %d bytes, want it to replace the old one, and 10", c.size)
	}
	next := hour.Add(time.Hour)
	if kept(next, changed) || c.size != 0 {
		t.Error("a page of another hour is returned")
	}
	c.keep(hour, changed)
	if kept(next, changed) {
		t.Error("a page from an hour ago is returned")
	}
	large := doc(2, "large", maxDocument+1)
	c.keep(next, large)
	if kept(next, large) {
		t.Error("a large page is cached")
	}
	for i := range vitrine.LinkID(100) {
		d := doc(i, fmt.Sprint(i), maxDocument)
		c.keep(next, d)
		if !kept(next, d) {
			t.Fatalf("page %d is not cached", i)
		}
	}
	if len(c.pages) != 8 || c.size != documentBytes {
		t.Errorf("%d pages with %d bytes are cached", len(c.pages), c.size)
	}
}
