package sqlstore

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/test/sqltest"
)

// TestLock checks that a lock has one holder among all handles of the
// store.
func TestLock(t *testing.T) {
	place := sqltest.NewPlace(t)
	stores := []*Store{openTestStore(t, place), openTestStore(t, place)}
	var inside, entered atomic.Int64
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			release, err := stores[i%2].DB.Lock(context.Background(), "test", true)
			if err != nil {
				t.Error(err)
				return
			}
			if inside.Add(1) > 1 {
				t.Error("the lock has two holders")
			}
			entered.Add(1)
			inside.Add(-1)
			if err := release(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if entered.Load() != 20 {
		t.Errorf("%d callers got the lock, want 20", entered.Load())
	}
	release, err := stores[0].DB.Lock(t.Context(), "test", true)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stores {
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error)
		go func() { _, err := s.DB.Lock(ctx, "test", true); failed <- err }()
		other, err := s.DB.Lock(t.Context(), "other", true)
		if err != nil {
			t.Fatal(err)
		}
		if err := other(); err != nil {
			t.Error(err)
		}
		cancel()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("Lock after the end of its context = %v, want context.Canceled", err)
		}
	}
	// The caller may give up at any step. An abandoned lock leaves the
	// connection usable.
	for i := range 200 {
		other, err := stores[i%2].DB.Lock(t.Context(), "other", true)
		if err != nil {
			t.Fatal(err)
		}
		if err := other(); err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for until := time.Now().Add(time.Duration(i%20) * time.Microsecond); time.Now().Before(until); {
			}
			cancel()
		}()
		if _, err := stores[i%2].DB.Lock(ctx, "test", true); !errors.Is(err, context.Canceled) {
			t.Errorf("Lock cancelled after %d microseconds = %v, want %v", i%20, err, context.Canceled)
		}
	}
	for range 2 {
		if err := release(); err != nil {
			t.Error(err)
		}
	}
	if release, err = stores[1].DB.Lock(t.Context(), "test", true); err != nil {
		t.Fatal(err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
	if _, err := stores[0].DB.Lock(t.Context(), "../x", true); err == nil {
		t.Error("Lock accepts a name with a slash")
	}
}
