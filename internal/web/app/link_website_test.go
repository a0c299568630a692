package app_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
)

// offer is the button on the page of a link whose ZIP can become a website.
const offer = "Publish as a website"

// TestLinkBecomesWebsite checks that the ZIP of a link can become a website
// without another upload, on a disk and in a bucket. The link stays.
func TestLinkBecomesWebsite(t *testing.T) {
	for name, open := range map[string]func(*testing.T) *webtest.Site{"disk": func(t *testing.T) *webtest.Site { return webtest.NewDesk(t) },
		"bucket": func(t *testing.T) *webtest.Site { s, _ := webtest.NewBucketSite(t); return s }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := webtest.Hosting(open(t))
			cookie := h.SignIn(h.Member)
			l := h.Sent("garden.zip", string(webtest.Packed(t, "__MACOSX/._index.html=x",
				"garden/index.html*=<h1>A garden</h1>", "garden/style.css=h1{color:teal}")))
			if page := h.Status(h.Get(webtest.LinkPath(l), cookie), http.StatusOK); !strings.Contains(page.Text,
				offer) {
				t.Fatal("the page of the link does not offer a website")
			} else if !strings.Contains(page.Text, `value="garden"`) {
				t.Error("the page suggests no address")
			}
			if r := h.Status(h.Post(webtest.LinkPath(l)+"/website", url.Values{"slug": {"a--b"}}, cookie),
				400); !strings.Contains(
				r.Text, `id="wrong-slug"`) || !strings.Contains(r.Text, `value="a--b"`) {
				t.Error("a bad address is not shown again with its reason")
			}
			r := h.Status(h.Post(webtest.LinkPath(l)+"/website", url.Values{"slug": {"garden"}}, cookie),
				http.StatusSeeOther)
			site := h.OnlySite()
			webtest.Same(t, "address", site.Slug, vitrine.Slug("garden"))
			webtest.Same(t, "next page", r.Header.Get("Location"), "/websites/"+string(site.Slug)+"?said=deployed")
			webtest.Same(t, "title", site.Title, "garden")
			h.Shows(site.Site, http.StatusOK, "A garden")
			h.Check(h.Server.Links.Delete(t.Context(), string(l.Slug),
				vitrine.Decision{By: vitrine.Owner(h.Member.ID)}))
			h.Check(h.Server.Links.Purge(t.Context()))
			h.Shows(site.Site, http.StatusOK, "A garden") // its bytes are its own
		})
	}
}

// TestLinkBecomesNoWebsite checks that nothing is left of a website that cannot
// be published, that the page says why, and that it is only offered for a ZIP
// with a first page.
func TestLinkBecomesNoWebsite(t *testing.T) {
	t.Parallel()
	h := webtest.NewHosting(t)
	cookie := h.SignIn(h.Member)
	none := func(what string, l *vitrine.Link, status int, text string) {
		t.Helper()
		r := h.Status(h.Post(webtest.LinkPath(l)+"/website", url.Values{}, cookie), status)
		if !strings.Contains(r.Text, text) {
			t.Errorf("%s: the answer lacks %q", what, text)
		}
		if all, err := h.Server.Sites.List(t.Context(), h.Member); err != nil || len(all) != 0 {
			t.Errorf("%s: websites = %v, %v; want none", what, all, err)
		}
	}
	for what, l := range map[string]*vitrine.Link{
		"no first page":  h.Publish("parts.zip", webtest.Packed(t, "about.html=x", "a/index.html=x")),
		"two folders":    h.Publish("two.zip", webtest.Packed(t, "a/index.html=x", "b/more.html=y")),
		"another format": h.Publish("notes.txt", webtest.Samples["notes.txt"]),
	} {
		if strings.Contains(h.Get(webtest.LinkPath(l), cookie).Text, offer) {
			t.Errorf("%s: a website is offered", what)
		}
		none(what, l, http.StatusBadRequest, "role=\"alert\"")
	}
	held := h.Hold(h.Publish("held.zip", webtest.Packed(t, "index.html=x")), vitrine.ReasonSuspicious, "")
	none("held", held, http.StatusBadRequest, "Only a live link")
	locked := h.Publish("locked.zip", webtest.Packed(t, "index.html=x"))
	if !strings.Contains(h.Get(webtest.LinkPath(locked), cookie).Text, offer) {
		t.Error("a website is not offered before there is a password")
	}
	h.Protect(locked, "open sesame")
	if strings.Contains(h.Get(webtest.LinkPath(locked), cookie).Text, offer) {
		t.Error("protected: a website is offered")
	}
	none("protected", locked, http.StatusBadRequest, "Anyone can open a website")
	theirs := h.Publish("theirs.zip", webtest.Packed(t, "index.html=x"))
	cookie = h.SignIn(h.Owner)
	none("of another account", theirs, http.StatusNotFound, "")
}

// TestBrowserZIPBecomesWebsite uploads a ZIP with a first page, and publishes
// it as a website from its row.
func TestBrowserZIPBecomesWebsite(t *testing.T) {
	h := webtest.NewHosting(t)
	tb := h.MemberTab(h.Member, "/dashboard")
	dir := t.TempDir()
	write := func(name string, files ...string) string {
		path := filepath.Join(dir, name)
		h.Check(os.WriteFile(path, webtest.Packed(t, files...), 0o600))
		return path
	}
	tb.Run(chromedp.SetUploadFiles("#files", []string{write("data.zip", "data.csv=1,2"),
		write("garden.zip", "index.html*=<!doctype html><title>Garden</title><h1>A garden</h1>")}, chromedp.ByQuery))
	tb.WaitForState("data.zip", "live")
	tb.WaitForState("garden.zip", "live")
	tb.Until(`[...document.querySelectorAll(".as-website")].filter((f) => f.checkVisibility()).length === 1`)
	tb.CheckWindows("a ZIP that can become a website")
	tb.Run(chromedp.Evaluate(webtest.FileRow("garden.zip")+`.querySelector(".as-website button").click()`, nil))
	tb.Arrives(`location.pathname.startsWith("/websites/") && document.querySelector(".banner").innerText.includes("Deployed")`)
	h.Shows(h.OnlySite().Site, http.StatusOK, "A garden")
	webtest.Same(t, "address", h.OnlySite().Slug, vitrine.Slug("garden"))
	tb.Quiet()
}
