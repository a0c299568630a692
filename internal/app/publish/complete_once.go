package publish

import (
	"context"
	"runtime"
	"sync"
	"time"

	"vitrine"
	"vitrine/internal/base/throttle"
)

// inspectWait is how long an inspection waits for its turn. takeTurn applies
// it.
const inspectWait = time.Minute

// checks are the checks of uploads that this process is doing.
type checks struct {
	mu    sync.Mutex
	of    map[vitrine.UploadID]*check // those that a caller may join
	turns *throttle.Turns[vitrine.AccountID]
}

// check is one check of an upload, shared by all its callers.
type check struct {
	callers int             // how many wait for it
	begun   bool            // the inspection has its turn, and continues without callers
	waiting context.Context // ends the wait for the turn
	leave   context.CancelFunc
	done    chan struct{}
	link    *vitrine.Link
	err     error
}

// checkOnce returns what f returns for an upload. One f runs at a time for each
// upload, and all callers get its result. f goes on when its first caller goes
// away, because others may wait for it. When all have gone away before the
// inspection had its turn, the waiting ends.
func (s *Uploads) checkOnce(ctx context.Context, id vitrine.UploadID,
	f func(*check) (*vitrine.Link, error)) (*vitrine.Link, error) {
	c, first := s.checks.join(ctx, id)
	if !first {
		select {
		case <-c.done:
			return c.result()
		case <-ctx.Done():
			s.checks.leave(id, c)
			return nil, ctx.Err()
		}
	}
	defer c.leave()
	defer context.AfterFunc(ctx, func() { s.checks.leave(id, c) })()
	defer func() { // also when f panics
		s.checks.end(id, c)
		close(c.done)
	}()
	c.link, c.err = f(c)
	return c.result()
}

// result returns the result; each caller gets a copy of the link.
func (c *check) result() (*vitrine.Link, error) {
	if c.err != nil {
		return nil, c.err
	}
	l := *c.link
	return &l, nil
}

// join returns the check of an upload, and whether the caller has to do it.
func (s *checks) join(ctx context.Context, id vitrine.UploadID) (c *check, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.of[id]; c != nil {
		c.callers++
		return c, false
	}
	if s.of == nil {
		s.of = map[vitrine.UploadID]*check{}
	}
	c = &check{callers: 1, done: make(chan struct{}),
		err: vitrine.Errorf(vitrine.CodeInternal, "The check of the file failed.")}
	c.waiting, c.leave = context.WithCancel(context.WithoutCancel(ctx))
	s.of[id] = c
	return c, true
}

// leave records that a caller of a check has gone away.
func (s *checks) leave(id vitrine.UploadID, c *check) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.callers--; c.callers == 0 && !c.begun {
		c.leave()
		s.remove(id, c)
	}
}

func (s *checks) end(id vitrine.UploadID, c *check) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(id, c)
}

func (s *checks) remove(id vitrine.UploadID, c *check) {
	if s.of[id] == c {
		delete(s.of, id)
	}
}

// takeTurn waits for the inspection's turn. It returns CodeUnavailable after
// inspectWait, or when all callers have gone away. Otherwise the caller must
// call release.
func (s *Uploads) takeTurn(c *check, a vitrine.AccountID) (release func(), err error) {
	s.checks.mu.Lock()
	if s.checks.turns == nil {
		n := s.Inspections
		if n == 0 {
			n = runtime.GOMAXPROCS(0)
		}
		s.checks.turns = throttle.NewTurns[vitrine.AccountID](n)
	}
	turns := s.checks.turns
	s.checks.mu.Unlock()
	ctx, cancel := context.WithTimeout(c.waiting, inspectWait)
	defer cancel()
	if err := turns.Take(ctx, a); err != nil {
		return nil, vitrine.Unavailable(err)
	}
	s.checks.mu.Lock()
	defer s.checks.mu.Unlock()
	if err := c.waiting.Err(); err != nil {
		turns.Release(a)
		return nil, vitrine.Unavailable(err)
	}
	c.begun = true
	return func() { turns.Release(a) }, nil
}
