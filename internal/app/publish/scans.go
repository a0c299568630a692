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
	"vitrine/internal/app/access"
	"vitrine/internal/app/fleet"
	"vitrine/internal/app/links"
	"vitrine/internal/filetype"

	"golang.org/x/sync/errgroup"
)

// ScanTime is how long a video may wait for its scan before it goes to review
// (contract, Link states). Pending applies it.
const ScanTime = 30 * time.Minute

// Scans scans files in the background: videos, once they are links; files that
// could not be scanned on completion; and live links when the signatures
// change. The links' states are the queue, so interrupted scans are done again.
//
// Several processes may run Pending at once: each link is scanned under a
// lease. Only one process may run Rescan at a time. The result of a scan counts
// only if its link is as it was when the scan began. So if two scans of a link
// overlap, only the first result is applied.
type Scans struct {
	Store       vitrine.Store
	Blobs       vitrine.Blobs
	Scanner     vitrine.Scanner
	Now         func() time.Time
	Concurrency int // number of concurrent scans of Pending; 0 means one
	Leases      *fleet.Leases
	Plans       vitrine.Plans // how many versions of a file are kept; nil means all
	// Failed, unless nil, is called for each scan without an answer.
	Failed func(*vitrine.Link, error)

	mu    sync.Mutex
	since time.Time // when this process first looked
	tries map[vitrine.LinkID]scanTry
}

// scanTry counts how often in a row a scan had no answer, and stores when the
// next may begin.
type scanTry struct {
	failures int
	pause    time.Duration
	next     time.Time
	scanned  string // Link.Scanned at that time; if it differs now, a new scan was asked for
}

const (
	// scanPause is the time before a scan without an answer is tried again. It
	// doubles, up to maxScanPause. After scanTries failures the cause is
	// likely the file and not the scanner, and the time doubles up to
	// exhaustedScanPause.
	scanPause          = 15 * time.Second
	maxScanPause       = 5 * time.Minute
	exhaustedScanPause = 24 * time.Hour
	scanTries          = 10
	// scanListBatch bounds how many links one transaction lists or marks.
	scanListBatch = 50
)

// Pending scans the links in processing and gives each the state that the scan
// asks for.
func (s *Scans) Pending(ctx context.Context) error {
	if err := s.expire(ctx); err != nil {
		return err
	}
	signatures, err := s.Scanner.Signatures(ctx)
	if err != nil {
		return err
	}
	for after := vitrine.LinkID(0); ; {
		if after, err = s.scanBatch(ctx, vitrine.StateProcessing, signatures, after,
			max(s.Concurrency, 1)); err != nil ||
			after == 0 {
			return err
		}
	}
}

// Rescan scans, one after the other, the links in review and the live links
// that were not scanned with the present signatures. A finding moves a live
// link to review. Rescan never makes a link in review live: only a person does
// (contract, Link states). A link whose scan has no answer stays unchanged.
func (s *Scans) Rescan(ctx context.Context) error {
	for live := vitrine.LinkID(0); ; {
		signatures, err := s.Scanner.Signatures(ctx)
		if err != nil || signatures == "" { // without a scanner nothing changes
			return err
		}
		// Links in review go before live links, because there may be very many
		// live links.
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

// MarkForScan marks one link, or with "" all links, to be scanned again, and
// returns how many. It is for use after a change of the scanner's
// configuration.
func (s *Scans) MarkForScan(ctx context.Context, slug string) (n int, err error) {
	mark := "again " + s.Now().UTC().Format(time.RFC3339Nano) // no signature version has this form
	if slug != "" {
		err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
			n = 0
			l, err := links.LinkBySlug(tx, slug)
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
				due, err := tx.ScanDue(state, mark, after, scanListBatch)
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

// expire moves links to review that have waited for their scan for ScanTime,
// counted from when they went into processing or from when this process first
// looked, the later of both.
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
			if s.timeLeft(l) <= 0 {
				late = append(late, outcome{l, vitrine.Change{Action: vitrine.ActionHold, To: vitrine.StateReview,
					Reason: vitrine.ReasonScanSlow}, l.Scanned})
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.writeOutcomes(ctx, late)
}

// timeLeft returns how long a link in processing may still wait.
func (s *Scans) timeLeft(l *vitrine.Link) time.Duration {
	since := l.StateAt
	if s.since.After(since) {
		since = s.since
	}
	return ScanTime - s.Now().Sub(since)
}

// outcome is the result of a link's scan.
type outcome struct {
	link       *vitrine.Link // in the state when the scan began
	change     vitrine.Change
	signatures string
}

// scanBatch scans the next links in a state after the given ID, atOnce at a
// time. It returns the ID of the last link, or 0 if there are no more.
func (s *Scans) scanBatch(ctx context.Context, state vitrine.LinkState, signatures string, after vitrine.LinkID,
	atOnce int) (last vitrine.LinkID, err error) {
	due, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]*vitrine.Link, error) {
		return tx.ScanDue(state, signatures, after, scanListBatch)
	})
	if err != nil || len(due) == 0 {
		return 0, err
	}
	var mu sync.Mutex
	var as []outcome // results that change no state, which are written together
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
					return s.writeOutcomes(ctx, []outcome{o})
				}
				mu.Lock()
				defer mu.Unlock()
				as = append(as, o)
				return nil
			})
		})
	}
	err = g.Wait()
	return due[len(due)-1].ID, errors.Join(err, s.writeOutcomes(context.WithoutCancel(ctx), as))
}

// leased does work on a link unless another process holds the link's lease.
// Only links in processing need one.
func (s *Scans) leased(ctx context.Context, l *vitrine.Link, work func(context.Context) error) error {
	if l.State != vitrine.StateProcessing {
		return work(ctx)
	}
	_, err := s.Leases.Hold(ctx, fmt.Sprintf("scan %d", l.ID), func(tx vitrine.Tx) (bool, error) {
		current, err := tx.Link(l.ID)
		return err == nil && unchangedSince(current, l), vitrine.NotFoundIsNil(err)
	}, work)
	if errors.Is(err, fleet.ErrLost) {
		return nil // another process does it
	}
	return err
}

// unchangedSince reports whether a link has not changed since its scan began or
// was planned.
func unchangedSince(current, then *vitrine.Link) bool {
	return current.State == then.State && current.Reason == then.Reason && current.Scanned == then.Scanned &&
		current.Upload == then.Upload && current.HasBytes && current.DeletedAt.IsZero()
}

// scan scans one link. If that fails for this link alone, it calls Failed and
// returns false; the other links are not affected.
func (s *Scans) scan(ctx context.Context, l *vitrine.Link) (o outcome, ok bool) {
	bounded, cancel := ctx, context.CancelFunc(func() {})
	if l.State == vitrine.StateProcessing {
		bounded, cancel = context.WithTimeout(ctx, s.timeLeft(l))
	}
	defer cancel()
	v, signatures, err := s.verdict(bounded, l)
	if ctx.Err() != nil {
		return o, false
	}
	s.recordTry(l, err)
	if err != nil && !errors.Is(err, vitrine.ErrScanLimit) {
		return o, false
	}
	return outcome{l, changeFor(l, v, err), signatures}, true
}

func (s *Scans) verdict(ctx context.Context, l *vitrine.Link) (vitrine.Verdict, string, error) {
	blob, err := s.Blobs.Open(ctx, l.Upload)
	if err != nil {
		return vitrine.Verdict{}, "", err // deleted concurrently, or lost, which the audit reports
	}
	defer blob.Close()
	return scanBytes(ctx, s.Scanner, blob)
}

// writeOutcomes writes the outcomes of scans in one transaction, and deletes
// the bytes of links that it disables as malware. It skips links that have
// changed since their scan began.
func (s *Scans) writeOutcomes(ctx context.Context, all []outcome) error {
	if len(all) == 0 {
		return nil
	}
	var doomed []vitrine.UploadID
	err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
		doomed = nil
		for _, o := range all {
			current, err := tx.Link(o.link.ID)
			if err != nil || !unchangedSince(current, o.link) {
				if err = vitrine.NotFoundIsNil(err); err != nil {
					return err
				}
				continue
			}
			current.Scanned = o.signatures
			c := o.change
			if c.Action != "" && current.State == vitrine.StateLive {
				known, err := clearedBefore(tx, current, c)
				if err != nil {
					return err
				}
				if known {
					c = vitrine.Change{}
				}
			}
			if c, err = heldIfRefused(tx, current, c); err != nil {
				return err
			}
			if c.Action == "" {
				err = tx.PutLink(current)
			} else {
				if c.To == vitrine.StateDisabled {
					current.HasBytes = false
					doomed = append(doomed, current.Upload)
				}
				c.By = vitrine.Actor{Kind: vitrine.ActorScanner}
				if err = current.Transition(tx, s.Now(), c); err == nil {
					err = links.UpdateSettled(tx, current, o.link.State, c.By, s.Plans, s.Now())
				}
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	// If this is interrupted, the remaining bytes are swept, because their
	// links have HasBytes unset.
	for _, id := range doomed {
		if err == nil {
			err = s.Blobs.Delete(ctx, id)
		}
	}
	return err
}

// heldIfRefused holds a clean file if the same bytes were taken down meanwhile.
func heldIfRefused(tx vitrine.LinkTx, l *vitrine.Link, c vitrine.Change) (vitrine.Change, error) {
	if c.To != vitrine.StateLive {
		return c, nil
	}
	err := access.CheckPublish(tx, l, vitrine.Actor{Kind: vitrine.ActorScanner})
	if vitrine.CodeOf(err) == vitrine.CodeForbidden {
		return vitrine.Change{Action: vitrine.ActionHold, To: vitrine.StateReview,
			Reason: vitrine.ReasonKnownBytes}, nil
	}
	return c, err
}

// clearedBefore reports whether a person has cleared a link of the same finding
// before. Then the finding does not hold the link again.
func clearedBefore(tx vitrine.Tx, l *vitrine.Link, c vitrine.Change) (bool, error) {
	found, cleared := false, false
	look := func(h *vitrine.Change) bool {
		if h.Action == vitrine.ActionDate {
			return true
		}
		if h.Action == vitrine.ActionReplace || h.Action == vitrine.ActionRestore {
			return false // earlier decisions were about another file
		}
		found = cleared && h.Reason == c.Reason && h.Detail == c.Detail
		cleared = h.Action == vitrine.ActionClear
		return !found
	}
	if err := links.EachChange(tx, l.ID, look); err != nil || found || l.Versions == 0 {
		return found, err
	}
	own, err := tx.Version(l.ID, l.Version) // the current file was held before it became the link's
	if err != nil {
		return false, vitrine.NotFoundIsNil(err)
	}
	cleared = false
	err = links.EachChange(tx, own.ID, look)
	return found, err
}

func (s *Scans) mayTry(l *vitrine.Link) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.tries[l.ID]
	wait := t.next.Sub(s.Now())
	return !ok || wait <= 0 || wait > t.pause /* the clock was set back */ || t.scanned != l.Scanned
}

// recordTry records how a scan ended.
func (s *Scans) recordTry(l *vitrine.Link, err error) {
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
	t.pause = min(max(scanPause, 2*t.pause), maxScanPause)
	if t.failures >= scanTries {
		t.pause = min(maxScanPause<<min(t.failures-scanTries, 10), exhaustedScanPause)
	}
	t.failures++
	t.next, t.scanned = s.Now().Add(t.pause), l.Scanned
	s.tries[l.ID] = t
	s.mu.Unlock()
	if s.Failed != nil {
		s.Failed(l, err)
	}
}

// scanBytes scans a whole blob. The signatures that were used are those
// returned or newer ones. A result that is not one of a Verdict's is an error.
func scanBytes(ctx context.Context, scanner vitrine.Scanner,
	b vitrine.Blob) (v vitrine.Verdict, signatures string, err error) {
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

// unscanned returns the reason and detail of a link whose scan had no verdict.
func unscanned(err error) (reason, detail string) {
	switch {
	case errors.Is(err, vitrine.ErrScanLimit):
		return vitrine.ReasonScanLimit, limitOf(err)
	case errors.Is(err, context.DeadlineExceeded):
		return vitrine.ReasonScanSlow, ""
	}
	return vitrine.ReasonScanUnavailable, ""
}

// limitOf returns the limit that an error with ErrScanLimit names.
func limitOf(err error) string {
	_, limit, _ := strings.Cut(err.Error(), vitrine.ErrScanLimit.Error()+": ")
	return filetype.OneLine(limit)
}

// NoScanner is the Scanner of an instance without one. The inspection of the
// bytes, which precedes any scan, is then the only check. The program logs this
// when it starts.
type NoScanner struct{}

func (NoScanner) Name() string { return "none" }

func (NoScanner) Signatures(context.Context) (string, error) { return "", nil }

// Scan returns clean without reading: inspection has checked the file.
func (NoScanner) Scan(context.Context, io.Reader, int64) (vitrine.Verdict, error) {
	return vitrine.Verdict{Result: vitrine.ScanClean}, nil
}
