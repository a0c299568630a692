// Package ingest writes page views, snapshots and downloads into the view log:
// many in one commit, into a spool while the log is away, and early events once
// their view has come.
package ingest

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"vitrine"
)

const (
	// defaultPatience is short enough for a visitor to wait, and much longer
	// than a healthy log needs for a batch.
	defaultPatience = 2 * time.Second
	// firstPause and maxPause bound the time between attempts to replay. It
	// doubles with each attempt that fails.
	firstPause = 250 * time.Millisecond
	maxPause   = 30 * time.Second
	// maxBatch bounds the memory of one batch, and how long its transaction
	// takes.
	maxBatch = 4096
)

// Log is what this package uses of [vitrine.ViewLog].
type Log interface {
	Append(ctx context.Context, b vitrine.Batch) (vitrine.Outcome, error)
}

// Views writes what happens on public pages into the log, many entries at a
// time: everything that arrives while one batch is being made durable goes into
// the next (group commit). Each method returns nil once its own entry is
// durable: in the log or, when the log fails or hangs, in the spool. While the
// spool has anything, all entries go there, so that the log gets them in the
// order of their arrival. Early events (ViewLog.Append) wait for their view in
// a spool of their own. When an entry can be written nowhere, the error has
// CodeUnavailable. Acknowledged entries are never lost.
//
// The queue is bounded: when it is full, callers wait.
type Views struct {
	Log   Log
	Spool vitrine.Spool

	// Early keeps early events until their view is there. If it is nil, they
	// are dropped. That is right where no other process writes to the log: the
	// view never comes.
	Early vitrine.Spool

	// Limits, unless nil, bounds what one network adds.
	Limits *Limits

	// Patience is how long a batch waits for the log before it goes to the
	// spool. 0 means two seconds.
	Patience time.Duration

	// Owner, unless nil, returns the account of a link, or 0 if the link was
	// deleted or does not exist. Spooled entries of such a link are dropped,
	// since it may have been purged. So are views of a link that belongs to
	// another account than the view: the store was restored and has used the ID
	// again.
	Owner func(context.Context, vitrine.LinkID) (vitrine.AccountID, error)

	// Notice, unless nil, is called with the error when the log fails to take
	// something: when the spool comes into use, and after each failed attempt
	// to replay it. It is called with nil when the spool has been emptied into
	// the log. Two goroutines may call it at once. Writing waits for it, so it
	// must not use Views.
	Notice func(error)

	// EarlyNotice, unless nil, is called after each try to store early events.
	// waiting is how many still wait. letGo is how many were dropped because
	// their view came neither within earlyLife nor within earlyPatience of
	// trying. err is what failed, or nil.
	EarlyNotice func(waiting, letGo int, err error)

	entries chan entry
	written chan struct{} // closed when all entries are

	// writeSlot is held by the goroutine that may write new entries to the log
	// or the spool: the writer, or the replayer while it replays the last
	// batch.
	writeSlot chan struct{}
	// appendSlot is held while an Append to the log is under way, also when
	// nobody waits for it any more.
	appendSlot chan struct{}
	// replayWake wakes the replayer, and retryWake the goroutine that retries
	// early events.
	replayWake, retryWake chan struct{}

	refusing atomic.Bool // the last entries could be written neither to the log nor to the spool

	stopReplay context.CancelFunc
	replayed   sync.WaitGroup // the replayer and the retries
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

// of returns the view that an entry is about.
func (e *entry) of() viewOf {
	switch {
	case e.snapshot != nil:
		return viewOf{e.snapshot.Link, e.snapshot.View}
	case e.download != nil:
		return viewOf{e.download.Link, e.download.View}
	}
	return viewOf{vitrine.LinkID(e.view.Link), vitrine.ViewID(e.view.ID)}
}

// Start begins to write, and to replay what an earlier process left in the
// spools. Close ends both.
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
	v.writeSlot, v.appendSlot = make(chan struct{}, 1), make(chan struct{}, 1)
	v.replayWake, v.retryWake = make(chan struct{}, 1), make(chan struct{}, 1)
	if !v.Spool.Empty() {
		wake(v.replayWake)
	}
	ctx, stop := context.WithCancel(context.Background())
	v.stopReplay = stop
	go v.write()
	v.replayed.Go(func() { v.replay(ctx) })
	if v.Early != nil {
		wake(v.retryWake)
		v.replayed.Go(func() { v.retry(ctx) })
	}
}

// wake wakes the goroutine that receives from c, now or when it next receives.
func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Close writes the accepted entries, waits for the log's last answer, and
// stops. Spooled entries stay for the next Start. No method may be called after
// Close.
func (v *Views) Close() {
	close(v.entries)
	<-v.written
	v.stopReplay()
	v.replayed.Wait()
	v.appendSlot <- struct{}{} // the log may be closed now
}

// Add writes a view. It returns ErrExists if its ID is taken: try another.
func (v *Views) Add(ctx context.Context, view *vitrine.ViewRecord) error {
	return v.enqueue(ctx, entry{view: view})
}

// viewTries bounds the search for a free ID. A collision is rare: two views of
// one link must have the same millisecond and the same counter, one of two
// million.
const viewTries = 3

// AddNext writes a view from a network under the next free ID of a moment,
// which it returns. It is 0 if the view is above the limits of the network and
// is only counted. Errors: CodeUnavailable, also if the day of the moment has
// expired or is before 1970: the clock is wrong.
func (v *Views) AddNext(ctx context.Context, ids *vitrine.ViewIDs, now time.Time, from netip.Prefix,
	view *vitrine.ViewRecord) (vitrine.ViewID, error) {
	if stored, err := v.Limits.admit(from, now, view); !stored {
		return 0, err
	}
	for range viewTries {
		id := ids.Next(now)
		view.ID, view.At = int64(id), id.Ms()
		switch err := v.Add(ctx, view); {
		case errors.Is(err, vitrine.ErrDayExpired):
			return 0, vitrine.Unavailable(fmt.Errorf("the clock of this server shows %s: %w",
				now.UTC().Format(time.RFC3339), err))
		case !errors.Is(err, vitrine.ErrExists):
			return id, err
		}
	}
	return 0, vitrine.Unavailable(vitrine.ErrExists)
}

// Snapshot writes the snapshot of a beacon.
func (v *Views) Snapshot(ctx context.Context, s *vitrine.Snapshot) error {
	return v.enqueue(ctx, entry{snapshot: s})
}

// DownloadAlone writes a download without a view, from a network. One above the
// limits of the network does not count.
func (v *Views) DownloadAlone(ctx context.Context, now time.Time, from netip.Prefix, d *vitrine.Download) error {
	if !v.Limits.admitDownload(from, now, d.Link) {
		return nil
	}
	return v.Download(ctx, d)
}

// Download writes a download event.
func (v *Views) Download(ctx context.Context, d *vitrine.Download) error {
	return v.enqueue(ctx, entry{download: d})
}

// enqueue waits until ctx ends for room in the queue. Then it waits for the
// outcome without regard to ctx: an entry that is in the queue is written, so
// its caller must learn the outcome. The time that a batch takes is bounded.
func (v *Views) enqueue(ctx context.Context, e entry) error {
	e.done = make(chan error, 1)
	select {
	case v.entries <- e:
		return <-e.done
	case <-ctx.Done():
		return ctx.Err()
	}
}

// write writes queued entries in batches. Each batch costs one wait for the
// disk, whatever its size. So after a large batch, write waits for batchDelay
// to collect more.
func (v *Views) write() {
	defer close(v.written)
	var batch []entry
	many := false // the batch before had several entries
	for e := range v.entries {
		batch = append(batch[:0], e)
		if batch = v.fill(batch); many && len(batch) < maxBatch {
			time.Sleep(batchDelay)
			batch = v.fill(batch)
		}
		many = len(batch) >= busyBatch
		v.store(batch)
		clear(batch)
	}
}

const (
	// batchDelay is how long a batch waits for more.
	batchDelay = 200 * time.Microsecond
	// busyBatch is the number of entries in a batch from which on more are
	// expected to come.
	busyBatch = 8
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

// store makes entries durable and sends each its outcome.
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
	v.writeSlot <- struct{}{}
	outcome, err := v.storeOrSpool(b)
	<-v.writeSlot
	lost := v.spoolEarly(outcome.Early)
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

// storeOrSpool writes a batch to the log. It writes it to the spool instead if
// the log is unavailable or if the spool has earlier entries. The log may have
// taken a batch that goes to the spool, or may take it later. That does no
// harm, since it stores each entry once (ViewLog.Append).
func (v *Views) storeOrSpool(b vitrine.Batch) (o vitrine.Outcome, err error) {
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
		wake(v.replayWake)
	}
	return o, nil
}

// Ready returns nil if views can be written. It returns an error if the last
// entries could not be written and the spool still has no room.
func (v *Views) Ready() error {
	if !v.refusing.Load() {
		return nil
	}
	if err := v.Spool.CheckSpace(); err != nil {
		return fmt.Errorf("views cannot be written: %w", err)
	}
	v.refusing.Store(false)
	return nil
}

// append hands a batch to the log, one at a time, and waits until ctx ends. The
// log may still take the batch after that.
func (v *Views) append(ctx context.Context, b vitrine.Batch) (vitrine.Outcome, error) {
	type answer struct {
		vitrine.Outcome
		err error
	}
	select {
	case v.appendSlot <- struct{}{}:
	case <-ctx.Done():
		return vitrine.Outcome{}, ctx.Err()
	}
	answered := make(chan answer, 1)
	go func() {
		defer func() { <-v.appendSlot }()
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
