package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/base/outbound"
	"vitrine/internal/base/signer"
	"vitrine/internal/filetype"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Grants gives API keys to programs that ask for one by OAuth 2.1, the
// authorization code grant with PKCE: a person allows it on a page of the app.
// The key is an ordinary one. Nothing is stored until a program has exchanged
// its code: clients and codes carry what they stand for, sealed.
type Grants struct {
	Store  vitrine.Store
	Keys   *Keys
	Signer *signer.Signer
	Guard  *outbound.Guard // fetches the documents of clients
	Now    func() time.Time

	// Issuer is the address of this instance, and Resource that of what keys
	// are for.
	Issuer, Resource string
	// Register lets any program become a client by naming its addresses. Others
	// need a document at an address of their own.
	Register bool

	documents *lru.Cache[string, fetchedClient]
}

// NewGrants returns the use cases of OAuth.
func NewGrants(store vitrine.Store, keys *Keys, s *signer.Signer, now func() time.Time) *Grants {
	documents, err := lru.New[string, fetchedClient](maxDocuments)
	if err != nil {
		panic(err) // the size is constant and allowed
	}
	return &Grants{Store: store, Keys: keys, Signer: s, Guard: new(outbound.Guard), Now: now, documents: documents}
}

// GrantCodeLife is how long a code is valid.
const GrantCodeLife = time.Minute

// GrantError is an error that a program gets, with its code in OAuth.
type GrantError struct{ Code, Description string }

func (e *GrantError) Error() string { return e.Code + ": " + e.Description }

func refused(code, description string) error { return &GrantError{code, description} }

// GrantRequest is what a program asks a person for.
type GrantRequest struct {
	Client   *GrantClient
	Redirect string // where the answer goes
	State    string // which comes back with the answer
	Asked    vitrine.KeyGrant

	challenge string
}

// maxGrantField bounds a parameter of a request, in bytes.
const maxGrantField = 2000

// Parse reads a request. An error of vitrine means that its client or address
// cannot be trusted, and must be shown to the person; a GrantError goes to the
// program, with the request.
func (s *Grants) Parse(ctx context.Context, me *vitrine.Account, q url.Values) (*GrantRequest, error) {
	for name, values := range q {
		if len(values) > 1 || len(values[0]) > maxGrantField {
			return nil, wrongGrant("The parameter " + filetype.OneLine(name) + " is repeated or too long.")
		}
	}
	client, err := s.client(ctx, me, q.Get("client_id"))
	if err != nil {
		return nil, err
	}
	r := &GrantRequest{Client: client, Redirect: q.Get("redirect_uri"), State: q.Get("state"),
		challenge: q.Get("code_challenge")}
	if !client.allows(r.Redirect) {
		return nil, wrongGrant("The redirect_uri is not one that the program has named as its own.")
	}
	scope, ok := scopeOf(q.Get("scope"))
	r.Asked = vitrine.KeyGrant{Scope: scope}
	switch {
	case q.Get("response_type") != "code":
		err = refused("unsupported_response_type", "response_type must be code.")
	case q.Get("code_challenge_method") != "S256" || len(r.challenge) != challengeLength || !isPKCE(r.challenge):
		err = refused("invalid_request", "A code_challenge with the code_challenge_method S256 is required.")
	case !s.isResource(q.Get("resource")):
		err = refused("invalid_target", "resource must be "+s.Resource+".")
	case !ok:
		err = refused("invalid_scope", "scope may have read, publish and full.")
	}
	return r, err
}

func wrongGrant(message string) error {
	return vitrine.Errorf(vitrine.CodeInvalidRequest, "%s Start again in the program.", message)
}

// isResource reports whether an address is that of what keys are for.
func (s *Grants) isResource(text string) bool { return strings.TrimSuffix(text, "/") == s.Resource }

// scopeOf returns the largest of the scopes that a program asks for; publish if
// it asks for none. Scopes of other protocols are not known.
func scopeOf(text string) (largest vitrine.KeyScope, ok bool) {
	at := -1
	for name := range strings.FieldsSeq(text) {
		i := slices.Index(vitrine.Scopes, vitrine.KeyScope(name))
		if i < 0 {
			return "", false
		}
		at = max(at, i)
	}
	if at < 0 {
		return vitrine.ScopePublish, true
	}
	return vitrine.Scopes[at], true
}

// challengeLength is the length of a SHA-256 hash in base64url.
const challengeLength = 43

// isPKCE reports whether a text has only characters of verifiers and challenges
// (RFC 7636).
func isPKCE(s string) bool {
	return strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~") == ""
}

// grantCode is the content of a code.
type grantCode struct {
	Account   vitrine.AccountID
	Client    string // its client_id
	Name      string // of the key
	Redirect  string
	Challenge string
	Scope     vitrine.KeyScope
	Ends      time.Time // of the key; zero if never
	Until     time.Time // of the code
}

// The owners of what Grants seals.
const (
	sealedCode   = "oauth code"
	sealedClient = "oauth client"
)

// Allow returns the code that a program exchanges for a key of the account of a
// session, which must be fresh (GiveFactor). Error: CodeInvalidRequest for a
// grant that is wrong or exceeds what the program asks for, or if the account
// may not have another key.
func (s *Grants) Allow(ctx context.Context, session *vitrine.Session, r *GrantRequest,
	g vitrine.KeyGrant) (string, error) {
	until := s.Now().Add(GrantCodeLife)
	if err := checkGrant(g, r.Asked, until); err != nil {
		return "", err
	}
	err := s.Store.Read(ctx, func(tx vitrine.Tx) error {
		a, err := freshAccount(tx, session, s.Now())
		if err != nil {
			return err
		}
		return s.Keys.checkLimit(tx, a.ID)
	})
	if err != nil {
		return "", err
	}
	return s.seal(sealedCode, grantCode{Account: session.Account, Client: r.Client.ID, Name: r.Client.KeyName(),
		Redirect: r.Redirect, Challenge: r.challenge, Scope: g.Scope, Ends: g.ExpiresAt, Until: until}), nil
}

func (s *Grants) seal(owner string, v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // it has only texts and times
	}
	return base64.RawURLEncoding.EncodeToString(s.Signer.Seal(text, owner))
}

func (s *Grants) open(owner, text string, v any) bool {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return false
	}
	b, err := s.Signer.Open(sealed, owner)
	return err == nil && json.Unmarshal(b, v) == nil
}

var (
	errGrantOver = refused("invalid_grant", "The code is not valid, has expired, or was used. Ask the person again.")
	errGrantType = refused("unsupported_grant_type", "grant_type must be authorization_code.")
)

// Exchange returns a key for a code, once. A code that comes again ends the key
// that it gave. Errors: a GrantError; those of the store.
func (s *Grants) Exchange(ctx context.Context, f url.Values) (NewKey, error) {
	if f.Get("grant_type") != "authorization_code" {
		return NewKey{}, errGrantType
	}
	var c grantCode
	if !s.open(sealedCode, f.Get("code"), &c) {
		return NewKey{}, errGrantOver
	}
	sum := sha256.Sum256([]byte(f.Get("code")))
	hash := hex.EncodeToString(sum[:])
	var key NewKey
	var known error
	err := s.Store.Update(ctx, func(tx vitrine.Tx) (err error) {
		known, err = s.revokeGranted(tx, c.Account, hash)
		if known == nil && err == nil {
			known = c.check(f, s)
		}
		if known == nil && err == nil {
			key, known, err = s.addGranted(tx, c, hash)
		}
		return err
	})
	if errors.Is(err, vitrine.ErrExists) { // another process was faster
		known, err = errGrantOver, s.Store.Update(ctx, func(tx vitrine.Tx) error {
			_, err := s.revokeGranted(tx, c.Account, hash)
			return err
		})
	}
	if err := errors.Join(err, known); err != nil {
		return NewKey{}, err
	}
	s.Keys.Owners.notify()
	return key, nil
}

// check returns an error unless an exchange is of the one to whom the code was
// given.
func (c grantCode) check(f url.Values, s *Grants) error {
	verifier := f.Get("code_verifier")
	sum := sha256.Sum256([]byte(verifier))
	proof := base64.RawURLEncoding.EncodeToString(sum[:])
	switch {
	case !s.Now().Before(c.Until), f.Get("client_id") != c.Client, f.Get("redirect_uri") != c.Redirect:
		return errGrantOver
	case len(verifier) < challengeLength || len(verifier) > 128 || !isPKCE(verifier),
		subtle.ConstantTimeCompare([]byte(proof), []byte(c.Challenge)) != 1:
		return refused("invalid_grant", "The code_verifier is not the one of the code_challenge.")
	case f.Has("resource") && !s.isResource(f.Get("resource")):
		return refused("invalid_target", "resource must be "+s.Resource+".")
	}
	return nil
}

// revokeGranted ends the key that a code gave, if it gave one. Then known is an
// error.
func (s *Grants) revokeGranted(tx vitrine.Tx, a vitrine.AccountID, hash string) (known, err error) {
	keys, err := tx.Keys(a)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(keys, func(k *vitrine.APIKey) bool { return k.Code == hash })
	if i < 0 {
		return nil, nil
	}
	k := keys[i]
	if k.RevokedAt.IsZero() {
		k.RevokedAt = s.Now()
		err = tx.PutKey(k)
	}
	return errGrantOver, err
}

// addGranted adds the key of a code.
func (s *Grants) addGranted(tx vitrine.Tx, c grantCode, hash string) (key NewKey, known, err error) {
	a, err := tx.Account(c.Account)
	switch {
	case errors.Is(err, vitrine.ErrNotFound), err == nil && (a.Banned || !a.ClosedAt.IsZero()):
		return key, errGrantOver, nil
	case err != nil:
		return key, nil, err
	}
	key, err = s.Keys.addLimited(tx, a, vitrine.ActionKey,
		KeyRequest{Name: c.Name, Scope: c.Scope, ExpiresAt: c.Ends, code: hash})
	return key, nil, err
}
