package app

import (
	"encoding/base64"
	"net/http"
	"net/url"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/auth/factor"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

const (
	codeRoot   = "/two-step"
	factorRoot = accountRoot + "/two-step"
)

// withNext returns the address of a page that leads on to another one.
func withNext(page, next string) string {
	return httpx.WithQuery(page, url.Values{}, "next", next)
}

// codePage asks for the code that completes a sign-in.
type codePage struct {
	entryPage
	Recovery bool   // it asks for a recovery code
	Other    string // address of the page that asks for the other kind
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
	p = &codePage{entryPage: s.newEntry("Enter your code"), Recovery: form.Get("recovery") != ""}
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
	in, err := s.Sessions.SignInWithCode(r.Context(), s.Server.Session(r), f.Get("code"), s.Server.Client(r))
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

// factorPage is the page of the second factor of the own account.
type factorPage struct {
	entryPage
	Factor      *factor.State // nil: one can be added
	Required    bool          // nothing else opens before
	HasPassword bool
	Fresh       bool     // the password is not asked for
	Codes       []string // that were just made, which are shown this once
	QR          ui.QRCode
	Secret      string
	Offer       string
}

// newFactor begins the page for a session, which may lack the factor that the
// instance asks for.
func (s *EntryPages) newFactor(r *http.Request, session *vitrine.Session, me *vitrine.Account,
	form url.Values) (*factorPage, error) {
	_, _, waits := s.Sessions.Waiting(r.Context(), s.Server.Session(r))
	p := &factorPage{entryPage: s.newEntry("Two-step sign-in"), Factor: auth.FactorOf(me), Required: waits == nil,
		HasPassword: me.Password != "", Fresh: s.Accounts.Fresh(session)}
	p.Email, p.Next = me.Email, httpx.LocalPath(form.Get("next"))
	if p.Factor != nil {
		return p, nil
	}
	offer, err := base64.RawURLEncoding.DecodeString(form.Get("offer"))
	secret, err2 := s.Accounts.OfferedFactor(me, offer)
	if err != nil || err2 != nil {
		secret, offer = s.Accounts.OfferFactor(me)
	}
	p.Secret, p.Offer = secret.Text(), base64.RawURLEncoding.EncodeToString(offer)
	p.QR, err = ui.NewQRCode(secret.Address(s.Server.PublicURL.Host, me.Email))
	return p, err
}

// ShowFactor shows the secret for an app, or what one can change.
func (s *EntryPages) ShowFactor(w http.ResponseWriter, r *http.Request) error {
	session, me, err := s.Sessions.Entering(r.Context(), s.Server.Session(r))
	if vitrine.CodeOf(err) == vitrine.CodeUnauthorized {
		return httpx.Redirect(w, r, withNext(httpx.SignInRoot, factorRoot))
	}
	if err != nil {
		return err
	}
	p, err := s.newFactor(r, session, me, r.URL.Query())
	if err != nil {
		return err
	}
	s.Server.SetPagePolicy(w, r, httpx.EntryPage, p.Nonce)
	return ui.Render(w, r, http.StatusOK, "factor.html", p)
}

// TakeFactor adds the second factor, replaces its recovery codes or removes it.
func (s *EntryPages) TakeFactor(w http.ResponseWriter, r *http.Request) error {
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	session, me, err := s.Sessions.Entering(r.Context(), s.Server.Session(r))
	if vitrine.CodeOf(err) == vitrine.CodeUnauthorized {
		return httpx.Redirect(w, r, withNext(httpx.SignInRoot, factorRoot))
	}
	if err != nil {
		return err
	}
	p, err := s.newFactor(r, session, me, r.PostForm)
	if err != nil {
		return err
	}
	current, typed := r.PostForm.Get("current"), r.PostForm.Get("code")
	switch r.PostForm.Get("do") {
	case "add":
		offer, _ := base64.RawURLEncoding.DecodeString(r.PostForm.Get("offer"))
		p.Codes, err = s.Accounts.AddFactor(r.Context(), session, current, offer, typed)
	case "codes":
		p.Codes, err = s.Accounts.NewRecoveryCodes(r.Context(), session, current, typed)
	case "remove":
		if err = s.Accounts.RemoveFactor(r.Context(), session, current, typed); err == nil {
			return httpx.Redirect(w, r, Said(accountRoot, "two-step-off"))
		}
	default:
		err = vitrine.Errorf(vitrine.CodeInvalidRequest, "Choose one of the buttons.")
	}
	if err != nil {
		return s.renderWrong(w, r, "factor.html", &p.entryPage, p, err)
	}
	p.Heading, p.Required = "Your recovery codes", false
	s.Server.SetPagePolicy(w, r, httpx.EntryPage, p.Nonce)
	return ui.Render(w, r, http.StatusOK, "factor.html", p)
}
