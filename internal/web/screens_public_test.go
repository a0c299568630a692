//go:build screens

package web_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vitrine"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// screen is a page with what happens on it before its picture is taken.
type screen struct {
	sitePage
	act func(*tab)
}

// failingBlobs cannot open some files.
type failingBlobs struct {
	vitrine.Blobs
	unavailable, broken vitrine.UploadID
}

func (f *failingBlobs) Open(ctx context.Context, k vitrine.UploadID) (vitrine.Blob, error) {
	switch k {
	case f.unavailable:
		return nil, fmt.Errorf("the disk does not answer")
	case f.broken:
		panic("a picture of the error page")
	}
	return f.Blobs.Open(ctx, k)
}

// publicScreens returns the states of public pages that the demo's other pages
// do not show.
func publicScreens(t *testing.T, d *demo) (all []screen) {
	add := func(name, path string, act func(*tab)) {
		all = append(all, screen{sitePage{name: name, path: path}, act})
	}
	public := func(l *vitrine.Link) string { return "/p/" + string(l.Slug) }
	script := func(text string) func(*tab) {
		return func(tb *tab) { tb.run(chromedp.Evaluate(text, nil, awaited)) }
	}
	drawn := func(tb *tab) { tb.frame("/view").until(`document.querySelector(".page canvas") !== null`) }
	onPDF := func(act func(*tab)) func(*tab) {
		return func(tb *tab) {
			drawn(tb)
			act(tb)
		}
	}
	d.account = d.member // so that the lists of the demo's accounts stay as they are
	addViewers(t, d, func(name string, l *vitrine.Link) { add("file "+name, public(l), nil) })

	report := public(d.links["annual-report.pdf"])
	const share = `document.querySelector("[popovertarget=share]").click(); document.querySelectorAll("#share details").forEach((x) => (x.open = true))`
	add("public share", report, onPDF(script(share)))
	album := "/a/" + string(d.album.Slug)
	add("public album share", album, script(share))
	add("public album by name", album+"?sort=name", nil)
	empty, err := d.server.Albums.Create(t.Context(), d.account, "Nothing yet", "")
	d.check(err)
	add("public album, empty", "/a/"+string(empty.Slug), nil)
	all = append(all, screen{sitePage: sitePage{name: "public own", path: report, as: d.pro}, act: drawn})
	viewOnlyLink := d.publish("contract.pdf", makePDF(3), titled("A contract that nobody downloads"), viewOnly)
	add("public view only", public(viewOnlyLink), onPDF(script(`document.querySelector("[popovertarget=view-only]").click()`)))
	for name, click := range map[string]string{"text": "read", "sidebar": "toggle-side", "menu": "more"} {
		add("pdf "+name, report, func(tb *tab) {
			drawn(tb)
			f := tb.frame("/view")
			f.run(chromedp.Evaluate(`document.getElementById("`+click+`").click()`, nil))
			f.linger(1500 * time.Millisecond)
		})
	}
	for _, name := range []string{"main.go", "picture.png", "report.pdf"} {
		add("entry "+name, public(d.links["kit.zip"]), func(tb *tab) {
			tb.run(chromedp.Evaluate(`[...document.querySelectorAll(".tree a")].find((a) => a.textContent === "`+name+`").click()`, nil),
				chromedp.Sleep(3*time.Second))
		})
	}
	for name, path := range map[string]string{"picture": public(d.links["exhibition.png"]), "markdown": public(d.links["hours.md"]),
		"table": public(d.links["visitors.csv"]), "album": album, "docs": "/docs/quick-start", "api": "/docs/api/uploads",
		"report": d.shared(d.links["annual-report.pdf"], "")} {
		add("print "+name, path, func(tb *tab) { tb.run(emulation.SetEmulatedMedia().WithMedia("print")) })
	}
	add("pdf find", report, func(tb *tab) {
		drawn(tb)
		f := tb.frame("/view")
		f.run(chromedp.Evaluate(`document.getElementById("open-find").click()`, nil), chromedp.SendKeys("#query", "collection"))
		f.linger(2500 * time.Millisecond)
	})
	add("pdf keys", report, func(tb *tab) {
		drawn(tb)
		f := tb.frame("/view")
		f.run(chromedp.Evaluate(`document.getElementById("keys").showPopover()`, nil))
	})
	add("pdf password", public(d.publish("locked.pdf", makeLockedPDF("secret"))), func(tb *tab) {
		tb.frame("/view").until(`!document.getElementById("password").hidden`)
	})
	add("pdf damaged", public(d.publish("broken.pdf", bytes.ReplaceAll(makePDF(1), []byte("/Pages"), []byte("/Nopes")))),
		func(tb *tab) {
			tb.until(`document.querySelector("main").innerText.includes("damaged")`)
		})
	for _, name := range []string{"annual-report.pdf", "exhibition.png", "tour.webm", "guide.mp3", "hours.md", "visitors.csv",
		"invitation.html", "press-kit.tgz"} {
		add("embed "+name, public(d.links[name])+"/embed", map[string]func(*tab){"annual-report.pdf": drawn}[name])
	}
	add("embed view only", public(viewOnlyLink)+"/embed", drawn)
	add("embed gone", public(d.off)+"/embed", nil)
	add("gate", public(d.gated), nil)
	add("embed gate", public(d.gated)+"/embed", nil)
	all = append(all, screen{sitePage: sitePage{name: "embedded", path: hostOf(t, d, "exhibition.png", "guide.mp3", "hours.md", "tour.webm")}})
	for _, s := range []struct{ name, path string }{{"report form", report + "/report"},
		{"report form of website", "/report/website/" + string(d.website.Slug)}} {
		add(s.name, s.path, nil)
	}
	add("report problem", report+"/report", script(`document.querySelectorAll("[name=reason]").forEach((r) => (r.required = false)); document.querySelector("#note").value = "It asks for my password."; document.querySelector("form").submit()`))
	add("report sent", public(d.links["hours.md"])+"/report", script(`document.querySelector("[name=reason]").checked = true; document.querySelector("form").submit()`))
	addFaults(t, d, add, func(p sitePage) { all = append(all, screen{sitePage: p}) })
	add("search, empty", "/docs/search", nil)
	add("search", "/docs/search?q=upload", nil)
	add("search, nothing", "/docs/search?q=zebra", nil)
	add("search while typing", "/docs/how-we-count", script(`((f) => { f.focus(); f.value = "completion"; f.dispatchEvent(new Event("input")); })(document.querySelector(".docs-search input"))`))
	return all
}

// addViewers publishes files for viewers that the demo has no file for.
func addViewers(t *testing.T, d *demo, add func(string, *vitrine.Link)) {
	long := strings.Repeat("The garden opens again in May, with new paths and a place to read. Schools booked 310 tours.\n\n", 30)
	add("notes.txt", d.publish("notes.txt", []byte(long), titled("Notes of the meeting")))
	add("catalogue.json", d.publish("catalogue.json", []byte(`{"works":[{"title":"Hall of light","year":1962,"lent":false,"artist":null,"size":[120,80.5]},{"title":"Stairs","year":1971,"lent":true,"artist":"unknown","note":"A long line that goes on and on, so that it does not fit into the window of a phone, nor into that of a small laptop, and has to be scrolled or wrapped in some way."}]}`)))
	add("feed.xml", d.publish("feed.xml", []byte("<?xml version=\"1.0\"?>\n<feed>\n  <!-- news -->\n  <entry id=\"1\"><title>Spring &amp; summer</title></entry>\n</feed>\n")))
	add("accounts.xlsx", d.publish("accounts.xlsx", makeBook(t, 60), titled("Accounts 2026")))
	d.links["kit.zip"] = d.publish("kit.zip", zipped(t, zip.Deflate), titled("The whole kit"))
	add("kit.zip", d.links["kit.zip"])
	add("agreement.docx", d.publish("agreement.docx", makeDOCX(t, 40, "https://example.org"), titled("Loan agreement, second draft")))
	d.check(d.server.Previews.Make(t.Context()))
	add("soon.zip", d.publish("soon.zip", zipped(t, zip.Store), titled("Its preview is being made")))
	lost := d.publish("imported.txt", []byte("only its history is here"), titled("Imported without its file"))
	d.check(d.server.Links.Store.Update(t.Context(), func(tx vitrine.Tx) error {
		m, err := tx.Link(lost.ID)
		if err != nil {
			return err
		}
		m.HasBytes = false
		return tx.PutLink(m)
	}))
	add("lost.txt", lost)
	add("novel.epub, view only", d.publish("novel.epub", packed(t, "mimetype=application/epub+zip", "META-INF/container.xml=<container/>"), titled("A novel"), viewOnly))
	film := d.publish("film.webm", samples["clip.webm"], titled("With captions"))
	d.caption(film, "en", morning)
	d.caption(film, "de", morning)
	add("film.webm", film)
}

// addFaults adds pages that answer with an error.
func addFaults(t *testing.T, d *demo, add func(string, string, func(*tab)), own func(sitePage)) {
	add("fault no link", "/p/no-such-link", nil)
	add("fault no album", "/a/no-such-album", nil)
	add("fault address", "/c/nonsense/file", nil)
	expiring := d.publish("offer.txt", []byte("An offer"), titled("An offer"))
	_, err := d.server.Links.Disable(t.Context(), string(expiring.Slug), vitrine.Decision{By: vitrine.Owner(d.account.ID)})
	d.check(err)
	add("fault disabled", "/p/"+string(expiring.Slug), nil)
	own(sitePage{name: "fault disabled, its owner", path: "/p/" + string(expiring.Slug), as: d.account})
	own(sitePage{name: "fault held, its owner", path: "/p/" + string(d.held.Slug), as: d.member})
	blobs := &failingBlobs{Blobs: d.server.Blobs}
	d.server.Blobs = blobs
	t.Cleanup(func() { d.server.Blobs = blobs.Blobs })
	unavailable, broken := d.publish("away.txt", []byte("away")), d.publish("broken.txt", []byte("broken"))
	blobs.unavailable, blobs.broken = unavailable.Upload, broken.Upload
	add("fault 503", "/p/"+string(unavailable.Slug), nil)
	add("fault 500", "/p/"+string(broken.Slug), nil)
	d.trustProxy()
	const from = "192.0.2.77"
	var last *vitrine.Link
	for i := range 6 {
		last = d.publish("notes.txt", fmt.Appendf(nil, "Note %d", i))
		d.report(last, "malware", "", "X-Forwarded-For: "+from)
	}
	add("fault 429", "/p/"+string(last.Slug)+"/report", func(tb *tab) {
		tb.run(network.SetExtraHTTPHeaders(network.Headers{"X-Forwarded-For": from}),
			chromedp.Evaluate(`document.querySelector("[name=reason]").checked = true; document.querySelector("form").submit()`, nil))
		tb.until(`document.querySelector(".notice-page") !== null`)
		tb.run(network.SetExtraHTTPHeaders(network.Headers{}))
	})
	add("shared report, no more", "/r/AAAAAAAAAAAAAAAAAAAAAA", nil)
	site := func(slug vitrine.Slug) string {
		return d.server.SitesURL.Scheme + "://" + strings.Replace(d.server.SitesURL.Host, "*", string(slug), 1)
	}
	add("website, no page", site(d.website.Slug)+"/nowhere", nil)
	add("website, none", site("no-such-website")+"/", nil)
}

// hostOf returns the address of an article on another site with embeds.
func hostOf(t *testing.T, d *demo, names ...string) string {
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><meta name=viewport content="width=device-width"><link rel=icon href="data:,"><meta name=color-scheme content="light dark"><body style="max-width:640px;margin:2em auto;padding:0 1em;font:16px sans-serif"><h1>An article</h1>`)
		for _, name := range names {
			page := d.get("/p/" + string(d.links[name].Slug)).body
			fmt.Fprintf(w, `<p>A paragraph of the article.</p>%s`,
				html.UnescapeString(d.attr(page, `<textarea id="embed"[^>]*>([^<]*)</textarea>`)))
		}
	}))
	t.Cleanup(hs.Close)
	return hs.URL
}
