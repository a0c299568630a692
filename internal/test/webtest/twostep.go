package webtest

import (
	"encoding/base32"
	"html"
	"net/url"
	"regexp"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/app/auth/factor"
	instance "vitrine/internal/test/fixture"
)

// Phone is a person's authenticator app, with their recovery codes.
type Phone struct {
	*Site
	Secret   factor.Secret
	Recovery []string
}

// Offered opens the page that sets up two-step sign-in, in a browser that has
// just signed in with a link, and reads its secret into an app.
func (s *Site) Offered(cookie string) (p *Phone, offer string) {
	s.T.Helper()
	page := s.Status(s.Get("/account/two-step", cookie), 200).Text
	text := s.Attr(page, `id="secret"[^>]*>([A-Z2-7 ]+)<`)
	secret, err := base32.StdEncoding.DecodeString(strings.ReplaceAll(text, " ", ""))
	s.Check(err)
	return &Phone{Site: s, Secret: secret}, s.Attr(page, `name="offer" value="([^"]+)"`)
}

// TwoStep sets up two-step sign-in.
func (s *Site) TwoStep(cookie string) *Phone {
	s.T.Helper()
	p, offer := s.Offered(cookie)
	page := s.Status(s.Post("/account/two-step", url.Values{"do": {"add"}, "offer": {offer}, "code": {p.Code()}},
		cookie), 200).Text
	p.Recovery = strings.Fields(html.UnescapeString(s.Attr(page, `id="codes"[^>]*>([^<]+)<`)))
	return p
}

// Code returns what the app shows, in a period that it has not shown yet.
func (p *Phone) Code() string {
	p.Ahead.Add(int64(time.Minute))
	return p.Secret.Code(factor.Step(p.Server.Now()))
}

// WithPasskeys gives a site an address at which passkeys work, and the device
// of a person at it.
func (s *Site) WithPasskeys() *instance.Authenticator {
	s.T.Helper()
	public := *s.Server.PublicURL
	public.Host = "localhost:" + public.Port()
	site, err := factor.NewSite(&public)
	s.Check(err)
	s.URL, s.Server.PublicURL, s.Server.Sessions.Passkeys = public.String(), &public, site
	s.Handler = s.Server.Handler()
	return &instance.Authenticator{Origin: s.URL, Unlocked: true}
}

// Options returns what a page gives the browser for a passkey, in the form with
// an action, or anywhere ("").
func (s *Site) Options(page, action string) string {
	s.T.Helper()
	if action != "" {
		page = s.Attr(page, `(?s)action="`+regexp.QuoteMeta(html.EscapeString(action))+`"(.*?)</form>`)
	}
	return html.UnescapeString(s.Attr(page, `data-passkey="([^"]+)"`))
}

// AddPasskey adds a passkey for a browser that has just signed in with a link.
func (s *Site) AddPasskey(device *instance.Authenticator, cookie, name string) Reply {
	s.T.Helper()
	page := s.Status(s.Get("/account/two-step", cookie), 200).Text
	offer := html.UnescapeString(s.Attr(page, `data-passkey="([^"]+)" data-new`))
	form := url.Values{"do": {"passkey"}, "name": {name}, "made": {device.Make(offer)}}
	return s.Post("/account/two-step", form, cookie)
}

var sessionCookie = regexp.MustCompile(`^vitrine=`)

// Half signs in with a link, as far as it goes without a code.
func (p *Phone) Half(a *vitrine.Account) (cookie string) {
	p.T.Helper()
	r := p.Status(p.Post(p.SignInLink(a), nil), 303)
	if to := r.Header.Get("Location"); to != "/two-step" {
		p.T.Errorf("signed in without a code: %s", to)
	}
	for _, c := range r.Cookies() {
		if sessionCookie.MatchString(c.Name + "=") {
			return "Cookie: " + c.Name + "=" + c.Value
		}
	}
	p.T.Fatal("no cookie of a session")
	return ""
}
