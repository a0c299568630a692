package s3

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"vitrine/internal/base/durable"
)

// limits are the time and size limits of requests.
type limits struct {
	dial     time.Duration // for connecting, and again for TLS
	answer   time.Duration // from the end of a request to the response headers
	copying  time.Duration // the same for server-side copies
	stall    time.Duration // between two bytes of a body, in either direction
	attempts int           // per request
	part     int64         // size of a server-side copy; the protocol allows 5 GiB
	chunk    int64         // size of a part of an upload in chunks; the protocol needs 5 MiB
	pause    time.Duration // maximum between two attempts
}

var ordinary = limits{dial: 5 * time.Second, answer: 20 * time.Second, copying: 5 * time.Minute,
	stall: 30 * time.Second, attempts: 4, pause: 2 * time.Second, part: 512 << 20, chunk: 8 << 20}

// client is an HTTP client with a time limit for each step of a request.
type client struct {
	quick, copying *http.Client
	stall          time.Duration
	took           atomic.Pointer[Took]
}

// Took is told how long the bucket took to answer a request, and whether the
// request failed or had a 5xx.
type Took func(method string, took time.Duration, failed bool)

// Observe calls f after each request.
func (b *Blobs) Observe(f Took) { b.plain.took.Store(&f) }

func newClient(l limits, trusted *x509.CertPool) *client {
	t := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: l.dial, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:       &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:   l.dial,
		ResponseHeaderTimeout: l.answer,
		ExpectContinueTimeout: time.Second,
		MaxIdleConnsPerHost:   64,
		MaxIdleConns:          64,
		IdleConnTimeout:       time.Minute,
		ForceAttemptHTTP2:     true,
		DisableCompression:    true, // bytes are read as stored
	}
	patient := t.Clone()
	patient.ResponseHeaderTimeout = l.copying
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client{quick: &http.Client{Transport: t, CheckRedirect: stay},
		copying: &http.Client{Transport: patient, CheckRedirect: stay}, stall: l.stall}
}

// Do sends a request like [http.Client.Do].
func (c *client) Do(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	sent := r.WithContext(ctx)
	if r.Body != nil && r.Body != http.NoBody {
		sent.Body = newWatched(r.Body, c.stall, cancel, true)
	}
	do := c.quick.Do
	if r.Header.Get("X-Amz-Copy-Source") != "" || r.Method == http.MethodPost && r.URL.Query().Has("uploadId") {
		do = c.copying.Do
	}
	writes := r.Method != http.MethodGet && r.Method != http.MethodHead
	if writes {
		durable.Step(r.Method + " " + r.URL.Path)
	}
	began := time.Now()
	res, err := do(sent)
	if f := c.took.Load(); f != nil {
		(*f)(r.Method, time.Since(began), err != nil || res.StatusCode >= http.StatusInternalServerError)
	}
	if writes {
		durable.Step(r.Method + " " + r.URL.Path + " was answered")
	}
	if err != nil {
		if errors.Is(context.Cause(ctx), errStalled) {
			err = errStalled
		}
		cancel(nil)
		return nil, err
	}
	res.Body = newWatched(res.Body, c.stall, cancel, false)
	return res, nil
}

// stalledError is returned if a body makes no progress. It is a timeout, so the
// request is retried.
type stalledError struct{}

func (stalledError) Error() string   { return "the transfer stalled" }
func (stalledError) Timeout() bool   { return true }
func (stalledError) Temporary() bool { return true }

var errStalled error = stalledError{}

// watched is a body that cancels its request if the server does not respond in
// time: during a Read of a response body, or between two Reads of a request
// body.
type watched struct {
	body   io.ReadCloser
	stall  time.Duration
	cancel context.CancelCauseFunc
	sent   bool // request body

	timer *time.Timer

	mu              sync.Mutex
	stalled, closed bool
}

func newWatched(body io.ReadCloser, stall time.Duration, cancel context.CancelCauseFunc, sent bool) *watched {
	w := &watched{body: body, stall: stall, cancel: cancel, sent: sent}
	w.timer = time.AfterFunc(stall, func() {
		w.mu.Lock()
		w.stalled = true
		w.mu.Unlock()
		cancel(errStalled)
	})
	w.timer.Stop()
	return w
}

func (w *watched) Read(p []byte) (int, error) {
	if w.sent {
		w.timer.Stop()
	} else {
		w.timer.Reset(w.stall)
	}
	n, err := w.body.Read(p)
	if !w.sent {
		w.timer.Stop()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sent && err == nil && !w.closed {
		w.timer.Reset(w.stall)
	}
	if err != nil && err != io.EOF && w.stalled {
		err = errStalled
	}
	return n, err
}

func (w *watched) Close() error {
	w.mu.Lock()
	w.closed = true
	w.timer.Stop()
	w.mu.Unlock()
	err := w.body.Close()
	if !w.sent {
		w.cancel(nil)
	}
	return err
}
