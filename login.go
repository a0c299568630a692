package vitrine

import (
	"crypto/sha256"
	"time"
)

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
