// Package ingest writes page views, snapshots and downloads into the view log:
// many in one commit, into a spool while the log is away, and orphan events
// once their view has come.
package ingest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"vitrine"
)

const (
	// defaultPatience is little enough for a visitor to wait, and much more
	// than a log in order needs for a batch.
	defaultPatience = 2 * time.Second
	// firstPause and longestPause bound the time between attempts to replay; it
	// doubles with each that fails.
	firstPause   = 250 * time.Millisecond
	longestPause = 30 * time.Second
	// maxBatch bounds the memory of one batch, and how long its transaction
	// takes.
	maxBatch = 4096
)

// Log is what this package uses of [vitrine.ViewLog].
type Log interface {
	Append(ctx context.Context, b vitrine.Batch) (vitrine.Outcome, error)
}

// Views writes what happens on public pages into the log, many at a time:
// whatever arrives while one batch is being made durable goes into the next
// (group commit). Each method returns nil once its own entry is durable: in the
// log or, when the log fails or hangs, in the spool. As long as anything is in
// the spool everything goes there, so that the log gets it in the order of its
// arrival. What is early (ViewLog.Append) waits for its open in a spool of its
// own. When none of them can be written the error has CodeUnavailable, and
// nothing is lost that was acknowledged.
//
// What waits for its turn is bounded, and callers wait beyond that.
type Views struct {
	Log   Log
	Spool vitrine.Spool

	// Early keeps what is early, until its view is there. nil: what is early is
	// dropped, as it may be where no other process writes to the log, so that
	// the view never comes.
	Early vitrine.Spool

	// Patience is how long a batch waits for the log before it goes to the
	// spool. 0: two seconds.
	Patience time.Duration

	// Owner, unless nil, is whose a link is; 0: it was deleted, or there is
	// none. What the spool has of such is dropped, for the link may have been
	// purged since, and views of a link that is another account's: the store
	// was restored, and has given the number again.
	Owner func(context.Context, vitrine.LinkID) (vitrine.AccountID, error)

	// Notice, unless nil, is told the reason whenever the log does not take
	// something: when the spool comes into use, and after each attempt to
	// replay it that failed; and nil when everything of the spool is in the
	// log. It may be called by two goroutines at once, holds writing up, and
	// does not use Views.
	Notice func(error)

	// EarlyNotice, unless nil, is told after each try at what is in Early how
	// many snapshots and downloads still wait, of how many the view has not
	// come in earlyLife nor while they were tried for earlyPatience, so that
	// they were dropped, and what failed.
	EarlyNotice func(waiting, letGo int, err error)

	entries chan entry
	written chan struct{} // closed when all entries are

	// turn is held by the goroutine that may write what has just arrived, to
	// the log or to the spool: the writer, and the replayer while it hands
	// over.
	turn chan struct{}
	// logging is held by the one Append to the log that is under way, also when
	// nobody waits for it any more.
	logging chan struct{}
	// spooled wakes the replayer, and waiting the retries of early events
	// again.
	spooled, waiting chan struct{}

	refusing atomic.Bool // the last entries could be written nowhere

	stopReplay context.CancelFunc
	replayed   sync.WaitGroup // both of these
}

type entry struct {
	view     *vitrine.ViewRecord
	snapshot *vitrine.Snapshot
	download *vitrine.Download
	done     chan error
}

// viewOf names a view.
type viewOf struct {
	link vitrine.LinkID
	view vitrine.ViewID
}

// of is the view that an entry is about.
func (e *entry) of() viewOf {
	switch {
	case e.snapshot != nil:
		return viewOf{e.snapshot.Link, e.snapshot.View}
	case e.download != nil:
		return viewOf{e.download.Link, e.download.View}
	}
	return viewOf{vitrine.LinkID(e.view.Link), vitrine.ViewID(e.view.ID)}
}

// NewViews starts writing to log alone: what it does not take is refused, and
// it has all the time that it wants.
func NewViews(log Log) *Views {
	v := &Views{Log: log, Spool: noSpool{}, Patience: math.MaxInt64}
	v.Start()
	return v
}

// noSpool keeps nothing.
type noSpool struct{}

func (noSpool) Append(vitrine.Batch) error                                               { return errors.New("there is no spool") }
func (noSpool) Replay(context.Context, func(vitrine.Batch) (vitrine.Batch, error)) error { return nil }
func (noSpool) Empty() bool                                                              { return true }

// Start begins to write, and to replay what a process before this one has left
// in the spools. Close ends it.
func (v *Views) Start() {
	if v.Patience == 0 {
		v.Patience = defaultPatience
	}
	if v.Notice == nil {
		v.Notice = func(error) {}
	}
	if v.EarlyNotice == nil {
		v.EarlyNotice = func(int, int, error) {}
	}
	v.entries, v.written = make(chan entry, maxBatch), make(chan struct{})
	v.turn, v.logging = make(chan struct{}, 1), make(chan struct{}, 1)
	v.spooled, v.waiting = make(chan struct{}, 1), make(chan struct{}, 1)
	if !v.Spool.Empty() {
		wake(v.spooled)
	}
	ctx, stop := context.WithCancel(context.Background())
	v.stopReplay = stop
	go v.write()
	v.replayed.Go(func() { v.replay(ctx) })
	if v.Early != nil {
		wake(v.waiting)
		v.replayed.Go(func() { v.retry(ctx) })
	}
}

// wake wakes who waits for a channel, or will, unless it is awake.
func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Close writes what was handed in and stops, once the log has answered what it
// was asked. What is in the spools stays there for the next Start. No method
// may be called after it.
func (v *Views) Close() {
	close(v.entries)
	<-v.written
	v.stopReplay()
	v.replayed.Wait()
	v.logging <- struct{}{} // the log may be closed now
}

// Add writes a view. ErrExists: its ID is taken, and another must be tried.
func (v *Views) Add(ctx context.Context, o *vitrine.ViewRecord) error {
	return v.hand(ctx, entry{view: o})
}

// viewTries bounds the search for a free ID: two views of one link must meet in
// a millisecond and in a counter of two million.
const viewTries = 3

// AddNext writes a view under the next free ID of a moment, which it returns.
// Errors: CodeUnavailable.
func (v *Views) AddNext(ctx context.Context, ids *vitrine.ViewIDs, now time.Time, o *vitrine.ViewRecord) (vitrine.ViewID, error) {
	for range viewTries {
		id := ids.Next(now)
		o.ID, o.At = int64(id), id.Ms()
		if err := v.Add(ctx, o); !errors.Is(err, vitrine.ErrExists) {
			return id, err
		}
	}
	return 0, vitrine.Unavailable(vitrine.ErrExists)
}

// Snapshot writes what a beacon said.
func (v *Views) Snapshot(ctx context.Context, s *vitrine.Snapshot) error {
	return v.hand(ctx, entry{snapshot: s})
}

// Download writes a download event.
func (v *Views) Download(ctx context.Context, d *vitrine.Download) error {
	return v.hand(ctx, entry{download: d})
}

// hand waits for a place until ctx ends, and then for the outcome, however
// long: a caller that goes away must not leave an answer without its outcome,
// and a batch has its bound.
func (v *Views) hand(ctx context.Context, e entry) error {
	e.done = make(chan error, 1)
	select {
	case v.entries <- e:
		return <-e.done
	case <-ctx.Done():
		return ctx.Err()
	}
}

// write is the writer: it takes what has arrived, a batch at a time. Each batch
// costs a wait for the disk, however small it is; so while many arrive at once,
// it lingers for those that are about to.
func (v *Views) write() {
	defer close(v.written)
	var batch []entry
	many := false // the batch before was of several
	for e := range v.entries {
		batch = append(batch[:0], e)
		if batch = v.fill(batch); many && len(batch) < maxBatch {
			time.Sleep(linger)
			batch = v.fill(batch)
		}
		many = len(batch) >= several
		v.store(batch)
		clear(batch)
	}
}

const (
	// linger is how long a batch waits for more.
	linger = 200 * time.Microsecond
	// several entries in one batch tell that more will come.
	several = 8
)

// fill adds what is waiting to a batch.
func (v *Views) fill(batch []entry) []entry {
	for len(batch) < maxBatch {
		select {
		case e, ok := <-v.entries:
			if !ok {
				return batch
			}
			batch = append(batch, e)
		default:
			return batch
		}
	}
	return batch
}

// store makes entries durable and tells each its outcome.
func (v *Views) store(entries []entry) {
	var b vitrine.Batch
	for _, e := range entries {
		switch {
		case e.view != nil:
			b.Views = append(b.Views, *e.view)
		case e.snapshot != nil:
			b.Snapshots = append(b.Snapshots, *e.snapshot)
		case e.download != nil:
			b.Downloads = append(b.Downloads, *e.download)
		}
	}
	v.turn <- struct{}{}
	outcome, err := v.keep(b)
	<-v.turn
	lost := v.wait(outcome.Early)
	var early map[viewOf]bool
	if lost != nil {
		early = viewsOf(outcome.Early)
	}
	views := 0
	for _, e := range entries {
		answer := err
		switch {
		case e.view != nil:
			if outcome.Refused != nil && outcome.Refused[views] != nil {
				answer = outcome.Refused[views]
			}
			views++
		case early[e.of()]:
			answer = lost
		}
		e.done <- answer
	}
}

// keep puts a batch into the log or, while the log is not to be had or the
// spool has something that comes before it, into the spool. The log may have
// taken, or may yet take, a batch that goes to the spool: it comes to the same
// (ViewLog.Append).
func (v *Views) keep(b vitrine.Batch) (o vitrine.Outcome, err error) {
	var cause error
	if v.Spool.Empty() {
		ctx, cancel := context.WithTimeout(context.Background(), v.Patience)
		defer cancel()
		o, err := v.append(ctx, b)
		if err == nil {
			v.refusing.Store(false)
			return o, nil
		}
		cause = fmt.Errorf("write the view log: %w", err)
		if vitrine.CodeOf(err) != vitrine.CodeUnavailable && ctx.Err() == nil {
			return o, vitrine.Unavailable(cause) // the fault is in this batch or the log; it would block the spool
		}
	}
	if err := v.Spool.Append(b); err != nil {
		v.refusing.Store(true)
		return o, vitrine.Unavailable(errors.Join(cause, fmt.Errorf("%w: %w", vitrine.ErrNotSpooled, err)))
	}
	v.refusing.Store(false)
	if cause != nil {
		v.Notice(cause)
		wake(v.spooled)
	}
	return o, nil
}

// Ready reports whether views can be written: nil unless the last could be
// written nowhere and there is still no room for any.
func (v *Views) Ready() error {
	if !v.refusing.Load() {
		return nil
	}
	if s, ok := v.Spool.(interface{ Room() error }); ok {
		if err := s.Room(); err != nil {
			return fmt.Errorf("views cannot be written: %w", err)
		}
	}
	v.refusing.Store(false)
	return nil
}

// append hands a batch to the log, one at a time, and waits until ctx ends. The
// log may still take it then.
func (v *Views) append(ctx context.Context, b vitrine.Batch) (vitrine.Outcome, error) {
	type answer struct {
		vitrine.Outcome
		err error
	}
	select {
	case v.logging <- struct{}{}:
	case <-ctx.Done():
		return vitrine.Outcome{}, ctx.Err()
	}
	answered := make(chan answer, 1)
	go func() {
		defer func() { <-v.logging }()
		o, err := v.Log.Append(ctx, b)
		answered <- answer{o, err}
	}()
	select {
	case a := <-answered:
		return a.Outcome, a.err
	case <-ctx.Done():
		return vitrine.Outcome{}, ctx.Err()
	}
}
