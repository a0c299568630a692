package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine"
)

// publishLink sends the form that publishes a link as a website.
func (s *site) publishLink(l *vitrine.Link, form url.Values, headers ...string) reply {
	s.t.Helper()
	return s.post("/links/"+string(l.Slug)+"/website", form, headers...)
}

// zipped publishes a ZIP of files, given as "path=content", as a link.
func (s *site) zipped(files ...string) *vitrine.Link {
	s.t.Helper()
	return s.publish("garden.zip", packed(s.t, files...))
}

// websites returns the websites of the member.
func (s *site) websites() []*vitrine.Site {
	s.t.Helper()
	list, err := s.server.Sites.List(s.t.Context(), s.member)
	s.check(err)
	var sites []*vitrine.Site
	for _, f := range list {
		sites = append(sites, f.Site)
	}
	return sites
}

// TestWebsiteFromLink publishes the ZIP of a link as a website. The link stays,
// and the website stays when the link is deleted, because it has its own copy.
func TestWebsiteFromLink(t *testing.T) {
	h := newHosting(t)
	cookie := h.signIn(h.member)
	l := h.zipped("garden/index.html=<p>Spring", "garden/style.css=p{}")
	r := h.status(h.publishLink(l, nil, cookie), http.StatusSeeOther)
	sites := h.websites()
	if len(sites) != 1 || sites[0].Title != "garden" {
		t.Fatalf("websites = %+v", sites)
	}
	page := h.status(h.get(r.Header.Get("Location"), cookie), http.StatusOK)
	if !strings.HasPrefix(r.Header.Get("Location"), "/websites/"+string(sites[0].Slug)) ||
		!strings.Contains(page.body, "Visitors now see this version.") {
		t.Errorf("redirected to %s: %s", r.Header.Get("Location"), page.body)
	}
	h.shows(sites[0], http.StatusOK, "<p>Spring")
	h.status(h.get("/p/"+string(l.Slug)), http.StatusOK)
	h.check(h.server.Links.Delete(t.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Owner(h.member.ID)}))
	h.shows(sites[0], http.StatusOK, "<p>Spring")
}

// TestWebsiteFromLinkNamed checks the title and the slug of the form, and that
// a slug in use is an error of the form.
func TestWebsiteFromLinkNamed(t *testing.T) {
	h := newHosting(t)
	cookie := h.signIn(h.member)
	l := h.zipped("index.html=<p>Spring")
	form := url.Values{"title": {"Our garden"}, "slug": {"our-garden"}}
	h.status(h.publishLink(l, form, cookie), http.StatusSeeOther)
	if sites := h.websites(); len(sites) != 1 || sites[0].Title != "Our garden" || sites[0].Slug != "our-garden" {
		t.Errorf("websites = %+v", sites)
	}
	r := h.status(h.publishLink(l, form, cookie), http.StatusBadRequest)
	if !strings.Contains(r.body, "This address is taken.") || !strings.Contains(r.body, `value="our-garden"`) {
		t.Errorf("the form of a slug in use: %s", r.body)
	}
}

// TestWebsiteFromLinkRefused checks that no website, version or copy remains
// when a link cannot be published as one.
func TestWebsiteFromLinkRefused(t *testing.T) {
	h := newHosting(t)
	cookie := h.signIn(h.member)
	off, good := h.zipped("index.html=x"), h.zipped("index.html=y")
	_, err := h.server.Links.Disable(t.Context(), string(off.Slug), vitrine.Decision{By: vitrine.Operator})
	h.check(err)
	used := func() int64 {
		usage, err := h.server.Uploads.Usage(t.Context(), h.member)
		h.check(err)
		return usage.Links
	}
	links := used()
	text := h.publish("notes.txt", samples["notes.txt"])
	pages := h.zipped("about.html=x")
	for what, c := range map[string]struct {
		of     *vitrine.Link
		slug   string
		cookie string
		status int
		text   string
	}{
		"a text":           {text, "", cookie, http.StatusBadRequest, "Only a link to a ZIP"},
		"no first page":    {pages, "", cookie, http.StatusBadRequest, "no index.html"},
		"a disabled link":  {off, "", cookie, http.StatusBadRequest, "Only a link that is live"},
		"no link":          {&vitrine.Link{Slug: "nope"}, "", cookie, http.StatusNotFound, ""},
		"another account":  {good, "", h.signIn(h.owner), http.StatusNotFound, ""},
		"not signed in":    {good, "", "", http.StatusSeeOther, ""},
		"an unusable slug": {good, "-", cookie, http.StatusBadRequest, ""},
	} {
		t.Run(what, func(t *testing.T) {
			headers := []string{c.cookie}
			if c.cookie == "" {
				headers = nil
			}
			r := h.publishLink(c.of, url.Values{"slug": {c.slug}}, headers...)
			if r.StatusCode != c.status || !strings.Contains(r.body, c.text) {
				t.Errorf("status %d, want %d with %q: %s", r.StatusCode, c.status, c.text, r.body)
			}
			if sites := h.websites(); len(sites) != 0 {
				t.Errorf("websites = %+v", sites)
			}
		})
	}
	if now := used(); now != links+2 { // text and pages
		t.Errorf("%d links are in use, want %d", now, links+2)
	}
}

// TestWebsiteFromLinkLimits checks that the website counts as a link and its
// copy as storage. What does not fit leaves nothing.
func TestWebsiteFromLinkLimits(t *testing.T) {
	h := newHosting(t)
	cookie := h.signIn(h.member)
	l := h.zipped("index.html=<p>Spring")
	plan := h.member.Plan
	h.server.Uploads.Plans[plan] = vitrine.Limits{Links: 1}
	h.status(h.publishLink(l, nil, cookie), http.StatusForbidden)
	h.server.Uploads.Plans[plan] = vitrine.Limits{StorageBytes: 2*l.Size - 1}
	r := h.status(h.publishLink(l, nil, cookie), http.StatusForbidden)
	if sites := h.websites(); len(sites) != 0 || !strings.Contains(r.body, "storage") {
		t.Errorf("websites = %+v; page: %s", sites, r.body)
	}
	h.server.Uploads.Plans[plan] = vitrine.Limits{StorageBytes: 2 * l.Size, Links: 2}
	h.status(h.publishLink(l, nil, cookie), http.StatusSeeOther)
	usage, err := h.server.Uploads.Usage(t.Context(), h.member)
	h.check(err)
	if usage.Links != 2 || usage.Bytes != 2*l.Size || usage.HeldLinks != 0 {
		t.Errorf("usage = %+v", usage)
	}
}
