package app

import (
	"net/http"
	"net/url"

	"vitrine"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

const codeRoot = "/two-step"

// withNext returns the address of a page that leads on to another one.
func withNext(page, next string) string {
	return httpx.WithQuery(page, url.Values{}, "next", next)
}

// codePage asks for the code that completes a sign-in.
type codePage struct {
	entryPage
	Recovery bool   // it asks for a recovery code
	Other    string // address of the page that asks for the other kind
	Asks     *factorAsk
}

// newCode begins the page. If there is nothing to complete, it answers the
// request itself.
func (s *EntryPages) newCode(w http.ResponseWriter, r *http.Request, form url.Values) (p *codePage, err error) {
	next := httpx.LocalPath(form.Get("next"))
	a, code, err := s.Sessions.Waiting(r.Context(), s.Server.Session(r))
	if vitrine.CodeOf(err) == vitrine.CodeUnauthorized || err == nil && !code {
		return nil, httpx.Redirect(w, r, withNext(httpx.SignInRoot, next))
	}
	if err != nil {
		return nil, err
	}
	p = &codePage{entryPage: s.newEntry("Second step"), Recovery: form.Get("recovery") != "",
		Asks: newFactorAsk(s.Sessions, a)}
	if p.Asks.Passkey == "" && !p.Asks.App { // its passkeys are for another address
		p.Recovery = true
	}
	p.Email, p.Next, p.Other = a.Email, next, withNext(codeRoot, next)
	if !p.Recovery {
		p.Other = httpx.WithQuery(codeRoot, url.Values{}, "next", next, "recovery", "1")
	}
	return p, nil
}

func (s *EntryPages) ShowCode(w http.ResponseWriter, r *http.Request) error {
	p, err := s.newCode(w, r, r.URL.Query())
	if p == nil {
		return err
	}
	s.Server.SetPagePolicy(w, r, httpx.EntryPage, p.Nonce)
	return ui.Render(w, r, http.StatusOK, "signin_code.html", p)
}

// TakeCode completes a sign-in.
func (s *EntryPages) TakeCode(w http.ResponseWriter, r *http.Request) error {
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	f := r.PostForm
	in, err := s.Sessions.SignInWithCode(r.Context(), s.Server.Session(r), typedFactor(r, "code"), s.Server.Client(r))
	if err == nil {
		return s.startSession(w, r, in, f.Get("next"))
	}
	s.Server.LogSeldom("sign-in failed", "reason", "code")
	p, wrong := s.newCode(w, r, f)
	if p == nil {
		return wrong
	}
	return s.renderWrong(w, r, "signin_code.html", &p.entryPage, p, err)
}

// renderWrong shows a page again with the error, if the person can correct it.
func (s *EntryPages) renderWrong(w http.ResponseWriter, r *http.Request, name string, p *entryPage, page any,
	err error) error {
	if p.Wrong = httpx.FieldErrorsOf(err); p.Wrong == nil {
		return err
	}
	e, status := s.Server.Known(w, r, err)
	if e.Code == vitrine.CodeRateLimited {
		httpx.RetryAfter(w, e)
		p.Wrong[e.Field] = httpx.AdviceOn(e)
	}
	s.Server.SetPagePolicy(w, r, httpx.EntryPage, p.Nonce)
	return ui.Render(w, r, status, name, page)
}
