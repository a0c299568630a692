package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/base/signer"
)

// frameOf returns the address of the frame on a case.
func (s *site) frameOf(path string, headers ...string) string {
	s.t.Helper()
	return s.attr(s.status(s.get(path, headers...), 200).body, `<iframe[^>]* src="([^"]+/c/[^"]+)"`)
}

// TestExamine checks that a moderator sees a file of every kind that is not
// public. Nothing is counted, and the file is shown only in the preview.
func TestExamine(t *testing.T) {
	d := newDeskWith(t, siteOptions{content: true})
	cookie := d.signIn(d.owner)
	scripted := map[string]bool{"report.pdf": true, "clip.webm": true,
		"song.mp3": true} // loaded by the viewer and by the browser's own controls
	for name, want := range map[string]string{"report.pdf": "pdf/view.js", "picture.png": `src="file"`,
		"drawing.svg": `src="file"`, "clip.webm": `<video class="whole" src="file" controls preload="none"`,
		"song.mp3": `<audio src="file" controls preload="none"`, "notes.txt": "First line.\nSecond line.",
		"view-only.md": "Title</h2>", "page.html": "You are invited.", "data.json": "<code"} {
		l := d.held(name, vitrine.ReasonSuspicious)
		d.status(d.get("/p/"+string(l.Slug)), 404)
		frame := d.frameOf(casePath(l), cookie)
		if !strings.HasPrefix(frame, d.server.ContentURL.String()+"/c/") {
			t.Errorf("%s: the frame is at %s, want the content origin", name, frame)
		}
		base := strings.TrimSuffix(frame, "examine")
		r := d.get(frame)
		if r.StatusCode == 303 {
			r = d.get(base + r.Header.Get("Location"))
		}
		d.status(r, 200)
		csp := r.Header.Get("Content-Security-Policy")
		if !strings.Contains(r.body, want) || strings.Contains(r.body, "tracker.js") ||
			strings.Contains(r.body, "page.js") || strings.Contains(r.body, "beacon") ||
			!strings.Contains(csp, "sandbox") ||
			strings.Contains(csp, "allow-same-origin") || !strings.HasSuffix(csp, "frame-ancestors "+d.url) ||
			strings.Contains(csp, "allow-scripts") != scripted[name] ||
			strings.Contains(csp, "script-src") != (name == "report.pdf") ||
			r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: headers %v\n%.2000s", name, r.Header, r.body)
		}
		if r := d.get(frame + "?embed"); r.StatusCode == 200 &&
			!strings.HasSuffix(r.Header.Get("Content-Security-Policy"), "frame-ancestors "+d.url) {
			t.Errorf("%s: any site may frame it: %s", name, r.Header.Get("Content-Security-Policy"))
		}
		copied := d.status(d.get(base+"copy"), 200)
		if copied.body != string(samples[name]) || copied.Header.Get("Content-Type") != "application/octet-stream" ||
			!strings.HasPrefix(copied.Header.Get("Content-Disposition"), "attachment;") {
			t.Errorf("%s: headers of the copy = %v", name, copied.Header)
		}
		for _, navigated := range []string{"examine", "file", "view", "source"} { // none may be opened as a page
			d.status(d.get(base+navigated, "Sec-Fetch-Dest: document"), 404)
		}
		d.status(d.get(base+"frame"), 403) // where the user's script runs
		d.status(d.get(base+"preview"), 403)
		for _, bad := range []string{strings.Replace(frame, "/examine", "x/examine", 1),
			d.server.ContentURL.String() + "/c/rubbish/examine", d.contentAddress(l, "examine"),
			d.contentAddress(l, "copy"),
			d.contentAddress(l, "source")} {
			d.status(d.get(bad), 403)
		}
		d.status(d.get(d.contentAddress(l, "file")), 404) // a public token does not open it
		d.countOpens(l, 0)
		if c := d.counts(l); c.Views != 0 || c.Downloads != 0 {
			t.Errorf("%s: counts = %+v, want none", name, c)
		}
		d.ahead.Add(int64(signer.ExamineLife))
		for _, late := range []string{"examine", "file", "copy", "view"} {
			d.status(d.get(base+late), 403)
		}
		// The public page has no such token after approval.
		d.status(d.decide(l, "clear", "", d.signIn(d.owner)), 303)
		for _, m := range regexp.MustCompile(`/c/([^/"]+)/`).FindAllStringSubmatch(d.get("/p/"+string(l.Slug)).body,
			-1) {
			if _, _, err := d.server.Signer.ParseExamineToken(m[1], d.server.Now()); err == nil {
				t.Errorf("%s: the public page has an examine token", name)
			}
		}
		cookie = d.signIn(d.owner)
	}
}

// TestExamineHTML checks that a user's web page is shown without scripts,
// requests and links.
func TestExamineHTML(t *testing.T) {
	d := newDesk(t)
	cookie := d.signIn(d.owner)
	evil := `<!doctype html><html><head><meta charset=utf-8><title>x</title><base href="https://evil.example/"><link rel="preconnect" href="https://evil.example"><link rel=stylesheet href="https://evil.example/a.css">
<meta http-equiv="refresh" content="0;url=https://evil.example/"><style>body{background:url(https://evil.example/b)}</style><script src="https://evil.example/c.js"></script></head>
<body onload="fetch('https://evil.example/')"><p>Grüße</p><img src="https://evil.example/d.png"><iframe src="https://evil.example/"></iframe><object data="https://evil.example/o"></object>
<svg><link rel="preconnect" href="https://evil.example"/><script>alert(1)</script></svg><template><script>1</script></template><noscript><link rel=preconnect href=https://evil.example></noscript>
<a href="https://evil.example/" target="_top" ping="https://evil.example/p">away</a></body></html>`
	l := d.submit("page.html", []byte(evil))
	if l.State != vitrine.StateReview {
		d.hold(l, "html_password_form", "")
	}
	frame := d.frameOf(casePath(l), cookie)
	r := d.status(d.get(frame), 200)
	if csp := r.Header.Get("Content-Security-Policy"); csp != "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors "+d.url {
		t.Errorf("policy = %s", csp)
	}
	for _, bad := range []string{"<script", "<link", "<meta", "<base", "<iframe", "<object", "<template", "_top",
		"href"} {
		if strings.Contains(r.body, bad) {
			t.Errorf("the page contains %s: %s", bad, r.body)
		}
	}
	for _, want := range []string{"Grüße", `<a title="Leads to https://evil.example/">away</a>`} {
		if !strings.Contains(r.body, want) {
			t.Errorf("the page lacks %s: %s", want, r.body)
		}
	}
	if r.Header.Get("X-Dns-Prefetch-Control") != "off" || r.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("headers = %v", r.Header)
	}
	source := d.status(d.get(strings.Replace(frame, "/examine", "/source", 1)), 200)
	if !strings.Contains(source.body, "&lt;script src=&#34;https://evil.example/c.js") ||
		strings.Contains(source.body, "<script") {
		t.Errorf("source = %s", source.body)
	}
	page := d.get(casePath(l), cookie).body
	if !strings.Contains(page, `sandbox="" title="The file, rendered"`) ||
		!strings.Contains(page, `sandbox title="The file’s source"`) {
		t.Errorf("page of the case: %s", page)
	}
	// The source of an SVG, which is held for its scripts, is shown beside its
	// picture.
	picture := d.publish("logo.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>`))
	if text := strings.Replace(d.frameOf(casePath(picture), cookie), "/examine", "/source",
		1); !strings.Contains(d.status(d.get(text), 200).body, "&lt;svg xmlns") {
		t.Error("no source of an SVG")
	}
	// HTML that nests too deeply for the parser is shown as source.
	deep := d.publish("deep.html", []byte("<!doctype html><html><body>"+strings.Repeat("<div>", 3000)+"x"))
	d.hold(deep, "html_password_form", "")
	if r := d.get(d.frameOf(casePath(deep), cookie)); r.StatusCode != 200 &&
		(r.StatusCode != 303 || r.Header.Get("Location") != "source") {
		t.Errorf("status %d, Location %s, want the page or its source", r.StatusCode, r.Header.Get("Location"))
	}
}

// TestExamineGone checks that the case of a link whose bytes are gone shows
// everything else.
func TestExamineGone(t *testing.T) {
	d := newDesk(t)
	cookie := d.signIn(d.owner)
	l := d.held("notes.txt", vitrine.ReasonSuspicious)
	frame := d.frameOf(casePath(l), cookie)
	d.move(l, vitrine.Change{By: vitrine.Actor{Kind: vitrine.ActorScanner}, Action: vitrine.ActionScan,
		To: vitrine.StateDisabled, Reason: vitrine.ReasonMalware, Detail: "Eicar-Signature"})
	d.check(d.server.Links.Store.Update(t.Context(), func(tx vitrine.Tx) error {
		now, err := tx.Link(l.ID)
		if err != nil {
			return err
		}
		now.HasBytes = false
		return tx.PutLink(now)
	}))
	r := d.status(d.get(casePath(l), cookie), 200)
	for _, want := range []string{"deleted because malware was found", "Eicar-Signature", l.SHA256, "Scanned"} {
		if !strings.Contains(r.body, want) {
			t.Errorf("the page lacks %q: %s", want, r.body)
		}
	}
	if strings.Contains(r.body, "<iframe") || strings.Contains(r.body, "Download the file") ||
		strings.Contains(r.body, "data-decides") {
		t.Errorf("the page offers a file that is gone: %s", r.body)
	}
	for _, what := range []string{"examine", "copy", "file", "source"} {
		d.status(d.get(strings.Replace(frame, "examine", what, 1)), 404)
	}
}

// TestWebsiteExamined checks that a moderator sees the pages of a held version
// without their scripts.
func TestWebsiteExamined(t *testing.T) {
	h := newHosting(t)
	site := h.newWebsite("Garden")
	held := h.deployed(site, `index.html=<link rel=stylesheet href=/style.css><script src=app.js></script><img src="/a.png"><input type=password>`+
		`<a href="blog/" target=_top>Blog</a><a href="https://evil.example/">Out</a>`, "style.css*=body{}",
		"app.js=alert()", "blog/index.html=<p>Blog")
	cookie := h.signIn(h.owner)
	page := h.status(h.get(casePath(held), cookie), http.StatusOK)
	frame := h.attr(page.body, `src="([^"]+/c/[^"]+/site/)\?found"`)
	if r := h.status(h.get(frame+"?found"), http.StatusSeeOther); !strings.HasPrefix(r.Header.Get("Location"),
		"./index.html") {
		t.Errorf("?found redirects to %s, want index.html", r.Header.Get("Location"))
	}
	if !strings.Contains(page.body, h.server.SitesURL.Scheme+"://"+string(site.Slug)+".localhost") ||
		strings.Contains(page.body, "/p/"+string(held.Slug)) {
		t.Error("the case lacks the website's address, or shows a link's")
	}
	r := h.status(h.get(frame), http.StatusOK)
	for _, want := range []string{`href="` + frame + `style.css"`, `src="` + frame + `a.png"`, `href="blog/"`,
		`title="Leads to https://evil.example/"`} {
		if !strings.Contains(r.body, want) {
			t.Errorf("the page lacks %s:\n%s", want, r.body)
		}
	}
	policy := r.Header.Get("Content-Security-Policy")
	if strings.Contains(r.body, "<script") || strings.Contains(r.body, "target=") ||
		!strings.HasPrefix(policy, "sandbox; default-src 'none'") {
		t.Errorf("policy = %s\n%s", policy, r.body)
	}
	h.status(h.get(frame+"style.css"), http.StatusOK)
	h.status(h.get(frame+"blog/"), http.StatusOK)
	h.status(h.get(frame+"blog"), http.StatusSeeOther)
	h.status(h.get(frame+"nowhere"), http.StatusNotFound)
	h.status(h.get(frame, "Sec-Fetch-Dest: document"), http.StatusNotFound)
	plain := h.hold(h.publish("notes.txt", samples["notes.txt"]), vitrine.ReasonSuspicious, "")
	other := h.attr(h.get(casePath(plain), cookie).body, `src="([^"]+/c/[^"]+/)examine"`)
	h.status(h.get(other+"site/"), http.StatusNotFound)
	// The decision works as for any link.
	h.status(h.decide(held, "clear", "", cookie), http.StatusSeeOther)
	h.shows(site, http.StatusOK, "password")
}
