package app

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// devicePage asks for a code, shows who asks for a key, and finally the result.
type devicePage struct {
	entryPage
	Me     *vitrine.Account
	Code   string // typed, or shown
	Login  *vitrine.Login
	Typed  url.Values // the form that has a fault
	Answer string     // "allow" or "refuse", once it was given
	Now    time.Time
	// NeedsCode is how allowing asks for the second factor; nil: it need not.
	NeedsCode *factorAsk
}

var scopeNames = map[vitrine.KeyScope]string{vitrine.ScopeRead: "Read", vitrine.ScopePublish: "Publish",
	vitrine.ScopeFull: "Full"}

// Scopes returns what the key may do: at most what the program asks for, which
// is proposed.
func (p *devicePage) Scopes() (list []ui.Option) {
	chosen := cmp.Or(vitrine.KeyScope(p.Typed.Get("scope")), p.Login.Key.Scope)
	for _, scope := range slices.Backward(vitrine.Scopes) {
		if p.Login.Key.Scope.Allows(scope) {
			list = append(list, ui.Option{Value: string(scope), Name: scopeNames[scope], Chosen: scope == chosen})
		}
	}
	return list
}

// Spans returns when the key can expire: at the latest when the program asks
// for, which is proposed. If the program leaves it open, 90 days are proposed.
func (p *devicePage) Spans() (list []ui.Option) {
	asked, chosen := p.Login.Key, p.Typed.Get("expires")
	switch {
	case p.Typed.Has("expires"):
	case !asked.EndChosen:
		chosen = "90d"
	case !asked.ExpiresAt.IsZero():
		chosen = asked.ExpiresAt.Format(httpx.TimeFormat)
	}
	if asked.ExpiresAt.IsZero() {
		return AllLifetimes.Options(chosen)
	}
	for _, o := range AllLifetimes.Options(chosen)[1:] {
		if life, _ := AllLifetimes.Parse("", o.Value); p.Now.Add(life).Before(asked.ExpiresAt) {
			list = append(list, o)
		}
	}
	last := asked.ExpiresAt.Format(httpx.TimeFormat)
	return append(list, ui.Option{Value: last, Name: "On " + ui.Moment(asked.ExpiresAt), Chosen: last == chosen})
}

// grantOf reads what the form gives to the key; nil refuses. It returns the
// session too, after it took the second factor of the form for it.
func (s *EntryPages) grantOf(r *http.Request) (*vitrine.KeyGrant, *vitrine.Session, error) {
	g, err := grantIn(r.PostForm, s.Now())
	if err != nil || g == nil {
		return nil, nil, err
	}
	session, err := giveFactor(r, s.Server, s.Sessions)
	return g, session, err
}

func grantIn(f url.Values, now time.Time) (*vitrine.KeyGrant, error) {
	switch f.Get("answer") {
	case "refuse":
		return nil, nil
	case "allow":
	default:
		return nil, vitrine.Errorf(vitrine.CodeInvalidRequest, "Choose one of the two buttons: Allow or Refuse.")
	}
	g := &vitrine.KeyGrant{Scope: vitrine.KeyScope(f.Get("scope")), EndChosen: true}
	if !f.Has("expires") {
		return nil, &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "expiresAt",
			Message: "Choose when the key expires."}
	}
	if at, err := time.Parse(httpx.TimeFormat, f.Get("expires")); err == nil && !at.IsZero() {
		g.ExpiresAt = at
		return g, nil
	}
	life, err := AllLifetimes.Parse("expiresAt", f.Get("expires"))
	if life > 0 {
		g.ExpiresAt = now.Add(life)
	}
	return g, err
}

func (s *EntryPages) writeDevice(w http.ResponseWriter, r *http.Request, p *devicePage) error {
	s.Server.SetPagePolicy(w, r, httpx.EntryPage, p.Nonce)
	return ui.Render(w, r, http.StatusOK, "device.html", p)
}

func (s *EntryPages) newDevice(heading string, me *vitrine.Account) devicePage {
	return devicePage{entryPage: s.newEntry(heading), Me: me, Now: s.Now()}
}

const connectHeading, questionHeading = "Connect a program", "Connect this program?"

// renderDeviceError shows the form again, and what is wrong with it: that for
// the code, or the question if the code is right.
func (s *EntryPages) renderDeviceError(w http.ResponseWriter, r *http.Request, me *vitrine.Account, typed string,
	err error) error {
	p := s.newDevice(connectHeading, me)
	p.Code = typed
	if r.Method == http.MethodPost {
		l, wrong := s.Logins.Find(r.Context(), me, typed, s.Server.Client(r))
		if err = cmp.Or(wrong, err); wrong == nil {
			p = s.newDevice(questionHeading, me)
			p.Login, p.Code, p.Typed = l, auth.ShownLoginCode(l.Code), r.PostForm
			p.NeedsCode = needsCode(r, s.Server, s.Sessions, me)
		}
	}
	if p.Wrong = httpx.FieldErrorsOf(err); p.Wrong == nil {
		return err
	}
	e, status := s.Server.Known(w, r, err)
	if e.Code == vitrine.CodeRateLimited {
		httpx.RetryAfter(w, e)
		p.Wrong[e.Field] = httpx.AdviceOn(e)
	}
	s.Server.SetPagePolicy(w, r, httpx.EntryPage, p.Nonce)
	return ui.Render(w, r, status, "device.html", &p)
}

func (s *EntryPages) ShowLogin(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	typed := r.URL.Query().Get("code")
	if typed == "" {
		p := s.newDevice(connectHeading, me)
		return s.writeDevice(w, r, &p)
	}
	l, err := s.Logins.Find(r.Context(), me, typed, s.Server.Client(r))
	if err != nil {
		return s.renderDeviceError(w, r, me, typed, err)
	}
	p := s.newDevice(questionHeading, me)
	p.Login, p.Code, p.NeedsCode = l, auth.ShownLoginCode(l.Code), needsCode(r, s.Server, s.Sessions, me)
	return s.writeDevice(w, r, &p)
}

func (s *EntryPages) DecideLogin(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	typed, answer := r.PostForm.Get("code"), r.PostForm.Get("answer")
	grant, session, err := s.grantOf(r)
	var l *vitrine.Login
	if err == nil {
		l, err = s.Logins.Decide(r.Context(), session, me, typed, grant, s.Server.Client(r))
	}
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
