package web_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/netip"
	"net/url"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/fleet"
	"vitrine/internal/test/webtest"
)

// login returns the code and the secret of a program that asks for a key.
func (c *costSite) login() (code, secret string) {
	c.made++
	from := netip.AddrFrom4([4]byte{192, byte(c.made >> 8), byte(c.made), 1})
	l, text, err := c.Server.Logins.Begin(c.T.Context(), "vitrine", "desk", auth.AnyKey, auth.Client{Addr: from})
	c.Check(err)
	return l.Code, string(text)
}

// costProgram is what a program says of itself, and costVerifier the secret of
// its request for a key.
const (
	costProgram  = `{"client_name":"Costs","redirect_uris":["https://costs.example/callback"]}`
	costVerifier = "a-verifier-of-forty-three-characters-or-more"
)

// asksGrant returns the address of the page on which a person allows a program
// a key.
func (c *costSite) asksGrant() string { return "/oauth/authorize?" + c.grantQuery().Encode() }

func (c *costSite) grantQuery() url.Values {
	c.Server.Grants.Register = true
	client, err := c.Server.Grants.RegisterClient([]byte(costProgram))
	c.Check(err)
	sum := sha256.Sum256([]byte(costVerifier))
	return url.Values{"response_type": {"code"}, "client_id": {client.ID}, "redirect_uri": {client.Redirects[0]},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
		"resource": {c.Server.Grants.Resource}}
}

// grantedCode returns the body with which a program exchanges its code.
func (c *costSite) grantedCode() string {
	a, _ := c.other()
	q := c.grantQuery()
	asked, err := c.Server.Grants.Parse(c.T.Context(), a, q)
	c.Check(err)
	code, err := c.Server.Grants.Allow(c.T.Context(), a, asked, vitrine.KeyGrant{Scope: vitrine.ScopeRead})
	c.Check(err)
	return url.Values{"grant_type": {"authorization_code"}, "code": {code}, "client_id": {q.Get("client_id")},
		"redirect_uri": {q.Get("redirect_uri")}, "code_verifier": {costVerifier}}.Encode()
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

// factor sets up two-step sign-in for another account.
func (c *costSite) factor() ask {
	_, cookie := c.other()
	p, offer := c.Offered(cookie)
	return ask{body: url.Values{"do": {"add"}, "offer": {offer}, "code": {p.Code()}}.Encode(), as: cookie}
}
