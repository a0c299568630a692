package fleet

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// maxBackOff bounds the time between runs of failing work whose interval is
// shorter.
const maxBackOff = time.Minute

// jitter is the part of a wait that is left to chance, so that loops and
// instances spread out.
const jitter = 0.1

// Work is one run of a piece of background work. It returns soon after its
// context ends.
type Work func(context.Context) error

// Loop is a piece of background work with a name, which it runs again and
// again. It knows nothing of what the work does: the state that it works on is
// the queue, and a run that fails or is cut short is repaired by the next one.
type Loop struct {
	name  string
	every time.Duration
	work  Work
	log   *slog.Logger
	wake  chan struct{}

	failures atomic.Int64
	inner    []*Loop
}

// Containing names the loops that the work runs, for Each. It returns l.
func (l *Loop) Containing(inner ...*Loop) *Loop {
	l.inner = inner
	return l
}

// Each calls f with the loop, and with those within it.
func (l *Loop) Each(f func(*Loop)) {
	f(l)
	for _, i := range l.inner {
		i.Each(f)
	}
}

// Name returns the name of the work.
func (l *Loop) Name() string { return l.name }

// Failures returns how many runs in a row have failed.
func (l *Loop) Failures() int64 { return l.failures.Load() }

// NewLoop makes a loop that runs work immediately and then at an interval,
// counted from the end of a run to the start of the next, with a jitter of a
// tenth. After a failure the interval doubles, up to the longer of a minute and
// every.
func NewLoop(name string, every time.Duration, log *slog.Logger, work Work) *Loop {
	return &Loop{name: name, every: every, work: work, log: log.With("loop", name), wake: make(chan struct{}, 1)}
}

// Wake requests a run as soon as possible: after the present run and, for
// failing work, after its wait. It never blocks.
func (l *Loop) Wake() {
	select {
	case l.wake <- struct{}{}:
	default: // a run that has not begun is asked for already
	}
}

// Run runs the work until ctx ends, and returns when the last run has.
func (l *Loop) Run(ctx context.Context) {
	failures := 0
	for ctx.Err() == nil {
		err := l.once(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			failures++
			if failures&(failures-1) == 0 { // 1, 2, 4, 8 …: do not log a long outage each minute
				l.log.Error("background work failed", "failures", failures, "error", err)
			}
		case failures > 0:
			l.log.Info("background work recovered", "failures", failures)
			failures = 0
		}
		l.failures.Store(int64(failures))
		l.wait(ctx, failures)
	}
}

// once runs the work; a panic is a failure like another, not the end of the
// process.
func (l *Loop) once(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return l.work(ctx)
}

// wait ends when the next run is due.
func (l *Loop) wait(ctx context.Context, failures int) {
	wake := l.wake
	if failures > 0 {
		wake = nil // being asked more often does not make failing work succeed
	}
	timer := time.NewTimer(l.pause(failures))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-wake:
	case <-timer.C:
	}
}

func (l *Loop) pause(failures int) time.Duration {
	d := l.every
	for range failures {
		if d >= maxBackOff {
			break
		}
		d = min(2*d, maxBackOff)
	}
	return time.Duration(float64(d) * (1 - jitter + 2*jitter*rand.Float64()))
}

// RunAll runs loops side by side until ctx ends, and returns when the last of
// them has.
func RunAll(ctx context.Context, loops ...*Loop) {
	var wg sync.WaitGroup
	for _, l := range loops {
		wg.Go(func() { l.Run(ctx) })
	}
	wg.Wait()
}
