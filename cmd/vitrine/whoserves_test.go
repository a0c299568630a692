package main

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"vitrine"
	processes "vitrine/internal/app/fleet"
	"vitrine/internal/backend/sqlstore"
)

// TestWhoServes checks that an instance counts as served if a lease is renewed
// or a new one appears, whatever the clocks of the writers say, but not because
// of leases that a killed server has left.
func TestWhoServes(t *testing.T) {
	held := func(name, holder string, until time.Duration) vitrine.Lease {
		return vitrine.Lease{Name: name, Holder: holder, Until: time.UnixMilli(0).Add(until)}
	}
	left := held("chores", "gone", time.Hour)
	for name, c := range map[string]struct {
		leases func(passed time.Duration) []vitrine.Lease
		want   []string
		within time.Duration
	}{
		"nothing": {func(time.Duration) []vitrine.Lease { return nil }, nil, 0},
		"left by a killed server": {func(time.Duration) []vitrine.Lease { return []vitrine.Lease{left} }, nil,
			processes.ServedWithin},
		"renewed by a clock that is an hour behind": {func(p time.Duration) []vitrine.Lease {
			return []vitrine.Lease{left, held("scan 1", "there", -time.Hour+p.Truncate(10*time.Second))}
		}, []string{"there"}, 10 * time.Second},
		"taken up by another": {func(p time.Duration) []vitrine.Lease {
			if p < 41*time.Second {
				return []vitrine.Lease{left}
			}
			return []vitrine.Lease{held("chores", "there", time.Hour)}
		}, []string{"there"}, 41 * time.Second},
		"a new one": {func(p time.Duration) []vitrine.Lease {
			if p < 5*time.Second {
				return []vitrine.Lease{left}
			}
			return []vitrine.Lease{left, held("scan 1", "there", 0)}
		}, []string{"there"}, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start, waited := time.Now(), false
				holders, err := processes.Holders(t.Context(),
					func(context.Context) ([]vitrine.Lease,
						error) {
						return c.leases(time.Since(start)), nil
					}, func() { waited = true })
				if took := time.Since(start); err != nil || !slices.Equal(holders, c.want) || took > c.within ||
					waited != (took > 0) {
					t.Errorf("Holders = %v after %s (waited: %v), %v, want %v within %s", holders, took, waited, err,
						c.want, c.within)
				}
			})
		})
	}
}

// TestWhoServesStore does the same with the leases of a real store.
func TestWhoServesStore(t *testing.T) {
	t.Parallel()
	store, err := sqlstore.Open(filepath.Join(t.TempDir(), "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if holders, err := processes.Holders(t.Context(), store.Leases,
		func() { t.Error("Holders waits without leases") }); err != nil || holders != nil {
		t.Errorf("Holders = %v, %v, want none", holders, err)
	}
	servers := processes.Leases{Store: store, Holder: "it", Now: time.Now}
	_, err = servers.Hold(t.Context(), "work", nil, func(ctx context.Context) error {
		waiting := make(chan error)
		go func() {
			<-waiting
			waiting <- store.Update(ctx, func(tx vitrine.Tx) error {
				return tx.PutLease(&vitrine.Lease{Name: "work", Holder: "it", Until: time.Now().Add(time.Minute)})
			})
		}()
		holders, err := processes.Holders(ctx, store.Leases, func() { waiting <- nil })
		if err := <-waiting; err != nil {
			t.Error(err)
		}
		if !slices.Equal(holders, []string{"it"}) {
			t.Errorf("Holders = %v, want it", holders)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
