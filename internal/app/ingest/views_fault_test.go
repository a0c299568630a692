package ingest_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"vitrine"
	"vitrine/internal/app/ingest"
	"vitrine/internal/test/fixture"
)

// TestViewsNeither checks that nothing is acknowledged while neither log nor
// spool can be written, and that writing recovers.
func TestViewsNeither(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		log := newFrailLog(t, down(3))
		v := &ingest.Views{Log: log, Spool: brokenSpool{openSpool(t, dir)}}
		v.Start()
		defer v.Close()
		for i := range 3 {
			if err := v.Add(t.Context(), newView(100+i)); vitrine.CodeOf(err) != vitrine.CodeUnavailable {
				t.Errorf("Add without log and spool = %v, want unavailable", err)
			}
		}
		write(t, v, 0)
		wantViews(t, log, 1)
	})
}

// TestViewsFaultIsNotSpooled checks that a batch which the log rejects returns
// an error and is not spooled, because it would be rejected again.
func TestViewsFaultIsNotSpooled(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		log := newFrailLog(t, func(int) error { return errors.New("a record cannot be read") })
		v, s, _ := startViews(t, log, dir)
		defer v.Close()
		if err := v.Add(t.Context(), newView(0)); vitrine.CodeOf(err) != vitrine.CodeUnavailable || !s.Empty() {
			t.Errorf("Add = %v, spool empty = %v, want unavailable and true", err, s.Empty())
		}
	})
}

// TestViewsBackPressure checks that the queue is bounded: a caller without a
// place waits until its context ends, and queued views are written.
func TestViewsBackPressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		log := newFrailLog(t, func(int) error { <-release; return nil })
		v := fixture.NewViews(log)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		const n = 10_000
		outcomes := make(chan error, n)
		for i := range n {
			go func() { outcomes <- v.Add(ctx, newView(i)) }()
		}
		<-ctx.Done()
		synctest.Wait()
		gaveUp := len(outcomes)
		for range gaveUp {
			if err := <-outcomes; !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Add without a place = %v, want context.DeadlineExceeded", err)
			}
		}
		if gaveUp < n-2*4096 || gaveUp > n-4096 {
			t.Errorf("%d of %d callers had no place", gaveUp, n)
		}
		close(release)
		v.Close()
		synctest.Wait()
		for range len(outcomes) {
			if err := <-outcomes; err != nil {
				t.Error(err)
			}
		}
		if got := len(log.ids()); got != n-gaveUp {
			t.Errorf("%d views in the log, want %d", got, n-gaveUp)
		}
	})
}
