package app_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
)

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
	h := webtest.NewHosting(t)
	tb := h.VisitorOf(h.Member)
	film := strings.Repeat("0123456789", 5000)
	garden := folder(t, "Garden", map[string]string{
		"index.html":  `<!doctype html><title>Garden</title><link rel="stylesheet" href="/css/style.css"><h1>First</h1><script type="module" src="/app.mjs"></script>`,
		"app.mjs":     `localStorage.setItem("seen", "1"); document.title = "Ran " + (await (await fetch("/data/é.json")).json()).n`,
		"data/é.json": `{"n": 7}`, "css/style.css": "h1 { color: rgb(1, 2, 3) }" + strings.Repeat(" ", 5000),
		"film.mp4": film,
		".env":     "SECRET=1", "run.php": "<?php", "README": "x",
	})
	tb.Run(chromedp.EmulateViewport(1440, 900), chromedp.Navigate(h.URL+"/websites"),
		chromedp.SetUploadFiles("#folder", []string{garden}, chromedp.ByQuery))
	tb.Arrives(`location.pathname.startsWith("/websites/") && document.querySelector(".banner").innerText.includes("Deployed")`)
	tb.Until(`document.querySelector("h1").innerText === "Garden"`)
	tb.Until(`(t => t.includes("run.php") && t.includes("README") && !t.includes(".env"))(document.querySelector(".left").innerText)`)
	tb.Accessible("website, with files left out")
	var address, manage string
	tb.Run(chromedp.Value("#address", &address, chromedp.ByQuery), chromedp.Location(&manage))
	manage, _, _ = strings.Cut(manage, "?")
	slug := vitrine.Slug(manage[strings.LastIndexByte(manage, '/')+1:])
	if !strings.HasPrefix(address, "http://"+string(slug)+".localhost:") {
		t.Fatalf("address of the website = %s", address)
	}
	tb.Run(chromedp.Navigate(address))
	tb.Until(`document.title === "Ran 7" && localStorage.seen === "1" && getComputedStyle(document.querySelector("h1")).color === "rgb(1, 2, 3)"`)
	tb.Run(chromedp.Navigate(manage), chromedp.Click(`main a[href$="/analytics"]`, chromedp.ByQuery))
	tb.Arrives(`location.pathname.endsWith("/analytics")`)
	tb.Until(`document.querySelector("#card-views .value").innerText === "1" && document.querySelector("#card-uniques .value").innerText === "1"`)
	tb.Until(`(rows => rows.length === 1 && rows[0].innerText.startsWith("/"))(document.querySelectorAll(".top-links tbody tr"))`)
	tb.Accessible("numbers of a website")

	site := &vitrine.Site{Slug: slug}
	if r := h.Visit(site, "/css/style.css", "Accept-Encoding: gzip"); r.Header.Get("Content-Encoding") != "gzip" ||
		r.Wire > 500 || len(r.Text) < 5000 {
		t.Errorf("a text file takes %d bytes in transit, want it compressed: %v", r.Wire, r.Header)
	}
	if r := h.Status(h.Visit(site, "/film.mp4", "Range: bytes=49990-"),
		http.StatusPartialContent); r.Text != film[49990:] {
		t.Errorf("the last bytes of the film = %q", r.Text)
	}
	if r := h.Visit(site, "/film.mp4"); r.Text != film || r.Header.Get("Vary") != "" {
		t.Error("the film is not served as it was uploaded")
	}

	second := filepath.Join(t.TempDir(), "second.zip")
	h.Check(os.WriteFile(second, webtest.Packed(t, "index.html*=<!doctype html><title>Two</title><h1>Second</h1>"),
		0o600))
	tb.Run(chromedp.Navigate(manage), chromedp.SetUploadFiles("#zip", []string{second}, chromedp.ByQuery))
	tb.Arrives(`document.querySelector(".banner")?.innerText.includes("Deployed")`)
	h.Shows(site, http.StatusOK, "Second")
	none := filepath.Join(t.TempDir(), "none.zip")
	h.Check(os.WriteFile(none, webtest.Packed(t, "about.html=x"), 0o600))
	tb.Run(chromedp.SetUploadFiles("#zip", []string{none}, chromedp.ByQuery))
	tb.Until(`document.querySelector("#why").innerText.includes("There is no index.html")`)
	tb.Accessible("website, not deployed")
	h.Shows(site, http.StatusOK, "Second")
	tb.Run(chromedp.Click(".versions form[action$='/restore'] button", chromedp.ByQuery))
	tb.Arrives(`document.querySelector(".banner")?.innerText.includes("Visitors now see it")`)
	h.Shows(site, http.StatusOK, "First")

	h.Deployed(h.SiteOf(slug), webtest.Login)
	tb.Run(chromedp.Navigate(manage))
	tb.Until(`document.querySelector(".held").innerText.includes("Until then, visitors see the previous version")`)
	tb.Accessible("website, with a version that waits")
}

// dragLastToFirst sends the events of dragging a row, because a headless
// browser does not drag.
const dragLastToFirst = `(() => {
	const rows = [...document.querySelectorAll(".album-links li")], dataTransfer = new DataTransfer();
	const tell = (row, type, clientY = 0) => row.dispatchEvent(new DragEvent(type, {bubbles: true, cancelable: true,
		dataTransfer, clientY}));
	tell(rows.at(-1), "dragstart");
	tell(rows[0], "dragover", rows[0].getBoundingClientRect().top + 1);
	tell(rows.at(-1), "dragend");
})()`

// TestBrowserAlbum creates an album, fills it and sorts it on its page. The
// public page shows what is published.
func TestBrowserAlbum(t *testing.T) {
	h := webtest.NewHosting(t)
	a, b, c := h.Publish("notes.txt", webtest.Samples["notes.txt"]), h.Publish("report.pdf",
		webtest.Samples["report.pdf"]), h.Publish("page.html", webtest.Samples["page.html"])
	tb := h.VisitorOf(h.Member)
	tb.Run(chromedp.EmulateViewport(1440, 900), chromedp.Navigate(h.URL+"/albums"),
		webtest.Type(`.new [name="title"]`, "Spring"),
		webtest.Type(`.new [name="slug"]`, "spring-time"))
	tb.Until(`document.querySelector(".slug-says").innerText === "This address is free."`)
	tb.Run(chromedp.Click(".new button", chromedp.ByQuery))
	tb.Arrives(`location.pathname === "/albums/spring-time"`)
	for _, l := range []*vitrine.Link{a, b, c} {
		tb.Run(chromedp.Click(`.picks [value="`+string(l.Slug)+`"]`, chromedp.ByQuery))
	}
	tb.Run(chromedp.Click(".picker form[method=post] button", chromedp.ByQuery))
	tb.Arrives(`document.querySelectorAll(".album-links li").length === 3`)
	order := func(want ...*vitrine.Link) {
		t.Helper()
		webtest.Eventually(t, "the order of the public page", func() bool {
			page := h.Get("/a/spring-time").Text
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
		tb.Run(chromedp.Click(`[data-link="`+string(l.Slug)+`"] [data-by="`+by+`"]`, chromedp.ByQuery))
	}
	press(a, "-1")
	press(a, "-1")
	tb.Until(`document.querySelector(".album-links li").dataset.link === "` + string(a.Slug) +
		`" && document.activeElement.dataset.by === "1"`)
	order(a, c, b)
	press(c, "1")
	order(a, b, c)
	tb.Run(chromedp.Reload())
	tb.Until(`[...document.querySelectorAll(".album-links li")].map((l) => l.dataset.link).join() === "` +
		string(a.Slug+","+b.Slug+","+c.Slug) + `"`)
	tb.Run(chromedp.Evaluate(dragLastToFirst, nil))
	order(c, a, b)
	h.SetState(b, vitrine.StateReview)
	order(c, a)
	tb.Run(chromedp.Navigate(h.URL + "/a/spring-time"))
	tb.Until(`document.querySelectorAll(".cover").length === 2 && !document.body.innerText.includes("report.pdf")`)
	h.SetState(b, vitrine.StateLive)
	tb.Quiet()
}
