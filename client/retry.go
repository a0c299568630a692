package client

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"time"
)

// Pauses between attempts. They double from the first to the longest, with a
// jitter of 25 %.
const (
	firstPause = 500 * time.Millisecond
	maxPause   = 10 * time.Second
)

// firstAttempts is the maximum number of attempts to reach a server that never
// answered before: its address is probably wrong. A server that did may be
// restarting.
const firstAttempts = 4

// Retry describes a failed attempt.
type Retry struct {
	Attempt int           // number of the failed attempt, from 1
	Err     error         // cause of the failure
	Wait    time.Duration // pause before the next attempt
}

// networkError is a failure of a connection, rather than an answer.
type networkError struct{ error }

func (n networkError) Unwrap() error { return n.error }

// networkBody is the body of a response. A failure is a networkError.
type networkBody struct{ io.ReadCloser }

func (b networkBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = networkError{err}
	}
	return n, err
}

// Temporary reports whether a request that failed with err may succeed later:
// the instance, or its database, was busy or unreachable, did not answer in
// time, or limits the rate of requests.
func Temporary(err error) bool {
	var e *Error
	var n networkError
	if errors.As(err, &e) {
		return e.temporary() || e.RetryAfter > 0
	}
	return (errors.As(err, &n) || Unreachable(err)) && mayBeTemporary(err)
}

// temporary reports whether the same request may succeed later.
func (e *Error) temporary() bool {
	switch e.Status {
	case http.StatusConflict:
		return e.Code == "upload_in_progress" || e.Code == "offset_mismatch"
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// finalError is an error that must not be retried.
type finalError struct{ error }

func (f finalError) Unwrap() error { return f.error }

func permanent(err error) error { return finalError{err} }

// retry calls f with exponential backoff until it succeeds, returns a permanent
// error, or has used all attempts. It returns ctx's error as soon as ctx ends.
func (c *Client) retry(ctx context.Context, f func(context.Context) error) error {
	for attempt := 1; ; attempt++ {
		err := f(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		wait, again := c.pause(err, attempt)
		if !again || attempt >= c.attempts || attempt >= firstAttempts && !c.reached.Load() && Unreachable(err) {
			if f := (finalError{}); errors.As(err, &f) {
				return f.error
			}
			return err
		}
		c.notify(Retry{Attempt: attempt, Err: err, Wait: wait})
		if err := c.sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// Unreachable reports whether no connection to the server was made.
func Unreachable(err error) bool {
	var dial *net.OpError
	return errors.As(err, &dial) && dial.Op == "dial"
}

// pause reports whether to retry after err, and after what pause.
func (c *Client) pause(err error, attempt int) (wait time.Duration, again bool) {
	wait = min(firstPause<<min(attempt-1, 16), maxPause)
	wait = time.Duration(float64(wait) * (0.75 + 0.5*rand.Float64()))
	var e *Error
	if !errors.As(err, &e) {
		return wait, mayBeTemporary(err)
	}
	if !e.temporary() {
		return 0, false
	}
	return max(wait, e.RetryAfter), e.RetryAfter <= c.patience
}

// mayBeTemporary reports whether a failure may be temporary. A finalError, an
// invalid certificate, an unknown host and a non-TLS response are permanent.
func mayBeTemporary(err error) bool {
	var f finalError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var dns *net.DNSError
	return !errors.As(err, &f) && !errors.Is(err, http.ErrSchemeMismatch) &&
		!errors.As(err, &certificate) && !errors.As(err, &record) &&
		!(errors.As(err, &dns) && dns.IsNotFound)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
