package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"vitrine"
	"vitrine/internal/lease"
	"vitrine/internal/versions"

	"golang.org/x/sync/errgroup"
)

// ScanTime is how long a video may wait for its scan before a person must look
// (contract, Link states).
const ScanTime = 30 * time.Minute

// Scans is the background service that has bytes scanned: videos, which are
// scanned after they became links; what could not be scanned then; and what is
// live, when the signatures change. The links' states are the queue: what is
// interrupted is done again. Several processes share Pending, each link under a
// lease; Rescan is one's at a time. What a scan says counts only while its link
// is as it was when the scan began, so that of two scans of a link, wherever
// they come from, the first to end is the one that counts.
type Scans struct {
	Store   vitrine.Store
	Blobs   vitrine.Blobs
	Scanner vitrine.Scanner
	Now     func() time.Time
	AtOnce  int // how many scans Pending runs side by side; 0: one
	Leases  *lease.Leases
	Plans   vitrine.Plans // how many versions of a file are kept; nil: all
	// Failed, if set, is told of each scan that had no answer.
	Failed func(*vitrine.Link, error)

	mu    sync.Mutex
	since time.Time // when this process first looked
	tries map[vitrine.LinkID]scanTry
}

// scanTry is how often in a row a scan had no answer, and when it may be tried
// again.
type scanTry struct {
	failures int
	pause    time.Duration
	next     time.Time
	scanned  string // Link.Scanned then: another one is someone who asks for it now
}

const (
	// scanPause is the time before a scan without an answer is tried again. It
	// doubles, up to scanPauseMost; and after scanTries failures, which are no
	// scanner's bad hour but this file's fault, up to a day.
	scanPause     = 15 * time.Second
	scanPauseMost = 5 * time.Minute
	scanPauseLast = 24 * time.Hour
	scanTries     = 10
	// scansLooked bounds how many links one transaction lists, or marks.
	scansLooked = 50
)

// Pending scans the links in processing and moves each to where the scan sends
// it.
func (s *Scans) Pending(ctx context.Context) error {
	if err := s.expire(ctx); err != nil {
		return err
	}
	signatures, err := s.Scanner.Signatures(ctx)
	if err != nil {
		return err
	}
	for after := vitrine.LinkID(0); ; {
		if after, err = s.scanBatch(ctx, vitrine.StateProcessing, signatures, after, max(s.AtOnce, 1)); err != nil || after == 0 {
			return err
		}
	}
}

// Rescan scans, one after the other, the links in review that no scanner has
// spoken on, and what is live and was not scanned by the present signatures. A
// hit takes a live link to review. Nothing goes from review to live, which a
// person alone does (contract, Link states); and what the scanner cannot answer
// stays as it is.
func (s *Scans) Rescan(ctx context.Context) error {
	for live := vitrine.LinkID(0); ; {
		signatures, err := s.Scanner.Signatures(ctx)
		if err != nil || signatures == "" { // without a scanner, what one could not answer stays so
			return err
		}
		// What waits in review goes before what is live, of which there may be
		// very much.
		for held := vitrine.LinkID(0); ; {
			if held, err = s.scanBatch(ctx, vitrine.StateReview, signatures, held, 1); err != nil {
				return err
			}
			if held == 0 {
				break
			}
		}
		if live, err = s.scanBatch(ctx, vitrine.StateLive, signatures, live, 1); err != nil || live == 0 {
			return err
		}
	}
}

// Again has one link scanned anew, or with "" all of them, and tells of how
// many: after the scanner was set up otherwise.
func (s *Scans) Again(ctx context.Context, slug string) (n int, err error) {
	mark := "again " + s.Now().UTC().Format(time.RFC3339Nano) // no signatures are named so
	if slug != "" {
		err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
			n = 0
			l, err := vitrine.LinkBySlug(tx, slug)
			if err != nil || l.State == vitrine.StateDisabled || !l.HasBytes {
				return err
			}
			n, l.Scanned = 1, mark
			return tx.PutLink(l)
		})
		return n, err
	}
	for _, state := range []vitrine.LinkState{vitrine.StateReview, vitrine.StateLive} {
		for after, marked := vitrine.LinkID(0), 0; ; n += marked {
			err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
				marked = 0
				due, err := tx.ScanDue(state, mark, after, scansLooked)
				for _, l := range due {
					l.Scanned = mark
					if err := tx.PutLink(l); err != nil {
						return err
					}
					after = l.ID
					marked++
				}
				return err
			})
			if err != nil {
				return n, err
			}
			if marked == 0 {
				break
			}
		}
	}
	return n, nil
}

// expire sends to review what has waited for its scan for ScanTime: since it
// was made, or since this process has been there to scan it.
func (s *Scans) expire(ctx context.Context) error {
	s.mu.Lock()
	if s.since.IsZero() {
		s.since = s.Now()
	}
	s.mu.Unlock()
	var late []outcome
	err := s.Store.Read(ctx, func(tx vitrine.Tx) error {
		late = nil
		waiting, err := tx.Links(vitrine.LinkQuery{State: vitrine.StateProcessing})
		for _, l := range waiting {
			if s.left(l) <= 0 {
				late = append(late, outcome{l, vitrine.Change{Action: vitrine.ActionHold, To: vitrine.StateReview, Reason: vitrine.ReasonScanSlow}, l.Scanned})
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.settle(ctx, late)
}

// left is how long a link in processing may still wait.
func (s *Scans) left(l *vitrine.Link) time.Duration {
	since := l.StateAt
	if s.since.After(since) {
		since = s.since
	}
	return ScanTime - s.Now().Sub(since)
}

// outcome is what a scan says of a link.
type outcome struct {
	link       *vitrine.Link // as it was when the scan began
	change     vitrine.Change
	signatures string
}

// some scans some links in a state, from the one behind after on, several at
// once, and tells the last one; 0: there are no more.
func (s *Scans) scanBatch(ctx context.Context, state vitrine.LinkState, signatures string, after vitrine.LinkID, atOnce int) (last vitrine.LinkID, err error) {
	var due []*vitrine.Link
	err = s.Store.Read(ctx, func(tx vitrine.Tx) (err error) {
		due, err = tx.ScanDue(state, signatures, after, scansLooked)
		return err
	})
	if err != nil || len(due) == 0 {
		return 0, err
	}
	var mu sync.Mutex
	var as []outcome // that leave their links as they are, and are written together
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	for _, l := range due {
		if !s.mayTry(l) {
			continue
		}
		g.Go(func() error {
			return s.leased(inner, l, func(ctx context.Context) error {
				o, ok := s.scan(ctx, l)
				switch {
				case ctx.Err() != nil:
					return ctx.Err()
				case !ok:
					return nil
				case o.change.Action != "":
					return s.settle(ctx, []outcome{o})
				}
				mu.Lock()
				defer mu.Unlock()
				as = append(as, o)
				return nil
			})
		})
	}
	err = g.Wait()
	return due[len(due)-1].ID, errors.Join(err, s.settle(context.WithoutCancel(ctx), as))
}

// leased does what is to be done about a link that other processes may be at,
// too: nothing, when one is.
func (s *Scans) leased(ctx context.Context, l *vitrine.Link, work func(context.Context) error) error {
	if l.State != vitrine.StateProcessing {
		return work(ctx)
	}
	_, err := s.Leases.Hold(ctx, fmt.Sprintf("scan %d", l.ID), func(tx vitrine.Tx) (bool, error) {
		now, err := tx.Link(l.ID)
		return err == nil && awaits(now, l), vitrine.NotFoundIsNil(err)
	}, work)
	if errors.Is(err, lease.ErrLost) {
		return nil // another does it
	}
	return err
}

// awaits reports whether a link is what it was when its scan was begun, or was
// to be.
func awaits(now, then *vitrine.Link) bool {
	return now.State == then.State && now.Reason == then.Reason && now.Scanned == then.Scanned && now.Upload == then.Upload && now.HasBytes && now.DeletedAt.IsZero()
}

// scan has one link scanned. What fails about this link alone is told to
// Failed, keeps no other, and is not ok.
func (s *Scans) scan(ctx context.Context, l *vitrine.Link) (o outcome, ok bool) {
	bounded, cancel := ctx, context.CancelFunc(func() {})
	if l.State == vitrine.StateProcessing {
		bounded, cancel = context.WithTimeout(ctx, s.left(l))
	}
	defer cancel()
	v, signatures, err := s.verdict(bounded, l)
	if ctx.Err() != nil {
		return o, false
	}
	s.tried(l, err)
	if err != nil && !errors.Is(err, vitrine.ErrScanLimit) {
		return o, false
	}
	return outcome{l, changeFor(l, v, err), signatures}, true
}

func (s *Scans) verdict(ctx context.Context, l *vitrine.Link) (vitrine.Verdict, string, error) {
	blob, err := s.Blobs.Open(ctx, l.Upload)
	if err != nil {
		return vitrine.Verdict{}, "", err // deleted meanwhile, or lost, which the audit tells
	}
	defer blob.Close()
	return scanBytes(ctx, s.Scanner, blob)
}

// settle writes what scans of links say, in one transaction, and removes the
// bytes of what was found to be malware. A link that is not any more what it
// was when its scan began is left alone.
func (s *Scans) settle(ctx context.Context, all []outcome) error {
	if len(all) == 0 {
		return nil
	}
	var doomed []vitrine.UploadID
	err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
		doomed = nil
		for _, o := range all {
			now, err := tx.Link(o.link.ID)
			if err != nil || !awaits(now, o.link) {
				if err = vitrine.NotFoundIsNil(err); err != nil {
					return err
				}
				continue
			}
			now.Scanned = o.signatures
			c := o.change
			if c.Action != "" && now.State == vitrine.StateLive {
				known, err := clearedBefore(tx, now, c)
				if err != nil {
					return err
				}
				if known {
					c = vitrine.Change{}
				}
			}
			if c.Action == "" {
				err = tx.PutLink(now)
			} else {
				if c.To == vitrine.StateDisabled {
					now.HasBytes = false
					doomed = append(doomed, now.Upload)
				}
				c.By = vitrine.Actor{Kind: vitrine.ActorScanner}
				if err = now.Transition(tx, s.Now(), c); err == nil {
					err = versions.Settled(tx, now, o.link.State, c.By, s.Plans, s.Now())
				}
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	// Bytes that stay behind when this is interrupted are swept: their link has
	// none.
	for _, id := range doomed {
		if err == nil {
			err = s.Blobs.Delete(ctx, id)
		}
	}
	return err
}

// clearedBefore reports whether a person has cleared a link of the very finding
// already: it is not taken down by it again.
func clearedBefore(tx vitrine.Tx, l *vitrine.Link, c vitrine.Change) (bool, error) {
	found, cleared := false, false
	look := func(h *vitrine.Change) bool {
		if h.Action == vitrine.ActionReplace || h.Action == vitrine.ActionRestore {
			return false // what was decided before was about another file
		}
		found = cleared && h.Reason == c.Reason && h.Detail == c.Detail
		cleared = h.Action == vitrine.ActionClear
		return !found
	}
	if err := vitrine.EachChange(tx, l.ID, look); err != nil || found || l.Versions == 0 {
		return found, err
	}
	own, err := tx.Version(l.ID, l.Version) // the current file was held before it became the link's
	if err != nil {
		return false, vitrine.NotFoundIsNil(err)
	}
	cleared = false
	err = vitrine.EachChange(tx, own.ID, look)
	return found, err
}

func (s *Scans) mayTry(l *vitrine.Link) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.tries[l.ID]
	wait := t.next.Sub(s.Now())
	return !ok || wait <= 0 || wait > t.pause /* the clock was set back */ || t.scanned != l.Scanned
}

// tried notes how a scan ended.
func (s *Scans) tried(l *vitrine.Link, err error) {
	if err == nil || errors.Is(err, vitrine.ErrScanLimit) || errors.Is(err, vitrine.ErrNotFound) {
		s.mu.Lock()
		delete(s.tries, l.ID)
		s.mu.Unlock()
		return
	}
	s.mu.Lock()
	if s.tries == nil {
		s.tries = map[vitrine.LinkID]scanTry{}
	}
	t := s.tries[l.ID]
	t.pause = min(max(scanPause, 2*t.pause), scanPauseMost)
	if t.failures >= scanTries {
		t.pause = min(scanPauseMost<<min(t.failures-scanTries, 10), scanPauseLast)
	}
	t.failures++
	t.next, t.scanned = s.Now().Add(t.pause), l.Scanned
	s.tries[l.ID] = t
	s.mu.Unlock()
	if s.Failed != nil {
		s.Failed(l, err)
	}
}

// scanBytes has a whole blob scanned, and says by which signatures at least it
// was. An answer that is none of a Verdict's is an error.
func scanBytes(ctx context.Context, scanner vitrine.Scanner, b vitrine.Blob) (v vitrine.Verdict, signatures string, err error) {
	if signatures, err = scanner.Signatures(ctx); err != nil {
		return v, "", err
	}
	v, err = scanner.Scan(ctx, io.NewSectionReader(b, 0, b.Size()), b.Size())
	switch {
	case errors.Is(err, vitrine.ErrScanLimit):
		return v, signatures, err
	case err != nil:
		return v, "", cmp.Or(context.Cause(ctx), err)
	case v.Result != vitrine.ScanClean && v.Result != vitrine.ScanSuspicious && v.Result != vitrine.ScanMalware:
		return v, "", fmt.Errorf("%s said nothing", scanner.Name())
	}
	return v, signatures, nil
}

// unscanned is why a link waits that a scanner did not speak on, and what
// exactly it said.
func unscanned(err error) (reason, detail string) {
	switch {
	case errors.Is(err, vitrine.ErrScanLimit):
		return vitrine.ReasonScanLimit, limitOf(err)
	case errors.Is(err, context.DeadlineExceeded):
		return vitrine.ReasonScanSlow, ""
	}
	return vitrine.ReasonScanUnavailable, ""
}

// limitOf is what an error with ErrScanLimit says of the limit.
func limitOf(err error) string {
	_, limit, _ := strings.Cut(err.Error(), vitrine.ErrScanLimit.Error()+": ")
	return vitrine.OneLine(limit)
}
