package ui

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"vitrine"
	"vitrine/internal/web/httpx"
)

// The error page: what happened, what to do, when to try again, and the number
// by which the administrator finds the request. Signed-in people can return to
// their own pages.

// NoPage answers requests for unknown addresses.
func NoPage(http.ResponseWriter, *http.Request) error { return httpx.ErrNoPage }

type errorPage struct {
	Page
	Heading, Advice string
	Request         string // the request's id
	Again           string // address to try again; "" where that is of no use
	Way             *way   // where one can go on; nil for nowhere
	Enable          string // address of a form that enables the link
	Framed          bool   // the page is in a frame of another
}

// OwnersError is the error of a public page with details for its owner.
type OwnersError struct {
	Err       error
	Advice    string
	Way, Name string // where the owner can change that
	Enable    string // address of the form that takes back what the owner did; "" for none
}

func (e *OwnersError) Error() string { return e.Err.Error() }

func (e *OwnersError) Unwrap() error { return e.Err }

// way is an address and its label.
type way struct{ Address, Name string }

// errorPage answers an error. It is also shown in the frame of a public page
// whose content is gone, and in an embed.
func (s *Pages) errorPage(w http.ResponseWriter, r *http.Request, err error) {
	e, status := s.Server.Known(w, r, err)
	h := w.Header()
	// Headers that the handler set before it failed.
	for _, name := range []string{"Content-Disposition", "Content-Encoding", "Content-Length", "ETag",
		"Last-Modified"} {
		h.Del(name)
	}
	framers := s.Server.Framers(r)
	heading := cmp.Or(httpx.Headings[e.Code], "This is not allowed")
	p := errorPage{Page: s.NewChrome(heading), Advice: strings.TrimPrefix(httpx.AdviceOn(e), heading+". "),
		Framed: framers != "'none'"}
	if !forReaders(r.URL.Path) {
		p.Way = &way{s.Server.PublicURL.String() + "/", "Go to the start page"}
	}
	if !p.Framed {
		httpx.SameOriginOnly(h)
		if s.Server.SignedInAccount(r) != nil {
			p.Way = &way{"/dashboard", "Go to the dashboard"}
		}
	}
	of := httpx.PublicPage
	if own := (*OwnersError)(nil); errors.As(err, &own) {
		p.Advice, p.Enable, p.Way, of = own.Advice, own.Enable, &way{own.Way, own.Name}, httpx.ReportForm
	}
	s.writeErrorPage(w, r, e, status, &p, of)
}

// forReaders reports whether a path is of what people get from others. They
// have no account here, and nothing to look for on the start page.
func forReaders(path string) bool {
	return slices.ContainsFunc([]string{"/p/", "/r/", httpx.AlbumRoot, httpx.ContentRoot},
		func(root string) bool { return strings.HasPrefix(path, root) })
}

// appFailure answers an error of a page for signed-in people.
func (s *Pages) appFailure(w http.ResponseWriter, r *http.Request, err error) {
	e, status := s.Server.Known(w, r, err)
	heading, advice := httpx.Headings[e.Code], e.Message
	switch e.Code {
	case vitrine.CodeNotFound:
		heading = "Not found"
	case vitrine.CodeInternal, vitrine.CodeRateLimited:
		advice = httpx.AdviceOn(e)
	}
	p := errorPage{Page: s.NewChrome(cmp.Or(heading, "This did not work")), Advice: advice,
		Way: &way{"/", "Go to the start page"}}
	switch {
	case s.Server.SignedInAccount(r) == nil:
	case strings.HasPrefix(r.URL.Path, httpx.ModerationRoot):
		p.Way = &way{httpx.ModerationRoot, "Go to the queue"}
	default:
		p.Way = &way{"/dashboard", "Go to the dashboard"}
	}
	s.writeErrorPage(w, r, e, status, &p, httpx.EntryPage)
}

func (s *Pages) writeErrorPage(w http.ResponseWriter, r *http.Request, e *vitrine.Error, status int, p *errorPage,
	of httpx.Surface) {
	h := w.Header()
	httpx.RetryAfter(w, e)
	p.Heading, p.Request = p.Title, h.Get("X-Request-Id")
	if httpx.Transient[e.Code] && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		p.Again = r.URL.RequestURI()
	}
	h.Set("Cache-Control", "no-store")
	s.Server.SetPagePolicy(w, r, of, p.Nonce)
	if err := Render(w, r, status, "error.html", p); err != nil {
		s.Log.Error("error page", "request", p.Request, "error", err)
		http.Error(w, fmt.Sprintf("%s (request %s)", p.Heading, p.Request), status)
	}
}
