// Package ratelimit refuses attempts that are made too often. Attempts are rows
// of the Store, so all processes of an instance count together.
package ratelimit

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
// Errors: CodeRateLimited with the message and the time to wait; nothing is
// counted then.
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

// Network returns the part of an address that counts as one client: an IPv4
// /24, or the network of one IPv6 subscriber, a /64.
func Network(addr netip.Addr) string {
	addr, bits := addr.Unmap().WithZone(""), 64
	if addr.Is4() {
		bits = 24
	}
	p, _ := addr.Prefix(bits)
	return p.String()
}
