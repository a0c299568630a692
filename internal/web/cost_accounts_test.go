package web_test

import (
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

// asksGrant returns the address of the page on which a person allows a program
// a key.
func (c *costSite) asksGrant() string { return "/oauth/authorize?" + c.GrantQuery().Encode() }

// exchange is a program's request to exchange its code for a key.
func (c *costSite) exchange() ask {
	a, _ := c.other()
	q := c.GrantQuery()
	asked, err := c.Server.Grants.Parse(c.T.Context(), a, q)
	c.Check(err)
	code, err := c.Server.Grants.Allow(c.T.Context(), a, asked, vitrine.KeyGrant{Scope: vitrine.ScopeRead})
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
