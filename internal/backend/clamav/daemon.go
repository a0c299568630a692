package clamav

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"vitrine"
)

const (
	// idleTime is less than clamd's ReadTimeout, 2 minutes unless set.
	idleTime = 90 * time.Second
	// failurePause is how long a daemon is tried last after a failure.
	failurePause = 10 * time.Second
	// minSpeed is the slowest speed of a scan, in bytes a second.
	minSpeed = 5_000_000
)

type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// daemon is one clamd and its idle sessions.
type daemon struct {
	address Address
	dial    dialer
	timeout time.Duration

	// Used by the scanner, under its lock.
	busy    int
	resting time.Time // until then it is tried last

	mu     sync.Mutex
	idle   []*session
	closed bool
}

// scan scans the bytes of r. begun reports whether bytes of r may have been
// read.
func (d *daemon) scan(ctx context.Context, r io.Reader, size int64) (v vitrine.Verdict, begun bool, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, d.timeout+time.Duration(size/minSpeed)*time.Second, errSlow)
	defer cancel()
	s, err := d.session(ctx)
	if err != nil {
		return vitrine.Verdict{}, false, err
	}
	kept := false
	defer func() {
		if !kept { // also when r panics
			s.close()
		}
	}()
	err = s.during(ctx, func() error {
		answer, err := s.stream(r, size)
		if err == nil {
			v, err = verdict(answer)
		}
		return err
	})
	if err != nil {
		return vitrine.Verdict{}, true, d.withAdvice(err)
	}
	kept = true
	d.keep(s)
	return v, true, nil
}

// session returns an idle session that still works, or opens one.
func (d *daemon) session(ctx context.Context) (*session, error) {
	s, err := d.takeHealthy(ctx)
	if s == nil && err == nil {
		s, err = begin(ctx, d.dial, d.address)
	}
	return s, d.withAdvice(err)
}

// takeHealthy returns an idle session that still works, or nil.
func (d *daemon) takeHealthy(ctx context.Context) (*session, error) {
	for s := d.take(); s != nil; s = d.take() {
		if err := s.during(ctx, func() error { return s.askVersion("") }); err == nil {
			return s, nil
		}
		s.close()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return nil, nil
}

// greet asks for the version on an idle session, or on one that is opened for
// this only.
func (d *daemon) greet(ctx context.Context) (version, error) {
	s, err := d.takeHealthy(ctx)
	if s != nil {
		d.keep(s)
		return s.version, nil
	}
	if err == nil {
		s, err = greet(ctx, d.dial, d.address)
	}
	if err != nil {
		return "", d.withAdvice(err)
	}
	s.close()
	return s.version, nil
}

// take removes and returns the session that was used last, or nil.
func (d *daemon) take() *session {
	d.mu.Lock()
	defer d.mu.Unlock()
	for n := len(d.idle); n > 0; n = len(d.idle) {
		s := d.idle[n-1]
		d.idle = d.idle[:n-1]
		if s.idle.Stop() {
			return s
		}
	}
	return nil
}

// keep stores a session for reuse until it has been idle for idleTime.
func (d *daemon) keep(s *session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		s.close()
		return
	}
	s.idle = time.AfterFunc(idleTime, func() { d.drop(s) })
	d.idle = append(d.idle, s)
}

// drop closes an idle session.
func (d *daemon) drop(s *session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, other := range d.idle {
		if other == s {
			d.idle = append(d.idle[:i], d.idle[i+1:]...)
			break
		}
	}
	s.close()
}

// close closes the idle sessions. Those in use are closed at the end of their
// scan.
func (d *daemon) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for _, s := range d.idle {
		s.idle.Stop()
		s.close()
	}
	d.idle = nil
}

// withAdvice adds the address of clamd to an error, and the remedy if it is
// known.
func (d *daemon) withAdvice(err error) error {
	if err == nil {
		return nil
	}
	if a := advice(d.address, err); a != "" {
		return fmt.Errorf("clamd at %v: %s: %w", d.address, a, err)
	}
	return fmt.Errorf("clamd at %v: %w", d.address, err)
}
