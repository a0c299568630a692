package oidc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	library "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Kind says what went wrong at a provider.
type Kind int

const (
	Down     Kind = iota // it did not answer, or not as a provider does
	Setup                // it refuses this instance, or is not the one that is set
	Late                 // the code has expired, or was used
	Rejected             // its answer is not one to the question of this instance
	Gone                 // it does not confirm the person any more
)

// Failure is an error of a provider. Its text is for the log, and has no
// secret.
type Failure struct {
	Kind Kind
	Err  error
}

func (f *Failure) Error() string { return f.Err.Error() }
func (f *Failure) Unwrap() error { return f.Err }

func failed(k Kind, format string, a ...any) error { return &Failure{k, fmt.Errorf(format, a...)} }

const (
	// documentLife is how long what a provider says of itself is used.
	documentLife = time.Hour
	// retryAfter is how long a provider that did not answer is not asked what
	// it is.
	retryAfter = 5 * time.Second
)

// Provider is a provider of OpenID Connect. Its methods may be called from
// several goroutines.
type Provider struct {
	Settings
	now    func() time.Time
	client *http.Client

	mu      sync.Mutex
	found   *found
	until   time.Time // when found is fetched again
	failure error     // of the last attempt, until then
}

// found is what a provider says of itself.
type found struct {
	provider *library.Provider
	issuer   string
	oauth2   oauth2.Config // without the address of the callback
	verifier *library.IDTokenVerifier
	options  []oauth2.AuthCodeOption
	namesIss bool // answers name the issuer (RFC 9207)
}

// New returns a provider. It is not asked before it is needed.
func New(s Settings, now func() time.Time) *Provider {
	return &Provider{Settings: s, now: now, client: newClient()}
}

// find returns what the provider says of itself. It is asked for it at most
// once at a time, and seldom.
func (p *Provider) find(ctx context.Context) (*found, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now() // of the network, not of the instance
	if now.Before(p.until) {
		return p.found, p.failure
	}
	f, err := p.discover(context.WithoutCancel(ctx))
	switch {
	case err == nil:
		p.found, p.failure, p.until = f, nil, now.Add(documentLife)
	case p.found != nil: // what it said before may still be right
		p.until = time.Now().Add(retryAfter)
	default:
		p.failure, p.until = err, time.Now().Add(retryAfter)
	}
	return p.found, p.failure
}

// discover asks the provider what it is. The issuer counts as it is written
// there, with or without a slash at its end.
func (p *Provider) discover(ctx context.Context) (*found, error) {
	ctx = library.ClientContext(ctx, p.client)
	issuer := p.Issuer
	provider, err := library.NewProvider(ctx, issuer)
	var other *library.IssuerMismatchError
	if errors.As(err, &other) {
		issuer = other.Discovered
		if !SameIssuer(issuer, p.Issuer) {
			return nil, failed(Setup, "the provider calls itself %s, not %s", short(issuer), p.Issuer)
		}
		provider, err = library.NewProvider(ctx, issuer)
	}
	if err != nil {
		return nil, failed(Down, "discovery: %s", short(err.Error()))
	}
	var more struct {
		Keys     string   `json:"jwks_uri"`
		Methods  []string `json:"token_endpoint_auth_methods_supported"`
		Scopes   []string `json:"scopes_supported"`
		NamesIss bool     `json:"authorization_response_iss_parameter_supported"`
	}
	if err := provider.Claims(&more); err != nil {
		return nil, failed(Down, "discovery: %s", short(err.Error()))
	}
	at := provider.Endpoint()
	for name, address := range map[string]string{"authorization_endpoint": at.AuthURL, "token_endpoint": at.TokenURL,
		"jwks_uri": more.Keys, "userinfo_endpoint": provider.UserInfoEndpoint()} {
		u, err := url.Parse(address)
		if address == "" && name == "userinfo_endpoint" {
			continue
		}
		if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
			return nil, failed(Setup, "%s is not an address by https: %s", name, short(address))
		}
	}
	at.AuthStyle = oauth2.AuthStyleInParams
	if p.Secret != "" && (len(more.Methods) == 0 || slices.Contains(more.Methods, "client_secret_basic")) {
		at.AuthStyle = oauth2.AuthStyleInHeader
	}
	f := &found{provider: provider, issuer: issuer, namesIss: more.NamesIss,
		verifier: provider.Verifier(&library.Config{ClientID: p.Client, Now: p.now})}
	f.oauth2 = oauth2.Config{ClientID: p.Client, ClientSecret: p.Secret, Endpoint: at,
		Scopes: append([]string{library.ScopeOpenID, "email"}, p.Scopes...)}
	switch offline := slices.Contains(more.Scopes, library.ScopeOfflineAccess); {
	case p.Offline && offline:
		f.oauth2.Scopes = append(f.oauth2.Scopes, library.ScopeOfflineAccess)
	case p.Offline:
		f.options = append(f.options, oauth2.AccessTypeOffline)
	}
	return f, nil
}

// SameIssuer reports whether two addresses are one issuer. People write a slash
// at the end, or leave it out.
func SameIssuer(one, other string) bool {
	return strings.TrimSuffix(one, "/") == strings.TrimSuffix(other, "/")
}

// short returns as much of a text of a provider as a log shows.
func short(text string) string {
	text = strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "")
	if r := []rune(text); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return text
}
