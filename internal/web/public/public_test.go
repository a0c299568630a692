package public_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/webtest"
)

func TestPageOfEachKind(t *testing.T) {
	s := webtest.NewSite(t)
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
			l := s.Publish(name, webtest.Samples[name], webtest.Titled("The title of "+name))
			r := s.Status(s.Get("/p/"+string(l.Slug)), 200)
			want = append(want, "<title>The title of "+name+"</title>",
				`property="og:title" content="The title of `+name,
				`property="og:url" content="`+s.URL+"/p/"+string(l.Slug)+`"`, `name="robots" content="noindex"`,
				"/p/"+string(l.Slug)+"/download?v=", "<img class=\"qr\"")
			for _, w := range want {
				if !strings.Contains(r.Text, w) {
					t.Errorf("the page lacks %q:\n%s", w, r.Text)
				}
			}
		})
	}
}

// TestPageWeight checks the size of a page with its styles and its tracker: at
// most 16 KB for a public page, and less than 3.5 KB for the tracker.
func TestPageWeight(t *testing.T) {
	s := webtest.NewSite(t)
	all := maps.Clone(webtest.Samples)
	all["table.csv"] = []byte("City,Visitors\nHamburg,12\nLyon,7\n")
	for name, content := range all {
		l := s.Publish(name, content, webtest.Titled("A title of some length, such as people give to their files"))
		page := s.Status(s.Get("/p/"+string(l.Slug)), 200)
		sum, tracker, files := page.Wire, 0, ""
		for _, m := range regexp.MustCompile(`(?:href|src)="(/assets/[^"]+\.(?:css|js))"`).FindAllStringSubmatch(page.Text, -1) {
			wire := s.Status(s.Get(m[1]), 200).Wire
			sum += wire
			files += fmt.Sprintf("  %s %d", path.Base(m[1]), wire)
			if strings.HasSuffix(m[1], "/tracker.js") {
				tracker = wire
			}
		}
		t.Logf("%-12s page %5d%s sum %d", name, page.Wire, files, sum)
		if sum > 16<<10 || tracker == 0 || tracker >= 3500 {
			t.Errorf("%s: page %d%s: %d bytes in total, want at most 16 KB", name, page.Wire, files, sum)
		}
	}
}

// TestUserTextIsText checks that pages escape user text.
func TestUserTextIsText(t *testing.T) {
	s := webtest.NewSite(t)
	evil := `"><script>alert(1)</script><img src=x onerror=alert(1)>{{.Nonce}}'</title>`
	for name, content := range webtest.Samples {
		ext := name[strings.LastIndex(name, "."):]
		content = append([]byte{}, content...)
		if ext == ".txt" || ext == ".md" {
			content = []byte("</pre>" + evil)
		}
		l := s.Publish("a'b<i>\"&c"+ext, content, webtest.Titled(evil))
		page := s.Status(s.Get("/p/"+string(l.Slug)), 200).Text
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
	s := webtest.NewSite(t)
	links := map[string]*vitrine.Link{}
	for name, content := range webtest.Samples {
		links[name] = s.Publish(name, content)
	}
	page := func(name string) webtest.Reply { return s.Status(s.Get("/p/"+string(links[name].Slug)), 200) }
	file := func(name, what string) string { return s.ContentAddress(links[name], what) }
	const inert = "default-src 'none'; sandbox"
	for _, c := range []struct {
		name   string
		r      webtest.Reply
		status int
		want   map[string]string // "" means absent; a value with a leading ~ means contains
	}{
		{"page", page("report.pdf"), 200, map[string]string{"Cache-Control": "private, no-store",
			"Content-Type": "text/html; charset=utf-8",
			"X-Robots-Tag": "noindex", "Content-Security-Policy": "~default-src 'none'; script-src 'nonce-",
			"Access-Control-Allow-Origin": ""}},
		{"unknown", s.Get("/p/nothing-here"), 404,
			map[string]string{"Cache-Control": "no-store", "Content-Type": "text/html; charset=utf-8",
				"Content-Security-Policy": "~frame-ancestors 'none'"}},
		{"raster image", s.Get(file("picture.png", "file")), 200,
			map[string]string{"Content-Type": "image/png", "Content-Security-Policy": inert,
				"Content-Disposition": "~inline; ", "Cache-Control": "private, no-cache", "Accept-Ranges": "bytes"}},
		{"SVG", s.Get(file("drawing.svg", "file")), 200,
			map[string]string{"Content-Type": "image/svg+xml", "Content-Security-Policy": inert,
				"Content-Disposition": "~attachment; "}},
		{"video", s.Get(file("clip.webm", "file")), 200,
			map[string]string{"Content-Type": "video/webm", "Content-Security-Policy": inert,
				"Content-Disposition": "~inline; ", "Accept-Ranges": "bytes"}},
		{"audio", s.Get(file("song.mp3", "file")), 200,
			map[string]string{"Content-Type": "audio/mpeg", "Content-Security-Policy": inert}},
		{"text", s.Get(file("notes.txt", "file")), 200,
			map[string]string{"Content-Type": "text/plain; charset=utf-8", "Content-Security-Policy": inert}},
		{"json", s.Get(file("data.json", "file")), 200,
			map[string]string{"Content-Type": "text/plain; charset=utf-8", "Content-Security-Policy": inert}},
		{"document", s.Get(file("book.rtf", "file")), 200,
			map[string]string{"Content-Type": "application/octet-stream", "Content-Disposition": "~attachment; ",
				"Content-Security-Policy": inert}},
		{"archive", s.Get(file("archive.tgz", "file")), 200,
			map[string]string{"Content-Type": "application/octet-stream", "Content-Disposition": "~attachment; "}},
		{"PDF", s.Get(file("report.pdf", "file")), 200,
			map[string]string{"Content-Type": "application/pdf", "Content-Security-Policy": inert,
				"Access-Control-Allow-Origin":   "*",
				"Access-Control-Expose-Headers": "~Content-Range"}},
		{"PDF navigated to", s.Get(file("report.pdf", "file"), "Sec-Fetch-Dest: document"), 303,
			map[string]string{"Location": s.URL + "/p/" + string(links["report.pdf"].Slug)}},
		{"PDF viewer", s.Get(file("report.pdf", "view")), 200,
			map[string]string{"Content-Security-Policy": "~sandbox allow-scripts",
				"Content-Type": "text/html; charset=utf-8"}},
		{"PDF viewer navigated to", s.Get(file("report.pdf", "view"), "Sec-Fetch-Dest: document"), 303, nil},
		{"viewer of no PDF", s.Get(file("notes.txt", "view")), 404, nil},
		{"user HTML", s.Get(file("page.html", "frame")), 200,
			map[string]string{"Content-Type": "text/html; charset=utf-8",
				"Content-Security-Policy": "sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads; form-action 'none'; frame-ancestors " + s.URL}},
		{"user HTML navigated to", s.Get(file("page.html", "frame"), "Sec-Fetch-Dest: document"), 303, nil},
		{"user HTML as a file", s.Get(file("page.html", "file")), 404, nil},
		{"download", s.Get("/p/" + string(links["page.html"].Slug) + "/download"), 200,
			map[string]string{"Content-Type": "application/octet-stream",
				"Content-Disposition":     `attachment; filename="page.html"; filename*=UTF-8''page.html`,
				"Content-Security-Policy": inert, "Cache-Control": "private, no-store"}},
		{"QR picture", s.Get("/p/" + string(links["page.html"].Slug) + "/qr.png"), 200,
			map[string]string{"Content-Type": "image/png"}},
		{"QR drawing", s.Get("/p/" + string(links["page.html"].Slug) + "/qr.svg"), 200,
			map[string]string{"Content-Type": "image/svg+xml", "Content-Security-Policy": inert}},
		{"home", s.Get("/"), 200, map[string]string{"Content-Type": "text/html; charset=utf-8",
			"Content-Security-Policy": "~script-src 'nonce-"}},
		{"robots", s.Get("/robots.txt"), 200, map[string]string{"Content-Type": "text/plain; charset=utf-8"}},
		{"asset", s.Get(s.Attr(page("report.pdf").Text, `href="(/assets/[^"]+core\.css)"`)), 200,
			map[string]string{"Cache-Control": "public, max-age=31536000, immutable",
				"Access-Control-Allow-Origin": "*", "Vary": "Accept-Encoding", "Content-Encoding": "gzip",
				"Content-Type": "text/css; charset=utf-8"}},
		{"no asset", s.Get("/assets/000000000000/core.css"), 404, nil},
		{"no page", s.Get("/nowhere"), 404, nil},
		{"preflight", s.Do(http.MethodOptions, file("report.pdf", "file"), ""), 204,
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

// TestStates checks that only a public link is shown, and that only showing it
// counts a view (contract, Link states).
func TestStates(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"], webtest.Titled("A secret title"))
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
		s.SetState(l, c.state)
		r := s.Status(s.Get(page), c.status)
		if strings.Contains(r.Text, "secret") || !strings.Contains(r.Text, c.want) ||
			!strings.Contains(r.Text, r.Header.Get("X-Request-Id")) {
			t.Errorf("page of a link in state %s: %s", c.state, r.Text)
		}
		for _, other := range []string{page + "/download", page + "/qr.svg", page + "/qr.png",
			s.ContentAddress(l, "file")} {
			s.Status(s.Get(other), c.status)
		}
	}
	s.CountViews(l, 0)
	s.SetState(l, vitrine.StateLive)
	s.Status(s.Get(page), 200)
	s.CountViews(l, 1)
	s.Status(s.Get("/p/unknown-slug"), 404)
	s.Status(s.Get("/p/-"), 404)
	s.Status(s.Get("/p/%00"), 404)
	s.Status(s.Get("/p/admin"), 404)
	s.Check(s.Server.Links.Delete(t.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Administrator}))
	s.Status(s.Get(page), 404)
}

func TestOpens(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"])
	page := "/p/" + string(l.Slug)

	head := s.Status(s.Do(http.MethodHead, page, ""), 200)
	if head.Text != "" || head.Header.Get("Content-Security-Policy") == "" ||
		strings.Contains(fmt.Sprint(head.Header), "beacon") {
		t.Errorf("HEAD: headers = %v", head.Header)
	}
	for _, purpose := range []string{"Sec-Purpose: prefetch", "Sec-Purpose: prefetch;prerender", "Purpose: prefetch",
		"X-Moz: prefetch"} {
		if r := s.Status(s.Get(page, purpose), 503); !strings.Contains(r.Header.Get("Cache-Control"), "no-store") {
			t.Errorf("%s: headers = %v, want no-store", purpose, r.Header)
		}
		s.Status(s.Get(page+"/download", purpose), 503)
	}
	s.Status(s.Do(http.MethodPost, page, ""), 303) // a gate would be answered here
	s.CountViews(l, 0)

	s.Status(s.Get(page, "Referer: https://www.example.com/somewhere"), 200)
	s.Ahead.Add(int64(31 * time.Minute)) // so that it is a return
	s.Status(s.Get(page+"?qr=1"), 200)
	s.Status(s.Get(page, "User-Agent: Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)"), 200)
	s.Status(s.Get(page, "Sec-GPC: 1"), 200)
	s.Status(s.Get(page, "Sec-GPC: 1"), 200)
	all := s.CountViews(l, 5)
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
	if c := s.Counts(l); c.Views != 4 {
		t.Errorf("%d views, want 4", c.Views)
	}
	s.Ahead.Store(int64(24 * time.Hour))
	s.Status(s.Get(page, "Sec-GPC: 1"), 200)
	if all := s.Views(l); all[5].Viewer == private.Viewer {
		t.Error("a viewer with Sec-GPC is recognized on the next day")
	}
}

// TestLogFails checks that a page whose view cannot be stored is not served and
// has Retry-After, and that an ID that is taken is replaced.
func TestLogFails(t *testing.T) {
	broken := &webtest.BrokenLog{}
	s := webtest.NewSiteWith(t,
		webtest.SiteOptions{ViewLog: func(l vitrine.ViewLog) vitrine.ViewLog { broken.ViewLog = l; return broken }})
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"])
	page := "/p/" + string(l.Slug)
	broken.Exists = 2
	r := s.Status(s.Get(page), 200)
	s.CountViews(l, 1)
	broken.Down = true
	for _, failed := range []webtest.Reply{
		s.Get(page),
		s.Get(s.Attr(r.Text, `href="(/p/[^"]+/download[^"]+)"`)),
		s.Do(http.MethodPost, s.BeaconOf(r.Text), "{}", "Content-Type: text/plain"),
	} {
		s.Status(failed, 503)
		if failed.Header.Get("Retry-After") == "" || failed.Header.Get("Content-Disposition") != "" {
			t.Errorf("%s: headers = %v", failed.Request.URL.Path, failed.Header)
		}
	}
	broken.Down, broken.Exists = false, 100
	s.Status(s.Get(page), 503)
	broken.Exists = 0
	s.CountViews(l, 1)
	s.Status(s.Get(page), 200)
	s.CountViews(l, 2)
}

// TestRefusedOnceAMinute checks that while views cannot be written, the log has
// one line a minute with the number of refused requests.
func TestRefusedOnceAMinute(t *testing.T) {
	broken := &webtest.BrokenLog{}
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	s := webtest.NewSiteWith(t,
		webtest.SiteOptions{ViewLog: func(l vitrine.ViewLog) vitrine.ViewLog { broken.ViewLog = l; return broken },
			Now: func() time.Time { return now }})
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"])
	var log bytes.Buffer
	s.Server.Log = slog.New(slog.NewTextHandler(&log, nil))
	broken.Down = true
	refuse := func(n int, want string) {
		t.Helper()
		log.Reset()
		for range n {
			s.Status(s.Get("/p/"+string(l.Slug)), 503)
		}
		lines := strings.Count(log.String(), "level=WARN")
		if got := log.String(); want == "" && lines != 0 || want != "" &&
			(lines != 1 || !strings.Contains(got, want)) {
			t.Errorf("%d requests: log = %q, want %q", n, got, want)
		}
	}
	refuse(5, "refused=1 ")
	s.Ahead.Add(int64(59 * time.Second))
	refuse(5, "")
	s.Ahead.Add(int64(time.Second))
	refuse(5, "refused=10 ")
	s.Ahead.Add(-int64(time.Hour)) // the clock was set back
	refuse(2, "refused=5 ")
}

func TestSlugSpelling(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"])
	upper := strings.ToUpper(string(l.Slug))
	r := s.Status(s.Get("/p/"+upper+"?qr=1&utm_source=x"), 308)
	if got, want := r.Header.Get("Location"), "/p/"+string(l.Slug)+"?qr=1&utm_source=x"; got != want {
		t.Errorf("Location = %q, want %q", got, want)
	}
	s.Status(s.Get("/p/"+upper+"/download"), 308)
	s.CountViews(l, 0)
}

func TestDownload(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"])
	other := s.Publish("other.txt", webtest.Samples["notes.txt"])
	page := s.Get("/p/" + string(l.Slug)).Text
	address := s.Attr(page, `href="(/p/[^"]+/download[^"]+)"`)
	plain := "/p/" + string(l.Slug) + "/download"
	foreign := s.Attr(s.Get("/p/"+string(other.Slug)).Text, `href="/p/[^"]+/download([^"]+)"`)

	events := func(want int64) {
		t.Helper()
		if c := s.Counts(l); c.Downloads != want {
			t.Errorf("%d downloads, want %d", c.Downloads, want)
		}
	}
	same := func(r webtest.Reply) {
		t.Helper()
		if s.Status(r, 200).Text != string(webtest.Samples["notes.txt"]) {
			t.Errorf("body = %q", r.Text)
		}
	}
	// Without a view: repeated downloads of the same viewer count once.
	same(s.Get(plain))
	same(s.Get(plain + "?v=rubbish"))
	same(s.Get(plain + foreign))
	events(1)
	// Served, but not counted, because the transfer does not start at the
	// beginning.
	s.Status(s.Do(http.MethodHead, address, ""), 200)
	if r := s.Status(s.Get(address, "Range: bytes=5-"), 206); r.Text != string(webtest.Samples["notes.txt"][5:]) {
		t.Errorf("range = %q", r.Text)
	}
	s.Status(s.Get(address, "If-None-Match: "+s.Get(plain).Header.Get("ETag")), 304)
	events(1)
	same(s.Get(address))
	events(2)
	s.Status(s.Get(address, "Range: bytes=0-3"), 206) // counted already: one view downloads once
	events(2)
	address = s.Attr(s.Get("/p/"+string(l.Slug)).Text, `href="(/p/[^"]+/download[^"]+)"`)
	s.Ahead.Store(int64(25 * time.Hour))
	same(s.Get(address)) // the token has expired
	events(3)
	s.CountViews(l, 2)
}

// TestViewOnly checks that a view-only link shows its content and offers no
// file.
func TestViewOnly(t *testing.T) {
	s := webtest.NewSite(t)
	for name, content := range webtest.Samples {
		l := s.Publish(name, content, webtest.ViewOnly)
		r := s.Status(s.Get("/p/"+string(l.Slug)), 200)
		if strings.Contains(r.Text, "/download") || strings.Contains(r.Text, "data-download") ||
			!strings.Contains(r.Text, "View only") {
			t.Errorf("view-only page of %s: %s", name, r.Text)
		}
		s.Status(s.Get("/p/"+string(l.Slug)+"/download"), 404)
		file := s.Get(s.ContentAddress(l, "file"))
		if d := file.Header.Get("Content-Disposition"); strings.Contains(d, "attachment") {
			t.Errorf("%s: Content-Disposition = %s", name, d)
		}
		want := 200
		if name == "page.html" || name == "book.rtf" || name == "archive.tgz" {
			want = 404 // no viewer needs the bytes
		}
		s.Status(file, want)
		if want == 200 {
			s.Status(s.Get(s.ContentAddress(l, "file"), "Sec-Fetch-Dest: document"), 303)
		}
	}
}
