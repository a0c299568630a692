package ui

import (
	"net/http"

	"vitrine/internal/web/httpx"
)

// App renders a handler of the pages that someone signs in for (security,
// dashboard). What they show is kept by nobody, framed by nobody and listed
// nowhere; their addresses, one of which is a secret, are told to no other
// origin. With no-referrer a browser would send forms with the Origin "null",
// which over plain HTTP could not be told from another site's.
func (s *Pages) App(h httpx.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Cache-Control", "no-store")
		header.Set("X-Robots-Tag", "noindex")
		header.Set("Referrer-Policy", "same-origin")
		httpx.SameOriginOnly(header)
		if err := h(w, r); err != nil {
			s.appFailure(w, r, err)
		}
	})
}

// SignInPage says one thing to someone who is not in, or not let in.
type SignInPage struct {
	Page
	Heading, Message string
	Offer            bool   // the button that signs in
	Confirm          bool   // the button that confirms an address
	Account          string // e-mail address of who is signed in
	Back, BackName   string // address that leads on, and what the button says
}

var signInTemplate = ParseEntry("signin_notice.html")

func (s *Pages) WriteSignIn(w http.ResponseWriter, r *http.Request, status int, p SignInPage) error {
	p.Page = s.NewChrome(p.Heading + " · Vitrine")
	s.SetPagePolicy(w, r, httpx.EntryPage, p.Nonce)
	return Render(w, r, status, signInTemplate, p)
}

// NoToken answers for a link that is of no use any more.
func (s *Pages) NoToken(w http.ResponseWriter, r *http.Request, err error) error {
	e, status := s.Known(w, r, err)
	return s.WriteSignIn(w, r, status, SignInPage{Heading: "This link no longer works", Message: e.Message,
		Back: httpx.SignInRoot, BackName: "Sign in"})
}
