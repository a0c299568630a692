package ingest_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// TestViewsUnderLoad runs hundreds of writers without pauses over a log that is
// slow, fails and hangs at random. Everything must be in the log once, views
// before their events, and after each recovery the log is written directly
// again.
//
// The test uses time.Sleep instead of time.After: with the race detector of Go
// 1.26, channels of many timers in one bubble crash the runtime.
func TestViewsUnderLoad(t *testing.T) {
	seed := vitrinetest.Seed(t)
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		r := rand.New(rand.NewPCG(seed, 0))
		chance := func(n int) bool {
			mu.Lock()
			defer mu.Unlock()
			return r.IntN(n) == 0
		}
		log := newFrailLog(t, func(int) error {
			switch {
			case chance(20):
				time.Sleep(3 * time.Second)
			case chance(8):
				return errDown
			}
			time.Sleep(3 * time.Millisecond)
			return nil
		})
		v, s, notices := startViews(t, log, dir)
		const writers, each = 300, 20
		var all sync.WaitGroup
		for w := range writers {
			all.Go(func() {
				for i := range each {
					view := newView(w*each + i)
					id := vitrine.ViewID(view.ID)
					err := v.Add(t.Context(), view)
					for _, ms := range []int64{3000, 1000} {
						time.Sleep(time.Duration(w%17) * 20 * time.Millisecond)
						err = errors.Join(err, v.Snapshot(t.Context(),
							&vitrine.Snapshot{Link: 1, View: id, Session: report.Session{EngagedMs: ms}}))
					}
					err = errors.Join(err, v.Download(t.Context(), &vitrine.Download{ID: id, Link: 1, View: id}))
					if err != nil {
						t.Errorf("seed %d: %v", seed, err)
					}
				}
			})
		}
		all.Wait()
		drained(t, s)
		v.Close()
		if n := writers * each; len(log.order) != n || len(log.views) != n || len(log.engaged) != n ||
			len(log.downloads) != n {
			t.Errorf("seed %d: %d views in %d places, %d engaged, %d downloads, want %d of each", seed, len(log.views),
				len(log.order),
				len(log.engaged), len(log.downloads), n)
		}
		for id, ms := range log.engaged {
			if ms != 3000 {
				t.Errorf("seed %d: view %d has %d ms of engagement", seed, id, ms)
			}
		}
		ends := 0
		for _, err := range notices.all {
			if err == nil {
				ends++
			}
		}
		t.Logf("seed %d: %d calls of the log, the spool was used %d times", seed, log.calls, ends)
	})
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); left != nil {
		t.Errorf("files left: %v", left)
	}
}

// TestViewsHandOver checks that the log is written directly again as soon as
// possible, even while writers never pause.
func TestViewsHandOver(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		log := newFrailLog(t, func(call int) error {
			time.Sleep(3 * time.Millisecond)
			return down(2)(call)
		})
		v, s, _ := startViews(t, log, dir)
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for w := range 20 {
			all.Go(func() {
				for i := 0; ctx.Err() == nil; i++ {
					write(t, v, w<<12+i)
					<-time.After(time.Millisecond)
				}
			})
		}
		<-time.After(2 * time.Second)
		synctest.Wait()
		if !s.Empty() {
			t.Error("the spool is still in use long after the log has recovered")
		}
		stop()
		all.Wait()
		v.Close()
	})
}
