package app

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"net/url"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/auth/factor"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

const factorRoot = accountRoot + "/two-step"

// factorPage is the page of the second factor of the own account.
type factorPage struct {
	entryPage
	Factor      *factor.State // nil: there is none
	Required    bool          // nothing else opens before
	HasPassword bool
	Fresh       bool       // the password is not asked for
	Asks        *factorAsk // for changes, which always need the factor
	NeedsCode   *factorAsk // for additions; nil: it was shown a moment ago
	Codes       []string   // that were just made, which are shown this once
	Form        string     // the form that Wrong is about
	Name        string     // typed, or proposed for a new passkey
	NewPasskey  string     // what the browser needs to make one
	NoPasskey   string     // why none can be made
	QR          ui.QRCode
	Secret      string
	Offer       string
}

// Of returns what is wrong with a field of a form.
func (p *factorPage) Of(form, field string) string {
	if p.Form != form {
		return ""
	}
	return p.Wrong[field]
}

// KeyID returns how the page names a passkey.
func (p *factorPage) KeyID(k factor.Passkey) string {
	return base64.RawURLEncoding.EncodeToString(k.ID)
}

// newFactor begins the page for a session, which may lack the factor that the
// instance asks for.
func (s *EntryPages) newFactor(r *http.Request, session *vitrine.Session, me *vitrine.Account,
	form url.Values) (*factorPage, error) {
	_, _, waits := s.Sessions.Waiting(r.Context(), s.Server.Session(r))
	p := &factorPage{entryPage: s.newEntry("Two-step sign-in"), Factor: auth.FactorOf(me), Required: waits == nil,
		HasPassword: me.Password != "", Fresh: s.Accounts.Fresh(session), Form: form.Get("do"),
		Asks: newFactorAsk(s.Sessions, me), NewPasskey: s.Accounts.OfferPasskey(me),
		Name: cmp.Or(form.Get("name"), s.Server.Client(r).Label)}
	p.Email, p.Next = me.Email, httpx.LocalPath(form.Get("next"))
	if _, err := factor.NewSite(s.Server.PublicURL); err != nil {
		p.NoPasskey = httpx.FieldErrorsOf(err)[""]
	}
	if p.Factor != nil && !s.Sessions.FreshFactor(session) {
		p.NeedsCode = p.Asks
	}
	if p.Asks.App {
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

// ShowFactor shows what one can add, and what one can change.
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

// TakeFactor adds to the second factor, replaces its recovery codes, or removes
// it or a part of it.
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
	said, err := s.changeFactor(r, session, p)
	if err != nil {
		return s.renderWrong(w, r, "factor.html", &p.entryPage, p, err)
	}
	if p.Codes == nil {
		return httpx.Redirect(w, r, Said(accountRoot, said))
	}
	p.Heading, p.Required = "Your recovery codes", false
	s.Server.SetPagePolicy(w, r, httpx.EntryPage, p.Nonce)
	return ui.Render(w, r, http.StatusOK, "factor.html", p)
}

// changeFactor does what a form of the page says. It sets the recovery codes
// that it makes, or returns the code of the message to show.
func (s *EntryPages) changeFactor(r *http.Request, session *vitrine.Session, p *factorPage) (said string, err error) {
	ctx, f := r.Context(), r.PostForm
	current, typed := f.Get("current"), typedFactor(r, "code")
	do := f.Get("do")
	if key := f.Get("key"); key != "" && do == "" {
		do, p.Form = "take", "change"
	}
	switch do {
	case "add", "passkey":
		if err := s.Sessions.GiveFactor(ctx, session, typedFactor(r, "factor")); err != nil {
			return "", atField(err, "factor")
		}
		if do == "passkey" {
			p.Codes, err = s.Accounts.AddPasskey(ctx, session, current, f.Get("name"), f.Get("made"))
			return "passkey-added", err
		}
		offer, _ := base64.RawURLEncoding.DecodeString(f.Get("offer"))
		p.Codes, err = s.Accounts.AddFactor(ctx, session, current, offer, f.Get("code"))
		return "app-added", err
	}
	p.Form = "change"
	switch do {
	case "codes":
		p.Codes, err = s.Accounts.NewRecoveryCodes(ctx, session, current, typed)
		return "", err
	case "take":
		var id []byte // of the app
		if f.Get("key") != "app" {
			if id, err = base64.RawURLEncoding.DecodeString(f.Get("key")); err != nil || len(id) == 0 {
				return "", vitrine.Errorf(vitrine.CodeInvalidRequest, "Choose one of the buttons.")
			}
		}
		off, err := s.Accounts.RemoveFromFactor(ctx, session, current, typed, id)
		if off {
			return "two-step-off", err
		}
		return "factor-removed", err
	case "remove":
		return "two-step-off", s.Accounts.RemoveFactor(ctx, session, current, typed)
	}
	return "", vitrine.Errorf(vitrine.CodeInvalidRequest, "Choose one of the buttons.")
}

// atField returns an error at another field of a form.
func atField(err error, field string) error {
	e, ok := err.(*vitrine.Error)
	if !ok || e.Field == "" {
		return err
	}
	moved := *e
	moved.Field = field
	return &moved
}
