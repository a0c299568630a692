// Package factor has the arithmetic of second factors: codes of authenticator
// apps (TOTP, RFC 6238), recovery codes, and passkeys (WebAuthn). It stores
// nothing and has no clock.
package factor

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strings"
	"time"
)

// What every authenticator app supports: SHA-1, six digits, 30 seconds.
const (
	secretBytes = 20 // RFC 4226, section 4
	digits      = 6
	period      = 30 // seconds
	drift       = 1  // periods that the clock of a phone may differ
)

// Codes is how many recovery codes a person gets.
const Codes = 10

// The letters of recovery codes are not mistaken for one another. Sixteen of
// them are 69 bits, so that a plain hash keeps them.
const (
	letters    = "BCDFGHJKLMNPQRSTVWXZ"
	codeLength = 16
)

// Secret is what an authenticator app shares with the instance. It does not
// print its value.
type Secret []byte

func (Secret) String() string { return "…" }

// NewSecret returns a random secret.
func NewSecret() Secret {
	b := make([]byte, secretBytes)
	rand.Read(b)
	return b
}

var plain = base32.StdEncoding.WithPadding(base32.NoPadding)

// Text returns a secret as people type it into an app, in groups of four.
func (s Secret) Text() string { return grouped(plain.EncodeToString(s)) }

// Address returns what a QR code says to an app: who the secret is for, and the
// secret (the key URI format).
func (s Secret) Address(site, email string) string {
	q := url.Values{"secret": {plain.EncodeToString(s)}, "issuer": {site}}
	return "otpauth://totp/" + url.PathEscape(site+":"+email) + "?" + strings.ReplaceAll(q.Encode(), "+", "%20")
}

// Code returns the code of a period (RFC 4226, section 5.3).
func (s Secret) Code(step int64) string {
	mac := hmac.New(sha1.New, s)
	_ = binary.Write(mac, binary.BigEndian, step)
	sum := mac.Sum(nil)
	n := binary.BigEndian.Uint32(sum[sum[len(sum)-1]&0xf:]) & 0x7fffffff
	return fmt.Sprintf("%0*d", digits, n%1_000_000)
}

// Step returns the period of a time.
func Step(at time.Time) int64 { return at.Unix() / period }

// Match returns the period whose code was typed, if it is near a time and later
// than the period of the last code: a code works once, and none before it.
func (s Secret) Match(typed string, now time.Time, last int64) (step int64, ok bool) {
	typed = separators.Replace(typed)
	for step := Step(now) - drift; step <= Step(now)+drift; step++ {
		if step > last && subtle.ConstantTimeCompare([]byte(s.Code(step)), []byte(typed)) == 1 {
			return step, true
		}
	}
	return 0, false
}

var separators = strings.NewReplacer("-", "", " ", "", "\u00a0", "", "\u2010", "", "\u2011", "")

func grouped(s string) string {
	var parts []string
	for c := range slices.Chunk([]byte(s), 4) {
		parts = append(parts, string(c))
	}
	return strings.Join(parts, " ")
}

// State is the second factor of an account, as it is stored.
type State struct {
	Sealed   []byte    `json:"secret,omitempty"` // of an app, encrypted by the instance; nil: none
	Passkeys []Passkey `json:"passkeys,omitempty"`
	Since    time.Time `json:"since"`
	Last     int64     `json:"last,omitempty"` // the period of the last code that was used
	Codes    [][]byte  `json:"codes"`          // hashes of the recovery codes that are left
}

// Parse reads the stored form.
func Parse(stored []byte) (s State, err error) {
	if err = json.Unmarshal(stored, &s); err != nil {
		err = fmt.Errorf("the stored second factor is damaged: %w", err)
	}
	return s, err
}

// Stored returns the stored form.
func (s State) Stored() []byte {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a time between the years 0 and 9999
	}
	return b
}

// NewCodes replaces the recovery codes and returns them as people keep them.
func (s *State) NewCodes() (shown []string) {
	s.Codes = nil
	for range Codes {
		b := make([]byte, codeLength)
		for i := range b {
			n, err := rand.Int(rand.Reader, big.NewInt(int64(len(letters))))
			if err != nil {
				panic(err) // crypto/rand does not fail
			}
			b[i] = letters[n.Int64()]
		}
		s.Codes = append(s.Codes, hash(string(b)))
		shown = append(shown, strings.ReplaceAll(grouped(string(b)), " ", "-"))
	}
	return shown
}

// UseCode uses up a recovery code, if the typed text is one that is left.
func (s *State) UseCode(typed string) bool {
	if len(typed) > 100 {
		return false
	}
	sum := hash(strings.ToUpper(separators.Replace(strings.TrimSpace(typed))))
	at := slices.IndexFunc(s.Codes, func(c []byte) bool { return hmac.Equal(c, sum) })
	if at >= 0 {
		s.Codes = slices.Delete(s.Codes, at, at+1)
	}
	return at >= 0
}

func hash(code string) []byte {
	sum := sha256.Sum256([]byte("recovery code " + code))
	return sum[:]
}
