package vitrine

import "time"

// Attempt is one try at something that may not be tried without end: a
// password, or to have a message sent.
type Attempt struct {
	ID  AttemptID
	Key AttemptKey // what it counts against
	At  time.Time
}

// AttemptKey names what attempts count against, and says nothing of whom: a
// keyed hash.
type AttemptKey [16]byte

// DeviceLife is how long a browser is known after it has signed in.
const DeviceLife = 365 * 24 * time.Hour

// AttemptTx reads and writes attempts within a transaction.
type AttemptTx interface {
	// AddAttempt gives g.ID.
	AddAttempt(g *Attempt) error
	// CountAttempts counts the attempts of a key from a time to another, both
	// included, and tells when the oldest of them was (zero: none).
	CountAttempts(k AttemptKey, since, until time.Time) (n int64, oldest time.Time, err error)
	DeleteAttempt(id AttemptID) error
	// DeleteAttempts removes all attempts of a key.
	DeleteAttempts(k AttemptKey) error
	// ExpireAttempts removes attempts from before a time.
	ExpireAttempts(before time.Time) (int64, error)
}
