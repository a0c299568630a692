package httpx

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"

	"vitrine"
)

// StopWhenNotPublic runs a handler that sends a link's bytes, and ends the
// answer when shown no longer allows them (promise 5): a transfer may take
// hours. It asks each second; what another process changed is known there
// within five. An error that says nothing of the link ends no transfer. The
// kernel still copies the bytes from file to connection.
func (s *Server) StopWhenNotPublic(w http.ResponseWriter, r *http.Request, shown func(context.Context) error,
	h func() error) error {
	g := &guard{answer: PacerOf(w), every: cmp.Or(s.RecheckEvery, time.Second),
		shown: func() error { return shown(r.Context()) }}
	g.timer = time.AfterFunc(g.every, g.look)
	defer g.end()
	return h()
}

type guard struct {
	answer *pacedWriter
	every  time.Duration
	shown  func() error
	timer  *time.Timer

	mu   sync.Mutex // held during a check, so that neither an ended answer nor the connection's next one is cut off
	done bool
}

func (g *guard) look() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.done {
		return
	}
	switch vitrine.CodeOf(g.shown()) {
	case vitrine.CodeDisabled, vitrine.CodeNotAvailable, vitrine.CodeNotFound, vitrine.CodeForbidden,
		vitrine.CodeAccessRequired, vitrine.CodeUnauthorized, vitrine.CodeBanned:
		g.answer.end()
	default: // public; or unknown, which is no reason to stop
		g.timer.Reset(g.every)
	}
}

func (g *guard) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done = true
	g.timer.Stop()
}
