package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine"
)

// replay writes the spool to the log whenever the spool is not empty. It backs
// off while the log fails.
func (v *Views) replay(ctx context.Context) {
	for {
		select {
		case <-v.replayWake:
		case <-ctx.Done():
			return
		}
		for pause := firstPause; ; pause = min(2*pause, maxPause) {
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return
			}
			some, err := v.drain(ctx)
			if err == nil {
				break
			}
			if ctx.Err() != nil {
				return
			}
			if some {
				pause = firstPause / 2 // so that the next pause is firstPause
			}
			v.Notice(fmt.Errorf("replay the spool: %w", err))
		}
	}
}

// drain writes the spool to the log until it is empty, and reports whether the
// log took anything. New entries also go to the spool until then. For the last
// batch, drain makes the writer wait, for at most Patience, so that the writer
// returns to the log when the spool is empty.
func (v *Views) drain(ctx context.Context) (some bool, err error) {
	for again := true; again; {
		n, err := v.replaySpool(ctx)
		some, again = some || n > 0, n > 1
		if err != nil {
			return some, err
		}
	}
	select {
	case v.writeSlot <- struct{}{}:
		defer func() { <-v.writeSlot }()
	case <-ctx.Done():
		return some, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, v.Patience)
	defer cancel()
	if n, err := v.replaySpool(ctx); err != nil {
		return some || n > 0, err
	}
	v.Notice(nil)
	return some, nil
}

// replaySpool hands the content of the spool to the log, once, and returns the
// number of batches. Early events that cannot be written to their own spool
// stay in this one; the rest of their file is handed over and makes room. Then
// replaySpool returns 0 and the error.
func (v *Views) replaySpool(ctx context.Context) (n int, err error) {
	var lost error
	err = v.Spool.Replay(ctx, func(b vitrine.Batch) (left vitrine.Batch, err error) {
		early, err := v.take(ctx, b)
		if err != nil {
			return b, err
		}
		if err := v.spoolEarly(early); err != nil {
			lost = err
			return early, nil
		}
		n++
		return vitrine.Batch{}, nil
	})
	if lost != nil {
		n = 0
	}
	return n, errors.Join(err, lost)
}

// take writes a batch of the spool to the log and returns its early events.
//
// The log may have another view with the ID of a spooled view, whose page was
// answered long ago. The spooled view then gets the next free ID of its
// millisecond. That preserves the view, but beacons of its page count for the
// other one; this cannot be avoided. A view of an expired day is dropped.
func (v *Views) take(ctx context.Context, b vitrine.Batch) (early vitrine.Batch, err error) {
	if b, err = v.withoutDeleted(ctx, b); err != nil {
		return early, err
	}
	for {
		o, err := v.append(ctx, b)
		if err != nil {
			return early, err
		}
		early.Add(o.Early)
		var moved []vitrine.ViewRecord
		for i, err := range o.Refused {
			if err != nil && !errors.Is(err, vitrine.ErrDayExpired) {
				view := b.Views[i]
				id := vitrine.ViewID(view.ID)
				view.ID = int64(vitrine.ViewIDAt(id.Ms(), int(id)+1))
				moved = append(moved, view)
			}
		}
		if moved == nil {
			return early, nil
		}
		b = vitrine.Batch{Views: moved}
	}
}

// withoutDeleted returns a batch without the views of links that were deleted
// or belong to another account. Snapshots and downloads of such views become
// early events, and are dropped there.
func (v *Views) withoutDeleted(ctx context.Context, b vitrine.Batch) (vitrine.Batch, error) {
	owner := v.owners(ctx)
	var kept []vitrine.ViewRecord
	for _, view := range b.Views {
		whose, err := owner(vitrine.LinkID(view.Link))
		if err != nil {
			return b, err
		}
		if v.Owner == nil || whose != 0 && whose == view.Account {
			kept = append(kept, view)
		}
	}
	b.Views = kept
	return b, nil
}

// owners returns Owner with a cache.
func (v *Views) owners(ctx context.Context) func(vitrine.LinkID) (vitrine.AccountID, error) {
	known := map[vitrine.LinkID]vitrine.AccountID{}
	return func(id vitrine.LinkID) (vitrine.AccountID, error) {
		if v.Owner == nil {
			return 0, nil
		}
		a, asked := known[id]
		if asked {
			return a, nil
		}
		a, err := v.Owner(ctx, id)
		if err == nil {
			known[id] = a
		}
		return a, err
	}
}
