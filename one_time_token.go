package vitrine

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"time"
)

// OneTimeToken is a secret that someone was given, good for one thing, once. What is kept of the secret is its hash.
type OneTimeToken struct {
	ID      OneTimeTokenID
	Purpose TokenPurpose
	Hash    [sha256.Size]byte // SHA-256 of the secret
	Account AccountID         // that it is for; 0: there is none yet
	// Email is the address that it was made for; "" of TokenSetup. Of one purpose an address has one token: a new one takes the
	// place of the one before.
	Email     string
	Plan      Plan      // of the account that an invitation makes
	By        AccountID // who invited; 0: the operator
	CreatedAt time.Time
	ExpiresAt time.Time // zero: good until it is used
}

// TokenPurpose is what a token is good for; it is good for nothing else.
type TokenPurpose string

const (
	TokenSignIn   TokenPurpose = "sign-in"  // signs in
	TokenPassword TokenPurpose = "password" // sets a new password
	TokenSignUp   TokenPurpose = "sign-up"  // makes an account of an address that has shown that it is its owner's
	TokenInvite   TokenPurpose = "invite"   // makes an account for someone who was invited
	TokenEmail    TokenPurpose = "email"    // changes an account's address to one that has shown that it is its owner's
	TokenSetup    TokenPurpose = "setup"    // makes the first account of an instance
)

// tokenPurposes are all of them, and how long a token of each is good; 0: until it is used.
var tokenPurposes = map[TokenPurpose]time.Duration{
	TokenSignIn:   SignInLife,
	TokenPassword: ResetLife,
	TokenSignUp:   24 * time.Hour,
	TokenInvite:   InviteLife,
	TokenEmail:    24 * time.Hour,
	TokenSetup:    0,
}

const (
	// SignInLife is how long a link that signs in is good.
	SignInLife = 15 * time.Minute
	// ResetLife is how long a link that sets a new password is good.
	ResetLife = time.Hour
	// InviteLife is how long an invitation is good.
	InviteLife = 7 * 24 * time.Hour
)

// TokenText is the secret of a token in clear. It prints as nothing of use.
type TokenText string

func (TokenText) String() string { return "…" }

func (t TokenText) hash() [sha256.Size]byte { return sha256.Sum256([]byte(t)) }

// newSecret is a secret of 256 random bits, safe in addresses and cookies.
func newSecret() string {
	var b [32]byte
	rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

var errToken = Errorf(CodeUnauthorized, "This address is of no use: it was not copied whole, it has been used, a newer one has taken its place, or its time is over.")

// addOneTimeToken gives out the secret of a new token, which takes the place of the one before of its purpose and address.
func addOneTimeToken(tx Tx, t OneTimeToken, now time.Time) (TokenText, error) {
	text := TokenText(newSecret())
	t.Hash, t.CreatedAt = text.hash(), now
	if life := tokenPurposes[t.Purpose]; life > 0 {
		t.ExpiresAt = now.Add(life)
	}
	return text, tx.AddOneTimeToken(&t)
}

// offer makes a token for an account, for the operator to hand over. Errors: CodeNotFound, CodeBanned.
func offer(ctx context.Context, store Store, email string, p TokenPurpose, now func() time.Time) (text TokenText, err error) {
	err = store.Update(ctx, func(tx Tx) error {
		a, err := accountByEmail(tx, email)
		if err != nil {
			return err
		}
		if a.Banned {
			return Errorf(CodeBanned, "The account %s is suspended.", a.Email)
		}
		text, err = addOneTimeToken(tx, OneTimeToken{Purpose: p, Account: a.ID, Email: a.Email}, now())
		return err
	})
	return text, err
}

// findOneTimeToken reads a token that holds, of one of some purposes. Errors: CodeUnauthorized, the same whatever is wrong with it.
func findOneTimeToken(tx Tx, text string, now time.Time, purposes ...TokenPurpose) (*OneTimeToken, error) {
	t, err := tx.OneTimeTokenByHash(TokenText(text).hash())
	if errors.Is(err, ErrNotFound) {
		return nil, errToken
	}
	if err != nil {
		return nil, err
	}
	if !t.ExpiresAt.IsZero() && (!now.Before(t.ExpiresAt) || t.CreatedAt.After(now.Add(clockJump))) {
		return nil, errToken
	}
	for _, p := range purposes {
		if t.Purpose == p {
			return t, nil
		}
	}
	return nil, errToken
}
