package fleet

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var discard = slog.New(slog.DiscardHandler)

// about reports whether got is want within the jitter.
func about(got, want time.Duration) bool {
	slack := time.Duration(float64(want)*jitter) + time.Millisecond
	return want-slack <= got && got <= want+slack
}

// run starts a loop whose work returns the steps' results, and returns the
// times between the runs.
func run(t *testing.T, every time.Duration, steps ...error) []time.Duration {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	last, n := time.Now(), 0
	var gaps []time.Duration
	l := NewLoop("test", every, discard, func(context.Context) error {
		gaps = append(gaps, time.Since(last))
		last = time.Now()
		if n++; n > len(steps) {
			cancel()
			return nil
		}
		return steps[n-1]
	})
	l.Run(ctx)
	return gaps
}

func TestRunsAtOnceThenEveryInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gaps := run(t, 15*time.Second, nil, nil, nil)
		if gaps[0] != 0 {
			t.Errorf("first run after %v, want at once", gaps[0])
		}
		for _, g := range gaps[1:] {
			if !about(g, 15*time.Second) {
				t.Errorf("next run after %v, want about 15s", g)
			}
		}
	})
}

func TestFailuresBackOffToTheBoundAndRecover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad := errors.New("down")
		gaps := run(t, 10*time.Second, bad, bad, bad, bad, nil, nil)
		want := []time.Duration{0, 20 * time.Second, 40 * time.Second, time.Minute, time.Minute, 10 * time.Second,
			10 * time.Second}
		for i, g := range gaps {
			if !about(g, want[i]) {
				t.Errorf("run %d after %v, want about %v", i, g, want[i])
			}
		}
	})
}

func TestSlowLoopDoesNotHurryWhenItFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gaps := run(t, 5*time.Minute, errors.New("down"))
		if !about(gaps[1], 5*time.Minute) {
			t.Errorf("run after a failure after %v, want about 5m", gaps[1])
		}
	})
}

func TestWakeRunsSoonAndWakesOfOneRunAreOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		runs := 0
		l := NewLoop("test", time.Hour, discard, func(context.Context) error { runs++; return nil })
		done := make(chan struct{})
		go func() { l.Run(ctx); close(done) }()
		synctest.Wait()
		begin := time.Now()
		for range 100 {
			l.Wake()
		}
		synctest.Wait()
		if runs != 2 && runs != 3 { // the wakes may fall on both sides of the start of a run
			t.Errorf("%d runs after waking, want 2 or 3", runs)
		}
		if time.Since(begin) != 0 {
			t.Errorf("woken after %v, want at once", time.Since(begin))
		}
		cancel()
		<-done
	})
}

func TestWakeDuringARunIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		runs, release := 0, make(chan struct{})
		l := NewLoop("test", time.Hour, discard, func(context.Context) error {
			runs++
			if runs == 1 {
				<-release
			}
			return nil
		})
		go l.Run(ctx)
		synctest.Wait()
		l.Wake()
		close(release)
		synctest.Wait()
		if runs != 2 {
			t.Errorf("%d runs, want 2", runs)
		}
	})
}

func TestWakingFailingWorkDoesNotHammer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		runs := 0
		l := NewLoop("test", 10*time.Second, discard, func(context.Context) error { runs++; return errors.New("down") })
		go l.Run(ctx)
		for range 50 {
			synctest.Wait()
			l.Wake()
		}
		if runs != 1 {
			t.Errorf("%d runs, want 1, because the back-off applies", runs)
		}
	})
}

func TestRunAllReturnsWhenTheRunsUnderWayHave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		finish, done := make(chan struct{}), make(chan struct{})
		slow := NewLoop("slow", time.Hour, discard, func(ctx context.Context) error {
			<-ctx.Done()
			<-finish
			return ctx.Err()
		})
		quick := NewLoop("quick", time.Hour, discard, func(context.Context) error { return nil })
		go func() { RunAll(ctx, slow, quick); close(done) }()
		synctest.Wait()
		cancel()
		synctest.Wait()
		select {
		case <-done:
			t.Error("RunAll returned before the run in progress")
		default:
		}
		close(finish)
		<-done
	})
}

func TestPanicIsAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var log bytes.Buffer
		runs := 0
		l := NewLoop("scan", time.Second, slog.New(slog.NewTextHandler(&log, nil)), func(context.Context) error {
			if runs++; runs == 1 {
				panic("boom")
			}
			cancel()
			return nil
		})
		l.Run(ctx)
		if runs != 2 {
			t.Errorf("%d runs, want 2", runs)
		}
		if !strings.Contains(log.String(), "boom") || !strings.Contains(log.String(), "loop=scan") {
			t.Errorf("log does not name the loop and the panic: %s", &log)
		}
	})
}

func TestEndedContextRunsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	NewLoop("test", time.Hour, discard, func(context.Context) error { t.Error("the work ran"); return nil }).Run(ctx)
}
