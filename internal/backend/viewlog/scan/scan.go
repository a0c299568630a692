// Package scan counts views for tallies that are not stored: with a filter, in
// a time zone, by hour. It counts labels by number, checks each label once, and
// skips segments without matching views. Several goroutines share the segments
// of a scan.
package scan

import (
	"context"
	"encoding/binary"
	"errors"
	"sync"

	"vitrine"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/report"
)

// Query defines what a scan counts.
type Query struct {
	report.Lens
	From, To report.Day     // steps [From, To)
	Oldest   segment.Place  // earlier views do not count
	End      vitrine.ViewID // nor do views from this ID on
	Account  bool           // count each link, and no pages of files
	Brief    bool           // count only views, sessions and viewer days, in total and for each step
	Daily    bool           // count only the views of each link and step
	// Word returns the labels of a number. It must be safe for concurrent use.
	Word func(segment.WordID) (*segment.Labels, error)
	// Events are the download events of views, by link, ordered by view.
	Events map[vitrine.LinkID][]Event

	held int // for tests: the bytes in memory of a room; 0 means heldBytes
}

// Event is a download event of a view.
type Event struct {
	View vitrine.ViewID
	Ms   int64
}

// workers is the number of goroutines that count. The caller's goroutine reads.
const workers = 2

// waiting is a segment that waits to be counted.
type waiting struct {
	link  vitrine.LinkID
	first vitrine.ViewID
	data  []byte
}

// Scan is a scan of [Count]. While it counts, one goroutine supplies it with
// views.
type Scan struct {
	query    *Query
	counters [workers]*counter
	segments chan []waiting
	batch    []waiting
	size     int
	rows     int // supplied by Row
	done     sync.WaitGroup
	pool     sync.Pool // of []waiting, reused with their memory
	cancel   context.CancelFunc
	ctx      context.Context
	errs     [workers]error
	tally    *report.Tally
}

// Count begins a scan, has feed supply it with views, and waits until all are
// counted. However it ends, no goroutine of the scan is left.
func Count(ctx context.Context, q *Query, feed func(*Scan) error) (*Scan, error) {
	s := begin(ctx, q)
	defer s.end()
	fed := func() error {
		defer s.stop() // also after a panic
		if err := feed(s); err != nil || len(s.batch) == 0 {
			return err
		}
		return s.send()
	}()
	// An error of a worker is the reason why feeding failed.
	for _, err := range append(s.errs[:], fed) {
		if err != nil {
			return nil, err
		}
	}
	return s, s.sum()
}

func begin(ctx context.Context, q *Query) *Scan {
	s := &Scan{query: q, segments: make(chan []waiting, 2*workers)}
	s.ctx, s.cancel = context.WithCancel(ctx)
	for i := range s.counters {
		s.counters[i] = newCounter(q)
		s.done.Go(func() {
			if s.errs[i] = s.work(s.counters[i]); s.errs[i] != nil {
				s.cancel()
			}
		})
	}
	return s
}

// stop waits until the workers have counted what was sent.
func (s *Scan) stop() {
	close(s.segments)
	s.done.Wait()
}

// end gives back what the scan has outside of its memory.
func (s *Scan) end() {
	s.cancel()
	for _, c := range s.counters {
		c.room.close()
	}
}

// batchBytes is about how many bytes of segments a worker receives at once.
const batchBytes = 1 << 18

// Segment counts the views of a segment. It copies the data.
func (s *Scan) Segment(link vitrine.LinkID, first vitrine.ViewID, data []byte) error {
	if s.batch == nil {
		if b, ok := s.pool.Get().(*[]waiting); ok {
			s.batch = (*b)[:0]
		}
	}
	n := len(s.batch)
	if n < cap(s.batch) {
		s.batch = s.batch[:n+1]
	} else {
		s.batch = append(s.batch, waiting{})
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
	case s.segments <- b:
		return nil
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}

// Row counts a view that is in no segment.
func (s *Scan) Row(link vitrine.LinkID, r *segment.Row) error {
	if s.rows++; s.rows%1024 == 0 && s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	c := s.counters[0]
	c.mu.Lock() // the counter's goroutine may be counting a segment
	defer c.mu.Unlock()
	c.begin(link, r.ID)
	c.match.left = c.match.kinds
	return c.row(r, int64(len(r.Session.Pages)))
}

func (s *Scan) work(c *counter) error {
	for b := range s.segments {
		if err := s.count(c, b); err != nil {
			return err
		}
		s.pool.Put(&b)
	}
	return nil
}

func (s *Scan) count(c *counter, b []waiting) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range b {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if err := c.segment(&b[i]); err != nil {
			return err
		}
	}
	return nil
}

// sum adds up what was counted.
func (s *Scan) sum() error {
	if s.query.Daily {
		return nil
	}
	s.tally = new(report.Tally)
	for _, c := range s.counters {
		if err := c.addTo(s.tally); err != nil {
			return err
		}
	}
	q := distinctQuery{From: s.query.From, To: s.query.To, Links: s.query.Account && !s.query.Brief}
	return errors.Join(countDistinct(s.tally, &q, &s.counters[0].viewerDays, &s.counters[1].viewerDays), s.addTimes())
}

// addTimes adds the engaged times.
func (s *Scan) addTimes() (err error) {
	s.tally.AddEngaged(func(yield func(uint32) bool) {
		for _, c := range s.counters {
			err = errors.Join(err, c.times.each(&c.room, func(b []byte) {
				for ; len(b) > 0; b = b[4:] {
					yield(binary.LittleEndian.Uint32(b))
				}
			}))
		}
	})
	return err
}

// Tally returns the counts. It has no downloads of views that the
// scan did not receive.
func (s *Scan) Tally() *report.Tally { return s.tally }

// EachDaily calls f with the number of views of each link and step.
func (s *Scan) EachDaily(f func(link vitrine.LinkID, step report.Day, n int64)) {
	for _, c := range s.counters {
		for link, sums := range c.links {
			for i, n := range sums.daily {
				f(link, s.query.From+report.Day(i), n)
			}
		}
	}
}
