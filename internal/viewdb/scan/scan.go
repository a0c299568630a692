// Package scan counts views for tallies that are not stored: with a filter, in
// a time zone, by hour. It counts labels by number, checks each label once, and
// skips segments without matching views. Several goroutines share the segments
// of a scan.
package scan

import (
	"context"
	"sync"

	"vitrine"
	"vitrine/internal/viewdb/segment"
	"vitrine/internal/visits"
	"vitrine/report"
)

// Query defines what a scan counts.
type Query struct {
	report.Lens
	From, To report.Day     // steps [From, To)
	Oldest   segment.Place  // earlier views do not count
	End      vitrine.ViewID // nor do views from this ID on
	Account  bool           // count each link, and no pages of files
	Brief    bool           // count only views, sessions and visits, in total and for each step
	Daily    bool           // count only the views of each link and step
	// Word returns the labels of a number. It must be safe for concurrent use.
	Word func(segment.LabelID) (*segment.Labels, error)
	// Events are the download events of views, by link, ordered by view.
	Events map[vitrine.LinkID][]Event
}

// Event is a download event of a view.
type Event struct {
	View vitrine.ViewID
	Ms   int64
}

// workers is the number of goroutines that count. The caller's goroutine reads.
const workers = 2

// pack is a segment that waits to be counted.
type pack struct {
	link  vitrine.LinkID
	first vitrine.ViewID
	data  []byte
}

// Scan is a scan in progress. One goroutine supplies it with views.
type Scan struct {
	query    *Query
	counters [workers]*counter
	packs    chan []pack
	batch    []pack
	size     int
	done     sync.WaitGroup
	pool     sync.Pool // of []pack, reused with their memory
	cancel   context.CancelFunc
	ctx      context.Context
	errs     [workers]error
	tally    *report.Tally
}

// Begin begins a scan. The caller must call End.
func Begin(ctx context.Context, q *Query) *Scan {
	s := &Scan{query: q, packs: make(chan []pack, 2*workers)}
	s.ctx, s.cancel = context.WithCancel(ctx)
	for i := range s.counters {
		s.counters[i] = newCounter(q)
		s.done.Go(func() { s.errs[i] = s.work(s.counters[i]) })
	}
	return s
}

// batchBytes is about how many bytes of segments a worker receives at once.
const batchBytes = 1 << 18

// Segment counts the views of a segment. It copies the data.
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
	c.mu.Lock() // the counter's goroutine may be counting a segment
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

// End waits until everything is counted. After an error the tally is invalid.
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
	visits.Count(s.tally, &visits.Query{From: s.query.From, To: s.query.To, Links: s.query.Account && !s.query.Brief},
		&s.counters[0].visits, &s.counters[1].visits)
	return nil
}

// Tally returns the counts after End. It has no downloads of views that the
// scan did not receive.
func (s *Scan) Tally() *report.Tally { return s.tally }

// EachDaily calls f with the number of views of each link and step, after End.
func (s *Scan) EachDaily(f func(link vitrine.LinkID, step report.Day, n int64)) {
	for _, c := range s.counters {
		for link, sums := range c.links {
			for i, n := range sums.daily {
				f(link, s.query.From+report.Day(i), n)
			}
		}
	}
}
