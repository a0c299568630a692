package vitrine

import (
	"crypto/sha256"
	"time"
)

// Login is the request of a program on another machine for an API key
// (decision 0026). The program shows Code; a signed-in person confirms it in a
// browser; the program, which alone has the secret, then takes its key, once.
type Login struct {
	ID        LoginID
	Code      string            // as ParseLoginCode returns it
	Hash      [sha256.Size]byte // SHA-256 of the secret
	Program   string            // name and version, as the program says
	Machine   string            // that it runs on, as it says; the key's name
	State     LoginState
	Account   AccountID // that confirmed or refused; 0: none yet
	CreatedAt time.Time
	ExpiresAt time.Time
}

// LoginState is how far a Login has come.
type LoginState string

const (
	LoginPending LoginState = "pending"
	LoginAllowed LoginState = "allowed"
	LoginRefused LoginState = "refused"
)

const (
	// LoginLife is how long a code can be confirmed, and its key taken.
	LoginLife = 10 * time.Minute
	// LoginPause is how long a program waits before it asks again.
	LoginPause = 5 * time.Second
)

// LoginSecret is what a program takes its key with. It prints as nothing of
// use.
type LoginSecret string

func (LoginSecret) String() string { return "…" }

func (t LoginSecret) Hash() [sha256.Size]byte { return sha256.Sum256([]byte(t)) }

// Holds reports whether a code is good at a time. One from ahead of the clock
// was made while the clock was wrong (promise 22).
func (l *Login) Holds(now time.Time) bool {
	return now.Before(l.ExpiresAt) && !l.CreatedAt.After(now.Add(ClockJump))
}

// LoginTx reads and writes logins within a transaction.
type LoginTx interface {
	// AddLogin gives l.ID. Codes are unique, and so are hashes.
	AddLogin(l *Login) error
	LoginByCode(code string) (*Login, error)
	LoginByHash(hash [32]byte) (*Login, error)
	PutLogin(l *Login) error
	DeleteLogin(id LoginID) error
	// ExpireLogins removes logins that have expired before a time.
	ExpireLogins(before time.Time) (int64, error)
}
