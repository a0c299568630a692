package httpx

import (
	"io"
	"net/http"
	"sync"
	"time"
)

const (
	// bodyTime is how long a body may take to arrive; of a file, each slowBytes
	// (security, Surfaces). Server.BodyTime replaces it.
	bodyTime  = 30 * time.Second
	slowBytes = 10 << 10
)

// timedBody is the body of a request with a deadline. The deadline is the
// connection's, so it also applies when the HTTP server reads what a handler
// left.
type timedBody struct {
	io.ReadCloser
	s       *Server
	control *http.ResponseController

	mu     sync.Mutex
	steady bool // a file: each slowBytes must arrive in time
	left   int  // of a file: bytes until the deadline moves
	ended  bool // nothing is left to read
}

// TimeBody gives the body of a request a deadline. The caller must call end
// when the request is handled. It returns nil if there is no body.
func (s *Server) TimeBody(w http.ResponseWriter, r *http.Request) *timedBody {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	b := &timedBody{ReadCloser: r.Body, s: s, control: http.NewResponseController(w)}
	s.bodies.Store(b, nil)
	if r.Method == http.MethodGet || r.Method == http.MethodHead { // no handler reads it
		b.deadline(s.lingerTime())
	} else {
		b.deadline(s.bodyTime())
	}
	r.Body = b
	return b
}

func (s *Server) bodyTime() time.Duration {
	if s.BodyTime > 0 {
		return s.BodyTime
	}
	return bodyTime
}

// lingerTime returns how long the server waits for the unread rest of a body,
// so that the client can read the answer.
func (s *Server) lingerTime() time.Duration { return s.bodyTime() / 30 }

// WithoutBodyDeadline returns a reader of the body without a time limit, as
// long as bytes arrive steadily.
func WithoutBodyDeadline(r *http.Request) io.Reader {
	if b, ok := r.Body.(*timedBody); ok {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.steady = true
	}
	return r.Body
}

func (b *timedBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	if b.steady && b.left <= 0 {
		b.setDeadline(b.s.bodyTime())
		b.left = slowBytes
	}
	b.mu.Unlock()
	n, err := b.ReadCloser.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left -= n
	if err == io.EOF && !b.ended {
		b.ended = true
		// A deadline that passes while the request is handled would end it.
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

func (b *timedBody) deadline(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.setDeadline(d)
}

// setDeadline sets the deadline. The caller holds the lock, so that no later
// deadline overrides that of EndStalled.
func (b *timedBody) setDeadline(d time.Duration) {
	if b.ended {
		return
	}
	if b.s.ending.Load() {
		d = min(d, b.s.bodyTime()/6)
	}
	_ = b.control.SetReadDeadline(time.Now().Add(d))
}

func (b *timedBody) End() {
	b.s.bodies.Delete(b)
	b.deadline(b.s.lingerTime())
}

// EndStalled shortens the limit for transfers without progress to a sixth,
// because the server is about to stop.
func (s *Server) EndStalled() {
	s.ending.Store(true)
	s.bodies.Range(func(b, _ any) bool {
		b.(*timedBody).deadline(s.bodyTime())
		return true
	})
}
