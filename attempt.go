package vitrine

import (
	"crypto/hmac"
	"crypto/rand"
	"strconv"
	"strings"
	"time"
)

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

// AttemptKey returns the key of what is counted: a keyed hash of its fields.
func (s *Signer) AttemptKey(fields ...string) (k AttemptKey) {
	copy(k[:], s.MAC(PurposeAttempt, fields...))
	return k
}

// DeviceLife is how long a browser is known after it has signed in.
const DeviceLife = 365 * 24 * time.Hour

// Device is what a browser keeps of having signed in to an account. It opens
// nothing: it has its attempts counted apart from those of strangers.
func (s *Signer) Device(a AccountID, now time.Time) string {
	var b [10]byte
	rand.Read(b[:])
	return s.token(PurposeDevice, strconv.FormatInt(int64(a), 36), strconv.FormatInt(now.Unix(), 36), base32lower.EncodeToString(b[:]))
}

// KnownDevice finds among what a browser shows the device of an account.
func (s *Signer) KnownDevice(a AccountID, devices []string, now time.Time) string {
	for _, d := range devices {
		f, ok := s.parse(PurposeDevice, d, 3)
		if !ok || f[0] != strconv.FormatInt(int64(a), 36) {
			continue
		}
		made, err := strconv.ParseInt(f[1], 36, 64)
		if age := now.Sub(time.Unix(made, 0)); err == nil && age < DeviceLife && age > -ClockJump {
			return d
		}
	}
	return ""
}

// SameAccountDevice reports whether two devices are of one account: a browser
// keeps the newest of each.
func SameAccountDevice(a, b string) bool {
	of := func(d string) string { account, _, _ := strings.Cut(d, "."); return account }
	return hmac.Equal([]byte(of(a)), []byte(of(b)))
}

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
