package web_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// visitorOf returns a tab that is signed in to an account.
func (s *site) visitorOf(a *vitrine.Account) *tab {
	s.t.Helper()
	tb := newVisitor(s.t)
	name, value, _ := strings.Cut(strings.TrimPrefix(s.signIn(a), "Cookie: "), "=")
	tb.run(network.SetCookie(name, value).WithURL(s.url).WithHTTPOnly(true))
	return tb
}

// folder writes files below a new folder.
func folder(t *testing.T, name string, files map[string]string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), name)
	for path, content := range files {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestBrowserWebsite publishes a folder as a website at its own origin,
// replaces it with a ZIP file, and restores the first version.
func TestBrowserWebsite(t *testing.T) {
	h := newHosting(t)
	tb := h.visitorOf(h.member)
	film := strings.Repeat("0123456789", 5000)
	garden := folder(t, "Garden", map[string]string{
		"index.html":  `<!doctype html><title>Garden</title><link rel="stylesheet" href="/css/style.css"><h1>First</h1><script type="module" src="/app.mjs"></script>`,
		"app.mjs":     `localStorage.setItem("seen", "1"); document.title = "Ran " + (await (await fetch("/data/é.json")).json()).n`,
		"data/é.json": `{"n": 7}`, "css/style.css": "h1 { color: rgb(1, 2, 3) }" + strings.Repeat(" ", 5000),
		"film.mp4": film,
		".env":     "SECRET=1", "run.php": "<?php", "README": "x",
	})
	tb.run(chromedp.EmulateViewport(1440, 900), chromedp.Navigate(h.url+"/websites"),
		chromedp.SetUploadFiles("#folder", []string{garden}, chromedp.ByQuery))
	tb.arrives(`location.pathname.startsWith("/websites/") && document.querySelector(".banner").innerText.includes("Deployed")`)
	tb.until(`document.querySelector("h1").innerText === "Garden"`)
	tb.until(`(t => t.includes("run.php") && t.includes("README") && !t.includes(".env"))(document.querySelector(".left").innerText)`)
	tb.accessible("website, with files left out")
	var address, manage string
	tb.run(chromedp.Value("#address", &address, chromedp.ByQuery), chromedp.Location(&manage))
	manage, _, _ = strings.Cut(manage, "?")
	slug := vitrine.Slug(manage[strings.LastIndexByte(manage, '/')+1:])
	if !strings.HasPrefix(address, "http://"+string(slug)+".localhost:") {
		t.Fatalf("address of the website = %s", address)
	}
	tb.run(chromedp.Navigate(address))
	tb.until(`document.title === "Ran 7" && localStorage.seen === "1" && getComputedStyle(document.querySelector("h1")).color === "rgb(1, 2, 3)"`)
	tb.run(chromedp.Navigate(manage), chromedp.Click(`main a[href$="/analytics"]`, chromedp.ByQuery))
	tb.arrives(`location.pathname.endsWith("/analytics")`)
	tb.until(`document.querySelector("#card-views .value").innerText === "1" && document.querySelector("#card-uniques .value").innerText === "1"`)
	tb.until(`(rows => rows.length === 1 && rows[0].innerText.startsWith("/"))(document.querySelectorAll(".top-links tbody tr"))`)
	tb.accessible("numbers of a website")

	site := &vitrine.Site{Slug: slug}
	if r := h.visit(site, "/css/style.css", "Accept-Encoding: gzip"); r.Header.Get("Content-Encoding") != "gzip" ||
		r.wire > 500 || len(r.body) < 5000 {
		t.Errorf("a text file takes %d bytes in transit, want it compressed: %v", r.wire, r.Header)
	}
	if r := h.status(h.visit(site, "/film.mp4", "Range: bytes=49990-"),
		http.StatusPartialContent); r.body != film[49990:] {
		t.Errorf("the last bytes of the film = %q", r.body)
	}
	if r := h.visit(site, "/film.mp4"); r.body != film || r.Header.Get("Vary") != "" {
		t.Error("the film is not served as it was uploaded")
	}

	second := filepath.Join(t.TempDir(), "second.zip")
	h.check(os.WriteFile(second, packed(t, "index.html*=<!doctype html><title>Two</title><h1>Second</h1>"), 0o600))
	tb.run(chromedp.Navigate(manage), chromedp.SetUploadFiles("#zip", []string{second}, chromedp.ByQuery))
	tb.arrives(`document.querySelector(".banner")?.innerText.includes("Deployed")`)
	h.shows(site, http.StatusOK, "Second")
	none := filepath.Join(t.TempDir(), "none.zip")
	h.check(os.WriteFile(none, packed(t, "about.html=x"), 0o600))
	tb.run(chromedp.SetUploadFiles("#zip", []string{none}, chromedp.ByQuery))
	tb.until(`document.querySelector("#why").innerText.includes("There is no index.html")`)
	tb.accessible("website, not deployed")
	h.shows(site, http.StatusOK, "Second")
	tb.run(chromedp.Click(".versions form[action$='/restore'] button", chromedp.ByQuery))
	tb.arrives(`document.querySelector(".banner")?.innerText.includes("Visitors now see it")`)
	h.shows(site, http.StatusOK, "First")

	h.deployed(h.siteOf(slug), login)
	tb.run(chromedp.Navigate(manage))
	tb.until(`document.querySelector(".held").innerText.includes("Until then, visitors see the previous version")`)
	tb.accessible("website, with a version that waits")
}

// siteOf returns a website by its slug.
func (s *site) siteOf(slug vitrine.Slug) (site *vitrine.Site) {
	s.t.Helper()
	f, err := s.server.Sites.BySlug(s.t.Context(), s.account, string(slug))
	s.check(err)
	return f.Site
}

// dragLastToFirst sends the events of dragging a row, because a headless
// browser does not drag.
const dragLastToFirst = `(() => {
	const rows = [...document.querySelectorAll(".album-links li")], dataTransfer = new DataTransfer();
	const tell = (row, type, clientY = 0) => row.dispatchEvent(new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer, clientY}));
	tell(rows.at(-1), "dragstart");
	tell(rows[0], "dragover", rows[0].getBoundingClientRect().top + 1);
	tell(rows.at(-1), "dragend");
})()`

// TestBrowserAlbum creates an album, fills it and sorts it on its page. The
// public page shows what is published.
func TestBrowserAlbum(t *testing.T) {
	h := newHosting(t)
	a, b, c := h.publish("notes.txt", samples["notes.txt"]), h.publish("report.pdf", samples["report.pdf"]),
		h.publish("page.html", samples["page.html"])
	tb := h.visitorOf(h.member)
	tb.run(chromedp.EmulateViewport(1440, 900), chromedp.Navigate(h.url+"/albums"),
		chromedp.SendKeys(`.new [name="title"]`, "Spring", chromedp.ByQuery),
		chromedp.SendKeys(`.new [name="slug"]`, "spring-time", chromedp.ByQuery))
	tb.until(`document.querySelector(".slug-says").innerText === "This address is free."`)
	tb.run(chromedp.Click(".new button", chromedp.ByQuery))
	tb.arrives(`location.pathname === "/albums/spring-time"`)
	for _, l := range []*vitrine.Link{a, b, c} {
		tb.run(chromedp.Click(`.picks [value="`+string(l.Slug)+`"]`, chromedp.ByQuery))
	}
	tb.run(chromedp.Click(".picker form[method=post] button", chromedp.ByQuery))
	tb.arrives(`document.querySelectorAll(".album-links li").length === 3`)
	order := func(want ...*vitrine.Link) {
		t.Helper()
		eventually(t, "the order of the public page", func() bool {
			page := h.get("/a/spring-time").body
			at := 0
			for _, l := range want {
				i := strings.Index(page[at:], "/p/"+string(l.Slug))
				if i < 0 {
					return false
				}
				at += i
			}
			return strings.Count(page, `class="cover"`) == len(want)
		})
	}
	order(c, b, a) // in the order of the page: newest first
	press := func(l *vitrine.Link, by string) {
		t.Helper()
		tb.run(chromedp.Click(`[data-link="`+string(l.Slug)+`"] [data-by="`+by+`"]`, chromedp.ByQuery))
	}
	press(a, "-1")
	press(a, "-1")
	tb.until(`document.querySelector(".album-links li").dataset.link === "` + string(a.Slug) +
		`" && document.activeElement.dataset.by === "1"`)
	order(a, c, b)
	press(c, "1")
	order(a, b, c)
	tb.run(chromedp.Reload())
	tb.until(`[...document.querySelectorAll(".album-links li")].map((l) => l.dataset.link).join() === "` +
		string(a.Slug+","+b.Slug+","+c.Slug) + `"`)
	tb.run(chromedp.Evaluate(dragLastToFirst, nil))
	order(c, a, b)
	h.setState(b, vitrine.StateReview)
	order(c, a)
	tb.run(chromedp.Navigate(h.url + "/a/spring-time"))
	tb.until(`document.querySelectorAll(".cover").length === 2 && !document.body.innerText.includes("report.pdf")`)
	h.setState(b, vitrine.StateLive)
	tb.quiet()
}
