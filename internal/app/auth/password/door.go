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

// A Door opens to anybody who knows its password, such as the page of a link.
type Door struct {
	Kind, ID string // what it is, in the keys of attempts
	Hash     string // of its password
	// Limits are those of wrong passwords, besides those of a network at this
	// door.
	Limits []throttle.Limit
	// The messages after too many wrong passwords, and after one.
	TooMany, Wrong string
}

// Try checks a password that is sent from an address. A right one does not
// count as an attempt, and resets those of its network at the door. key hashes
// what is counted. Errors: CodeRateLimited, with the time after which to try
// again; CodeInvalidRequest at the field "password" for a wrong one;
// CodeUnavailable, which does not count.
func (d Door) Try(ctx context.Context, store vitrine.Store, key func(fields ...string) vitrine.AttemptKey,
	now time.Time, password string, from netip.Addr) error {
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
	ok, _, err := Check(ctx, Stranger(throttle.Subscriber(from)), d.Hash, password)
	if err == nil && !ok {
		return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "password", Message: d.Wrong}
	}
	return errors.Join(err, store.Update(context.WithoutCancel(ctx), func(tx vitrine.Tx) error {
		if err != nil { // no fault of the reader
			return throttle.Refund(tx, taken)
		}
		return errors.Join(throttle.Refund(tx, taken), throttle.Reset(tx, own))
	}))
}
