package web_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/collections"

	"github.com/chromedp/chromedp"
)

// offer is the button on the page of a link whose ZIP can become a website.
const offer = "Publish as a website"

// onlySite returns the only website of the member.
func (s *site) onlySite() *collections.SiteFacts {
	s.t.Helper()
	all, err := s.server.Sites.List(s.t.Context(), s.member)
	s.check(err)
	if len(all) != 1 {
		s.t.Fatalf("%d websites, want 1", len(all))
	}
	return all[0]
}

// TestLinkBecomesWebsite checks that the ZIP of a link can become a website
// without another upload, on a disk and in a bucket. The link stays.
func TestLinkBecomesWebsite(t *testing.T) {
	for name, open := range map[string]func(*testing.T) *site{"disk": func(t *testing.T) *site { return newDesk(t) },
		"bucket": func(t *testing.T) *site { s, _ := newBucketSite(t); return s }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := hosting(open(t))
			cookie := h.signIn(h.member)
			l := h.sent("garden.zip", string(packed(t, "__MACOSX/._index.html=x", "garden/index.html*=<h1>A garden</h1>",
				"garden/style.css=h1{color:teal}")))
			if page := h.status(h.get(linkPath(l), cookie), http.StatusOK); !strings.Contains(page.body, offer) {
				t.Fatal("the page of the link does not offer a website")
			} else if !strings.Contains(page.body, `value="garden"`) {
				t.Error("the page suggests no address")
			}
			if r := h.status(h.post(linkPath(l)+"/website", url.Values{"slug": {"a--b"}}, cookie), 400); !strings.Contains(
				r.body, `id="wrong-slug"`) || !strings.Contains(r.body, `value="a--b"`) {
				t.Error("a bad address is not shown again with its reason")
			}
			r := h.status(h.post(linkPath(l)+"/website", url.Values{"slug": {"garden"}}, cookie), http.StatusSeeOther)
			site := h.onlySite()
			same(t, "address", site.Slug, vitrine.Slug("garden"))
			same(t, "next page", r.Header.Get("Location"), "/websites/"+string(site.Slug)+"?said=deployed")
			same(t, "title", site.Title, "garden")
			h.shows(site.Site, http.StatusOK, "A garden")
			h.check(h.server.Links.Delete(t.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Owner(h.member.ID)}))
			h.check(h.server.Links.Purge(t.Context()))
			h.shows(site.Site, http.StatusOK, "A garden") // its bytes are its own
		})
	}
}

// TestLinkBecomesNoWebsite checks that nothing is left of a website that cannot
// be published, that the page says why, and that it is only offered for a ZIP
// with a first page.
func TestLinkBecomesNoWebsite(t *testing.T) {
	t.Parallel()
	h := newHosting(t)
	cookie := h.signIn(h.member)
	none := func(what string, l *vitrine.Link, status int, text string) {
		t.Helper()
		r := h.status(h.post(linkPath(l)+"/website", url.Values{}, cookie), status)
		if !strings.Contains(r.body, text) {
			t.Errorf("%s: the answer lacks %q", what, text)
		}
		if all, err := h.server.Sites.List(t.Context(), h.member); err != nil || len(all) != 0 {
			t.Errorf("%s: websites = %v, %v; want none", what, all, err)
		}
	}
	for what, l := range map[string]*vitrine.Link{
		"no first page":  h.publish("parts.zip", packed(t, "about.html=x", "a/index.html=x")),
		"two folders":    h.publish("two.zip", packed(t, "a/index.html=x", "b/more.html=y")),
		"another format": h.publish("notes.txt", samples["notes.txt"]),
	} {
		if strings.Contains(h.get(linkPath(l), cookie).body, offer) {
			t.Errorf("%s: a website is offered", what)
		}
		none(what, l, http.StatusBadRequest, "role=\"alert\"")
	}
	held := h.hold(h.publish("held.zip", packed(t, "index.html=x")), vitrine.ReasonSuspicious, "")
	none("held", held, http.StatusBadRequest, "Only a live link")
	theirs := h.publish("theirs.zip", packed(t, "index.html=x"))
	cookie = h.signIn(h.owner)
	none("of another account", theirs, http.StatusNotFound, "")
}

// TestBrowserZIPBecomesWebsite uploads a ZIP with a first page, and publishes
// it as a website from its row.
func TestBrowserZIPBecomesWebsite(t *testing.T) {
	h := newHosting(t)
	tb := h.memberTab(h.member, "/dashboard")
	dir := t.TempDir()
	write := func(name string, files ...string) string {
		path := filepath.Join(dir, name)
		h.check(os.WriteFile(path, packed(t, files...), 0o600))
		return path
	}
	tb.run(chromedp.SetUploadFiles("#files", []string{write("data.zip", "data.csv=1,2"),
		write("garden.zip", "index.html*=<!doctype html><title>Garden</title><h1>A garden</h1>")}, chromedp.ByQuery))
	tb.waitForState("data.zip", "live")
	tb.waitForState("garden.zip", "live")
	tb.until(`[...document.querySelectorAll(".as-website")].filter((f) => f.checkVisibility()).length === 1`)
	tb.checkWindows("a ZIP that can become a website")
	tb.run(chromedp.Evaluate(fileRow("garden.zip")+`.querySelector(".as-website button").click()`, nil))
	tb.arrives(`location.pathname.startsWith("/websites/") && document.querySelector(".banner").innerText.includes("Deployed")`)
	h.shows(h.onlySite().Site, http.StatusOK, "A garden")
	same(t, "address", h.onlySite().Slug, vitrine.Slug("garden"))
	tb.quiet()
}
