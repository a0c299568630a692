package ingest

import (
	"context"
	"fmt"
	"time"

	"vitrine"
)

// Several servers may write to one log. While the log is away, a view goes to
// the spool of the server that answered the page. A beacon or download of that
// view may reach another server, which may see the log again first. The event
// is then early: it waits in Views.Early, on the disk of that server, until the
// first server has replayed its spool. It may therefore be stored after later
// events of the view. That changes nothing: a snapshot carries the time of its
// arrival, Engagement.Apply takes the largest value of each member, and a
// download counts by its ID.

const (
	// earlyLife is how long after the time of a view its early events are kept:
	// the time in which its page may send anything, and as long again for the
	// server with the view in its spool to come back.
	earlyLife = 2 * vitrine.TokenLife
	// earlyPatience is how long a process tries early events that are older
	// than earlyLife before it drops them. After all servers were down for
	// days, the server with the view may replay its spool no earlier than this
	// one retries.
	earlyPatience = time.Hour
	// firstEarlyPause is the time before the first try to store early events.
	// It doubles, up to maxPause, with each try that stores nothing.
	firstEarlyPause = time.Second
	// After a try that took d, the next one follows after earlyPauseFactor*d,
	// at most maxEarlyPause. Many events may wait, and the log has other work.
	earlyPauseFactor = 9
	maxEarlyPause    = 10 * time.Minute
)

// spoolEarly writes early events to their spool. They are durable when it
// returns nil.
func (v *Views) spoolEarly(early vitrine.Batch) error {
	if v.Early == nil || early.Len() == 0 {
		return nil
	}
	if err := v.Early.Append(early); err != nil {
		return vitrine.Unavailable(fmt.Errorf("write the spool of early events: %w", err))
	}
	wake(v.retryWake)
	return nil
}

// retry tries to store early events while there are any, with pauses.
func (v *Views) retry(ctx context.Context) {
	started := time.Now()
	for {
		select {
		case <-v.retryWake:
		case <-ctx.Done():
			return
		}
		for pause := firstEarlyPause; !v.Early.Empty(); {
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return
			}
			began := time.Now()
			some, err := v.retryOnce(ctx, began.Sub(started) >= earlyPatience)
			if ctx.Err() != nil {
				return
			}
			if pause = min(2*pause, maxPause); some {
				pause = firstEarlyPause // more views may have come
			}
			if err == nil { // otherwise the log was not busy all the time
				pause = max(pause, min(earlyPauseFactor*time.Since(began), maxEarlyPause))
			}
		}
	}
}

// retryOnce hands early events to the log, and reports whether the log took
// any. Old events are dropped only if dropExpired is set.
func (v *Views) retryOnce(ctx context.Context, dropExpired bool) (some bool, err error) {
	waiting, letGo := 0, 0
	err = v.Early.Replay(ctx, func(b vitrine.Batch) (left vitrine.Batch, err error) {
		o, err := v.append(ctx, b)
		if err != nil {
			return b, err
		}
		left, old, err := v.stillExpected(ctx, o.Early, dropExpired)
		if err != nil {
			return b, err
		}
		some = some || o.Early.Len() < b.Len()
		waiting, letGo = waiting+left.Len(), letGo+old
		return left, nil
	})
	if ctx.Err() == nil {
		v.EarlyNotice(waiting, letGo, err)
	}
	return some, err
}

// stillExpected returns the early events whose views may still arrive. It
// leaves out events of deleted links and, if dropExpired is set, of old views;
// old is the number of the latter.
func (v *Views) stillExpected(ctx context.Context, early vitrine.Batch, dropExpired bool) (b vitrine.Batch, old int,
	err error) {
	owner, since := v.owners(ctx), time.Now().Add(-earlyLife).UnixMilli()
	wanted := func(of viewOf) bool {
		whose := vitrine.AccountID(0)
		if err == nil {
			whose, err = owner(of.link)
		}
		if err != nil || whose == 0 && v.Owner != nil {
			return false
		}
		if dropExpired && of.view.Ms() < since {
			old++
			return false
		}
		return true
	}
	for _, s := range early.Snapshots {
		if wanted(viewOf{s.Link, s.View}) {
			b.Snapshots = append(b.Snapshots, s)
		}
	}
	for _, d := range early.Downloads {
		if wanted(viewOf{d.Link, d.View}) {
			b.Downloads = append(b.Downloads, d)
		}
	}
	return b, old, err
}

// viewsOf returns the views that the snapshots and downloads of a batch are
// about.
func viewsOf(b vitrine.Batch) map[viewOf]bool {
	of := map[viewOf]bool{}
	for _, s := range b.Snapshots {
		of[viewOf{s.Link, s.View}] = true
	}
	for _, d := range b.Downloads {
		of[viewOf{d.Link, d.View}] = true
	}
	return of
}
