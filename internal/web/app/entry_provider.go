package app

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// providerLink is the button that leads to a provider of sign-ins.
type providerLink struct{ Name, Address string }

// providersTo returns the buttons of all providers, which lead on to a page.
func (s *EntryPages) providersTo(next string) (list []providerLink) {
	for _, p := range s.Providers.List {
		list = append(list, providerLink{p.Name, withNext(httpx.ProviderRoot+p.ID, next)})
	}
	return list
}

// StartProvider leads to a provider.
func (s *EntryPages) StartProvider(w http.ResponseWriter, r *http.Request) error {
	next := httpx.LocalPath(r.URL.Query().Get("next"))
	if s.Server.SignedInAccount(r) != nil {
		return httpx.Redirect(w, r, httpx.InsideOr(next))
	}
	address, flow, err := s.Providers.Begin(r.Context(), r.PathValue("provider"), next)
	if err != nil {
		return s.notArrived(w, r, auth.Arrival{Next: next}, err)
	}
	s.Server.SetProviderFlow(w, flow)
	return httpx.Redirect(w, r, address)
}

// FromProvider takes the answer of a provider.
func (s *EntryPages) FromProvider(w http.ResponseWriter, r *http.Request) error {
	flow := s.Server.ProviderFlow(r)
	s.Server.SetProviderFlow(w, "")
	q := r.URL.Query()
	for _, values := range q {
		if len(values) > 1 {
			return vitrine.Errorf(vitrine.CodeInvalidRequest, "The address has a parameter twice. Sign in again.")
		}
	}
	to, err := s.Providers.Finish(r.Context(), r.PathValue("provider"), flow, q, s.Server.Session(r),
		s.Server.Client(r))
	switch {
	case err != nil:
		return s.notArrived(w, r, to, err)
	case to.Connected:
		return httpx.Redirect(w, r, Said(cmp.Or(to.Next, accountRoot), "connected"))
	}
	return s.startSession(w, r, to.SignedIn, to.Next)
}

// notArrived says why a person is not signed in at a provider, on the page with
// the other ways in.
func (s *EntryPages) notArrived(w http.ResponseWriter, r *http.Request, to auth.Arrival, err error) error {
	var known *vitrine.Error
	if !errors.As(err, &known) || known.Code == vitrine.CodeNotFound {
		return err
	}
	e, status := s.Server.Known(w, r, err)
	s.Server.LogSeldom("sign-in failed", "reason", "provider")
	if e.Code == vitrine.CodeRateLimited {
		httpx.RetryAfter(w, e)
	}
	message := httpx.AdviceOn(e)
	if to.Connected {
		return s.Pages.WriteSignIn(w, r, status, ui.SignInPage{Heading: "Not connected", Message: message,
			Back: accountRoot, BackName: "Account"})
	}
	if errors.Is(err, auth.ErrConnectFirst) {
		to.Next = accountRoot + providersAt
	}
	p := s.signInForm(to.Next)
	p.Wrong = httpx.FieldErrors{"": message}
	return s.writeEntry(w, r, status, "signin.html", &p)
}

// providersAt is where the page of an account has the providers.
const providersAt = "#providers"

// providerPage is what the page of an account shows of providers.
type providerPage struct {
	Connected []auth.ConnectedIdentity
	Others    []providerLink // with an ID as Address
}

// providers returns what the page of an account shows of providers.
func (s *AccountPages) providers(r *http.Request, me *vitrine.Account) (p providerPage, err error) {
	p.Connected, err = s.Providers.Connected(r.Context(), me.ID)
	has := map[string]bool{}
	for _, c := range p.Connected {
		has[c.Provider] = true
	}
	for _, each := range s.Providers.List {
		if !has[each.ID] {
			p.Others = append(p.Others, providerLink{each.Name, each.ID})
		}
	}
	return p, err
}

// ChangeProviders connects a provider, by a page that leads to it, or removes
// one. A form of this origin must not lead elsewhere by itself.
func (s *AccountPages) ChangeProviders(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	session, err := s.sure(w, r)
	if err != nil {
		return s.renderMeError(w, r, "providers", err)
	}
	f := r.PostForm
	if !f.Has("connect") {
		id, err := strconv.ParseInt(f.Get("remove"), 10, 64)
		if err != nil {
			return vitrine.Errorf(vitrine.CodeInvalidRequest, "Choose one of the buttons.")
		}
		if err := s.Providers.Remove(r.Context(), session, f.Get("current"), vitrine.IdentityID(id)); err != nil {
			return s.renderMeError(w, r, "providers", err)
		}
		return httpx.Redirect(w, r, Said(accountRoot, "disconnected"))
	}
	address, flow, err := s.Providers.Connect(r.Context(), session, f.Get("current"), f.Get("connect"), accountRoot)
	if vitrine.CodeOf(err) == vitrine.CodeUnavailable {
		e, status := s.Server.Known(w, r, err)
		return s.Pages.WriteSignIn(w, r, status, ui.SignInPage{Heading: "Not connected", Message: e.Message,
			Back: accountRoot, BackName: "Account"})
	}
	if err != nil {
		return s.renderMeError(w, r, "providers", err)
	}
	s.Server.SetProviderFlow(w, flow)
	w.Header().Set("Refresh", "0; url="+address)
	host := ""
	if u, err := url.Parse(address); err == nil {
		host = u.Host
	}
	return s.Pages.WriteSignIn(w, r, http.StatusOK, ui.SignInPage{Heading: "Sign in to connect it",
		Message: "This page leads to " + host + ". Sign in there, and you come back here.", Back: address,
		BackName: "Continue"})
}
