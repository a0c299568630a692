package ingest

import (
	"context"
	"fmt"
	"time"

	"vitrine"
)

// Several servers may write to one log. While the log is away the view of a
// page goes to the spool of the server that answered with the page; what the
// page says then may reach another server, for which the log is there again
// first. It is early: it waits in Views.Early, on the disk of that server,
// until the first one has replayed its spool. Then it may come late, and after
// what was said later; that changes nothing, since a snapshot carries the time
// of its arrival and Engagement.Apply takes the largest of each member, and a
// download counts by its ID.

const (
	// earlyLife is how long after a view something waits for it: as long as
	// its page may say anything, and once more, for a server with a spool to be
	// there again.
	earlyLife = 2 * vitrine.TokenLife
	// earlyPatience is for how long a process tries what is that old before it
	// lets it go: when all servers were down for days, the one that has the
	// open begins with its spool as late as this one with what is early.
	earlyPatience = time.Hour
	// firstEarlyPause is the time before the first try at what is early; it
	// doubles with each that gets nothing done, to longestPause.
	firstEarlyPause = time.Second
	// earlyRest is how many times as long as a try has taken there is none, up
	// to longestEarlyPause: what waits may be much, and the log has other
	// things to do.
	earlyRest         = 9
	longestEarlyPause = 10 * time.Minute
)

// wait keeps what is early; durable when nil.
func (v *Views) wait(early vitrine.Batch) error {
	if v.Early == nil || early.Len() == 0 {
		return nil
	}
	if err := v.Early.Append(early); err != nil {
		return vitrine.Unavailable(fmt.Errorf("write the spool of what is early: %w", err))
	}
	wake(v.waiting)
	return nil
}

// retry tries what is early whenever there is some, with pauses.
func (v *Views) retry(ctx context.Context) {
	started := time.Now()
	for {
		select {
		case <-v.waiting:
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
			if pause = min(2*pause, longestPause); some {
				pause = firstEarlyPause // there may be more of what has come
			}
			if err == nil { // else the log was not at work all the time
				pause = max(pause, min(earlyRest*time.Since(began), longestEarlyPause))
			}
		}
	}
}

// retryOnce hands what is early to the log, and tells whether that took
// anything. What is old is dropped only if letGoOld.
func (v *Views) retryOnce(ctx context.Context, letGoOld bool) (some bool, err error) {
	waiting, letGo := 0, 0
	err = v.Early.Replay(ctx, func(b vitrine.Batch) (left vitrine.Batch, err error) {
		o, err := v.append(ctx, b)
		if err != nil {
			return b, err
		}
		left, old, err := v.awaited(ctx, o.Early, letGoOld)
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

// awaited is what is early without what no view will come for: of links that
// were deleted, and, if letGoOld, of old views, of which it tells how many
// entries there are.
func (v *Views) awaited(ctx context.Context, early vitrine.Batch, letGoOld bool) (b vitrine.Batch, old int, err error) {
	owner, since := v.owners(ctx), time.Now().Add(-earlyLife).UnixMilli()
	wanted := func(of viewOf) bool {
		whose := vitrine.AccountID(0)
		if err == nil {
			whose, err = owner(of.link)
		}
		if err != nil || whose == 0 && v.Owner != nil {
			return false
		}
		if letGoOld && of.view.Ms() < since {
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

// viewsOf are the views that the snapshots and downloads of a batch are about.
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
