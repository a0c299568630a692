package httpx

import (
	"io"
	"net/http"
	"sync"
	"time"
)

const (
	// bodyTime is how long a body may take to arrive, and how long slowBytes of
	// a file may (security, Surfaces). Server.BodyTime replaces it.
	bodyTime  = 30 * time.Second
	slowBytes = 10 << 10
)

// timedBody is the body of a request, which must arrive in time. Its deadline
// is that of the connection: it also ends the reading of what a handler left
// unread, which the HTTP server does before it answers.
type timedBody struct {
	io.ReadCloser
	s       *Server
	control *http.ResponseController

	mu     sync.Mutex
	steady bool // a file: each slowBytes must come in time, not the whole
	left   int  // of a file: bytes until the deadline moves
	ended  bool // nothing is left to read
}

// TimeBody gives the body of a request a deadline. The caller calls end when
// the request was handled. A request without a body needs none: nil.
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

// lingerTime is how long the rest of a body that no handler wants is waited
// for, so that the client can read the answer.
func (s *Server) lingerTime() time.Duration { return s.bodyTime() / 30 }

// Steadily lets a body take as long as it needs while it comes steadily.
func Steadily(r *http.Request) io.Reader {
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

// setDeadline is called with the lock: a deadline set by EndStalled is not
// followed by a later one that knew nothing of it.
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

// EndStalled ends transfers to this server that make no progress, and those to
// come, after a sixth of the usual time: the server is about to stop.
func (s *Server) EndStalled() {
	s.ending.Store(true)
	s.bodies.Range(func(b, _ any) bool {
		b.(*timedBody).deadline(s.bodyTime())
		return true
	})
}
