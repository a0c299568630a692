// Package throttle bounds load: how often something may be tried ([Take]), how
// much work of one kind runs at once ([Turns]), and how many connections an
// HTTP server has open ([Listen]).
package throttle

import (
	"net/netip"
	"time"

	"vitrine"
)

// Limit is the most attempts for one key within a time.
type Limit struct {
	Key    vitrine.AttemptKey
	Max    int64
	Within time.Duration
}

// Take counts an attempt under each limit. Call it before the result of the
// attempt is known, so that concurrent attempts cannot exceed the limits.
// Attempts are rows of the Store, so all processes of an instance count
// together. Errors: CodeRateLimited with the message and the time to wait;
// nothing is counted then.
func Take(tx vitrine.AttemptTx, now time.Time, message string, limits ...Limit) (taken []vitrine.AttemptID, err error) {
	var wait time.Duration
	for _, l := range limits {
		n, oldest, err := tx.CountAttempts(l.Key, now.Add(-l.Within), now.Add(vitrine.ClockJump))
		if err != nil {
			return nil, err
		}
		if n >= l.Max {
			wait = max(wait, min(oldest.Add(l.Within).Sub(now), l.Within), time.Second)
		}
	}
	if wait > 0 {
		return nil, &vitrine.Error{Code: vitrine.CodeRateLimited, RetryAfter: wait, Message: message}
	}
	for _, l := range limits {
		a := &vitrine.Attempt{Key: l.Key, At: now}
		if err := tx.AddAttempt(a); err != nil {
			return nil, err
		}
		taken = append(taken, a.ID)
	}
	return taken, nil
}

// Refund removes attempts that should not count.
func Refund(tx vitrine.AttemptTx, taken []vitrine.AttemptID) error {
	for _, id := range taken {
		if err := vitrine.NotFoundIsNil(tx.DeleteAttempt(id)); err != nil {
			return err
		}
	}
	return nil
}

// Reset forgets the attempts under each limit.
func Reset(tx vitrine.AttemptTx, limits []Limit) error {
	for _, l := range limits {
		if err := tx.DeleteAttempts(l.Key); err != nil {
			return err
		}
	}
	return nil
}

// ByNetwork returns the limits of what comes from an address: max within a time
// for its network, an IPv4 /24 or IPv6 /64, and four times as many for an IPv6
// /48, of which one subscriber may have all 65,536 networks. key hashes what is
// counted: of, and the network. The zero Addr is the client of a proxy that is
// not trusted. It has no limits, because everybody would share them.
func ByNetwork(key func(fields ...string) vitrine.AttemptKey, from netip.Addr, max int64, within time.Duration,
	of ...string) []Limit {
	if !from.IsValid() {
		return nil
	}
	limit := func(network string, max int64) Limit {
		return Limit{Key: key(append(of[:len(of):len(of)], network)...), Max: max, Within: within}
	}
	limits := []Limit{limit(prefix(from, 24, 64).String(), max)}
	if wide := Subscriber(from); wide.Addr().Is6() {
		limits = append(limits, limit(wide.String(), 4*max))
	}
	return limits
}

// Subscriber returns the largest network that one subscriber commonly has: an
// IPv4 /24 or IPv6 /48.
func Subscriber(addr netip.Addr) netip.Prefix { return prefix(addr, 24, 48) }

// prefix returns the network of an address, with a number of bits for IPv4 and
// one for IPv6.
func prefix(addr netip.Addr, bits4, bits6 int) netip.Prefix {
	addr, bits := addr.Unmap().WithZone(""), bits6
	if addr.Is4() {
		bits = bits4
	}
	p, _ := addr.Prefix(bits)
	return p
}
