package fleet

import (
	"context"
	"slices"
	"time"

	"vitrine"
)

// ServedWithin is the time within which a server that shares a store takes or
// renews a lease. It renews its own every 10 s, and takes one that another
// server left after at most 41 s.
const ServedWithin = 45 * time.Second

// Holders lists the processes that serve an instance over a shared store: the
// holders of leases that change while Holders watches, for at most
// ServedWithin. The times in the leases are not compared with a clock. Leases
// of servers that were killed do not change, and so do not count. If there are
// any leases, Holders calls waiting before it begins to wait.
func Holders(ctx context.Context, leases func(context.Context) ([]vitrine.Lease, error),
	waiting func()) (holders []string, err error) {
	left, err := leases(ctx)
	if err != nil || len(left) == 0 {
		return nil, err
	}
	waiting()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for began := time.Now(); time.Since(began) < ServedWithin; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		current, err := leases(ctx)
		if err != nil {
			return nil, err
		}
		for _, l := range current {
			unmoved := func(before vitrine.Lease) bool {
				return before.Name == l.Name && before.Holder == l.Holder && before.Until.Equal(l.Until)
			}
			if !slices.ContainsFunc(left, unmoved) && !slices.Contains(holders, l.Holder) {
				holders = append(holders, l.Holder)
			}
		}
		if holders != nil {
			return holders, nil
		}
	}
	return nil, nil
}
