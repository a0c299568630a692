package clamav

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"vitrine"
)

// Options are the options of a Scanner.
type Options struct {
	Addresses       []string      // of one or more clamd; see ParseAddress
	Concurrency     int           // concurrent scans per daemon; 0 means 4; further scans wait
	Timeout         time.Duration // of a scan, plus a second for each 5 MB; 0 means 2 minutes 30 seconds
	MaxSignatureAge time.Duration // how long the result of Signatures is cached; 0 means 15 seconds
}

const (
	defaultConcurrency     = 4
	defaultMaxSignatureAge = 15 * time.Second
	defaultTimeout         = 150 * time.Second // clamd's own limit, MaxScanTime, defaults to 2 minutes
)

// Scanner is a vitrine.Scanner that uses one or more clamd.
type Scanner struct {
	daemons         []*daemon
	concurrency     int
	maxSignatureAge time.Duration

	mu      sync.Mutex
	waiting []*waiter // in order of arrival

	asking       sync.Mutex // held while the daemons are asked for their versions
	signatures   string
	signaturesAt time.Time
}

// waiter is a scan that waits for its turn.
type waiter struct {
	tried    []*daemon
	acquired chan *daemon
}

var _ vitrine.Scanner = (*Scanner)(nil)

// New returns a Scanner. It does not connect; see Check.
func New(o Options) (*Scanner, error) {
	if len(o.Addresses) == 0 {
		return nil, errors.New("no address of clamd is given")
	}
	if o.Concurrency < 0 || o.Timeout < 0 {
		return nil, errors.New("the number of scans at once and their time cannot be negative")
	}
	if o.Concurrency == 0 {
		o.Concurrency = defaultConcurrency
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if o.MaxSignatureAge == 0 {
		o.MaxSignatureAge = defaultMaxSignatureAge
	}
	s := &Scanner{concurrency: o.Concurrency, maxSignatureAge: o.MaxSignatureAge}
	for _, text := range o.Addresses {
		a, err := ParseAddress(text)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(s.daemons, func(d *daemon) bool { return d.address == a }) {
			return nil, fmt.Errorf("clamd at %v is given twice", a)
		}
		s.daemons = append(s.daemons, &daemon{address: a, dial: new(net.Dialer).DialContext, timeout: o.Timeout})
	}
	return s, nil
}

// Name returns "clamd at" and the addresses.
func (s *Scanner) Name() string {
	var addresses []string
	for _, d := range s.daemons {
		addresses = append(addresses, d.address.String())
	}
	return "clamd at " + strings.Join(addresses, ", ")
}

// Scan scans the bytes of r with the least busy daemon. If a daemon fails
// before a byte of r was read, Scan tries the next one; it never reads r twice.
// If clamd reports that a configured limit is exceeded, the error wraps
// ErrScanLimit. While a Read of r blocks, Scan does not notice that ctx has
// ended.
func (s *Scanner) Scan(ctx context.Context, r io.Reader, size int64) (vitrine.Verdict, error) {
	if size < 0 {
		return vitrine.Verdict{}, fmt.Errorf("a file of %d bytes cannot be scanned", size)
	}
	var tried []*daemon
	var failures []error
	for len(tried) < len(s.daemons) {
		d, err := s.acquire(ctx, tried)
		if err != nil {
			return vitrine.Verdict{}, err
		}
		v, usable, err := s.scanOn(ctx, d, r, size)
		if usable {
			return v, err
		}
		tried, failures = append(tried, d), append(failures, err)
	}
	return vitrine.Verdict{}, joinFailures(failures)
}

// scanOn scans with one daemon and ends its turn. usable reports whether the
// result is final, so that no other daemon is tried.
func (s *Scanner) scanOn(ctx context.Context, d *daemon, r io.Reader,
	size int64) (v vitrine.Verdict, usable bool, err error) {
	usable = true // also when r panics
	defer func() { s.release(d, usable) }()
	v, begun, err := d.scan(ctx, r, size)
	usable = err == nil || begun || ctx.Err() != nil
	return v, usable, err
}

// acquire waits until one of the daemons that were not tried may take another
// scan.
func (s *Scanner) acquire(ctx context.Context, tried []*daemon) (*daemon, error) {
	s.mu.Lock()
	if d := s.freeDaemon(tried); d != nil {
		d.busy++
		s.mu.Unlock()
		return d, nil
	}
	w := &waiter{tried, make(chan *daemon, 1)}
	s.waiting = append(s.waiting, w)
	s.mu.Unlock()
	select {
	case d := <-w.acquired:
		return d, nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	i := slices.Index(s.waiting, w)
	if i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	}
	s.mu.Unlock()
	if i < 0 {
		s.release(<-w.acquired, true) // its turn has come
	}
	return nil, fmt.Errorf("waiting for a scan to end: %w", context.Cause(ctx))
}

// freeDaemon returns the best daemon to use now, or nil if all are busy or were
// tried.
func (s *Scanner) freeDaemon(tried []*daemon) (best *daemon) {
	now := time.Now()
	better := func(a, b *daemon) bool {
		if x, y := now.Before(a.resting), now.Before(b.resting); x != y {
			return y
		}
		return a.busy < b.busy
	}
	for _, d := range s.daemons {
		if d.busy < s.concurrency && !slices.Contains(tried, d) && (best == nil || better(d, best)) {
			best = d
		}
	}
	return best
}

// release returns a turn and gives it to the first waiter for this daemon.
func (s *Scanner) release(d *daemon, usable bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !usable {
		d.resting = time.Now().Add(failurePause)
	}
	s.passOn(d)
}

// passOn gives a turn to the next waiter, or returns it.
func (s *Scanner) passOn(d *daemon) {
	for i, w := range s.waiting {
		if !slices.Contains(w.tried, d) {
			s.waiting = slices.Delete(s.waiting, i, i+1)
			w.acquired <- d
			return
		}
	}
	d.busy--
}

// Close closes the idle connections. Running scans continue.
func (s *Scanner) Close() error {
	for _, d := range s.daemons {
		d.close()
	}
	return nil
}

// joinFailures joins the failures into an error of one line.
func joinFailures(failures []error) error {
	err := failures[0]
	for _, next := range failures[1:] {
		err = fmt.Errorf("%w; %w", err, next)
	}
	return err
}
