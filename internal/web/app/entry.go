package app

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/auth"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// EntryPages serves the pages on which people get in.
type EntryPages struct {
	Server   *httpx.Server
	Pages    *ui.Pages
	Sessions *auth.Sessions
	Now      func() time.Time
	Log      *slog.Logger
	Accounts *auth.Accounts
	Logins   *auth.Logins
	Grants   *auth.Grants

	Providers *auth.Providers
	// SetupCommand prints the address at which the first account is made.
	SetupCommand string

	hasOwner atomic.Bool // there is an account
}

// entryPage is the common data of these pages.
type entryPage struct {
	ui.Page
	Heading string
	Wrong   httpx.FieldErrors
	Email   string      // the typed text, or the address of the token
	Next    string      // where it leads, if not to httpx.InsideRoot
	Mode    auth.SignUp // who may open an account
	Mail    bool        // messages are sent
	Command string      // that prints the address of setup
	Done    bool        // a message is on its way, if there is anybody to send it to
	Invited bool        // the token is an invitation
	Limited bool        // there were too many tries
	Passkey string      // what a browser needs to sign in with a passkey; "" if none can

	Providers []providerLink // at which one can sign in
}

func (s *EntryPages) newEntry(heading string) entryPage {
	return entryPage{Page: s.Pages.NewChrome(heading + " · Vitrine"), Heading: heading, Mode: s.Accounts.SignUp,
		Mail:    s.Accounts.Mail != nil,
		Command: cmp.Or(s.SetupCommand, "vitrine admin setup")}
}

func (s *EntryPages) writeEntry(w http.ResponseWriter, r *http.Request, status int, page string, p *entryPage) error {
	s.Server.SetPagePolicy(w, r, httpx.EntryPage, p.Nonce)
	return ui.Render(w, r, status, page, p)
}

// again shows a form again with the error, if the person can correct it. It
// returns any other error.
func (s *EntryPages) again(w http.ResponseWriter, r *http.Request, page string, p *entryPage, err error) error {
	p.Wrong = httpx.FieldErrorsOf(err)
	if p.Wrong == nil {
		return err
	}
	e, status := s.Server.Known(w, r, err)
	if e.Code == vitrine.CodeRateLimited {
		httpx.RetryAfter(w, e)
		p.Wrong[""] = httpx.AdviceOn(e)
	}
	return s.writeEntry(w, r, status, page, p)
}

// isSetUp reports whether there is an account. Once there is, there always is.
func (s *EntryPages) isSetUp(ctx context.Context) (bool, error) {
	if s.hasOwner.Load() {
		return true, nil
	}
	is, err := s.Accounts.IsSetUp(ctx)
	if is && err == nil {
		s.hasOwner.Store(true)
	}
	return is, err
}

// AfterSetup shows how to create the first account as long as there is none.
func (s *EntryPages) AfterSetup(h httpx.HandlerFunc) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		is, err := s.isSetUp(r.Context())
		if err != nil {
			return err
		}
		if is {
			return h(w, r)
		}
		w.Header().Set("Cache-Control", "no-store")
		p := s.newEntry("Not set up yet")
		return s.writeEntry(w, r, http.StatusOK, "setup_unset.html", &p)
	}
}

// welcome signs in the owner of a new account. Reports get the time zone of the
// browser, if known.
func (s *EntryPages) welcome(w http.ResponseWriter, r *http.Request, in auth.SignedIn, next string) error {
	zone := r.PostForm.Get("timezone")
	if _, err := analytics.ParseZone(zone); err == nil && zone != "" {
		if err := s.Accounts.SetTimeZone(r.Context(), in.Account.ID, zone); err != nil {
			return err
		}
	}
	return s.startSession(w, r, in, next)
}

// startSession gives a browser a session and the cookie that identifies it, and
// redirects. Another session of the browser ends.
func (s *EntryPages) startSession(w http.ResponseWriter, r *http.Request, in auth.SignedIn, next string) error {
	if old := s.Server.Session(r); old != "" {
		if err := s.Sessions.SignOut(r.Context(), old); err != nil {
			return err
		}
	}
	s.Server.SetSession(w, string(in.Session), int(vitrine.MaxSessionLife/time.Second))
	if in.Half {
		return httpx.Redirect(w, r, withNext(codeRoot, httpx.LocalPath(next)))
	}
	s.Log.Info("signed in", "account", in.Account.ID)
	known := append([]string{in.Device}, slices.DeleteFunc(s.Server.Devices(r),
		func(d string) bool { return auth.SameAccountDevice(d, in.Device) })...)
	http.SetCookie(w, &http.Cookie{Name: s.Server.DeviceCookie(),
		Value: strings.Join(known[:min(len(known), httpx.MaxDevices)], httpx.DeviceMark), Path: "/",
		MaxAge: int(vitrine.DeviceLife / time.Second), Secure: s.Server.Secure(), HttpOnly: true,
		SameSite: http.SameSiteLaxMode})
	return httpx.Redirect(w, r, httpx.InsideOr(next))
}
