package signer

import (
	"crypto/rand"
	"strconv"
	"time"

	"vitrine"
)

// AttemptKey returns the key of what is counted: a keyed hash of its fields.
func (s *Signer) AttemptKey(fields ...string) (k vitrine.AttemptKey) {
	copy(k[:], s.MAC(PurposeAttempt, fields...))
	return k
}

// Device returns a cookie that shows that a browser has signed in to an
// account. It gives no access. It only separates the browser's attempts from
// those of strangers.
func (s *Signer) Device(a vitrine.AccountID, now time.Time) string {
	var b [10]byte
	rand.Read(b[:])
	return s.token(PurposeDevice, strconv.FormatInt(int64(a), 36), strconv.FormatInt(now.Unix(), 36),
		vitrine.Base32.EncodeToString(b[:]))
}

// KnownDevice finds among what a browser shows the device of an account.
func (s *Signer) KnownDevice(a vitrine.AccountID, devices []string, now time.Time) string {
	for _, d := range devices {
		f, ok := s.parse(PurposeDevice, d, 3)
		if !ok || f[0] != strconv.FormatInt(int64(a), 36) {
			continue
		}
		made, err := strconv.ParseInt(f[1], 36, 64)
		if age := now.Sub(time.Unix(made, 0)); err == nil && age < vitrine.DeviceLife && age > -vitrine.ClockJump {
			return d
		}
	}
	return ""
}
