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
	"vitrine/internal/app/access"
	"vitrine/internal/test/webtest"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// screen is a page with what happens on it before its picture is taken.
type screen struct {
	webtest.SitePage
	act func(*webtest.Tab)
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
func publicScreens(t *testing.T, d *webtest.Demo) (all []screen) {
	add := func(name, path string, act func(*webtest.Tab)) {
		all = append(all, screen{webtest.SitePage{Name: name, Path: path}, act})
	}
	public := func(l *vitrine.Link) string { return "/p/" + string(l.Slug) }
	script := func(text string) func(*webtest.Tab) {
		return func(tb *webtest.Tab) { tb.Run(chromedp.Evaluate(text, nil, webtest.Awaited)) }
	}
	drawn := func(tb *webtest.Tab) { tb.Frame("/view").Until(`document.querySelector(".page canvas") !== null`) }
	onPDF := func(act func(*webtest.Tab)) func(*webtest.Tab) {
		return func(tb *webtest.Tab) {
			drawn(tb)
			act(tb)
		}
	}
	d.Account = d.Member // so that the lists of the demo's accounts stay as they are
	addViewers(t, d, func(name string, l *vitrine.Link) { add("file "+name, public(l), nil) })

	report := public(d.Links["annual-report.pdf"])
	const share = `document.querySelector("[popovertarget=share]").click(); document.querySelectorAll("#share details").forEach((x) => (x.open = true))`
	add("public share", report, onPDF(script(share)))
	album := "/a/" + string(d.Album.Slug)
	add("public album share", album, script(share))
	add("public album by name", album+"?sort=name", nil)
	empty, err := d.Server.Albums.Create(t.Context(), d.Account, "Nothing yet", "")
	d.Check(err)
	add("public album, empty", "/a/"+string(empty.Slug), nil)
	all = append(all, screen{SitePage: webtest.SitePage{Name: "public own", Path: report, As: d.Pro}, act: drawn})
	viewOnlyLink := d.Publish("contract.pdf", webtest.MakePDF(3), webtest.Titled("A contract that nobody downloads"),
		webtest.ViewOnly)
	add("public view only", public(viewOnlyLink), onPDF(script(`document.querySelector("[popovertarget=view-only]").click()`)))
	for name, click := range map[string]string{"text": "read", "sidebar": "toggle-side", "menu": "more"} {
		add("pdf "+name, report, func(tb *webtest.Tab) {
			drawn(tb)
			f := tb.Frame("/view")
			f.Run(chromedp.Evaluate(`document.getElementById("`+click+`").click()`, nil))
			f.Linger(1500 * time.Millisecond)
		})
	}
	for _, name := range []string{"main.go", "picture.png", "report.pdf"} {
		add("entry "+name, public(d.Links["kit.zip"]), func(tb *webtest.Tab) {
			tb.Run(chromedp.Evaluate(`[...document.querySelectorAll(".tree a")].find((a) => a.textContent === "`+name+`").click()`, nil),
				chromedp.Sleep(3*time.Second))
		})
	}
	for name, path := range map[string]string{"picture": public(d.Links["exhibition.png"]),
		"markdown": public(d.Links["hours.md"]),
		"table":    public(d.Links["visitors.csv"]), "album": album, "docs": "/docs/quick-start",
		"api":    "/docs/api/uploads",
		"report": d.Shared(d.Links["annual-report.pdf"], "")} {
		add("print "+name, path, func(tb *webtest.Tab) { tb.Run(emulation.SetEmulatedMedia().WithMedia("print")) })
	}
	add("pdf find", report, func(tb *webtest.Tab) {
		drawn(tb)
		f := tb.Frame("/view")
		f.Run(chromedp.Evaluate(`document.getElementById("open-find").click()`, nil), webtest.Type("#query", "collection"))
		f.Linger(2500 * time.Millisecond)
	})
	add("pdf keys", report, func(tb *webtest.Tab) {
		drawn(tb)
		f := tb.Frame("/view")
		f.Run(chromedp.Evaluate(`document.getElementById("keys").showPopover()`, nil))
	})
	add("pdf password", public(d.Publish("locked.pdf", webtest.MakeLockedPDF("secret"))), func(tb *webtest.Tab) {
		tb.Frame("/view").Until(`!document.getElementById("password").hidden`)
	})
	add("pdf damaged", public(d.Publish("broken.pdf", bytes.ReplaceAll(webtest.MakePDF(1), []byte("/Pages"),
		[]byte("/Nopes")))), func(tb *webtest.Tab) {
		tb.Until(`document.querySelector("main").innerText.includes("damaged")`)
	})
	for _, name := range []string{"annual-report.pdf", "exhibition.png", "tour.webm", "guide.mp3", "hours.md",
		"visitors.csv", "invitation.html", "press-kit.tgz"} {
		add("embed "+name, public(d.Links[name])+"/embed",
			map[string]func(*webtest.Tab){"annual-report.pdf": drawn}[name])
	}
	add("embed view only", public(viewOnlyLink)+"/embed", drawn)
	add("embed gone", public(d.Off)+"/embed", nil)
	add("gate", public(d.Gated), nil)
	add("embed gate", public(d.Gated)+"/embed", nil)
	addGates(t, d, add)
	all = append(all, screen{SitePage: webtest.SitePage{Name: "embedded", Path: hostOf(t, d, "exhibition.png",
		"guide.mp3", "hours.md", "tour.webm")}})
	for _, s := range []struct{ name, path string }{{"report form", report + "/report"},
		{"report form of website", "/report/website/" + string(d.Website.Slug)}} {
		add(s.name, s.path, nil)
	}
	add("report problem", report+"/report", script(`document.querySelectorAll("[name=reason]").forEach((r) => (r.required = false)); document.querySelector("#note").value = "It asks for my password."; document.querySelector("form").submit()`))
	add("report sent", public(d.Links["hours.md"])+"/report", script(`document.querySelector("[name=reason]").checked = true; document.querySelector("form").submit()`))
	addFaults(t, d, add, func(p webtest.SitePage) { all = append(all, screen{SitePage: p}) })
	add("search, empty", "/docs/search", nil)
	add("search", "/docs/search?q=upload", nil)
	add("search, nothing", "/docs/search?q=zebra", nil)
	add("search while typing", "/docs/how-we-count", script(`((f) => { f.focus(); f.value = "completion"; f.dispatchEvent(new Event("input")); })(document.querySelector(".docs-search input"))`))
	return all
}

// addGates adds the gates of an address, an album and a place, and what readers
// who are too late see.
func addGates(t *testing.T, d *webtest.Demo, add func(string, string, func(*webtest.Tab))) {
	locked, err := d.Server.Albums.Create(t.Context(), d.Account, "For the board", "")
	d.Check(err)
	d.Check(d.Server.Albums.SetAccess(t.Context(), d.Account, string(locked.Slug),
		&access.Change{Password: new("open sesame")}))
	add("gate album", "/a/"+string(locked.Slug), nil)
	few := d.Publish("few.txt", []byte("For a few."), webtest.Titled("Offer"))
	d.Limit(few, 3)
	add("gate place", "/p/"+string(few.Slug)+"/download", nil)
	full := d.Publish("full.txt", []byte("For one."), webtest.Titled("Offer"))
	d.Limit(full, 1)
	d.Check(d.Server.Links.Store.Update(t.Context(), func(tx vitrine.Tx) error {
		return tx.AddPlace(&vitrine.Place{Link: full.ID, Round: full.Access.Round, At: d.Server.Now(), CountedAt: d.Server.Now()})
	}))
	add("gate full", "/p/"+string(full.Slug), nil)
	ended := d.Publish("ended.txt", []byte("For two."), webtest.Titled("Offer"))
	over := d.Server.Now().Add(-time.Minute)
	for i, r := range d.Recipients(ended, "Anna", "Bob") {
		d.Check(d.Server.Links.Store.Update(t.Context(), func(tx vitrine.Tx) error {
			if r.RevokedAt = over; i == 0 {
				r.RevokedAt, r.ExpiresAt = time.Time{}, over
			}
			return tx.PutRecipient(r)
		}))
		add("recipient "+[]string{"expired", "revoked"}[i], ended.For(r).Path(), nil)
	}
	d.Gatekeeper()
	asks := d.Publish("asks.txt", []byte("For those who sign."), webtest.Titled("Offer"))
	d.AskEmail(asks, access.Email{Allow: []string{"example.org"}, Consent: "I keep what I read to myself.\nI delete it after a year."})
	board, err := d.Server.Albums.Create(t.Context(), d.Account, "For the board", "")
	d.Check(err)
	d.Check(d.Server.Albums.SetAccess(t.Context(), d.Account, string(board.Slug),
		&access.Change{Email: &access.Email{Allow: []string{"example.org"}}}))
	add("gate album address", "/a/"+string(board.Slug), nil)
	here := "/p/" + string(asks.Slug)
	add("gate address", here, nil)
	add("gate code", here, func(tb *webtest.Tab) {
		tb.Run(webtest.Type("[name=email]", "ann@example.org"), chromedp.Evaluate(`document.querySelector("[name=agree]").click()`, nil),
			chromedp.Submit("[name=email]"), chromedp.WaitVisible("[name=code]"))
	})
	add("gate wrong", "/p/"+string(d.Gated.Slug), func(tb *webtest.Tab) {
		tb.Run(webtest.Type("[name=password]", "not this"), chromedp.Submit("[name=password]"), chromedp.WaitVisible(".wrong"))
	})
}

// addViewers publishes files for viewers that the demo has no file for.
func addViewers(t *testing.T, d *webtest.Demo, add func(string, *vitrine.Link)) {
	long := strings.Repeat("The garden opens again in May, with new paths and a place to read. Schools booked 310 tours.\n\n", 30)
	add("notes.txt", d.Publish("notes.txt", []byte(long), webtest.Titled("Notes of the meeting")))
	add("catalogue.json", d.Publish("catalogue.json", []byte(`{"works":[{"title":"Hall of light","year":1962,"lent":false,"artist":null,"size":[120,80.5]},{"title":"Stairs","year":1971,"lent":true,"artist":"unknown","note":"A long line that goes on and on, so that it does not fit into the window of a phone, nor into that of a small laptop, and has to be scrolled or wrapped in some way."}]}`)))
	add("feed.xml", d.Publish("feed.xml",
		[]byte("<?xml version=\"1.0\"?>\n<feed>\n  <!-- news -->\n  <entry id=\"1\"><title>Spring &amp; summer</title></entry>\n</feed>\n")))
	add("accounts.xlsx", d.Publish("accounts.xlsx", webtest.MakeBook(t, 60), webtest.Titled("Accounts 2026")))
	d.Links["kit.zip"] = d.Publish("kit.zip", webtest.Zipped(t, zip.Deflate), webtest.Titled("The whole kit"))
	add("kit.zip", d.Links["kit.zip"])
	add("agreement.docx", d.Publish("agreement.docx", webtest.MakeDOCX(t, 40, "https://example.org"),
		webtest.Titled("Loan agreement, second draft")))
	d.Check(d.Server.Previews.Make(t.Context()))
	add("soon.zip", d.Publish("soon.zip", webtest.Zipped(t, zip.Store), webtest.Titled("Its preview is being made")))
	lost := d.Publish("imported.txt", []byte("only its history is here"), webtest.Titled("Imported without its file"))
	d.Check(d.Server.Links.Store.Update(t.Context(), func(tx vitrine.Tx) error {
		m, err := tx.Link(lost.ID)
		if err != nil {
			return err
		}
		m.HasBytes = false
		return tx.PutLink(m)
	}))
	add("lost.txt", lost)
	add("novel.epub, view only", d.Publish("novel.epub", webtest.Packed(t, "mimetype=application/epub+zip",
		"META-INF/container.xml=<container/>"), webtest.Titled("A novel"), webtest.ViewOnly))
	film := d.Publish("film.webm", webtest.Samples["clip.webm"], webtest.Titled("With captions"))
	d.Caption(film, "en", webtest.Morning)
	d.Caption(film, "de", webtest.Morning)
	add("film.webm", film)
}

// addFaults adds pages that answer with an error.
func addFaults(t *testing.T, d *webtest.Demo, add func(string, string, func(*webtest.Tab)),
	own func(webtest.SitePage)) {
	add("fault no link", "/p/no-such-link", nil)
	add("fault no album", "/a/no-such-album", nil)
	add("fault address", "/c/nonsense/file", nil)
	expiring := d.Publish("offer.txt", []byte("An offer"), webtest.Titled("An offer"))
	_, err := d.Server.Links.Disable(t.Context(), string(expiring.Slug),
		vitrine.Decision{By: vitrine.Owner(d.Account.ID)})
	d.Check(err)
	add("fault disabled", "/p/"+string(expiring.Slug), nil)
	own(webtest.SitePage{Name: "fault disabled, its owner", Path: "/p/" + string(expiring.Slug), As: d.Account})
	own(webtest.SitePage{Name: "fault held, its owner", Path: "/p/" + string(d.Held.Slug), As: d.Member})
	blobs := &failingBlobs{Blobs: d.Server.Blobs}
	d.Server.Blobs = blobs
	t.Cleanup(func() { d.Server.Blobs = blobs.Blobs })
	unavailable, broken := d.Publish("away.txt", []byte("away")), d.Publish("broken.txt", []byte("broken"))
	blobs.unavailable, blobs.broken = unavailable.Upload, broken.Upload
	add("fault 503", "/p/"+string(unavailable.Slug), nil)
	add("fault 500", "/p/"+string(broken.Slug), nil)
	d.TrustProxy()
	const from = "192.0.2.77"
	var last *vitrine.Link
	for i := range 6 {
		last = d.Publish("notes.txt", fmt.Appendf(nil, "Note %d", i))
		d.Report(last, "malware", "", "X-Forwarded-For: "+from)
	}
	add("fault 429", "/p/"+string(last.Slug)+"/report", func(tb *webtest.Tab) {
		tb.Run(network.SetExtraHTTPHeaders(network.Headers{"X-Forwarded-For": from}),
			chromedp.Evaluate(`document.querySelector("[name=reason]").checked = true; document.querySelector("form").submit()`, nil))
		tb.Until(`document.querySelector(".notice-page") !== null`)
		tb.Run(network.SetExtraHTTPHeaders(network.Headers{}))
	})
	add("shared report, no more", "/r/AAAAAAAAAAAAAAAAAAAAAA", nil)
	site := func(slug vitrine.Slug) string {
		return d.Server.SitesURL.Scheme + "://" + strings.Replace(d.Server.SitesURL.Host, "*", string(slug), 1)
	}
	add("website, no page", site(d.Website.Slug)+"/nowhere", nil)
	add("website, none", site("no-such-website")+"/", nil)
}

// hostOf returns the address of an article on another site with embeds.
func hostOf(t *testing.T, d *webtest.Demo, names ...string) string {
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><meta name=viewport content="width=device-width"><link rel=icon href="data:,"><meta name=color-scheme content="light dark"><body style="max-width:640px;margin:2em auto;padding:0 1em;font:16px sans-serif"><h1>An article</h1>`)
		for _, name := range names {
			page := d.Get("/p/" + string(d.Links[name].Slug)).Text
			fmt.Fprintf(w, `<p>A paragraph of the article.</p>%s`,
				html.UnescapeString(d.Attr(page, `<textarea id="embed"[^>]*>([^<]*)</textarea>`)))
		}
	}))
	t.Cleanup(hs.Close)
	return hs.URL
}
