package client

import (
	"context"
	"crypto/tls"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"time"
)

// The pauses between attempts: they double from the first to the longest, give
// or take a quarter.
const (
	firstPause   = 500 * time.Millisecond
	longestPause = 10 * time.Second
)

// Retry describes a failed attempt for WithRetryNotice.
type Retry struct {
	Attempt int           // the one that failed, from 1
	Err     error         // why
	Wait    time.Duration // until the next attempt
}

// finalError is a failure that a retry would not change.
type finalError struct{ error }

func (f finalError) Unwrap() error { return f.error }

func final(err error) error { return finalError{err} }

// retry calls f until it succeeds, fails for good, or has used all attempts. It
// returns ctx's error as soon as ctx ends.
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
		if !again || attempt >= c.attempts {
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

// pause reports whether another attempt may help, and after what time.
func (c *Client) pause(err error, attempt int) (wait time.Duration, again bool) {
	wait = min(firstPause<<min(attempt-1, 16), longestPause)
	wait = time.Duration(float64(wait) * (0.75 + 0.5*rand.Float64()))
	var e *Error
	if !errors.As(err, &e) {
		return wait, passing(err)
	}
	switch {
	case e.Status == http.StatusConflict && e.Code == "upload_in_progress":
	case e.Status == http.StatusTooManyRequests, e.Status == http.StatusBadGateway,
		e.Status == http.StatusServiceUnavailable, e.Status == http.StatusGatewayTimeout:
	default:
		return 0, false
	}
	return max(wait, e.RetryAfter), e.RetryAfter <= c.patience
}

// passing reports whether a failure may go away on a retry. A finalError, a bad
// certificate, an unknown host and an answer that is not TLS do not.
func passing(err error) bool {
	var f finalError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var dns *net.DNSError
	return !errors.As(err, &f) && !errors.As(err, &certificate) && !errors.As(err, &record) &&
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
