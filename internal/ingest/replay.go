package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine"
)

// replay is the replayer: it empties the spool whenever something is there,
// with pauses that grow while the log takes nothing.
func (v *Views) replay(ctx context.Context) {
	for {
		select {
		case <-v.spooled:
		case <-ctx.Done():
			return
		}
		for pause := firstPause; ; pause = min(2*pause, longestPause) {
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
				pause = firstPause / 2 // the next is a first one
			}
			v.Notice(fmt.Errorf("replay the spool: %w", err))
		}
	}
}

// drain empties the spool, and tells whether the log took anything. What
// arrives meanwhile goes to the spool as well. Once that is no more than the
// log takes at once, the writer is held up while the last of it is replayed, no
// longer than for a batch of its own; then the spool is empty, and the writer
// goes to the log again.
func (v *Views) drain(ctx context.Context) (some bool, err error) {
	for again := true; again; {
		n, err := v.replaySpool(ctx)
		some, again = some || n > 0, n > 1
		if err != nil {
			return some, err
		}
	}
	select {
	case v.turn <- struct{}{}:
		defer func() { <-v.turn }()
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

// replaySpool hands what is in the spool to the log, once, and tells in how
// many batches. What is early and cannot be kept elsewhere stays in the spool
// alone: what else was in its file is handed over, and so makes room; the error
// says that it is so, and n is 0.
func (v *Views) replaySpool(ctx context.Context) (n int, err error) {
	var lost error
	err = v.Spool.Replay(ctx, func(b vitrine.Batch) (left vitrine.Batch, err error) {
		early, err := v.take(ctx, b)
		if err != nil {
			return b, err
		}
		if err := v.wait(early); err != nil {
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

// take hands a batch of the spool to the log, and tells what of it is early.
// The page of a view was answered long ago, with an ID that the log now has of
// another view: it moves on to the next free one of its millisecond. That keeps
// the view, and is all that can be done: what its page says is put down to the
// other. A view of a day that is forgotten by now is dropped, as it would be
// had it come in time.
func (v *Views) take(ctx context.Context, b vitrine.Batch) (early vitrine.Batch, err error) {
	if b, err = v.living(ctx, b); err != nil {
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
			if err != nil && !errors.Is(err, vitrine.ErrForgotten) {
				o := b.Views[i]
				id := vitrine.ViewID(o.ID)
				o.ID = int64(vitrine.ViewIDAt(id.Ms(), int(id)+1))
				moved = append(moved, o)
			}
		}
		if moved == nil {
			return early, nil
		}
		b = vitrine.Batch{Views: moved}
	}
}

// living is a batch without the views of links that were deleted, or are
// another's; what else there is of them is early, and let go there.
func (v *Views) living(ctx context.Context, b vitrine.Batch) (vitrine.Batch, error) {
	owner := v.owners(ctx)
	var kept []vitrine.ViewRecord
	for _, o := range b.Views {
		whose, err := owner(vitrine.LinkID(o.Link))
		if err != nil {
			return b, err
		}
		if v.Owner == nil || whose != 0 && whose == o.Account {
			kept = append(kept, o)
		}
	}
	b.Views = kept
	return b, nil
}

// owners is Owner, which is asked once for each link.
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
