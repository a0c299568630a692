package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/auth/oidc"
	"vitrine/internal/app/fleet"
	"vitrine/internal/test/webtest"
	"vitrine/internal/web/httpx"
)

// login returns the code and the secret of a program that asks for a key.
func (c *costSite) login() (code, secret string) {
	c.made++
	from := netip.AddrFrom4([4]byte{192, byte(c.made >> 8), byte(c.made), 1})
	l, text, err := c.Server.Logins.Begin(c.T.Context(), "vitrine", "desk", auth.AnyKey, auth.Client{Addr: from})
	c.Check(err)
	return l.Code, string(text)
}

// asksGrant returns the address of the page on which a person allows a program
// a key.
func (c *costSite) asksGrant() string { return "/oauth/authorize?" + c.GrantQuery().Encode() }

// exchange is a program's request to exchange its code for a key.
func (c *costSite) exchange() ask {
	a, _ := c.other()
	q := c.GrantQuery()
	asked, err := c.Server.Grants.Parse(c.T.Context(), a, q)
	c.Check(err)
	code, err := c.Server.Grants.Allow(c.T.Context(), &vitrine.Session{Account: a.ID}, asked, vitrine.KeyGrant{Scope: vitrine.ScopeRead})
	c.Check(err)
	body := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "client_id": {q.Get("client_id")},
		"redirect_uri": {q.Get("redirect_uri")}, "code_verifier": {webtest.Verifier}}
	return ask{body: body.Encode(), kind: "application/x-www-form-urlencoded"}
}

// newAddress confirms the new address of an account.
func (c *costSite) newAddress() ask {
	a, cookie := c.other()
	sent := new(webtest.SentMail)
	box := &fleet.Outbox{Store: c.Server.Accounts.Store, Mailer: sent, Now: c.Server.Accounts.Now}
	box.Wake = func() { c.Check(box.Send(c.T.Context())) }
	c.Server.Accounts.Mail = box
	defer func() { c.Server.Accounts.Mail = nil }()
	c.Status(c.Post("/account/email", url.Values{"email": {"to-" + a.Email}}, cookie), 303)
	return ask{path: sent.Path(c.T), as: cookie}
}

// half begins the sign-in of another account, and returns the code that
// completes it.
func (c *costSite) half() (cookie, code string) {
	a, cookie := c.other()
	p := c.TwoStep(cookie)
	return p.Half(a), p.Code()
}

// personChange changes plan and role of another account.
func (c *costSite) personChange() ask {
	a, _ := c.other()
	return ask{body: "plan=free&role=moderator&email=" + a.Email}
}

// twoStepOff sets up two-step sign-in for another account, which loses it.
func (c *costSite) twoStepOff() ask {
	a, cookie := c.other()
	c.TwoStep(cookie)
	return ask{body: "email=" + a.Email}
}

// factor sets up two-step sign-in for another account.
func (c *costSite) factor() ask {
	_, cookie := c.other()
	p, offer := c.Offered(cookie)
	return ask{body: url.Values{"do": {"add"}, "offer": {offer}, "code": {p.Code()}}.Encode(), as: cookie}
}

func init() {
	refusals["GET /sign-in/from/{provider}"] = "no provider signs in here; the rest costs what another sign-in does"
	asks["GET /sign-in/with/{provider}"] = (*costSite).provider
	asks["GET /sign-in/from/{provider}"] = func(c *costSite) ask {
		c.provider()
		return ask{path: "/sign-in/from/work"}
	}
	asks["POST /account/providers"] = func(c *costSite) ask { return c.asOther("/account/providers", "remove=1") }
}

// provider lets people sign in at a provider that says what it is, and no more.
func (c *costSite) provider() ask {
	var at *httptest.Server
	at = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"issuer":%q,"authorization_endpoint":%q,"token_endpoint":%q,"jwks_uri":%q}`, at.URL, at.URL+"/auth",
			at.URL+"/token", at.URL+"/jwks")
	}))
	c.T.Cleanup(at.Close)
	settings, err := oidc.Parse("work=" + strings.Replace(at.URL, "://", "://id:secret@", 1))
	c.Check(err)
	c.Server.Providers.List = []*oidc.Provider{oidc.New(*settings, c.Server.Now)}
	c.Server.Providers.Callback = func(id string) string { return httpx.ProviderCallback(c.URL, id) }
	return ask{path: "/sign-in/with/work"}
}
