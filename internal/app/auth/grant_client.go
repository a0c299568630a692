package auth

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/base/notation"
	"vitrine/internal/base/outbound"
	"vitrine/internal/base/throttle"
	"vitrine/internal/filetype"
)

// GrantClient is a program that asks for keys, in its own words.
type GrantClient struct {
	ID        string   `json:"client_id"`
	Name      string   `json:"client_name"`
	Redirects []string `json:"redirect_uris"`

	Method    string   `json:"token_endpoint_auth_method,omitempty"`
	Grants    []string `json:"grant_types,omitempty"`
	Responses []string `json:"response_types,omitempty"`
}

// fetchedClient is a client that need not be fetched again until a time.
type fetchedClient struct {
	*GrantClient
	until time.Time
}

// Limits of clients. A document is fetched again after documentLife.
const (
	MaxClient       = 5 << 10 // bytes of a document or a registration
	documentTime    = 5 * time.Second
	documentLife    = 5 * time.Minute
	maxDocuments    = 1000
	maxRedirects    = 10
	maxClientID     = 500  // characters of an address
	maxRegistered   = 1000 // characters of the ID of a registered client, which is in the address of a page
	documentsByUser = 30   // fetched in attemptTime
)

// Host returns the host of the client's document in ASCII, which shows whose it
// is; "" for one that has registered.
func (c *GrantClient) Host() string {
	if u, err := url.Parse(c.ID); err == nil && u.Scheme != "" {
		if host, err := notation.Host(u); err == nil {
			return host
		}
	}
	return ""
}

// KeyName returns the name of the client's keys.
func (c *GrantClient) KeyName() string {
	name := c.Name
	if host := c.Host(); host != "" {
		name += " (" + host + ")"
	}
	if r := []rune(name); len(r) > vitrine.KeyNameRunes {
		name = string(r[:vitrine.KeyNameRunes])
	}
	return name
}

// allows reports whether answers may be sent to an address: one that the client
// has named. The port of one on the reader's machine may differ (RFC 8252).
func (c *GrantClient) allows(redirect string) bool {
	if slices.Contains(c.Redirects, redirect) {
		return true
	}
	without := func(text string) string {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "http" || !isLoopback(u) {
			return ""
		}
		u.Host = u.Hostname()
		return u.String()
	}
	wanted := without(redirect)
	return wanted != "" && slices.ContainsFunc(c.Redirects, func(named string) bool { return without(named) == wanted })
}

func isLoopback(u *url.URL) bool {
	addr, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && addr.IsLoopback()
}

// isRedirect reports whether answers may be sent to an address at all: by
// https, to a program on the reader's machine, or to an app.
func isRedirect(text string) bool {
	u, err := url.Parse(text)
	if err != nil || len(text) > maxGrantField || strings.Contains(text, "#") || u.User != nil ||
		filetype.HasControl(text) {
		return false
	}
	switch u.Scheme {
	case "https":
		return u.Host != ""
	case "http":
		return isLoopback(u)
	case "cursor", "vscode", "vscode-insiders":
		return true
	}
	return strings.Contains(u.Scheme, ".") // an app's own, by its name in reverse
}

// check returns an error unless the words of a client can be used.
func (c *GrantClient) check() error {
	c.Name = strings.TrimSpace(c.Name)
	has := func(list []string, value string) bool { return len(list) == 0 || slices.Contains(list, value) }
	switch {
	case c.Name == "" || len([]rune(c.Name)) > vitrine.KeyNameRunes || filetype.HasControl(c.Name):
		return refused("invalid_client_metadata", "client_name must have 1 to 100 characters.")
	case len(c.Redirects) == 0 || len(c.Redirects) > maxRedirects ||
		slices.ContainsFunc(c.Redirects, func(text string) bool { return !isRedirect(text) }):
		return refused("invalid_redirect_uri",
			"redirect_uris must have 1 to 10 addresses, by https, on the reader's machine, or of an app.")
	case c.Method != "" && c.Method != "none":
		return refused("invalid_client_metadata", "token_endpoint_auth_method must be none.")
	case !has(c.Grants, "authorization_code") || !has(c.Responses, "code"):
		return refused("invalid_client_metadata", "grant_types must have authorization_code, and response_types code.")
	}
	return nil
}

// RegisterClient returns a client for what a program says of itself. It is not
// stored: its ID carries it. Error: a GrantError.
func (s *Grants) RegisterClient(body []byte) (*GrantClient, error) {
	c := new(GrantClient)
	if json.Unmarshal(body, c) != nil {
		return nil, refused("invalid_client_metadata", "The body must be a JSON object.")
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	c = &GrantClient{Name: c.Name, Redirects: c.Redirects}
	c.ID = s.seal(sealedClient, c)
	if len(c.ID) > maxRegistered {
		return nil, refused("invalid_redirect_uri", "The addresses in redirect_uris are too long.")
	}
	c.Method, c.Grants, c.Responses = "none", []string{"authorization_code"}, []string{"code"}
	return c, nil
}

// client finds the client of a request. Errors: CodeInvalidRequest;
// CodeRateLimited.
func (s *Grants) client(ctx context.Context, me *vitrine.Account, id string) (*GrantClient, error) {
	if !strings.Contains(id, ":") {
		c := new(GrantClient)
		if !s.Register || !s.open(sealedClient, id, c) {
			return nil, wrongGrant("This instance does not know the program.")
		}
		c.ID = id
		return c, nil
	}
	if c, ok := s.documents.Get(id); ok && s.Now().Before(c.until) {
		return c.GrantClient, nil
	}
	u, err := url.Parse(id)
	if err != nil || len(id) > maxClientID || strings.Trim(u.Path, "/") == "" || u.RawQuery != "" {
		return nil, wrongGrant("The client_id is not the address of a document.")
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		_, err := throttle.Take(tx, s.Now(), "Too many programs were connected.",
			throttle.Limit{Key: s.Signer.AttemptKey("oauth client by account", me.Email), Max: documentsByUser,
				Within: attemptTime})
		return err
	})
	if err != nil {
		return nil, err
	}
	c, problem := s.fetch(ctx, id)
	if problem != "" {
		return nil, wrongGrant("The document of the program cannot be used. " + problem)
	}
	s.documents.Add(id, fetchedClient{c, s.Now().Add(documentLife)})
	return c, nil
}

// fetch reads the document of a client by the rules of webhooks, or says what
// is wrong with it.
func (s *Grants) fetch(ctx context.Context, id string) (c *GrantClient, problem string) {
	ctx, cancel := context.WithTimeout(ctx, documentTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil)
	if err != nil {
		return nil, "Its address is not valid."
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "Vitrine")
	res, err := s.Guard.Do(r)
	if err != nil {
		return nil, outbound.Explain(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, MaxClient+1))
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	c = new(GrantClient)
	switch {
	case err != nil:
		return nil, "It did not arrive in 5 seconds."
	case res.StatusCode != http.StatusOK || kind != "application/json" && !strings.HasSuffix(kind, "+json"):
		return nil, "It is not there as JSON."
	case len(body) > MaxClient:
		return nil, "It has more than 5 KiB."
	case json.Unmarshal(body, c) != nil:
		return nil, "It is not a JSON object."
	case c.ID != id:
		return nil, "Its client_id is not its address."
	}
	if refusal := (*GrantError)(nil); errors.As(c.check(), &refusal) {
		return nil, refusal.Description
	}
	return c, ""
}
