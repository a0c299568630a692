package front

import (
	"html/template"
	"net/http"
	"strings"
	"sync"

	"vitrine"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

// The front of the house: pages about Vitrine itself, for anybody. Search
// engines may list these and no others.

// frontPage is the common data of these pages.
type frontPage struct {
	ui.Page
	Description string           // for search engines, and for programs that unfurl an address
	Address     string           // of the page, as it is listed
	Picture     string           // address of the picture that shows the site
	Section     string           // of the header: "docs", "plans" or ""
	Me          *vitrine.Account // nil if not signed in, or unknown
	SignUp      bool             // anybody may make an account
}

// Personal marks a page that depends on the reader, so that it is not cached
// for others.
func (s *Handler) Personal(h httpx.HandlerFunc) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Cache-Control", "private, no-cache")
		w.Header().Add("Vary", "Cookie")
		httpx.SameOriginOnly(w.Header())
		return h(w, r)
	}
}

// newFrontPage begins a page; title is "" for the first page of the site.
func (s *Handler) newFrontPage(r *http.Request, title, description, section string) frontPage {
	name := "Vitrine: publish a file and see how it is read"
	if title != "" {
		name = title + " · Vitrine"
	}
	p := frontPage{Page: s.Pages.NewChrome(name), Description: description, Section: section,
		Me: s.Server.SignedInAccount(r), SignUp: s.mayJoin(),
		Address: s.Server.PublicURL.String() + r.URL.Path, Picture: s.Server.PublicURL.String() + frontPictureRoute}
	p.Index = true
	return p
}

// writeFront answers with one of these pages.
func (s *Handler) writeFront(w http.ResponseWriter, r *http.Request, name, nonce string, page any) error {
	s.Server.SetPagePolicy(w, r, httpx.FrontPage, nonce)
	return ui.Render(w, r, http.StatusOK, name, page)
}

// frontPictureRoute is the picture for posts with the instance's address.
const frontPictureRoute = "/picture.png"

var frontPicture = sync.OnceValues(func() ([]byte, error) {
	return viewer.DrawCard("PDF", "Publish a file. See how it is read.")
})

func (s *Handler) SendFrontPicture(w http.ResponseWriter, r *http.Request) error {
	b, err := frontPicture()
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "image/png")
	s.Server.SetPolicy(w, r, httpx.FileBytes)
	h.Set("Cache-Control", "public, max-age=86400")
	_, _ = w.Write(b)
	return nil
}

// robotsText lets programs fetch pages and their pictures. Programs that unfurl
// links on social networks (Twitterbot, LinkedInBot, facebookexternalhit and
// others) obey a Disallow and would show a bare address. A search engine that
// must not fetch a page cannot see its noindex and lists the bare address; one
// that may fetch it lists nothing. Such a fetch is a bot's view, which does not
// count. What remains disallowed has nothing to index, and some of it is large.
const robotsText = `User-agent: *
Disallow: /p/*/download
Disallow: /p/*/beacon
Disallow: /p/*/qr.
Disallow: /p/*/report
Disallow: /c/
Disallow: /api/
Disallow: /moderation
Disallow: /sign-in
`

func (s *Handler) Robots(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=86400")
	_, _ = w.Write([]byte(robotsText + "\nSitemap: " + s.Server.PublicURL.String() + "/sitemap.xml\n"))
}

// Sitemap lists the pages that search engines may list.
func (s *Handler) Sitemap(w http.ResponseWriter, r *http.Request) error {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, path := range frontPaths() {
		if path == httpx.PlansRoute && !s.Server.Sold() {
			continue
		}
		b.WriteString("<url><loc>")
		template.HTMLEscape(&b, []byte(s.Server.PublicURL.String()+path))
		b.WriteString("</loc></url>\n")
	}
	b.WriteString("</urlset>\n")
	h := w.Header()
	h.Set("Content-Type", "application/xml; charset=utf-8")
	s.Server.SetPolicy(w, r, httpx.FileBytes)
	h.Set("Cache-Control", "public, max-age=86400")
	_, _ = w.Write([]byte(b.String()))
	return nil
}

// frontPaths returns the paths of all these pages.
func frontPaths() []string {
	paths := []string{"/", httpx.PlansRoute}
	for _, d := range docPages() {
		paths = append(paths, d.Path)
	}
	return paths
}
