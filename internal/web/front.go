package web

import (
	"html/template"
	"net/http"
	"strings"
	"sync"

	"vitrine"
)

// The front of the house: pages about Vitrine itself, for anybody. Search
// engines may list these and no others.

// frontPage is what each of them has.
type frontPage struct {
	chrome
	Description string           // for search engines, and for programs that unfurl an address
	Address     string           // of the page, as it is listed
	Picture     string           // address of the picture that shows the site
	Section     string           // of the header: "docs", "plans" or ""
	Me          *vitrine.Account // who is signed in; nil: nobody, or nobody that could be asked for
	SignUp      bool             // anybody may make an account
}

// parseFront reads the template of such a page: it defines "main", and
// "more-head" if it wants more there.
func parseFront(names ...string) pageTemplate {
	return parse(append([]string{"layout.html", "icons.html", "front.html"}, names...)...)
}

// personal marks a page that depends on who asks, so that nobody keeps it for
// others.
func (s *frontH) personal(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Cache-Control", "private, no-cache")
		w.Header().Add("Vary", "Cookie")
		sameOriginOnly(w.Header())
		return h(w, r)
	}
}

// sameOriginOnly keeps a page, which differs for who is signed in, from being
// opened or measured by another site.
func sameOriginOnly(h http.Header) {
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// newFrontPage begins a page; title is "" for the first page of the site.
func (s *frontH) newFrontPage(r *http.Request, title, description, section string) frontPage {
	name := "Vitrine: publish a file and see how it is read"
	if title != "" {
		name = title + " · Vitrine"
	}
	p := frontPage{chrome: s.newChrome(name), Description: description, Section: section, Me: s.whoever(r), SignUp: s.mayJoin(),
		Address: s.PublicURL.String() + r.URL.Path, Picture: s.PublicURL.String() + frontPictureRoute}
	p.Index = true
	return p
}

// anyone who is the account that is signed in where a request comes from; nil
// when there is none, and when that cannot be told now.
func (s *httpxH) whoever(r *http.Request) *vitrine.Account {
	text := s.session(r)
	if text == "" || s.Sessions == nil {
		return nil
	}
	me, err := s.Sessions.Authenticate(r.Context(), text)
	if err != nil {
		return nil
	}
	return me
}

// writeFront answers with one of these pages.
func (s *frontH) writeFront(w http.ResponseWriter, r *http.Request, t pageTemplate, nonce string, page any) error {
	w.Header().Set("Content-Security-Policy", s.frontPolicy(nonce))
	return render(w, r, http.StatusOK, t, page)
}

// frontPolicy is the Content-Security-Policy of these pages: they show nothing
// of anybody's, and what a visitor chose leaves them by the browser's own
// store.
func (s *httpxH) frontPolicy(nonce string) string {
	return strings.Join([]string{
		"default-src 'none'",
		"script-src 'nonce-" + nonce + "'",
		"style-src 'nonce-" + nonce + "'",
		"img-src " + origin(s.ContentURL) + assetRoot,
		"base-uri 'none'",
		"form-action 'self'",
		"frame-ancestors 'none'",
		"require-trusted-types-for 'script'",
		"trusted-types 'none'",
	}, "; ")
}

// frontPictureRoute is the picture that shows the site where someone posts
// its address.
const frontPictureRoute = "/picture.png"

var frontPicture = sync.OnceValues(func() ([]byte, error) { return drawCard("PDF", "Publish a file. See how it is read.") })

func (s *frontH) sendFrontPicture(w http.ResponseWriter, _ *http.Request) error {
	b, err := frontPicture()
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "image/png")
	h.Set("Content-Security-Policy", fileCSP)
	h.Set("Cache-Control", "public, max-age=86400")
	_, _ = w.Write(b)
	return nil
}

// robotsText lets everybody fetch pages and their pictures. Programs that
// unfurl links on social networks (Twitterbot, LinkedInBot, facebookexternalhit
// and more every year) obey a Disallow and would show a bare address. A search
// engine that may not fetch a page cannot see that it says noindex, and lists
// the bare address where it found it; one that may fetch it lists nothing. What
// is fetched so is a bot's open, which no figure counts. What remains are
// addresses with nothing on them to index, and large ones among them.
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

func (s *frontH) robots(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=86400")
	_, _ = w.Write([]byte(robotsText + "\nSitemap: " + s.PublicURL.String() + "/sitemap.xml\n"))
}

// sitemap lists the pages that search engines may list.
func (s *frontH) sitemap(w http.ResponseWriter, _ *http.Request) error {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, path := range frontPaths() {
		if path == plansRoute && !s.sold() {
			continue
		}
		b.WriteString("<url><loc>")
		template.HTMLEscape(&b, []byte(s.PublicURL.String()+path))
		b.WriteString("</loc></url>\n")
	}
	b.WriteString("</urlset>\n")
	h := w.Header()
	h.Set("Content-Type", "application/xml; charset=utf-8")
	h.Set("Content-Security-Policy", fileCSP)
	h.Set("Cache-Control", "public, max-age=86400")
	_, _ = w.Write([]byte(b.String()))
	return nil
}

// frontPaths are the paths of all pages of the front.
func frontPaths() []string {
	paths := []string{"/", plansRoute}
	for _, d := range docPages {
		paths = append(paths, d.Path)
	}
	return paths
}
