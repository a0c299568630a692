package vitrine

import (
	"time"

	"vitrine/report"
)

// Attempt is one counted try at something that is rate limited, such as a
// password or a message.
type Attempt struct {
	ID  AttemptID
	Key AttemptKey // identifies what is limited
	At  time.Time
}

// AttemptKey identifies what attempts count against. It is a keyed hash, so it
// does not reveal a person.
type AttemptKey [16]byte

// DeviceLife is how long a browser is recognized after a sign-in.
const DeviceLife = 365 * 24 * time.Hour

// AttemptTx reads and writes attempts within a transaction.
type AttemptTx interface {
	// AddAttempt stores an attempt and sets its ID.
	AddAttempt(g *Attempt) error
	// CountAttempts counts the attempts of a key from since to until, both
	// included, and returns the time of the oldest (zero: none).
	CountAttempts(k AttemptKey, since, until time.Time) (n int64, oldest time.Time, err error)
	DeleteAttempt(id AttemptID) error
	// DeleteAttempts deletes all attempts of a key.
	DeleteAttempts(k AttemptKey) error
	// ExpireAttempts deletes attempts from before a time.
	ExpireAttempts(before time.Time) (int64, error)
}

// ExcessTx counts views above the limits of a network, which are not in the
// view log, by hour (UTC).
type ExcessTx interface {
	AddExcess(of Scope, hour time.Time, n int64) error
	// Excess counts those of hours that begin within a window.
	Excess(of Scope, w report.Window) (int64, error)
	DeleteExcess(l LinkID) error
}
