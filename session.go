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
	// ByToken reports whether it began with a one-time link instead of a
	// password.
	ByToken   bool
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

// ExpiryAfterUse returns when a session that is used at a time ends.
func (s *Session) ExpiryAfterUse(now time.Time) time.Time {
	end, most := now.Add(SessionLife), s.CreatedAt.Add(MaxSessionLife)
	if end.After(most) {
		return most
	}
	return end
}

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

// ClockJump is how far in the future a token may have been created. One from
// further ahead was created while the clock was wrong, and would last too long
// after the clock is corrected (promise 22).
const ClockJump = 2 * time.Minute
