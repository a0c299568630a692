package httpx

import (
	"net/http"
	"strings"
	"time"
)

// Meter counts an answer of a route: to a method, with a status, after a time.
// The status is 0 if the connection was cut off instead.
type Meter func(method string, status int, took time.Duration)

// Metered counts the answers of a handler as those of a pattern's path. The
// meter is found once, not for each request.
func (s *Server) Metered(pattern string, h http.Handler) http.Handler {
	if s.Meter == nil {
		return h
	}
	_, path, ok := strings.Cut(pattern, " ")
	if !ok {
		path = pattern
	}
	m := s.Meter(path)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := PacerOf(w); p != nil {
			p.meter = m
		}
		h.ServeHTTP(w, r)
	})
}

// UnroutedMeter returns the meter of answers without a route, such as
// redirects to the clean form of a path. It is nil if nothing is counted.
func (s *Server) UnroutedMeter() Meter {
	if s.Meter == nil {
		return nil
	}
	return s.Meter("other")
}

// Count passes the answer, which has ended, to the meter of its route, or to m
// if it had none.
func (p *pacedWriter) Count(r *http.Request, m Meter) {
	if p.meter != nil {
		m = p.meter
	}
	if m == nil {
		return
	}
	status := p.status
	switch status {
	case 0: // the handler has left it to net/http
		status = http.StatusOK
	case -1:
		status = 0
	}
	m(r.Method, status, time.Since(p.began))
}

// CutOff notes that the connection ends without the rest of the answer.
func (p *pacedWriter) CutOff() { p.status = -1 }
