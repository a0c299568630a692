package ingest_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"vitrine"
	"vitrine/internal/ingest"
)

// When neither log nor spool can be written nothing is acknowledged; it heals
// by itself.
func TestViewsNeither(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		log := newFrailLog(t, down(3))
		v := &ingest.Views{Log: log, Spool: brokenSpool{openSpool(t, dir)}}
		v.Start()
		defer v.Close()
		for i := range 3 {
			if err := v.Add(t.Context(), newView(100+i)); vitrine.CodeOf(err) != vitrine.CodeUnavailable {
				t.Errorf("with nothing to write to: %v", err)
			}
		}
		write(t, v, 0)
		wantViews(t, log, 1)
	})
}

// A log that finds fault with what it is given would find it again: its callers
// are told, and the spool stays clear of it.
func TestViewsFaultIsNotSpooled(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		log := newFrailLog(t, func(int) error { return errors.New("a record cannot be read") })
		v, s, _ := startViews(t, log, dir)
		defer v.Close()
		if err := v.Add(t.Context(), newView(0)); vitrine.CodeOf(err) != vitrine.CodeUnavailable || !s.Empty() {
			t.Errorf("%v; empty spool: %v", err, s.Empty())
		}
	})
}

// What waits is bounded: who finds no place waits for one until its context
// ends, and what had a place is written.
func TestViewsBackPressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		log := newFrailLog(t, func(int) error { <-release; return nil })
		v := ingest.NewViews(log)
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
				t.Errorf("who found no place: %v", err)
			}
		}
		if gaveUp < n-2*4096 || gaveUp > n-4096 {
			t.Errorf("%d of %d found no place", gaveUp, n)
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
			t.Errorf("%d opens are in the log, want %d", got, n-gaveUp)
		}
	})
}
