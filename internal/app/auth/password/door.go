package password

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"vitrine"
	"vitrine/internal/base/throttle"
)

// How often one network may try wrong passwords at one door.
const (
	triesByNetwork       = 5 // in triesTime
	triesTime            = 15 * time.Minute
	hourlyTriesByNetwork = 10
)

// A Door opens to anybody who knows a secret, such as the page of a link.
type Door struct {
	Kind, ID string // what it is, in the keys of attempts
	Hash     string // of its password, for Try
	// Limits are those of wrong secrets, besides those of a network at this
	// door.
	Limits []throttle.Limit
	// The messages after too many wrong secrets, and after one.
	TooMany, Wrong string
}

// Try checks a password, as Open does, at the field "password". Errors:
// CodeUnavailable, which does not count, and those of Open.
func (d Door) Try(ctx context.Context, store vitrine.Store, key func(fields ...string) vitrine.AttemptKey,
	now time.Time, password string, from netip.Addr) error {
	return d.Open(ctx, store, key, now, from, "password", func() (bool, error) {
		ok, _, err := Check(ctx, Stranger(throttle.Subscriber(from)), d.Hash, password)
		return ok, err
	})
}

// Open opens the door to a sender who has the right secret. A right one does
// not count as an attempt, and resets those of its network at the door. key
// hashes what is counted. Errors: CodeRateLimited, with the time after which to
// try again; CodeInvalidRequest at the field for a wrong one; errors of the
// function right, which do not count as attempts.
func (d Door) Open(ctx context.Context, store vitrine.Store, key func(fields ...string) vitrine.AttemptKey,
	now time.Time, from netip.Addr, field string, right func() (bool, error)) error {
	by := d.Kind + " by network"
	own := append(throttle.ByNetwork(key, from, triesByNetwork, triesTime, by, d.ID),
		throttle.ByNetwork(key, from, hourlyTriesByNetwork, time.Hour, by, "hourly", d.ID)...)
	var taken []vitrine.AttemptID
	err := store.Update(ctx, func(tx vitrine.Tx) (err error) {
		taken, err = throttle.Take(tx, now, d.TooMany, append(own[:len(own):len(own)], d.Limits...)...)
		return err
	})
	if err != nil {
		return err
	}
	ok, err := right()
	if err == nil && !ok {
		return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: field, Message: d.Wrong}
	}
	return errors.Join(err, store.Update(context.WithoutCancel(ctx), func(tx vitrine.Tx) error {
		if err != nil { // no fault of the reader
			return throttle.Refund(tx, taken)
		}
		return errors.Join(throttle.Refund(tx, taken), throttle.Reset(tx, own))
	}))
}
