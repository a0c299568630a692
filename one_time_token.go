package vitrine

import (
	"crypto/sha256"
	"time"
)

// OneTimeToken is a secret for one purpose that can be used once. Only its hash
// is stored.
type OneTimeToken struct {
	ID      OneTimeTokenID
	Purpose TokenPurpose
	Hash    [sha256.Size]byte // SHA-256 of the secret
	Account AccountID         // 0 if there is no account yet
	// Email is the address of the recipient; "" for TokenSetup. An address has
	// one token of each purpose: a new one replaces it.
	Email     string
	Plan      Plan      // of the account that an invitation creates
	By        AccountID // who sent the invitation; 0 means the operator
	CreatedAt time.Time
	ExpiresAt time.Time // zero means valid until used
}

// TokenPurpose is the only use of a token.
type TokenPurpose string

const (
	TokenSignIn   TokenPurpose = "sign-in"  // signs in
	TokenPassword TokenPurpose = "password" // sets a new password
	TokenSignUp   TokenPurpose = "sign-up"  // creates an account for an address that is verified thereby
	TokenInvite   TokenPurpose = "invite"   // creates an account for an invited person
	TokenEmail    TokenPurpose = "email"    // changes an account's address to one that is verified thereby
	TokenSetup    TokenPurpose = "setup"    // creates the first account of an instance
)

// TokenPurposes maps each purpose to how long its tokens are valid; 0 means
// until used.
var TokenPurposes = map[TokenPurpose]time.Duration{
	TokenSignIn:   SignInLife,
	TokenPassword: ResetLife,
	TokenSignUp:   24 * time.Hour,
	TokenInvite:   InviteLife,
	TokenEmail:    24 * time.Hour,
	TokenSetup:    0,
}

const (
	// SignInLife is how long a sign-in link is valid.
	SignInLife = 15 * time.Minute
	// ResetLife is how long a link to set a new password is valid.
	ResetLife = time.Hour
	// InviteLife is how long an invitation is valid.
	InviteLife = 7 * 24 * time.Hour
)

// TokenText is the secret of a token in clear text. It does not print its
// value.
type TokenText string

func (TokenText) String() string { return "…" }

func (t TokenText) Hash() [sha256.Size]byte { return sha256.Sum256([]byte(t)) }

// OneTimeTokenTx reads and writes one-time tokens within a transaction.
type OneTimeTokenTx interface {
	// AddOneTimeToken sets t.ID. It deletes an existing token of the same
	// purpose and email. Hashes are unique.
	AddOneTimeToken(t *OneTimeToken) error
	OneTimeTokenByHash(hash [32]byte) (*OneTimeToken, error)
	// OneTimeTokens lists the tokens of a purpose, newest first.
	OneTimeTokens(p TokenPurpose) ([]*OneTimeToken, error)
	DeleteOneTimeToken(id OneTimeTokenID) error
	// DeleteOneTimeTokens deletes all tokens of an account (0: of none), and
	// all of an email.
	DeleteOneTimeTokens(a AccountID, email string) error
	// ExpireOneTimeTokens deletes tokens that expired before a time.
	ExpireOneTimeTokens(before time.Time) (int64, error)
}
