package vitrine

import (
	"crypto/sha256"
	"time"
)

// OneTimeToken is a secret that someone was given, good for one thing, once.
// What is kept of the secret is its hash.
type OneTimeToken struct {
	ID      OneTimeTokenID
	Purpose TokenPurpose
	Hash    [sha256.Size]byte // SHA-256 of the secret
	Account AccountID         // that it is for; 0: there is none yet
	// Email is the address that it was made for; "" of TokenSetup. Of one
	// purpose an address has one token: a new one takes the place of the one
	// before.
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

// TokenPurposes are all of them, and how long a token of each is good; 0: until
// it is used.
var TokenPurposes = map[TokenPurpose]time.Duration{
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

func (t TokenText) Hash() [sha256.Size]byte { return sha256.Sum256([]byte(t)) }

// OneTimeTokenTx reads and writes one-time tokens within a transaction.
type OneTimeTokenTx interface {
	// AddOneTimeToken gives t.ID. The token of the same purpose and email that
	// there was is removed. Hashes are unique.
	AddOneTimeToken(t *OneTimeToken) error
	OneTimeTokenByHash(hash [32]byte) (*OneTimeToken, error)
	// OneTimeTokens lists those of a purpose, newest first.
	OneTimeTokens(p TokenPurpose) ([]*OneTimeToken, error)
	DeleteOneTimeToken(id OneTimeTokenID) error
	// DeleteOneTimeTokens removes all tokens of an account (0: of none), and
	// all of an email.
	DeleteOneTimeTokens(a AccountID, email string) error
	// ExpireOneTimeTokens removes tokens that have expired before a time.
	ExpireOneTimeTokens(before time.Time) (int64, error)
}
