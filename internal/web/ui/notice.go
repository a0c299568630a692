package ui

import (
	"net/http"

	"vitrine/internal/web/httpx"
)

// App renders a handler of pages for signed-in people (security, dashboard).
// These pages are not cached, framed or indexed, and their addresses, one of
// which is secret, are not sent to other origins. With no-referrer a browser
// would send forms with the Origin "null", which over plain HTTP looks like
// another site's.
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

// SignInPage shows a message to someone who is not signed in, or not admitted.
type SignInPage struct {
	Page
	Heading, Message string
	Offer            bool   // the button that signs in
	Confirm          bool   // the button that confirms an address
	Do               string // the label of another button that sends the page's form
	Account          string // e-mail address of who is signed in
	Back, BackName   string // address and label of the button
}

func (s *Pages) WriteSignIn(w http.ResponseWriter, r *http.Request, status int, p SignInPage) error {
	p.Page = s.NewChrome(p.Heading + " · Vitrine")
	s.Server.SetPagePolicy(w, r, httpx.EntryPage, p.Nonce)
	return Render(w, r, status, "signin_notice.html", p)
}

// NoToken answers requests with an invalid token.
func (s *Pages) NoToken(w http.ResponseWriter, r *http.Request, err error) error {
	e, status := s.Server.Known(w, r, err)
	return s.WriteSignIn(w, r, status, SignInPage{Heading: "This link no longer works", Message: e.Message,
		Back: httpx.SignInRoot, BackName: "Sign in"})
}
