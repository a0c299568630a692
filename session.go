package vitrine

import (
	"crypto/sha256"
	"time"
)

// Session is a signed-in browser. The browser has a secret; only its hash is
// stored.
type Session struct {
	ID      SessionID
	Account AccountID
	Hash    [sha256.Size]byte // SHA-256 of the secret
	Label   string            // browser and system, for people: "Firefox on Linux"
	// ByToken reports whether it began with a one-time link or a passkey alone
	// instead of a password.
	ByToken   bool
	Half      bool       // the second factor is still to come: it opens nothing else
	FactorAt  time.Time  // when the second factor was last shown; zero if never
	Identity  IdentityID // that it began with; 0 if none
	Step      bool       // the provider of the identity has asked for a second step, which counts
	CreatedAt time.Time
	UsedAt    time.Time // to SessionUseResolution
	ExpiresAt time.Time // later with each use
}

const (
	// SessionLife is how long an unused session lasts.
	SessionLife = 7 * 24 * time.Hour
	// MaxSessionLife is how long a session lasts at most.
	MaxSessionLife = 30 * 24 * time.Hour
	// SessionUseResolution is the precision of UsedAt. A finer one would need a
	// write for every request.
	SessionUseResolution = 5 * time.Minute
	// FreshTime is how long after a one-time link a session may do what
	// otherwise needs the password.
	FreshTime = 15 * time.Minute
)

// Valid reports whether the session is valid at a time. One from the future was
// created while the clock was wrong (promise 22).
func (s *Session) Valid(now time.Time) bool {
	return now.Before(s.ExpiresAt) && s.ExpiresAt.Sub(now) <= MaxSessionLife && !s.CreatedAt.After(now.Add(ClockJump))
}

// SessionText is the secret of a session in clear text. It does not print its
// value.
type SessionText string

func (SessionText) String() string { return "…" }

func (t SessionText) Hash() [sha256.Size]byte { return sha256.Sum256([]byte(t)) }

// SessionTx reads and writes sessions within a transaction.
type SessionTx interface {
	// AddSession sets s.ID. Hashes are unique.
	AddSession(s *Session) error
	SessionByHash(hash [32]byte) (*Session, error)
	// Sessions lists an account's sessions, the last used first.
	Sessions(a AccountID) ([]*Session, error)
	PutSession(s *Session) error
	DeleteSession(id SessionID) error
	// DeleteSessions deletes all sessions of an account except one (0: all).
	DeleteSessions(a AccountID, except SessionID) error
	// ExpireSessions deletes sessions that expired before a time.
	ExpireSessions(before time.Time) (int64, error)
}

// Identity is a person at a provider of OpenID Connect, who signs in to an
// account with it.
type Identity struct {
	ID        IdentityID
	Account   AccountID
	Issuer    string // with Subject, unique
	Subject   string
	Email     string // at the provider, for people
	Tokens    []byte // with which the provider is asked again, sealed; nil if none
	CreatedAt time.Time
	CheckedAt time.Time // when the provider last confirmed the person
	CheckAt   time.Time // when the provider is asked again; zero: not, because no session depends on it
}

// IdentityTx reads and writes identities within a transaction.
type IdentityTx interface {
	// AddIdentity sets i.ID.
	AddIdentity(i *Identity) error
	Identity(issuer, subject string) (*Identity, error)
	// Identities lists an account's, the oldest first.
	Identities(a AccountID) ([]*Identity, error)
	// IdentitiesDue lists n whose CheckAt has come, the longest due first.
	IdentitiesDue(now time.Time, n int) ([]*Identity, error)
	PutIdentity(i *Identity) error
	DeleteIdentity(id IdentityID) error
}

// ClockJump is how far in the future a token may have been created. One from
// further ahead was created while the clock was wrong, and would last too long
// after the clock is corrected (promise 22).
const ClockJump = 2 * time.Minute

// Login is a request by a program on another machine for an API key (decision
// 0026). The program shows Code; a signed-in person confirms it in a browser;
// the program, which alone has the secret, then takes its key once.
type Login struct {
	ID        LoginID
	Code      string            // as ParseLoginCode returns it
	Hash      [sha256.Size]byte // SHA-256 of the secret
	Program   string            // name and version, according to the program
	Machine   string            // name of its machine, according to the program; becomes the name of the key
	State     LoginState
	Account   AccountID // account that confirmed or refused; 0 if none yet
	Key       KeyGrant  // what the program asks for; with LoginAllowed, what the person gave
	CreatedAt time.Time
	ExpiresAt time.Time
}

// KeyGrant is what a key of a login may do, and how long it is valid.
type KeyGrant struct {
	Scope     KeyScope
	ExpiresAt time.Time // zero if never
	EndChosen bool      // ExpiresAt was chosen; else it is open, and zero
}

// LoginState is the progress of a Login.
type LoginState string

const (
	LoginPending LoginState = "pending"
	LoginAllowed LoginState = "allowed"
	LoginRefused LoginState = "refused"
)

const (
	// LoginLife is how long a code can be confirmed and its key taken.
	LoginLife = 10 * time.Minute
	// LoginPause is how long a program waits before it asks again.
	LoginPause = 5 * time.Second
)

// LoginSecret is the secret with which a program takes its key. It does not
// print its value.
type LoginSecret string

func (LoginSecret) String() string { return "…" }

func (t LoginSecret) Hash() [sha256.Size]byte { return sha256.Sum256([]byte(t)) }

// Valid reports whether the code is valid at a time. A code from the future was
// created while the clock was wrong (promise 22).
func (l *Login) Valid(now time.Time) bool {
	return now.Before(l.ExpiresAt) && !l.CreatedAt.After(now.Add(ClockJump))
}

// LoginTx reads and writes logins within a transaction.
type LoginTx interface {
	// AddLogin sets l.ID. Codes are unique, and so are hashes.
	AddLogin(l *Login) error
	LoginByCode(code string) (*Login, error)
	LoginByHash(hash [32]byte) (*Login, error)
	PutLogin(l *Login) error
	DeleteLogin(id LoginID) error
	// ExpireLogins deletes logins that expired before a time.
	ExpireLogins(before time.Time) (int64, error)
}

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
	By        AccountID // who sent the invitation; 0 means the administrator
	CreatedAt time.Time
	ExpiresAt time.Time // zero means valid until used
}

// TokenPurpose is the only use of a token.
type TokenPurpose string

const (
	TokenSignIn   TokenPurpose = "sign-in"  // signs in
	TokenPassword TokenPurpose = "password" // sets a new password
	TokenSignUp   TokenPurpose = "sign-up"  // creates an account for an address, and verifies it
	TokenInvite   TokenPurpose = "invite"   // creates an account for an invited person
	TokenEmail    TokenPurpose = "email"    // changes an account's address, and verifies the new one
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
