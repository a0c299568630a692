package httpx

import (
	"cmp"
	"io"
	"net/http"
	"sync"
	"time"
)

const (
	// stallTime is how long a client may read nothing of an answer. A paused
	// player reads nothing for minutes. Server.StallTime replaces it.
	stallTime = 5 * time.Minute
	// paceBytes is how much of an answer a client must read in that time.
	paceBytes = 256 << 10
)

// pacedWriter ends an answer that its client does not read. The deadline of the
// connection moves with each part that the client reads.
type pacedWriter struct {
	http.ResponseWriter
	control *http.ResponseController

	began  time.Time
	status int   // as sent; 0 before, -1 if the answer was cut off
	meter  Meter // of the route; may be nil

	mu    sync.Mutex
	stall time.Duration
	moved time.Time
	cut   bool // for good
}

// Pace gives an answer its first deadline. It replaces that of the previous
// answer on the connection.
func (s *Server) Pace(w http.ResponseWriter) *pacedWriter {
	p := &pacedWriter{ResponseWriter: w, control: http.NewResponseController(w), stall: cmp.Or(s.StallTime, stallTime)}
	p.Move()
	p.began = p.moved
	return p
}

// PacerOf returns the pacedWriter of an answer, or nil.
func PacerOf(w http.ResponseWriter) *pacedWriter {
	for {
		switch t := w.(type) {
		case *pacedWriter:
			return t
		case interface{ Unwrap() http.ResponseWriter }:
			w = t.Unwrap()
		default:
			return nil
		}
	}
}

// Within changes how long the client may read nothing.
func (p *pacedWriter) Within(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stall, p.moved = d, time.Time{}
}

// end ends the answer, even during a write.
func (p *pacedWriter) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = true
	_ = p.control.SetWriteDeadline(time.Unix(1, 0))
}

// Move moves the deadline on, unless it was just moved.
func (p *pacedWriter) Move() {
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut || now.Sub(p.moved) < p.stall/16 {
		return
	}
	p.moved = now
	_ = p.control.SetWriteDeadline(now.Add(p.stall))
}

// WriteHeader notes the status.
func (p *pacedWriter) WriteHeader(status int) {
	if p.status == 0 && status >= http.StatusOK {
		p.status = status
	}
	p.ResponseWriter.WriteHeader(status)
}

func (p *pacedWriter) Write(b []byte) (n int, err error) {
	for {
		p.Move()
		part := b[n:min(len(b), n+paceBytes)]
		m, err := p.ResponseWriter.Write(part)
		if n += m; err != nil || n == len(b) {
			return n, err
		}
	}
}

// ReadFrom copies a reader in parts, by the kernel where src is a file.
func (p *pacedWriter) ReadFrom(src io.Reader) (n int64, err error) {
	whole, limited := src.(*io.LimitedReader)
	if limited {
		src = whole.R
	}
	for {
		part := &io.LimitedReader{R: src, N: paceBytes}
		if limited {
			part.N = min(part.N, whole.N)
		}
		p.Move()
		most := part.N
		m, err := io.Copy(p.ResponseWriter, part)
		n += m
		if limited {
			whole.N -= m
		}
		if err != nil || m < most || limited && whole.N == 0 {
			return n, err
		}
	}
}

// Unwrap supports http.ResponseController.
func (p *pacedWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }
