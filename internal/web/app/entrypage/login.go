package entrypage

import (
	"net/http"
	"net/url"

	"vitrine"
	"vitrine/internal/auth"
	"vitrine/internal/web/app"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// devicePage asks for a code, shows who asks for a key, and finally the result.
type devicePage struct {
	entryPage
	Me     *vitrine.Account
	Code   string // typed, or shown
	Login  *vitrine.Login
	Answer string // "allow" or "refuse", once it was given
}

// Scopes returns what the key may do, the most first: the command line deletes
// links and manages keys too.
func (p *devicePage) Scopes() []ui.Option {
	return []ui.Option{{Value: string(vitrine.ScopeFull), Name: "Full"},
		{Value: string(vitrine.ScopePublish), Name: "Publish"}, {Value: string(vitrine.ScopeRead), Name: "Read"}}
}

// keyLives are how long the key of a program can be valid.
var keyLives = app.AllLifetimes[2:]

// Spans returns how long the key can be valid. It ends unless "Never" is
// chosen.
func (p *devicePage) Spans() []ui.Option {
	return keyLives.Options("90d")
}

// grantOf reads what the form gives to the key; nil refuses.
func grantOf(f url.Values) (*auth.Grant, error) {
	switch f.Get("answer") {
	case "refuse":
		return nil, nil
	case "allow":
	default:
		return nil, vitrine.Errorf(vitrine.CodeInvalidRequest, "Choose one of the two buttons: Allow or Refuse.")
	}
	if !f.Has("expires") {
		return nil, &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "expires",
			Message: "Choose when the key expires."}
	}
	life, err := keyLives.Parse("expires", f.Get("expires"))
	return &auth.Grant{Scope: vitrine.KeyScope(f.Get("scope")), Life: life}, err
}

func (s *Handler) writeDevice(w http.ResponseWriter, r *http.Request, p *devicePage) error {
	s.SetPagePolicy(w, r, httpx.EntryPage, p.Nonce)
	return ui.Render(w, r, http.StatusOK, "device.html", p)
}

func (s *Handler) newDevice(heading string, me *vitrine.Account) devicePage {
	return devicePage{entryPage: s.newEntry(heading), Me: me}
}

const connectHeading = "Connect a program"

// renderDeviceError asks for the code again and shows what is wrong with it.
func (s *Handler) renderDeviceError(w http.ResponseWriter, r *http.Request, me *vitrine.Account, typed string,
	err error) error {
	p := s.newDevice(connectHeading, me)
	if p.Wrong = httpx.FieldErrorsOf(err); p.Wrong == nil || p.Wrong["scope"] != "" {
		return err
	}
	p.Code = typed
	e, status := s.Known(w, r, err)
	if e.Code == vitrine.CodeRateLimited {
		httpx.RetryAfter(w, e)
		p.Wrong[""] = httpx.AdviceOn(e)
	}
	s.SetPagePolicy(w, r, httpx.EntryPage, p.Nonce)
	return ui.Render(w, r, status, "device.html", &p)
}

func (s *Handler) ShowLogin(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	typed := r.URL.Query().Get("code")
	if typed == "" {
		p := s.newDevice(connectHeading, me)
		return s.writeDevice(w, r, &p)
	}
	l, err := s.Logins.Find(r.Context(), me, typed, s.Client(r))
	if err != nil {
		return s.renderDeviceError(w, r, me, typed, err)
	}
	p := s.newDevice("Connect this program?", me)
	p.Login, p.Code = l, auth.ShownLoginCode(l.Code)
	return s.writeDevice(w, r, &p)
}

func (s *Handler) DecideLogin(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	typed, answer := r.PostForm.Get("code"), r.PostForm.Get("answer")
	grant, err := grantOf(r.PostForm)
	if err != nil {
		return err
	}
	l, err := s.Logins.Decide(r.Context(), me, typed, grant, s.Client(r))
	if err != nil {
		return s.renderDeviceError(w, r, me, typed, err)
	}
	heading := "Program connected"
	if answer == "refuse" {
		heading = "Request refused"
	}
	p := s.newDevice(heading, me)
	p.Login, p.Answer = l, answer
	return s.writeDevice(w, r, &p)
}
