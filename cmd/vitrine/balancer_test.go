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

// balancer hands requests to servers that say they are ready, in turn, over
// connections that it keeps. It tries nothing again: a connection that is cut
// without a word is a request that failed. (Go's own client sends some requests
// again.)
type balancer struct {
	mu       sync.Mutex
	backends []*backend
	next     int
}

type backend struct {
	url     string
	isReady bool
	busy    int // requests that it has not begun to answer
	idle    []*keptConn
}

// keptConn is a connection to a server, and what was read of it.
type keptConn struct {
	net.Conn
	r *bufio.Reader
}

func (b *balancer) handler() http.Handler {
	quiet := log.New(io.Discard, "", 0) // every request is answered 502
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

// drop closes connections that are not in use.
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

// left reports whether a server has been sent all that it ever will be while it
// is not ready.
func (b *balancer) left(url string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !slices.ContainsFunc(b.backends, func(s *backend) bool { return s.url == url && (s.isReady || s.busy > 0) })
}

// look asks all servers whether they are ready, ten times a second.
func (b *balancer) look(ctx context.Context) {
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

// take finds a server that is ready, and a connection to it.
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

// keptBody is the body of an answer, after which its connection is free.
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
