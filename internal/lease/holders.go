package lease

import (
	"context"
	"slices"
	"time"

	"vitrine"
)

// ServedWithin is within what time a server that shares a store renews a lease,
// or takes up one that another has left: the first every 10 s, the second after
// 41 s at most.
const ServedWithin = 45 * time.Second

// Holders lists who serves an instance over a store that servers share: a
// process that takes or renews a lease while this looks on. What is in the
// leases is compared with no clock; those of servers that were killed stay as
// they are. waiting is called when there are leases, and with that something to
// wait for.
func Holders(ctx context.Context, leases func(context.Context) ([]vitrine.Lease, error), waiting func()) (holders []string, err error) {
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
		now, err := leases(ctx)
		if err != nil {
			return nil, err
		}
		for _, l := range now {
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
