package httpx

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"

	"vitrine"
)

// WhileShown runs a handler that sends a link's bytes, and cuts its answer off
// when the link is no longer shown: a transfer may take hours, and what is
// taken down is gone within a second (promise 5). The bytes are sent as before,
// by the kernel from file to connection.
func (s *Server) WhileShown(w http.ResponseWriter, r *http.Request, shown func(context.Context) error,
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

	mu   sync.Mutex // held while it is looked, so that an answer that has ended is not cut off, nor the next one of its connection
	done bool
}

func (g *guard) look() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.done {
		return
	}
	switch vitrine.CodeOf(g.shown()) {
	case vitrine.CodeDisabled, vitrine.CodeNotAvailable, vitrine.CodeNotFound:
		g.answer.end()
	default: // shown; or nobody can tell, which is no reason to take it down
		g.timer.Reset(g.every)
	}
}

func (g *guard) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done = true
	g.timer.Stop()
}
