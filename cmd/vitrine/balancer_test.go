package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"sync"
	"time"
)

// balancer distributes requests over the servers that report ready, in turn,
// over kept connections. It never retries: if a connection closes without an
// answer, the request has failed. (Go's own client retries some requests.)
type balancer struct {
	mu       sync.Mutex
	backends []*backend
	next     int
}

type backend struct {
	url     string
	isReady bool
	busy    int // requests whose answer has not begun
	idle    []*keptConn
}

// keptConn is a connection to a server and the reader of its answers.
type keptConn struct {
	net.Conn
	r *bufio.Reader
}

func (b *balancer) handler() http.Handler {
	quiet := log.New(io.Discard, "", 0) // discards the log line for each 502 answer
	return &httputil.ReverseProxy{Transport: b, ErrorLog: quiet, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetXForwarded()
		r.Out.URL.Scheme, r.Out.URL.Host = "http", r.In.Host
		r.Out.Host = r.In.Host
	}}
}

func (b *balancer) add(url string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.backends = append(b.backends, &backend{url: url})
}

func (b *balancer) remove(url string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.backends = slices.DeleteFunc(b.backends, func(s *backend) bool {
		if s.url == url {
			s.drop()
		}
		return s.url == url
	})
}

// drop closes idle connections.
func (s *backend) drop() {
	for _, c := range s.idle {
		c.Close()
	}
	s.idle = nil
}

// ready reports whether requests go to a server.
func (b *balancer) ready(url string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.backends, func(s *backend) bool { return s.url == url && s.isReady })
}

// drained reports whether a server that is no longer ready has answered all
// requests that were sent to it.
func (b *balancer) drained(url string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !slices.ContainsFunc(b.backends, func(s *backend) bool { return s.url == url && (s.isReady || s.busy > 0) })
}

// poll asks all servers ten times a second whether they are ready.
func (b *balancer) poll(ctx context.Context) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	asks := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: hang}
	for ctx.Err() == nil {
		b.mu.Lock()
		all := slices.Clone(b.backends)
		b.mu.Unlock()
		var asked sync.WaitGroup
		for _, s := range all {
			asked.Go(func() {
				res, err := asks.Get(s.url + "/readyz")
				if err == nil {
					res.Body.Close()
				}
				b.mu.Lock()
				defer b.mu.Unlock()
				if s.isReady = err == nil && res.StatusCode == http.StatusOK; !s.isReady {
					s.drop()
				}
			})
		}
		asked.Wait()
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// take returns a ready server and a connection to it.
func (b *balancer) take() (*backend, *keptConn, error) {
	b.mu.Lock()
	var s *backend
	for range b.backends {
		b.next++
		if one := b.backends[b.next%len(b.backends)]; one.isReady {
			s = one
			break
		}
	}
	if s == nil {
		b.mu.Unlock()
		return nil, nil, errors.New("no server is ready")
	}
	s.busy++
	if n := len(s.idle); n > 0 {
		c := s.idle[n-1]
		s.idle = s.idle[:n-1]
		b.mu.Unlock()
		return s, c, nil
	}
	b.mu.Unlock()
	conn, err := net.Dial("tcp", s.url[len("http://"):])
	if err != nil {
		b.answered(s)
		return nil, nil, err
	}
	return s, &keptConn{conn, bufio.NewReader(conn)}, nil
}

func (b *balancer) answered(s *backend) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s.busy--
}

// RoundTrip sends a request once.
func (b *balancer) RoundTrip(req *http.Request) (*http.Response, error) {
	s, c, err := b.take()
	if err != nil {
		return nil, err
	}
	defer b.answered(s)
	if err := req.Write(c); err != nil {
		c.Close()
		return nil, err
	}
	res, err := http.ReadResponse(c.r, req)
	if err != nil {
		c.Close()
		return nil, err
	}
	res.Body = &keptBody{ReadCloser: res.Body, done: func(whole bool) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if !whole || res.Close || !s.isReady {
			c.Close()
			return
		}
		s.idle = append(s.idle, c)
	}}
	return res, nil
}

// keptBody is the body of an answer. Closing it frees its connection.
type keptBody struct {
	io.ReadCloser
	whole bool
	once  sync.Once
	done  func(whole bool)
}

func (b *keptBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.whole = b.whole || err == io.EOF
	return n, err
}

func (b *keptBody) Close() error {
	err := b.ReadCloser.Close()
	b.once.Do(func() { b.done(b.whole) })
	return err
}
