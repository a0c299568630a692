package auth

import (
	"crypto/sha256"
	"net/netip"
	"strconv"
	"time"

	"vitrine"
	"vitrine/internal/base/signer"
	"vitrine/internal/base/throttle"
)

// Client describes where an attempt comes from.
type Client struct {
	Addr netip.Addr // for limits by network; zero for none ([throttle.ByNetwork])
	// Devices are the device tokens of the browser from earlier sign-ins.
	// Unknown tokens are ignored.
	Devices []string
	// Label names browser and system in the list of sessions. The user agent
	// itself is not stored.
	Label string
}

// The limits (decision 0015). Attempts at a password are counted by address and
// network together, by network, and by address; from a browser that has signed
// in to the account before, only by that browser. Limits by network apply four
// times over to an IPv6 /48.
const (
	attemptsByAddressAndNetwork = 5 // in attemptTime
	attemptsByNetwork           = 30
	attemptTime                 = 15 * time.Minute

	attemptsByAddress = 100 // in attemptHour
	attemptsByDevice  = 10
	attemptsInside    = 10 // at the current password of a signed-in person
	codesByAccount    = 10 // of a second factor, from unknown browsers
	codesByDevice     = 10
	codesInside       = 10 // from a signed-in person
	codesTold         = 3  // wrong ones, after which the owner is told
	lettersToAddress  = 3  // of one kind
	lettersByNetwork  = 10
	lettersByAccount  = 10 // to addresses that it wants to have
	signUpsByNetwork  = 5  // without confirmation by mail
	addressesTaken    = 5  // by one account, without confirmation by mail
	attemptHour       = time.Hour

	loginsByNetwork     = 60 // codes that programs ask for, in attemptTime
	loginCodesByAccount = 10 // wrong codes, in attemptHour
	loginCodesByNetwork = 30 // wrong codes, in attemptTime
)

// passwordLimits returns the limits for the password of an address. A right
// password resets the first ones, own. device is the token of a browser that
// has signed in to the account before, or "".
func passwordLimits(s *signer.Signer, email string, g Client, device string) (own, all []throttle.Limit) {
	if device != "" {
		own = []throttle.Limit{{Key: s.AttemptKey("device", device), Max: attemptsByDevice, Within: attemptHour}}
		return own, own
	}
	own = throttle.ByNetwork(s.AttemptKey, g.Addr, attemptsByAddressAndNetwork, attemptTime,
		"address and network", email)
	all = append(own[:len(own):len(own)],
		throttle.ByNetwork(s.AttemptKey, g.Addr, attemptsByNetwork, attemptTime, "network")...)
	return own, append(all, throttle.Limit{Key: s.AttemptKey("address", email), Max: attemptsByAddress,
		Within: attemptHour})
}

// signedInLimit returns the limit for the current password of an account from a
// signed-in browser.
func signedInLimit(s *signer.Signer, a vitrine.AccountID) throttle.Limit {
	return throttle.Limit{Key: s.AttemptKey("inside", strconv.FormatInt(int64(a), 10)), Max: attemptsInside,
		Within: attemptHour}
}

// codeLimits returns the limits for the second factor of an account in a
// sign-in. A right code resets the first one. Only who has the password can use
// them up, and not those of the owner's own browsers.
func codeLimits(s *signer.Signer, a vitrine.AccountID, g Client, now time.Time) []throttle.Limit {
	if device := s.KnownDevice(a, g.Devices, now); device != "" {
		return []throttle.Limit{{Key: s.AttemptKey("code by device", device), Max: codesByDevice, Within: attemptHour}}
	}
	return append([]throttle.Limit{{Key: s.AttemptKey("code by account", strconv.FormatInt(int64(a), 10)),
		Max: codesByAccount, Within: attemptHour}},
		throttle.ByNetwork(s.AttemptKey, g.Addr, attemptsByNetwork, attemptTime, "code by network")...)
}

// codeInside returns the limit for the second factor of a signed-in person.
func codeInside(s *signer.Signer, a vitrine.AccountID) []throttle.Limit {
	return []throttle.Limit{{Key: s.AttemptKey("code inside", strconv.FormatInt(int64(a), 10)), Max: codesInside,
		Within: attemptHour}}
}

// letterLimits returns the limits for messages of a kind to an address.
func letterLimits(s *signer.Signer, kind, email string, g Client) []throttle.Limit {
	return append(throttle.ByNetwork(s.AttemptKey, g.Addr, lettersByNetwork, attemptHour, kind+" by network"),
		lettersTo(s, kind, email))
}

// lettersTo returns the limit for messages of a kind to an address, wherever
// they are requested.
func lettersTo(s *signer.Signer, kind, email string) throttle.Limit {
	return throttle.Limit{Key: s.AttemptKey(kind+" to address", email), Max: lettersToAddress, Within: attemptHour}
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
