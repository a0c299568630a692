package content_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"vitrine"
	"vitrine/internal/test/webtest"
)

func TestRanges(t *testing.T) {
	s := webtest.NewSite(t)
	content := bytes.Repeat([]byte("0123456789"), 1000)
	l := s.Publish("notes.txt", content)
	address := s.ContentAddress(l, "file")
	whole := s.Status(s.Get(address), 200)
	etag := whole.Header.Get("ETag")
	if whole.Text != string(content) || etag != `"`+l.SHA256+`"` {
		t.Errorf("ETag = %s, %d bytes", etag, len(whole.Text))
	}
	for _, c := range []struct {
		headers []string
		status  int
		body    string
		ranges  string
	}{
		{[]string{"Range: bytes=10-14"}, 206, "01234", "bytes 10-14/10000"},
		{[]string{"Range: bytes=-3"}, 206, "789", "bytes 9997-9999/10000"},
		{[]string{"Range: bytes=9998-"}, 206, "89", "bytes 9998-9999/10000"},
		{[]string{"Range: bytes=20000-"}, 416, "", "bytes */10000"},
		{[]string{"Range: bytes=5-5", `If-Range: ` + etag}, 206, "5", "bytes 5-5/10000"},
		{[]string{"Range: bytes=5-5", `If-Range: "another"`}, 200, string(content), ""},
		{[]string{"If-None-Match: " + etag}, 304, "", ""},
	} {
		r := s.Status(s.Get(address, c.headers...), c.status)
		if c.status != 416 && r.Text != c.body || r.Header.Get("Content-Range") != c.ranges {
			t.Errorf("%v: body %.20q, Content-Range %q", c.headers, r.Text, r.Header.Get("Content-Range"))
		}
	}
	head := s.Status(s.Do(http.MethodHead, address, ""), 200)
	if head.Header.Get("Content-Length") != "10000" {
		t.Errorf("HEAD: headers = %v, want Content-Length 10000", head.Header)
	}
	s.CountViews(l, 0)
}

// TestFramesOfPreviews checks that only files that wait for parts have a frame
// that shows them: it lays out the whole content, which a page does only once.
func TestFramesOfPreviews(t *testing.T) {
	s := webtest.NewSite(t)
	webtest.Previewer(t, s)
	kit, scan := s.Publish("kit.zip", webtest.MakeZIP(t, "kit/readme.txt")), s.Publish("scan.tiff", webtest.MakeTIFF(t))
	frame := func(l *vitrine.Link) webtest.Reply { return s.Get(s.ContentAddress(l, "preview")) }
	for _, l := range []*vitrine.Link{kit, scan} {
		if r := s.Status(frame(l), 200); r.Header.Get("Refresh") == "" {
			t.Errorf("%s: the frame does not wait:\n%s", l.Name, r.Text)
		}
	}
	s.Check(s.Server.Previews.Make(t.Context()))
	for l, want := range map[*vitrine.Link]string{kit: "readme.txt", scan: "<img"} {
		if r := s.Status(frame(l), 200); r.Header.Get("Refresh") != "" || !strings.Contains(r.Text, want) {
			t.Errorf("%s: the frame does not show %q:\n%s", l.Name, want, r.Text)
		}
	}
	for _, name := range []string{"notes.txt", "view-only.md", "data.json", "picture.png", "drawing.svg", "clip.webm",
		"song.mp3"} {
		s.Status(frame(s.Publish(name, webtest.Samples[name])), 404)
	}
}

func TestContentTokens(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"])
	picture := s.Publish("picture.png", webtest.Samples["picture.png"])
	address := s.ContentOf(s.Get("/p/" + string(picture.Slug)).Text)
	s.Status(s.Get(address), 200)
	if again := s.ContentOf(s.Get("/p/" + string(picture.Slug)).Text); again != address {
		t.Errorf("the URL of a file changes within the hour: %s, %s", address, again)
	}
	for name, bad := range map[string]string{
		"rubbish": s.URL + "/c/rubbish/file",
		"none":    s.URL + "/c//file",
		"another link": strings.Replace(address, "/c/"+fmt.Sprint(int64(picture.ID))+".",
			"/c/"+fmt.Sprint(int64(l.ID))+".", 1),
		"longer":        strings.Replace(address, "/file", "A/file", 1),
		"a view token":  s.URL + "/c/" + s.Server.Signer.ViewToken(vitrine.Viewed{Link: l.ID}) + "/file",
		"another thing": strings.Replace(address, "/file", "/bytes", 1),
	} {
		if r := s.Get(bad); r.StatusCode != 403 && r.StatusCode != 404 && r.StatusCode != 301 && r.StatusCode != 307 {
			t.Errorf("%s: status %d", name, r.StatusCode)
		}
	}
	s.Ahead.Store(int64(13 * time.Hour))
	if r := s.Status(s.Get(address), 403); !strings.Contains(r.Text, "expired") {
		t.Error("an expired URL does not say so")
	}
}

// TestTwoHosts checks an instance with two hosts: each serves its own paths and
// none of the other's.
func TestTwoHosts(t *testing.T) {
	s := webtest.NewSiteWith(t, webtest.SiteOptions{Content: true})
	public, content := s.URL, s.Server.ContentURL.String()
	l := s.Publish("report.pdf", webtest.Samples["report.pdf"])
	page := s.Status(s.Get("/p/"+string(l.Slug)), 200)
	frame := s.ContentOf(page.Text)
	if !strings.HasPrefix(frame, content+"/c/") {
		t.Fatalf("the frame is at %s, want the content host", frame)
	}
	csp := page.Header.Get("Content-Security-Policy")
	for _, want := range []string{"frame-src " + content + "/c/;",
		"img-src " + content + "/c/ " + content + "/assets/ " + public + "/p/;", "connect-src 'self'"} {
		if !strings.Contains(csp, want) {
			t.Errorf("policy lacks %q: %s", want, csp)
		}
	}
	view := s.Status(s.Get(frame), 200)
	if got := view.Header.Get("Content-Security-Policy"); !strings.Contains(got, "frame-ancestors "+public) ||
		!strings.Contains(got, "connect-src "+content+"/c/ "+content+"/assets/") {
		t.Errorf("policy of the viewer = %s", got)
	}
	css := s.Attr(page.Text, `href="(/assets/[^"]+page\.css)"`)
	for address, want := range map[string]int{
		public + css:  200,
		content + css: 200,
		strings.Replace(frame, content, public, 1): 404,
		content + "/":                                          404,
		content + "/p/" + string(l.Slug):                       404,
		content + "/api/v1/status":                             404,
		public + "/api/v1/status":                              200,
		strings.Replace(frame, "/view", "/file", 1):            200,
		content + "/p/" + string(l.Slug) + "/download":         404,
		content + "/p/" + string(l.Slug) + "/beacon?v=rubbish": 404,
	} {
		s.Status(s.Get(address), want)
	}
	s.CountViews(l, 1)
}

// TestUserHTML checks that a user's HTML is shown with one script of Vitrine
// before its first element and the numbers of its sections at their headings,
// and stored and downloaded without them.
func TestUserHTML(t *testing.T) {
	s := webtest.NewSite(t)
	for _, c := range []struct{ name, before, after, charset string }{
		{"document type", "<!DOCTYPE html>", "\n<html><body>x</body></html>", "utf-8"},
		{"comment first", "\ufeff<!-- <head> --><!doctype html>", "<title>x</title><p>text</p>", "utf-8"},
		{"neither", "", "<html><head><meta charset='windows-1251'></head><body>x</body></html>", "windows-1251"},
		{"http-equiv", "<!doctype html>", `<html><meta http-equiv="Content-Type" content="text/html; charset=ISO-8859-1"><p>x</p></html>`, "windows-1252"},
		{"sections", "<!doctype html>", `<h1>A</h1>a<H2 id="x">B</H2>b<script>"<h2>"</script><h2>C</h2>`, "utf-8"},
		{"a lie about UTF-16", "", `<html><head><meta charset="utf-16"></head><p>x</p></html>`, "utf-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			content := c.before + c.after + strings.Repeat(" <p>more</p>", 5000)
			l := s.Publish("page.html", []byte(content))
			r := s.Status(s.Get(s.ContentAddress(l, "frame")), 200)
			script := s.Attr(r.Text, `(<script src="[^"]*/assets/[0-9a-f]+/viewer/html/frame\.js"[a-z0-9 ="-]*></script>)`)
			parts, marked := ` data-parts="5"`, content
			if c.name == "sections" {
				parts = ` data-parts="3" data-marked`
				marked = strings.Replace(marked, "<H2", `<H2 data-vitrine-part="2"`, 1)
				marked = strings.Replace(marked, "<h2>C", `<h2 data-vitrine-part="3">C`, 1)
			}
			if want := c.before + script + strings.TrimPrefix(marked, c.before); r.Text != want || !strings.Contains(script, parts+">") {
				t.Errorf("body = %.200q", r.Text)
			}
			if ct := r.Header.Get("Content-Type"); ct != "text/html; charset="+c.charset {
				t.Errorf("Content-Type = %s", ct)
			}
			if d := s.Get("/p/" + string(l.Slug) + "/download"); d.Text != content {
				t.Errorf("the download differs: %.200q", d.Text)
			}
		})
	}
}

// TestText checks that text is decoded, repaired, and truncated if it is long.
func TestText(t *testing.T) {
	s := webtest.NewSite(t)
	utf16le := func(text string) []byte {
		b := []byte{0xff, 0xfe}
		for _, u := range utf16.Encode([]rune(text)) {
			b = binary.LittleEndian.AppendUint16(b, u)
		}
		return b
	}
	long := strings.Repeat("x", 1<<20-1) + "é" + strings.Repeat("y", 100)
	for _, c := range []struct {
		name    string
		content []byte
		want    string
		cut     bool
	}{
		{"UTF-8", []byte("Grüße <b>\n"), ">\nGrüße &lt;b&gt;\n</pre>", false},
		{"first line empty", []byte("\n\nx"), ">\n\n\nx</pre>", false},
		{"byte order mark", []byte("\xef\xbb\xbfHello"), ">\nHello</pre>", false},
		{"UTF-16", utf16le("Grüße 🎈"), ">\nGrüße 🎈</pre>", false},
		{"cut within a character", []byte(long), "xx</pre>", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := s.Publish("notes.txt", c.content)
			r := s.Status(s.Get("/p/"+string(l.Slug)), 200)
			if !strings.Contains(r.Text, c.want) {
				t.Errorf("page = %.3000q", r.Text)
			}
			if cut := strings.Contains(r.Text, "first 1 MiB"); cut != c.cut {
				t.Errorf("the page says that the text is truncated: %t", cut)
			}
		})
	}
}

// TestCutFileIsNotServed checks that a truncated file in storage is not served,
// neither as a whole nor in ranges: the status is 503, and the log names the
// link.
func TestCutFileIsNotServed(t *testing.T) {
	s := webtest.NewSite(t)
	var log bytes.Buffer
	s.Server.Log = slog.New(slog.NewTextHandler(&log, nil))
	l := s.Publish("notes.txt", bytes.Repeat([]byte("words\n"), 5000))
	download, file := s.URL+"/p/"+string(l.Slug)+"/download", s.ContentAddress(l, "file")
	for _, address := range []string{download, file} {
		if r := s.Get(address); r.StatusCode != 200 {
			t.Fatalf("%s: status %d before the damage, want 200", address, r.StatusCode)
		}
	}
	cut := 0
	s.Check(filepath.WalkDir(s.Dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasPrefix(d.Name(), string(l.Upload)) {
			if st, _ := d.Info(); st.Size() == l.Size {
				cut++
				err = os.Truncate(path, l.Size/3)
			}
		}
		return err
	}))
	if cut != 1 {
		t.Fatalf("%d files truncated, want 1", cut)
	}
	for _, address := range []string{download, file} {
		for _, headers := range [][]string{nil, {"Range: bytes=0-99"}, {"Range: bytes=-5"}} {
			if r := s.Get(address, headers...); r.StatusCode != 503 || strings.Contains(r.Text, "words") {
				t.Errorf("%s %v: status %d, want 503 without content", address, headers, r.StatusCode)
			}
		}
	}
	if !strings.Contains(log.String(), "link "+string(l.Slug)) {
		t.Errorf("the log does not name the link:\n%s", log.String())
	}
}

// TestPageWithoutFile checks that the page of an imported link without a file
// says so, and that its views count.
func TestPageWithoutFile(t *testing.T) {
	s := webtest.NewSite(t)
	l := &vitrine.Link{Account: s.Account.ID, Slug: "imported", Title: "Imported",
		File: vitrine.File{Name: "old.pdf", Kind: "pdf", Pages: 3}, State: vitrine.StateLive, AllowDownload: true,
		CreatedAt: s.Server.Now(), StateAt: s.Server.Now()}
	s.Check(s.Server.Links.Store.Update(t.Context(), func(tx vitrine.Tx) error { return tx.AddLink(l) }))
	r := s.Status(s.Get("/p/imported"), 200)
	if !strings.Contains(r.Text, "The file of this link is not available here.") ||
		strings.Contains(r.Text, "/download") ||
		strings.Contains(r.Text, "/c/") {
		t.Error(r.Text)
	}
	for _, what := range []string{"file", "view", "frame"} {
		s.Status(s.Get(s.ContentAddress(l, what)), 404)
	}
	s.Status(s.Get("/p/imported/download"), 404)
	s.CountViews(l, 1)
}
