package s3

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/test/vitrinetest"
)

// proxy is a proxy before a server that injects faults.
type proxy struct {
	address string
	to      http.Handler
	over    chan struct{} // closed with the test

	mu    sync.Mutex
	fault func(http.ResponseWriter, *http.Request) bool // returns true if it has answered; nil means no fault
	seen  []string                                      // method, and query or range, of each request
}

func newProxy(t testing.TB, server *vitrinetest.S3Server) *proxy {
	t.Helper()
	u, err := url.Parse(server.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{over: make(chan struct{})}
	// The signature covers the Host header, so keep it.
	p.to = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = u.Scheme, u.Host
		r.Out.Host = r.In.Host
	},
		Transport: &http.Transport{DisableCompression: true}, FlushInterval: -1,
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.address = "http://" + l.Addr().String()
	s := &http.Server{Handler: p}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { close(p.over); _ = s.Close() })
	return p
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	fault := p.fault
	p.seen = append(p.seen, r.Method+" "+r.URL.RawQuery+r.Header.Get("Range"))
	p.mu.Unlock()
	if fault != nil && fault(w, r) {
		return
	}
	p.to.ServeHTTP(w, r)
}

// set sets the fault of the following requests, or none if it is nil, and
// resets the record of requests.
func (p *proxy) set(fault func(http.ResponseWriter, *http.Request) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.seen = fault, nil
}

func (p *proxy) count(begins string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.seen {
		if strings.HasPrefix(s, begins) {
			n++
		}
	}
	return n
}

// of selects requests by what they do.
type of func(*http.Request) bool

var (
	everything of = func(*http.Request) bool { return true }
	begins     of = func(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Query().Has("uploads") }
	copies     of = func(r *http.Request) bool { return r.Header.Get("X-Amz-Copy-Source") != "" }
	completes  of = func(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Query().Has("uploadId") }
	reads      of = func(r *http.Request) bool { return r.Method == http.MethodGet && r.Header.Get("Range") != "" }
	lists      of = func(r *http.Request) bool { return r.Method == http.MethodGet && r.URL.Query().Has("list-type") }
	writes     of = func(r *http.Request) bool {
		return r.Method == http.MethodPut && r.Header.Get("X-Amz-Copy-Source") == ""
	}
	deletes of = func(r *http.Request) bool { return r.Method == http.MethodDelete }
)

type fault struct {
	name string
	do   func(p *proxy, which of) func(http.ResponseWriter, *http.Request) bool
}

const failure = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>InternalError</Code><Message>We encountered an internal error. Please try again.</Message></Error>`

// answer returns a fault that answers instead of the server.
func answer(status int, body string) func(*proxy, of) func(http.ResponseWriter, *http.Request) bool {
	return func(_ *proxy, which of) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if !which(r) {
				return false
			}
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
			return true
		}
	}
}

// after returns a fault that calls end after n bytes of the server's answer.
// The answer keeps its header.
func after(n int64, end func(p *proxy, r *http.Request)) func(*proxy, of) func(http.ResponseWriter,
	*http.Request) bool {
	return func(p *proxy, which of) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if !which(r) {
				return false
			}
			p.to.ServeHTTP(&limited{ResponseWriter: w, left: n, end: func() { end(p, r) }}, r)
			return true
		}
	}
}

type limited struct {
	http.ResponseWriter
	left int64
	end  func()
}

func (l *limited) Write(b []byte) (int, error) {
	if int64(len(b)) <= l.left {
		l.left -= int64(len(b))
		return l.ResponseWriter.Write(b)
	}
	_, _ = l.ResponseWriter.Write(b[:l.left])
	_ = http.NewResponseController(l.ResponseWriter).Flush()
	l.end()
	panic(http.ErrAbortHandler)
}

func (l *limited) Unwrap() http.ResponseWriter { return l.ResponseWriter }

var faults = []fault{
	{"500", answer(http.StatusInternalServerError, failure)},
	{"503 without a word", answer(http.StatusServiceUnavailable, "")},
	{"200 with an error", answer(http.StatusOK, failure)},
	{"200 with half an answer", answer(http.StatusOK, failure[:70])},
	{"200 with nothing", answer(http.StatusOK, "")},
	{"403", answer(http.StatusForbidden, `<Error><Code>AccessDenied</Code><Message>Access Denied.</Message></Error>`)},
	{"no such bucket", answer(http.StatusNotFound,
		`<Error><Code>NoSuchBucket</Code><Message>The specified bucket does not exist.</Message></Error>`)},
	{"404 without a word", answer(http.StatusNotFound, "")},
	{"cut off", func(_ *proxy, which of) func(http.ResponseWriter, *http.Request) bool {
		return func(_ http.ResponseWriter, r *http.Request) bool {
			if which(r) {
				panic(http.ErrAbortHandler)
			}
			return false
		}
	}},
	{"done, and its answer cut off", after(0, func(*proxy, *http.Request) {})},
	{"hangs", func(p *proxy, which of) func(http.ResponseWriter, *http.Request) bool {
		return func(_ http.ResponseWriter, r *http.Request) bool {
			if !which(r) {
				return false
			}
			wait(p, r.Context())
			panic(http.ErrAbortHandler)
		}
	}},
	{"hangs in the answer", after(0, func(p *proxy, r *http.Request) { wait(p, r.Context()) })},
}

// wait hangs until the client gives up.
func wait(p *proxy, ctx context.Context) {
	select {
	case <-p.over:
	case <-ctx.Done():
	}
}
