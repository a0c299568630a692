package auth

import (
	"crypto/sha256"
	"errors"
	"net/netip"
	"strconv"
	"time"

	"vitrine"
	"vitrine/internal/signer"
)

// Client describes where an attempt comes from.
type Client struct {
	Addr netip.Addr
	// Devices are the device tokens of the browser from earlier sign-ins.
	// Unknown tokens are ignored.
	Devices []string
	// Label names browser and system in the list of sessions. The user agent
	// itself is not stored.
	Label string
}

// network returns the part of an address that counts: an IPv4 /24, or the
// network of one IPv6 subscriber.
func (g Client) network() string {
	addr, bits := g.Addr.Unmap().WithZone(""), 64
	if addr.Is4() {
		bits = 24
	}
	p, _ := addr.Prefix(bits)
	return p.String()
}

// rateLimit is the most attempts for one key within a time.
type rateLimit struct {
	key    vitrine.AttemptKey
	most   int64
	within time.Duration
}

// The limits (decision 0015). Attempts at a password are counted by address and
// network together, by network, and by address; from a browser that has signed
// in to the account before, only by that browser.
const (
	attemptsByAddressAndNetwork = 5 // in attemptTime
	attemptsByNetwork           = 30
	attemptTime                 = 15 * time.Minute

	attemptsByAddress = 100 // in attemptHour
	attemptsByDevice  = 10
	attemptsInside    = 10 // at the current password of a signed-in person
	lettersToAddress  = 3  // of one kind
	lettersByNetwork  = 10
	signUpsByNetwork  = 5 // without confirmation by mail
	addressesTaken    = 5 // by one account, without confirmation by mail
	attemptHour       = time.Hour

	loginsByNetwork     = 60 // codes that programs ask for, in attemptTime
	loginCodesByAccount = 10 // wrong codes, in attemptHour
	loginCodesByNetwork = 30 // wrong codes, in attemptTime
)

// passwordLimits returns the limits for the password of an address. device is
// the token of a browser that has signed in to the account before, or "".
func passwordLimits(s *signer.Signer, email string, g Client, device string) []rateLimit {
	if device != "" {
		return []rateLimit{{s.AttemptKey("device", device), attemptsByDevice, attemptHour}}
	}
	return []rateLimit{
		{s.AttemptKey("address and network", email, g.network()), attemptsByAddressAndNetwork, attemptTime},
		{s.AttemptKey("network", g.network()), attemptsByNetwork, attemptTime},
		{s.AttemptKey("address", email), attemptsByAddress, attemptHour},
	}
}

// signedInLimit returns the limit for the current password of an account from a
// signed-in browser.
func signedInLimit(s *signer.Signer, a vitrine.AccountID) rateLimit {
	return rateLimit{s.AttemptKey("inside", strconv.FormatInt(int64(a), 10)), attemptsInside, attemptHour}
}

// letterLimits returns the limits for messages of a kind to an address.
func letterLimits(s *signer.Signer, kind, email string, g Client) []rateLimit {
	return []rateLimit{
		{s.AttemptKey(kind+" by network", g.network()), lettersByNetwork, attemptHour},
		{s.AttemptKey(kind+" to address", email), lettersToAddress, attemptHour},
	}
}

// takeAttempt counts an attempt before its result is known, so that concurrent
// attempts cannot exceed the limits. Errors: CodeRateLimited, with the time to
// wait; nothing is counted then.
func takeAttempt(tx vitrine.AttemptTx, now time.Time, bounds ...rateLimit) (taken []vitrine.AttemptID, err error) {
	var wait time.Duration
	for _, b := range bounds {
		n, oldest, err := tx.CountAttempts(b.key, now.Add(-b.within), now.Add(vitrine.ClockJump))
		if err != nil {
			return nil, err
		}
		if n >= b.most {
			wait = max(wait, min(oldest.Add(b.within).Sub(now), b.within), time.Second)
		}
	}
	if wait > 0 {
		return nil, &vitrine.Error{Code: vitrine.CodeRateLimited, RetryAfter: wait,
			Message: "That was tried too often."}
	}
	for _, b := range bounds {
		g := &vitrine.Attempt{Key: b.key, At: now}
		if err := tx.AddAttempt(g); err != nil {
			return nil, err
		}
		taken = append(taken, g.ID)
	}
	return taken, nil
}

// refundAttempts removes attempts that should not count.
func refundAttempts(tx vitrine.AttemptTx, taken []vitrine.AttemptID) error {
	for _, id := range taken {
		if err := vitrine.NotFoundIsNil(tx.DeleteAttempt(id)); err != nil {
			return err
		}
	}
	return nil
}

// tooOften replaces the message of a rate limit error.
func tooOften(err error, message string) error {
	var e *vitrine.Error
	if !errors.As(err, &e) || e.Code != vitrine.CodeRateLimited {
		return err
	}
	worded := *e
	worded.Message = message
	return &worded
}

// emailKey returns the form of an address that attempts count, even if it is
// invalid.
func emailKey(s string) string {
	if email, err := vitrine.NormalEmail(s); err == nil {
		return email
	}
	sum := sha256.Sum256([]byte(s))
	return string(sum[:])
}
