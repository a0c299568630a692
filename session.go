package vitrine

import (
	"crypto/sha256"
	"time"
)

// Session is one signed-in browser. What the browser shows is a secret of which
// only the hash is kept.
type Session struct {
	ID      SessionID
	Account AccountID
	Hash    [sha256.Size]byte // SHA-256 of the secret
	Label   string            // browser and system, for people: "Firefox on Linux"
	// ByToken says that it began with a one-time link and not with a password.
	ByToken   bool
	CreatedAt time.Time
	UsedAt    time.Time // kept to SessionGrain
	ExpiresAt time.Time // moves on as the session is used
}

const (
	// SessionLife is how long a browser stays signed in that is not used.
	SessionLife = 7 * 24 * time.Hour
	// SessionMost is how long a browser stays signed in at most.
	SessionMost = 30 * 24 * time.Hour
	// SessionGrain is how exactly it is kept when a session was last used:
	// finer would be a write for every request.
	SessionGrain = 5 * time.Minute
	// FreshTime is how long after a one-time link a session may do what else
	// takes the password.
	FreshTime = 15 * time.Minute
)

// Until is when a session ends that is used at a time.
func (s *Session) Until(now time.Time) time.Time {
	end, most := now.Add(SessionLife), s.CreatedAt.Add(SessionMost)
	if end.After(most) {
		return most
	}
	return end
}

// Holds reports whether a session is one at a time. One from ahead of the clock
// was made while the clock was wrong (promise 22).
func (s *Session) Holds(now time.Time) bool {
	return now.Before(s.ExpiresAt) && s.ExpiresAt.Sub(now) <= SessionMost && !s.CreatedAt.After(now.Add(ClockJump))
}

// SessionText is the secret of a session in clear. It prints as nothing of use.
type SessionText string

func (SessionText) String() string { return "…" }

func (t SessionText) Hash() [sha256.Size]byte { return sha256.Sum256([]byte(t)) }

// SessionTx reads and writes sessions within a transaction.
type SessionTx interface {
	// AddSession gives s.ID. Hashes are unique.
	AddSession(s *Session) error
	SessionByHash(hash [32]byte) (*Session, error)
	// Sessions lists an account's, the last used first.
	Sessions(a AccountID) ([]*Session, error)
	PutSession(s *Session) error
	DeleteSession(id SessionID) error
	// DeleteSessions removes all sessions of an account but one (0: all).
	DeleteSessions(a AccountID, except SessionID) error
	// ExpireSessions removes sessions that have expired before a time.
	ExpireSessions(before time.Time) (int64, error)
}

// ClockJump is how far ahead of the clock a token may have been made. One from
// further ahead was made while the clock was wrong, and would live on long
// after it is set right (promise 22).
const ClockJump = 2 * time.Minute
