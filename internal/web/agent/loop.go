package agent

import (
	"errors"
	"io"
	"net/http"
	"sync"
)

// loop is a transport that passes requests for this instance to its handler.
type loop struct {
	hosts   []string
	root    func() http.Handler
	outside http.RoundTripper // for a bucket
}

// RoundTrip returns once the handler has sent the header; the body follows.
func (l *loop) RoundTrip(req *http.Request) (*http.Response, error) {
	own := false
	for _, host := range l.hosts {
		own = own || host == req.URL.Host
	}
	if !own {
		return l.outside.RoundTrip(req)
	}
	in := req.Clone(req.Context())
	in.Host, in.RequestURI, in.RemoteAddr = req.URL.Host, req.URL.RequestURI(), "127.0.0.1:0"
	if in.Body == nil {
		in.Body = http.NoBody
	}
	r, w := io.Pipe()
	a := &answer{header: http.Header{}, body: w, said: make(chan struct{})}
	go func() {
		defer in.Body.Close()
		defer func() {
			err := io.EOF
			if recover() != nil { // the handler has logged it
				err = errors.New("the answer was cut off")
			}
			a.WriteHeader(http.StatusOK)
			_ = w.CloseWithError(err)
		}()
		l.root().ServeHTTP(a, in)
	}()
	select {
	case <-a.said:
	case <-req.Context().Done():
		r.Close()
		return nil, req.Context().Err()
	}
	return &http.Response{StatusCode: a.status, Status: http.StatusText(a.status), Proto: "HTTP/1.1", ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     a.sent, Body: r, ContentLength: -1, Request: req}, nil
}

// answer passes what a handler writes to a reader in the same process.
type answer struct {
	header http.Header
	body   *io.PipeWriter
	once   sync.Once
	said   chan struct{}
	status int
	sent   http.Header // copy of header when the answer began
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if status < http.StatusOK {
		return
	}
	a.once.Do(func() {
		a.status, a.sent = status, a.header.Clone()
		close(a.said)
	})
}

func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}
