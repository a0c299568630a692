package oidc

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/filetype"

	library "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Question binds an answer of a provider to the browser that asked.
type Question struct {
	State, Nonce, Verifier string
}

// Ask returns the address at which a person signs in. The answer goes to
// callback. Error: a Failure.
func (p *Provider) Ask(ctx context.Context, q Question, callback string) (string, error) {
	f, err := p.find(ctx)
	if err != nil {
		return "", err
	}
	c := f.oauth2
	c.RedirectURL = callback
	return c.AuthCodeURL(q.State, append([]oauth2.AuthCodeOption{library.Nonce(q.Nonce),
		oauth2.S256ChallengeOption(q.Verifier)}, f.options...)...), nil
}

// Person is what a provider says of a person.
type Person struct {
	Issuer, Subject string
	Email           string // "" if it names none that could be one
	Verified        bool   // the address
	Known           bool   // Role is known: the claim came, or no claim is set
	Role            vitrine.Role
	Step            bool // the provider has asked for a second step
	Tokens          Tokens
}

// Tokens are what the provider is asked with again.
type Tokens struct {
	Refresh string    `json:"refresh,omitempty"`
	Access  string    `json:"access,omitempty"`
	Ends    time.Time `json:"ends"` // of Access; zero if unknown
}

// maxToken bounds each token, in bytes.
const maxToken = 64 << 10

// Answer takes the answer of a provider to a question: its code, and the issuer
// if it names it. Error: a Failure.
func (p *Provider) Answer(ctx context.Context, q Question, callback string, answer url.Values) (*Person, error) {
	f, err := p.find(ctx)
	if err != nil {
		return nil, err
	}
	if iss := answer.Get("iss"); iss != f.issuer && (iss != "" || f.namesIss) {
		return nil, failed(Rejected, "the answer is of the issuer %s", short(iss))
	}
	ctx, cancel := context.WithTimeout(library.ClientContext(ctx, p.client), 2*requestTime)
	defer cancel()
	c := f.oauth2
	c.RedirectURL = callback
	token, err := c.Exchange(ctx, answer.Get("code"), oauth2.VerifierOption(q.Verifier))
	if err != nil {
		return nil, tokenFailure(err, Late)
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := p.verify(ctx, f, raw)
	if err != nil {
		return nil, err
	}
	if id.Nonce != q.Nonce {
		return nil, failed(Rejected, "the nonce is another one")
	}
	person := &Person{Issuer: f.issuer, Subject: id.Subject, Tokens: tokensOf(token)}
	return person, p.complete(ctx, f, id, token, person)
}

// verify checks an ID token: its signature, issuer, audience and time.
func (p *Provider) verify(ctx context.Context, f *found, raw string) (*library.IDToken, error) {
	if raw == "" || len(raw) > maxToken {
		return nil, failed(Rejected, "there is no ID token, or it is too long")
	}
	id, err := f.verifier.Verify(ctx, raw)
	switch {
	case errors.Is(err, errTooOften) || err != nil && strings.Contains(err.Error(), "fetching keys"):
		return nil, failed(Down, "%s", short(err.Error()))
	case err != nil:
		return nil, failed(Rejected, "%s", short(err.Error()))
	}
	var claims struct {
		Party string `json:"azp"`
	}
	if err := id.Claims(&claims); err != nil {
		return nil, failed(Rejected, "the claims cannot be read")
	}
	if len(id.Audience) > 1 && claims.Party != p.Client || claims.Party != "" && claims.Party != p.Client {
		return nil, failed(Rejected, "the token was issued to another client")
	}
	if id.Subject == "" || len(id.Subject) > 255 || filetype.HasControl(id.Subject) {
		return nil, failed(Rejected, "the subject is empty or too long")
	}
	return id, nil
}

// complete adds what the ID token says of a person. It asks for what is
// missing.
func (p *Provider) complete(ctx context.Context, f *found, id *library.IDToken, token *oauth2.Token,
	person *Person) error {
	var claims map[string]any
	if err := id.Claims(&claims); err != nil {
		return failed(Rejected, "the claims cannot be read")
	}
	p.step(claims, person)
	missing := func() bool {
		_, has := claims["email"]
		return !has || p.Roles != "" && claimAt(claims, p.Roles) == nil
	}
	if missing() && f.provider.UserInfoEndpoint() != "" && token.AccessToken != "" {
		if id.AccessTokenHash != "" {
			if err := id.VerifyAccessToken(token.AccessToken); err != nil {
				return failed(Rejected, "the access token is another one")
			}
		}
		more, err := f.info(ctx, token, id.Subject)
		if err != nil {
			return err
		}
		for name, value := range more {
			if _, has := claims[name]; !has {
				claims[name] = value
			}
		}
	}
	p.read(claims, person)
	return nil
}

// info asks who has an access token. Failures: Gone, if the provider says that
// nobody has.
func (f *found) info(ctx context.Context, token *oauth2.Token, subject string) (map[string]any, error) {
	info, err := f.provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		text := err.Error()
		if strings.HasPrefix(text, "401") || strings.HasPrefix(text, "403") {
			return nil, failed(Gone, "userinfo: %s", short(text))
		}
		return nil, failed(Down, "userinfo: %s", short(cause(err).Error()))
	}
	var claims map[string]any
	if err := info.Claims(&claims); err != nil {
		return nil, failed(Down, "userinfo: %s", short(err.Error()))
	}
	if info.Subject != subject {
		return nil, failed(Rejected, "userinfo is about another person")
	}
	return claims, nil
}

// step notes whether the provider has asked for a second step.
func (p *Provider) step(claims map[string]any, person *Person) {
	for _, name := range []string{"acr", "amr"} {
		person.Step = person.Step || slices.ContainsFunc(values(claims[name]),
			func(v string) bool { return slices.Contains(p.Steps, v) })
	}
}

// read takes the address and the role of a person from claims.
func (p *Provider) read(claims map[string]any, person *Person) {
	text, _ := claims["email"].(string)
	if email, err := vitrine.NormalEmail(text); err == nil {
		person.Email = email
		verified := claims["email_verified"]
		person.Verified = p.Assume || verified == true || verified == "true"
	}
	if p.Roles == "" {
		return
	}
	given := values(claimAt(claims, p.Roles))
	person.Known = true
	switch {
	case p.Administrator != "" && slices.Contains(given, p.Administrator):
		person.Role = vitrine.RoleOwner
	case p.Moderator != "" && slices.Contains(given, p.Moderator):
		person.Role = vitrine.RoleModerator
	}
}

// claimAt returns a claim by its name, or by a path with dots, as in
// realm_access.roles.
func claimAt(claims map[string]any, name string) any {
	if v, ok := claims[name]; ok {
		return v
	}
	first, rest, ok := strings.Cut(name, ".")
	inner, is := claims[first].(map[string]any)
	if !ok || !is {
		return nil
	}
	return claimAt(inner, rest)
}

// values returns the texts of a claim that has one, or a list.
func values(claim any) (list []string) {
	switch v := claim.(type) {
	case string:
		return []string{v}
	case []any:
		for _, each := range v {
			if text, ok := each.(string); ok {
				list = append(list, text)
			}
		}
	}
	return list
}

func tokensOf(t *oauth2.Token) Tokens {
	if len(t.RefreshToken) > maxToken || len(t.AccessToken) > maxToken {
		return Tokens{}
	}
	if t.RefreshToken != "" {
		return Tokens{Refresh: t.RefreshToken}
	}
	return Tokens{Access: t.AccessToken, Ends: t.Expiry}
}

// Again asks a provider whether it still knows a person, with their tokens: by
// a new access token or, without a refresh token, by asking who has the old
// one. It returns what the provider says now. Failures: Gone, also if there is
// nothing left to ask with; Down.
func (p *Provider) Again(ctx context.Context, subject string, t Tokens) (*Person, error) {
	f, err := p.find(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(library.ClientContext(ctx, p.client), 2*requestTime)
	defer cancel()
	person := &Person{Issuer: f.issuer, Subject: subject, Tokens: t}
	token := &oauth2.Token{AccessToken: t.Access, Expiry: t.Ends}
	if t.Refresh != "" {
		token, err = f.oauth2.TokenSource(ctx, &oauth2.Token{RefreshToken: t.Refresh}).Token()
		if err != nil {
			return nil, tokenFailure(err, Gone)
		}
		person.Tokens = tokensOf(token)
	} else if t.Access == "" || f.provider.UserInfoEndpoint() == "" || !t.Ends.IsZero() && !time.Now().Before(t.Ends) {
		return nil, failed(Gone, "there is no token to ask with")
	}
	claims := map[string]any{}
	if raw, _ := token.Extra("id_token").(string); raw != "" {
		id, err := p.verify(ctx, f, raw)
		if err != nil {
			return nil, err
		}
		if id.Subject != subject {
			return nil, failed(Gone, "the token is of another person")
		}
		if id.Claims(&claims) != nil {
			return nil, failed(Rejected, "the claims cannot be read")
		}
	}
	if _, has := claims["email"]; f.provider.UserInfoEndpoint() != "" && token.AccessToken != "" &&
		(t.Refresh == "" || !has || p.Roles != "" && claimAt(claims, p.Roles) == nil) {
		more, err := f.info(ctx, token, subject)
		if kind := (*Failure)(nil); errors.As(err, &kind) && kind.Kind == Rejected {
			kind.Kind = Gone
		}
		if err != nil {
			return nil, err
		}
		for name, value := range more {
			claims[name] = value
		}
	}
	p.read(claims, person)
	return person, nil
}

// tokenFailure returns the failure of a request for a token. refused is what a
// code or token means that the provider does not take.
func tokenFailure(err error, refused Kind) error {
	var e *oauth2.RetrieveError
	if !errors.As(err, &e) {
		return failed(Down, "token: %s", short(cause(err).Error()))
	}
	text := http.StatusText(e.Response.StatusCode) + " " + e.ErrorCode
	switch {
	case e.ErrorCode == "invalid_grant":
		return failed(refused, "token: %s", short(text))
	case e.Response.StatusCode >= 500 || e.Response.StatusCode == http.StatusTooManyRequests:
		return failed(Down, "token: %s", short(text))
	case e.ErrorCode != "":
		return failed(Setup, "token: %s", short(text))
	}
	return failed(Down, "token: %s", short(text))
}

// Stored returns tokens as text, for the store.
func (t Tokens) Stored() []byte {
	b, err := json.Marshal(t)
	if err != nil {
		panic(err) // it has only texts and a time
	}
	return b
}

// ParseTokens reads what Stored returned.
func ParseTokens(b []byte) (t Tokens, err error) { return t, json.Unmarshal(b, &t) }
