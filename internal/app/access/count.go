package access

import (
	"context"
	"sync"

	"vitrine"
)

// maxCounts bounds the links whose counts wait for WriteCounts. Gates of more
// are not counted.
const maxCounts = 1 << 14

// counter has what is not written yet of how often gates were shown and
// passed, so that a stranger who opens a gate costs no transaction.
type counter struct {
	mu      sync.Mutex
	waiting map[vitrine.LinkID]vitrine.GateCounts
}

func (c *counter) add(l vitrine.LinkID, more vitrine.GateCounts) {
	c.mu.Lock()
	defer c.mu.Unlock()
	has, known := c.waiting[l]
	if !known && len(c.waiting) >= maxCounts {
		return
	}
	if c.waiting == nil {
		c.waiting = map[vitrine.LinkID]vitrine.GateCounts{}
	}
	c.waiting[l] = vitrine.GateCounts{Shown: has.Shown + more.Shown, Passed: has.Passed + more.Passed}
}

// CountShown counts that a browser was shown the gate of a link.
func (s *Gates) CountShown(l vitrine.LinkID) { s.counts.add(l, vitrine.GateCounts{Shown: 1}) }

// CountPassed counts that a browser passed the gate of a link.
func (s *Gates) CountPassed(l vitrine.LinkID) { s.counts.add(l, vitrine.GateCounts{Passed: 1}) }

// WriteCounts adds the counts so far to those in the store. It is background
// work; what was counted since is lost if the process is killed.
func (s *Gates) WriteCounts(ctx context.Context) error {
	s.counts.mu.Lock()
	waiting := s.counts.waiting
	s.counts.waiting = nil
	s.counts.mu.Unlock()
	if len(waiting) == 0 {
		return nil
	}
	err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
		for l, more := range waiting {
			if err := tx.AddGateCounts(l, more); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		for l, more := range waiting {
			s.counts.add(l, more)
		}
	}
	return err
}

// Counts returns how often the gate of a link was shown and passed: all that
// is in the store, and what this process has not written yet.
func (s *Gates) Counts(ctx context.Context, l vitrine.LinkID) (vitrine.GateCounts, error) {
	c, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) (vitrine.GateCounts, error) { return tx.GateCounts(l) })
	s.counts.mu.Lock()
	defer s.counts.mu.Unlock()
	more := s.counts.waiting[l]
	return vitrine.GateCounts{Shown: c.Shown + more.Shown, Passed: c.Passed + more.Passed}, err
}
