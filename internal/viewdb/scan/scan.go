// Package scan counts views of a log for tallies that are not stored: of a
// filter, of a time zone, of hours. It counts labels by their numbers, looks at
// each label once, and skips segments without a view that is wanted. Several
// goroutines share the segments of a scan.
package scan

import (
	"context"
	"sync"

	"vitrine"
	"vitrine/internal/viewdb/segment"
	"vitrine/report"
)

// Query says what a scan counts.
type Query struct {
	report.Lens
	From, To report.Day     // steps, exclusive
	Oldest   segment.Place  // views before it do not count
	End      vitrine.ViewID // nor do those from here on
	Account  bool           // counts are kept for each link, and not for pages of a file
	Brief    bool           // the counters, and the steps with their views, sessions and visits, alone
	Daily    bool           // views of each link and step, alone
	// Word finds the labels of a number. It is safe for several goroutines.
	Word func(segment.LabelID) (*segment.Labels, error)
	// Events are the download events of views, by link, in the order of their
	// views.
	Events map[vitrine.LinkID][]Event
}

// Event is a download event of a view.
type Event struct {
	View vitrine.ViewID
	Ms   int64
}

// workers is how many goroutines count. One more reads for them.
const workers = 2

// pack is a segment that waits to be counted.
type pack struct {
	link  vitrine.LinkID
	first vitrine.ViewID
	data  []byte
}

// Scan is a scan that is under way. One goroutine gives it what there is.
type Scan struct {
	query    *Query
	counters [workers]*counter
	packs    chan []pack
	batch    []pack
	size     int
	done     sync.WaitGroup
	pool     sync.Pool // of []pack, with memory for their data
	cancel   context.CancelFunc
	ctx      context.Context
	errs     [workers]error
	tally    *report.Tally
}

// Begin begins a scan. End has to be called.
func Begin(ctx context.Context, q *Query) *Scan {
	s := &Scan{query: q, packs: make(chan []pack, 2*workers)}
	s.ctx, s.cancel = context.WithCancel(ctx)
	for i := range s.counters {
		s.counters[i] = newCounter(q)
		s.done.Go(func() { s.errs[i] = s.work(s.counters[i]) })
	}
	return s
}

// batchBytes is about how many bytes of segments are handed on at once.
const batchBytes = 1 << 18

// Segment counts the views of a segment, whose memory is the caller's again
// when it returns.
func (s *Scan) Segment(link vitrine.LinkID, first vitrine.ViewID, data []byte) error {
	if s.batch == nil {
		if b, ok := s.pool.Get().(*[]pack); ok {
			s.batch = (*b)[:0]
		}
	}
	n := len(s.batch)
	if n < cap(s.batch) {
		s.batch = s.batch[:n+1]
	} else {
		s.batch = append(s.batch, pack{})
	}
	p := &s.batch[n]
	p.link, p.first, p.data = link, first, append(p.data[:0], data...)
	if s.size += len(data); s.size < batchBytes {
		return nil
	}
	return s.send()
}

func (s *Scan) send() error {
	b := s.batch
	s.batch, s.size = nil, 0
	select {
	case s.packs <- b:
		return nil
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}

// Row counts a view that is in no segment.
func (s *Scan) Row(link vitrine.LinkID, r *segment.Row) error {
	c := s.counters[0]
	c.mu.Lock() // its goroutine may be at a segment
	defer c.mu.Unlock()
	c.begin(link, r.ID)
	return c.row(r, int64(len(r.Session.Pages)))
}

func (s *Scan) work(c *counter) error {
	defer s.cancelOnError(c)
	for b := range s.packs {
		c.mu.Lock()
		for i := range b {
			if err := c.segment(&b[i]); err != nil {
				c.mu.Unlock()
				c.failed = true
				return err
			}
		}
		c.mu.Unlock()
		s.pool.Put(&b)
	}
	return nil
}

func (s *Scan) cancelOnError(c *counter) {
	if c.failed {
		s.cancel()
	}
}

// End waits until everything is counted. With an error there is no answer.
func (s *Scan) End() error {
	var err error
	if len(s.batch) > 0 {
		err = s.send()
	}
	close(s.packs)
	s.done.Wait()
	s.cancel()
	for _, e := range s.errs {
		if e != nil {
			return e
		}
	}
	if err != nil || s.query.Daily {
		return err
	}
	s.tally = new(report.Tally)
	for _, c := range s.counters {
		if err := c.addTo(s.tally); err != nil {
			return err
		}
	}
	addVisits(s.tally, s.query, s.counters[:])
	return nil
}

// Tally is what was counted, after End: without downloads of views that were
// not given.
func (s *Scan) Tally() *report.Tally { return s.tally }

// EachDaily calls f with the views of links and steps, after End.
func (s *Scan) EachDaily(f func(link vitrine.LinkID, step report.Day, n int64)) {
	for _, c := range s.counters {
		for link, sums := range c.links {
			for i, n := range sums.daily {
				f(link, s.query.From+report.Day(i), n)
			}
		}
	}
}
