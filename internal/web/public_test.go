package web_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/base/signer"
)

var png = mustRead("testdata/tiny.png")

func mustRead(name string) []byte {
	b, err := os.ReadFile(name)
	if err != nil && !isChild() {
		panic(err)
	}
	return b
}

// samples has one small file of each kind.
var samples = map[string][]byte{
	"report.pdf":   makePDF(12),
	"picture.png":  png,
	"drawing.svg":  []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="40" height="30" fill="teal"/></svg>`),
	"clip.webm":    mustRead("testdata/clip.webm"),
	"song.mp3":     mustRead("testdata/song.mp3"),
	"notes.txt":    []byte("First line.\nSecond line.\n"),
	"page.html":    []byte("<!doctype html>\n<html lang=en><head><title>Invitation</title></head><body><p>You are invited.</p></body></html>\n"),
	"book.rtf":     []byte(`{\rtf1\ansi\deff0 {\fonttbl {\f0 Times;}} Hello, reader.\par}`),
	"archive.tgz":  mustRead("testdata/archive.tgz"),
	"data.json":    []byte(`{"a": [1, 2, 3]}`),
	"view-only.md": []byte("# Title\n"),
}

func TestPageOfEachKind(t *testing.T) {
	s := newSite(t)
	for name, want := range map[string][]string{
		"report.pdf":  {"<iframe ", "/view\"", "PDF document", "12 pages", `data-kind="pages"`},
		"picture.png": {"<img ", "/file\"", "PNG image", `data-kind="scroll"`, `property="og:image"`},
		"drawing.svg": {"<img ", "/file\"", "SVG image"},
		"clip.webm":   {"<video ", "WebM video", `data-kind="media"`, `preload="metadata"`},
		"song.mp3":    {"<audio ", "MP3 audio file", `data-kind="media"`},
		"notes.txt":   {"First line.\nSecond line.", "Plain text", `data-kind="scroll"`},
		"page.html":   {"<iframe ", "/frame\"", "HTML page", `data-kind="scroll"`},
		"book.rtf":    {"A browser cannot show this kind of file", "RTF", `data-kind="scroll"`},
		"archive.tgz": {"A browser cannot show this kind of file", "TGZ", `data-kind="none"`},
	} {
		t.Run(name, func(t *testing.T) {
			l := s.publish(name, samples[name], titled("The title of "+name))
			r := s.status(s.get("/p/"+string(l.Slug)), 200)
			want = append(want, "<title>The title of "+name+"</title>",
				`property="og:title" content="The title of `+name,
				`property="og:url" content="`+s.url+"/p/"+string(l.Slug)+`"`, `name="robots" content="noindex"`,
				"/p/"+string(l.Slug)+"/download?v=", "<img class=\"qr\"")
			for _, w := range want {
				if !strings.Contains(r.body, w) {
					t.Errorf("the page lacks %q:\n%s", w, r.body)
				}
			}
		})
	}
}

// TestPageWeight checks the size of a page with its styles and its tracker: at
// most 15 KB for a public page, and less than 3 KB for the tracker.
func TestPageWeight(t *testing.T) {
	s := newSite(t)
	all := maps.Clone(samples)
	all["table.csv"] = []byte("City,Visitors\nHamburg,12\nLyon,7\n")
	for name, content := range all {
		l := s.publish(name, content, titled("A title of some length, such as people give to their files"))
		page := s.status(s.get("/p/"+string(l.Slug)), 200)
		sum, tracker, files := page.wire, 0, ""
		for _, m := range regexp.MustCompile(`(?:href|src)="(/assets/[^"]+\.(?:css|js))"`).FindAllStringSubmatch(page.body, -1) {
			wire := s.status(s.get(m[1]), 200).wire
			sum += wire
			files += fmt.Sprintf("  %s %d", path.Base(m[1]), wire)
			if strings.HasSuffix(m[1], "/tracker.js") {
				tracker = wire
			}
		}
		t.Logf("%-12s page %5d%s sum %d", name, page.wire, files, sum)
		if sum > 15<<10 || tracker == 0 || tracker >= 3<<10 {
			t.Errorf("%s: page %d%s: %d bytes in total, want at most 15 KB", name, page.wire, files, sum)
		}
	}
}

// TestUserTextIsText checks that pages escape user text.
func TestUserTextIsText(t *testing.T) {
	s := newSite(t)
	evil := `"><script>alert(1)</script><img src=x onerror=alert(1)>{{.Nonce}}'</title>`
	for name, content := range samples {
		ext := name[strings.LastIndex(name, "."):]
		content = append([]byte{}, content...)
		if ext == ".txt" || ext == ".md" {
			content = []byte("</pre>" + evil)
		}
		l := s.publish("a'b<i>\"&c"+ext, content, titled(evil))
		page := s.status(s.get("/p/"+string(l.Slug)), 200).body
		for _, bad := range []string{"<script>alert", "<img src=x", "</title><", "<i>", "</pre>\"", "{{"} {
			if i := strings.Index(page, bad); i >= 0 && !(bad == "{{" && strings.Contains(page[i:], "{{.Nonce}}")) {
				t.Errorf("%s: the page contains %q: %.80s", name, bad, page[max(0, i-40):])
			}
		}
	}
}

// TestHeaders checks that every kind of answer has the headers of the table in
// security.md, and that none sets a cookie.
func TestHeaders(t *testing.T) {
	s := newSite(t)
	links := map[string]*vitrine.Link{}
	for name, content := range samples {
		links[name] = s.publish(name, content)
	}
	page := func(name string) reply { return s.status(s.get("/p/"+string(links[name].Slug)), 200) }
	file := func(name, what string) string { return s.contentAddress(links[name], what) }
	const inert = "default-src 'none'; sandbox"
	for _, c := range []struct {
		name   string
		r      reply
		status int
		want   map[string]string // "" means absent; a value with a leading ~ means contains
	}{
		{"page", page("report.pdf"), 200, map[string]string{"Cache-Control": "private, no-store",
			"Content-Type": "text/html; charset=utf-8",
			"X-Robots-Tag": "noindex", "Content-Security-Policy": "~default-src 'none'; script-src 'nonce-",
			"Access-Control-Allow-Origin": ""}},
		{"unknown", s.get("/p/nothing-here"), 404,
			map[string]string{"Cache-Control": "no-store", "Content-Type": "text/html; charset=utf-8",
				"Content-Security-Policy": "~frame-ancestors 'none'"}},
		{"raster image", s.get(file("picture.png", "file")), 200,
			map[string]string{"Content-Type": "image/png", "Content-Security-Policy": inert,
				"Content-Disposition": "~inline; ", "Cache-Control": "private, no-cache", "Accept-Ranges": "bytes"}},
		{"SVG", s.get(file("drawing.svg", "file")), 200,
			map[string]string{"Content-Type": "image/svg+xml", "Content-Security-Policy": inert,
				"Content-Disposition": "~attachment; "}},
		{"video", s.get(file("clip.webm", "file")), 200,
			map[string]string{"Content-Type": "video/webm", "Content-Security-Policy": inert,
				"Content-Disposition": "~inline; ", "Accept-Ranges": "bytes"}},
		{"audio", s.get(file("song.mp3", "file")), 200,
			map[string]string{"Content-Type": "audio/mpeg", "Content-Security-Policy": inert}},
		{"text", s.get(file("notes.txt", "file")), 200,
			map[string]string{"Content-Type": "text/plain; charset=utf-8", "Content-Security-Policy": inert}},
		{"json", s.get(file("data.json", "file")), 200,
			map[string]string{"Content-Type": "text/plain; charset=utf-8", "Content-Security-Policy": inert}},
		{"document", s.get(file("book.rtf", "file")), 200,
			map[string]string{"Content-Type": "application/octet-stream", "Content-Disposition": "~attachment; ",
				"Content-Security-Policy": inert}},
		{"archive", s.get(file("archive.tgz", "file")), 200,
			map[string]string{"Content-Type": "application/octet-stream", "Content-Disposition": "~attachment; "}},
		{"PDF", s.get(file("report.pdf", "file")), 200,
			map[string]string{"Content-Type": "application/pdf", "Content-Security-Policy": inert,
				"Access-Control-Allow-Origin":   "*",
				"Access-Control-Expose-Headers": "~Content-Range"}},
		{"PDF navigated to", s.get(file("report.pdf", "file"), "Sec-Fetch-Dest: document"), 303,
			map[string]string{"Location": s.url + "/p/" + string(links["report.pdf"].Slug)}},
		{"PDF viewer", s.get(file("report.pdf", "view")), 200,
			map[string]string{"Content-Security-Policy": "~sandbox allow-scripts",
				"Content-Type": "text/html; charset=utf-8"}},
		{"PDF viewer navigated to", s.get(file("report.pdf", "view"), "Sec-Fetch-Dest: document"), 303, nil},
		{"viewer of no PDF", s.get(file("notes.txt", "view")), 404, nil},
		{"user HTML", s.get(file("page.html", "frame")), 200,
			map[string]string{"Content-Type": "text/html; charset=utf-8",
				"Content-Security-Policy": "sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads; form-action 'none'; frame-ancestors " + s.url}},
		{"user HTML navigated to", s.get(file("page.html", "frame"), "Sec-Fetch-Dest: document"), 303, nil},
		{"user HTML as a file", s.get(file("page.html", "file")), 404, nil},
		{"download", s.get("/p/" + string(links["page.html"].Slug) + "/download"), 200,
			map[string]string{"Content-Type": "application/octet-stream",
				"Content-Disposition":     `attachment; filename="page.html"; filename*=UTF-8''page.html`,
				"Content-Security-Policy": inert, "Cache-Control": "private, no-store"}},
		{"QR picture", s.get("/p/" + string(links["page.html"].Slug) + "/qr.png"), 200,
			map[string]string{"Content-Type": "image/png"}},
		{"QR drawing", s.get("/p/" + string(links["page.html"].Slug) + "/qr.svg"), 200,
			map[string]string{"Content-Type": "image/svg+xml", "Content-Security-Policy": inert}},
		{"home", s.get("/"), 200, map[string]string{"Content-Type": "text/html; charset=utf-8",
			"Content-Security-Policy": "~script-src 'nonce-"}},
		{"robots", s.get("/robots.txt"), 200, map[string]string{"Content-Type": "text/plain; charset=utf-8"}},
		{"asset", s.get(s.attr(page("report.pdf").body, `href="(/assets/[^"]+core\.css)"`)), 200,
			map[string]string{"Cache-Control": "public, max-age=31536000, immutable",
				"Access-Control-Allow-Origin": "*", "Vary": "Accept-Encoding", "Content-Encoding": "gzip",
				"Content-Type": "text/css; charset=utf-8"}},
		{"no asset", s.get("/assets/000000000000/core.css"), 404, nil},
		{"no page", s.get("/nowhere"), 404, nil},
		{"preflight", s.do(http.MethodOptions, file("report.pdf", "file"), ""), 204,
			map[string]string{"Access-Control-Allow-Headers": "~Range"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.r.StatusCode != c.status {
				t.Errorf("status %d, want %d", c.r.StatusCode, c.status)
			}
			for _, name := range []string{"X-Request-Id", "X-Content-Type-Options"} {
				if c.r.Header.Get(name) == "" {
					t.Errorf("no %s header", name)
				}
			}
			if v := c.r.Header["Set-Cookie"]; v != nil {
				t.Errorf("cookie = %q, want none", v)
			}
			if csp := c.r.Header.Get("Content-Security-Policy"); strings.Contains(csp, "allow-same-origin") ||
				strings.Contains(csp, "top-navigation") || strings.Contains(csp, "unsafe-inline") {
				t.Errorf("Content-Security-Policy = %q", csp)
			}
			for name, want := range c.want {
				got := c.r.Header.Get(name)
				if part, ok := strings.CutPrefix(want, "~"); ok && strings.Contains(got, part) {
					continue
				}
				if got != want {
					t.Errorf("%s = %q, want %q", name, got, want)
				}
			}
		})
	}
}

// contentAddress returns the URL of a link's bytes as its page has it.
func (s *site) contentAddress(l *vitrine.Link, what string) string {
	u := s.server.ContentURL
	return u.Scheme + "://" + u.Host + "/c/" + s.server.Signer.ContentToken(signer.Content{Link: l.ID, Version: 1,
		Pass: vitrine.Pass{Round: l.Access.Round}}, s.server.Now().Add(time.Hour)) + "/" + what
}

// TestStates checks that only a public link is shown, and that only showing it
// counts a view (contract, Link states).
func TestStates(t *testing.T) {
	s := newSite(t)
	l := s.publish("notes.txt", samples["notes.txt"], titled("A secret title"))
	page := "/p/" + string(l.Slug)
	for _, c := range []struct {
		state  vitrine.LinkState
		status int
		want   string
	}{
		{vitrine.StateReview, 404, "Not available yet"},
		{vitrine.StateProcessing, 404, "Not available yet"},
		{vitrine.StateDisabled, 410, "No longer available"},
	} {
		s.setState(l, c.state)
		r := s.status(s.get(page), c.status)
		if strings.Contains(r.body, "secret") || !strings.Contains(r.body, c.want) ||
			!strings.Contains(r.body, r.Header.Get("X-Request-Id")) {
			t.Errorf("page of a link in state %s: %s", c.state, r.body)
		}
		for _, other := range []string{page + "/download", page + "/qr.svg", page + "/qr.png",
			s.contentAddress(l, "file")} {
			s.status(s.get(other), c.status)
		}
	}
	s.countOpens(l, 0)
	s.setState(l, vitrine.StateLive)
	s.status(s.get(page), 200)
	s.countOpens(l, 1)
	s.status(s.get("/p/unknown-slug"), 404)
	s.status(s.get("/p/-"), 404)
	s.status(s.get("/p/%00"), 404)
	s.status(s.get("/p/admin"), 404)
	s.check(s.server.Links.Delete(t.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Operator}))
	s.status(s.get(page), 404)
}

func TestOpens(t *testing.T) {
	s := newSite(t)
	l := s.publish("notes.txt", samples["notes.txt"])
	page := "/p/" + string(l.Slug)

	head := s.status(s.do(http.MethodHead, page, ""), 200)
	if head.body != "" || head.Header.Get("Content-Security-Policy") == "" ||
		strings.Contains(fmt.Sprint(head.Header), "beacon") {
		t.Errorf("HEAD: headers = %v", head.Header)
	}
	for _, purpose := range []string{"Sec-Purpose: prefetch", "Sec-Purpose: prefetch;prerender", "Purpose: prefetch",
		"X-Moz: prefetch"} {
		if r := s.status(s.get(page, purpose), 503); !strings.Contains(r.Header.Get("Cache-Control"), "no-store") {
			t.Errorf("%s: headers = %v, want no-store", purpose, r.Header)
		}
		s.status(s.get(page+"/download", purpose), 503)
	}
	s.status(s.do(http.MethodPost, page, ""), 303) // a gate would be answered here
	s.countOpens(l, 0)

	s.status(s.get(page, "Referer: https://www.example.com/somewhere"), 200)
	s.status(s.get(page+"?qr=1"), 200)
	s.status(s.get(page, "User-Agent: Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)"), 200)
	s.status(s.get(page, "Sec-GPC: 1"), 200)
	s.status(s.get(page, "Sec-GPC: 1"), 200)
	all := s.countOpens(l, 5)
	if t.Failed() {
		return
	}
	first, qr, bot, private := all[0], all[1], all[2], all[3]
	switch {
	case first.Referrer != "example.com" || first.Browser != "Chrome" || first.OS != "Linux" ||
		first.Device != "Desktop" || first.Bot != "" || first.Returning:
		t.Errorf("first view = %+v", first)
	case !qr.QR || qr.Source != "QR code" || qr.Viewer != first.Viewer || !qr.Returning:
		t.Errorf("view by QR code = %+v", qr)
	case bot.Bot != "link_preview":
		t.Errorf("bot's view = %+v", bot)
	case private.Viewer == first.Viewer || all[4].Viewer != private.Viewer:
		t.Errorf("viewers with Sec-GPC = %x, %x, %x", first.Viewer, private.Viewer, all[4].Viewer)
	}
	if c := s.counts(l); c.Views != 4 {
		t.Errorf("%d views, want 4", c.Views)
	}
	s.ahead.Store(int64(24 * time.Hour))
	s.status(s.get(page, "Sec-GPC: 1"), 200)
	if all := s.views(l); all[5].Viewer == private.Viewer {
		t.Error("a viewer with Sec-GPC is recognized on the next day")
	}
}

// brokenLog is a view log that fails on request.
type brokenLog struct {
	vitrine.ViewLog
	mu     sync.Mutex
	exists int  // the number of IDs that it reports as taken
	down   bool // fails every write
}

func (b *brokenLog) Append(ctx context.Context, batch vitrine.Batch) (vitrine.Outcome, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.down {
		return vitrine.Outcome{}, vitrine.Unavailable(errors.New("disk full"))
	}
	if b.exists > 0 && len(batch.Views) == 1 {
		b.exists--
		return vitrine.Outcome{Refused: []error{vitrine.ErrExists}}, nil
	}
	return b.ViewLog.Append(ctx, batch)
}

// TestLogFails checks that a page whose view cannot be stored is not served and
// has Retry-After, and that an ID that is taken is replaced.
func TestLogFails(t *testing.T) {
	broken := &brokenLog{}
	s := newSiteWith(t, siteOptions{viewLog: func(l vitrine.ViewLog) vitrine.ViewLog { broken.ViewLog = l; return broken }})
	l := s.publish("notes.txt", samples["notes.txt"])
	page := "/p/" + string(l.Slug)
	broken.exists = 2
	r := s.status(s.get(page), 200)
	s.countOpens(l, 1)
	broken.down = true
	for _, failed := range []reply{
		s.get(page),
		s.get(s.attr(r.body, `href="(/p/[^"]+/download[^"]+)"`)),
		s.do(http.MethodPost, s.beaconOf(r.body), "{}", "Content-Type: text/plain"),
	} {
		s.status(failed, 503)
		if failed.Header.Get("Retry-After") == "" || failed.Header.Get("Content-Disposition") != "" {
			t.Errorf("%s: headers = %v", failed.Request.URL.Path, failed.Header)
		}
	}
	broken.down, broken.exists = false, 100
	s.status(s.get(page), 503)
	broken.exists = 0
	s.countOpens(l, 1)
	s.status(s.get(page), 200)
	s.countOpens(l, 2)
}

// TestRefusedOnceAMinute checks that while views cannot be written, the log has
// one line a minute with the number of refused requests.
func TestRefusedOnceAMinute(t *testing.T) {
	broken := &brokenLog{}
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	s := newSiteWith(t, siteOptions{viewLog: func(l vitrine.ViewLog) vitrine.ViewLog { broken.ViewLog = l; return broken }, now: func() time.Time { return now }})
	l := s.publish("notes.txt", samples["notes.txt"])
	var log bytes.Buffer
	s.server.Log = slog.New(slog.NewTextHandler(&log, nil))
	broken.down = true
	refuse := func(n int, want string) {
		t.Helper()
		log.Reset()
		for range n {
			s.status(s.get("/p/"+string(l.Slug)), 503)
		}
		lines := strings.Count(log.String(), "level=WARN")
		if got := log.String(); want == "" && lines != 0 || want != "" &&
			(lines != 1 || !strings.Contains(got, want)) {
			t.Errorf("%d requests: log = %q, want %q", n, got, want)
		}
	}
	refuse(5, "refused=1 ")
	s.ahead.Add(int64(59 * time.Second))
	refuse(5, "")
	s.ahead.Add(int64(time.Second))
	refuse(5, "refused=10 ")
	s.ahead.Add(-int64(time.Hour)) // the clock was set back
	refuse(2, "refused=5 ")
}

func TestSlugSpelling(t *testing.T) {
	s := newSite(t)
	l := s.publish("notes.txt", samples["notes.txt"])
	upper := strings.ToUpper(string(l.Slug))
	r := s.status(s.get("/p/"+upper+"?qr=1&utm_source=x"), 308)
	if got, want := r.Header.Get("Location"), "/p/"+string(l.Slug)+"?qr=1&utm_source=x"; got != want {
		t.Errorf("Location = %q, want %q", got, want)
	}
	s.status(s.get("/p/"+upper+"/download"), 308)
	s.countOpens(l, 0)
}

func TestDownload(t *testing.T) {
	s := newSite(t)
	l := s.publish("notes.txt", samples["notes.txt"])
	other := s.publish("other.txt", samples["notes.txt"])
	page := s.get("/p/" + string(l.Slug)).body
	address := s.attr(page, `href="(/p/[^"]+/download[^"]+)"`)
	plain := "/p/" + string(l.Slug) + "/download"
	foreign := s.attr(s.get("/p/"+string(other.Slug)).body, `href="/p/[^"]+/download([^"]+)"`)

	events := func(want int64) {
		t.Helper()
		if c := s.counts(l); c.Downloads != want {
			t.Errorf("%d downloads, want %d", c.Downloads, want)
		}
	}
	same := func(r reply) {
		t.Helper()
		if s.status(r, 200).body != string(samples["notes.txt"]) {
			t.Errorf("body = %q", r.body)
		}
	}
	// Without a view: repeated downloads of the same viewer count once.
	same(s.get(plain))
	same(s.get(plain + "?v=rubbish"))
	same(s.get(plain + foreign))
	events(1)
	// Served, but not counted, because the transfer does not start at the
	// beginning.
	s.status(s.do(http.MethodHead, address, ""), 200)
	if r := s.status(s.get(address, "Range: bytes=5-"), 206); r.body != string(samples["notes.txt"][5:]) {
		t.Errorf("range = %q", r.body)
	}
	s.status(s.get(address, "If-None-Match: "+s.get(plain).Header.Get("ETag")), 304)
	events(1)
	same(s.get(address))
	events(2)
	s.status(s.get(address, "Range: bytes=0-3"), 206) // counted already: one view downloads once
	events(2)
	address = s.attr(s.get("/p/"+string(l.Slug)).body, `href="(/p/[^"]+/download[^"]+)"`)
	s.ahead.Store(int64(25 * time.Hour))
	same(s.get(address)) // the token has expired
	events(3)
	s.countOpens(l, 2)
}

// TestViewOnly checks that a view-only link shows its content and offers no
// file.
func TestViewOnly(t *testing.T) {
	s := newSite(t)
	for name, content := range samples {
		l := s.publish(name, content, viewOnly)
		r := s.status(s.get("/p/"+string(l.Slug)), 200)
		if strings.Contains(r.body, "/download") || strings.Contains(r.body, "data-download") ||
			!strings.Contains(r.body, "View only") {
			t.Errorf("view-only page of %s: %s", name, r.body)
		}
		s.status(s.get("/p/"+string(l.Slug)+"/download"), 404)
		file := s.get(s.contentAddress(l, "file"))
		if d := file.Header.Get("Content-Disposition"); strings.Contains(d, "attachment") {
			t.Errorf("%s: Content-Disposition = %s", name, d)
		}
		want := 200
		if name == "page.html" || name == "book.rtf" || name == "archive.tgz" {
			want = 404 // no viewer needs the bytes
		}
		s.status(file, want)
		if want == 200 {
			s.status(s.get(s.contentAddress(l, "file"), "Sec-Fetch-Dest: document"), 303)
		}
	}
}
