package content_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/webtest"
)

// TestExamine checks that a moderator sees a file of every kind that is not
// public. Nothing is counted, and the file is shown only in the preview.
func TestExamine(t *testing.T) {
	d := webtest.NewDeskWith(t, webtest.SiteOptions{Content: true})
	cookie := d.SignIn(d.Owner)
	scripted := map[string]bool{"report.pdf": true, "clip.webm": true,
		"song.mp3": true} // loaded by the viewer and by the browser's own controls
	for name, want := range map[string]string{"report.pdf": "pdf/view.js", "picture.png": `src="file"`,
		"drawing.svg": `src="file"`, "clip.webm": `<video class="whole" src="file" controls preload="none"`,
		"song.mp3": `<audio src="file" controls preload="none"`, "notes.txt": "First line.\nSecond line.",
		"view-only.md": "Title</h2>", "page.html": "You are invited.", "data.json": "<code"} {
		l := d.Held(name, vitrine.ReasonSuspicious)
		d.Status(d.Get("/p/"+string(l.Slug)), 404)
		frame := d.FrameOf(webtest.CasePath(l), cookie)
		if !strings.HasPrefix(frame, d.Server.ContentURL.String()+"/c/") {
			t.Errorf("%s: the frame is at %s, want the content origin", name, frame)
		}
		base := strings.TrimSuffix(frame, "examine")
		r := d.Get(frame)
		if r.StatusCode == 303 {
			r = d.Get(base + r.Header.Get("Location"))
		}
		d.Status(r, 200)
		csp := r.Header.Get("Content-Security-Policy")
		if !strings.Contains(r.Text, want) || strings.Contains(r.Text, "tracker.js") ||
			strings.Contains(r.Text, "page.js") || strings.Contains(r.Text, "beacon") ||
			!strings.Contains(csp, "sandbox") ||
			strings.Contains(csp, "allow-same-origin") || !strings.HasSuffix(csp, "frame-ancestors "+d.URL) ||
			strings.Contains(csp, "allow-scripts") != scripted[name] ||
			strings.Contains(csp, "script-src") != (name == "report.pdf") ||
			r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: headers %v\n%.2000s", name, r.Header, r.Text)
		}
		if r := d.Get(frame + "?embed"); r.StatusCode == 200 &&
			!strings.HasSuffix(r.Header.Get("Content-Security-Policy"), "frame-ancestors "+d.URL) {
			t.Errorf("%s: any site may frame it: %s", name, r.Header.Get("Content-Security-Policy"))
		}
		copied := d.Status(d.Get(base+"copy"), 200)
		if copied.Text != string(webtest.Samples[name]) || copied.Header.Get("Content-Type") != "application/octet-stream" ||
			!strings.HasPrefix(copied.Header.Get("Content-Disposition"), "attachment;") {
			t.Errorf("%s: headers of the copy = %v", name, copied.Header)
		}
		for _, navigated := range []string{"examine", "file", "view", "source"} { // none may be opened as a page
			d.Status(d.Get(base+navigated, "Sec-Fetch-Dest: document"), 404)
		}
		d.Status(d.Get(base+"frame"), 403) // where the user's script runs
		d.Status(d.Get(base+"preview"), 403)
		for _, bad := range []string{strings.Replace(frame, "/examine", "x/examine", 1),
			d.Server.ContentURL.String() + "/c/rubbish/examine", d.ContentAddress(l, "examine"),
			d.ContentAddress(l, "copy"),
			d.ContentAddress(l, "source")} {
			d.Status(d.Get(bad), 403)
		}
		d.Status(d.Get(d.ContentAddress(l, "file")), 404) // a public token does not open it
		d.CountViews(l, 0)
		if c := d.Counts(l); c.Views != 0 || c.Downloads != 0 {
			t.Errorf("%s: counts = %+v, want none", name, c)
		}
		d.Ahead.Add(int64(signer.ExamineLife))
		for _, late := range []string{"examine", "file", "copy", "view"} {
			d.Status(d.Get(base+late), 403)
		}
		// The public page has no such token after approval.
		d.Status(d.Decide(l, "clear", "", d.SignIn(d.Owner)), 303)
		for _, m := range regexp.MustCompile(`/c/([^/"]+)/`).FindAllStringSubmatch(d.Get("/p/"+string(l.Slug)).Text,
			-1) {
			if _, _, err := d.Server.Signer.ParseExamineToken(m[1], d.Server.Now()); err == nil {
				t.Errorf("%s: the public page has an examine token", name)
			}
		}
		cookie = d.SignIn(d.Owner)
	}
}

// TestExamineHTML checks that a user's web page is shown without scripts,
// requests and links.
func TestExamineHTML(t *testing.T) {
	d := webtest.NewDesk(t)
	cookie := d.SignIn(d.Owner)
	evil := `<!doctype html><html><head><meta charset=utf-8><title>x</title><base href="https://evil.example/"><link rel="preconnect" href="https://evil.example"><link rel=stylesheet href="https://evil.example/a.css">
<meta http-equiv="refresh" content="0;url=https://evil.example/"><style>body{background:url(https://evil.example/b)}</style><script src="https://evil.example/c.js"></script></head>
<body onload="fetch('https://evil.example/')"><p>Grüße</p><img src="https://evil.example/d.png"><iframe src="https://evil.example/"></iframe><object data="https://evil.example/o"></object>
<svg><link rel="preconnect" href="https://evil.example"/><script>alert(1)</script></svg><template><script>1</script></template><noscript><link rel=preconnect href=https://evil.example></noscript>
<a href="https://evil.example/" target="_top" ping="https://evil.example/p">away</a></body></html>`
	l := d.Submit("page.html", []byte(evil))
	if l.State != vitrine.StateReview {
		d.Hold(l, "html_password_form", "")
	}
	frame := d.FrameOf(webtest.CasePath(l), cookie)
	r := d.Status(d.Get(frame), 200)
	if csp := r.Header.Get("Content-Security-Policy"); csp != "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors "+d.URL {
		t.Errorf("policy = %s", csp)
	}
	for _, bad := range []string{"<script", "<link", "<meta", "<base", "<iframe", "<object", "<template", "_top",
		"href"} {
		if strings.Contains(r.Text, bad) {
			t.Errorf("the page contains %s: %s", bad, r.Text)
		}
	}
	for _, want := range []string{"Grüße", `<a title="Leads to https://evil.example/">away</a>`} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("the page lacks %s: %s", want, r.Text)
		}
	}
	if r.Header.Get("X-Dns-Prefetch-Control") != "off" || r.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("headers = %v", r.Header)
	}
	source := d.Status(d.Get(strings.Replace(frame, "/examine", "/source", 1)), 200)
	if !strings.Contains(source.Text, "&lt;script src=&#34;https://evil.example/c.js") ||
		strings.Contains(source.Text, "<script") {
		t.Errorf("source = %s", source.Text)
	}
	page := d.Get(webtest.CasePath(l), cookie).Text
	if !strings.Contains(page, `sandbox="" title="The file, rendered"`) ||
		!strings.Contains(page, `sandbox title="The file’s source"`) {
		t.Errorf("page of the case: %s", page)
	}
	// The source of an SVG, which is held for its scripts, is shown beside its
	// picture.
	picture := d.Publish("logo.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>`))
	if text := strings.Replace(d.FrameOf(webtest.CasePath(picture), cookie), "/examine", "/source",
		1); !strings.Contains(d.Status(d.Get(text), 200).Text, "&lt;svg xmlns") {
		t.Error("no source of an SVG")
	}
	// HTML that nests too deeply for the parser is shown as source.
	deep := d.Publish("deep.html", []byte("<!doctype html><html><body>"+strings.Repeat("<div>", 3000)+"x"))
	d.Hold(deep, "html_password_form", "")
	if r := d.Get(d.FrameOf(webtest.CasePath(deep), cookie)); r.StatusCode != 200 &&
		(r.StatusCode != 303 || r.Header.Get("Location") != "source") {
		t.Errorf("status %d, Location %s, want the page or its source", r.StatusCode, r.Header.Get("Location"))
	}
}

// TestExamineGone checks that the case of a link whose bytes are gone shows
// everything else.
func TestExamineGone(t *testing.T) {
	d := webtest.NewDesk(t)
	cookie := d.SignIn(d.Owner)
	l := d.Held("notes.txt", vitrine.ReasonSuspicious)
	frame := d.FrameOf(webtest.CasePath(l), cookie)
	d.Move(l, vitrine.Change{By: vitrine.Actor{Kind: vitrine.ActorScanner}, Action: vitrine.ActionScan,
		To: vitrine.StateDisabled, Reason: vitrine.ReasonMalware, Detail: "Eicar-Signature"})
	d.Check(d.Server.Links.Store.Update(t.Context(), func(tx vitrine.Tx) error {
		now, err := tx.Link(l.ID)
		if err != nil {
			return err
		}
		now.HasBytes = false
		return tx.PutLink(now)
	}))
	r := d.Status(d.Get(webtest.CasePath(l), cookie), 200)
	for _, want := range []string{"deleted because malware was found", "Eicar-Signature", l.SHA256, "Scanned"} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("the page lacks %q: %s", want, r.Text)
		}
	}
	if strings.Contains(r.Text, "<iframe") || strings.Contains(r.Text, "Download the file") ||
		strings.Contains(r.Text, "data-decides") {
		t.Errorf("the page offers a file that is gone: %s", r.Text)
	}
	for _, what := range []string{"examine", "copy", "file", "source"} {
		d.Status(d.Get(strings.Replace(frame, "examine", what, 1)), 404)
	}
}

// TestWebsiteExamined checks that a moderator sees the pages of a held version
// without their scripts.
func TestWebsiteExamined(t *testing.T) {
	h := webtest.NewHosting(t)
	site := h.NewWebsite("Garden")
	held := h.Deployed(site, `index.html=<link rel=stylesheet href=/style.css><script src=app.js></script><img src="/a.png"><input type=password>`+
		`<a href="blog/" target=_top>Blog</a><a href="https://evil.example/">Out</a>`, "style.css*=body{}",
		"app.js=alert()", "blog/index.html=<p>Blog")
	cookie := h.SignIn(h.Owner)
	page := h.Status(h.Get(webtest.CasePath(held), cookie), http.StatusOK)
	frame := h.Attr(page.Text, `src="([^"]+/c/[^"]+/site/)\?found"`)
	if r := h.Status(h.Get(frame+"?found"), http.StatusSeeOther); !strings.HasPrefix(r.Header.Get("Location"),
		"./index.html") {
		t.Errorf("?found redirects to %s, want index.html", r.Header.Get("Location"))
	}
	if !strings.Contains(page.Text, h.Server.SitesURL.Scheme+"://"+string(site.Slug)+".localhost") ||
		strings.Contains(page.Text, "/p/"+string(held.Slug)) {
		t.Error("the case lacks the website's address, or shows a link's")
	}
	r := h.Status(h.Get(frame), http.StatusOK)
	for _, want := range []string{`href="` + frame + `style.css"`, `src="` + frame + `a.png"`, `href="blog/"`,
		`title="Leads to https://evil.example/"`} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("the page lacks %s:\n%s", want, r.Text)
		}
	}
	policy := r.Header.Get("Content-Security-Policy")
	if strings.Contains(r.Text, "<script") || strings.Contains(r.Text, "target=") ||
		!strings.HasPrefix(policy, "sandbox; default-src 'none'") {
		t.Errorf("policy = %s\n%s", policy, r.Text)
	}
	h.Status(h.Get(frame+"style.css"), http.StatusOK)
	h.Status(h.Get(frame+"blog/"), http.StatusOK)
	h.Status(h.Get(frame+"blog"), http.StatusSeeOther)
	h.Status(h.Get(frame+"nowhere"), http.StatusNotFound)
	h.Status(h.Get(frame, "Sec-Fetch-Dest: document"), http.StatusNotFound)
	plain := h.Hold(h.Publish("notes.txt", webtest.Samples["notes.txt"]), vitrine.ReasonSuspicious, "")
	other := h.Attr(h.Get(webtest.CasePath(plain), cookie).Text, `src="([^"]+/c/[^"]+/)examine"`)
	h.Status(h.Get(other+"site/"), http.StatusNotFound)
	// The decision works as for any link.
	h.Status(h.Decide(held, "clear", "", cookie), http.StatusSeeOther)
	h.Shows(site, http.StatusOK, "password")
}
