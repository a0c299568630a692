package terminal

import (
	"context"
	"io"
	"sync/atomic"
)

// Input is a reader whose reads end when a context does, although the reader
// below it waits, as for what a person types.
type Input struct {
	ctx context.Context
	in  io.Reader
	cut atomic.Bool
}

// NewInput returns an Input. Nobody else may read in.
func NewInput(ctx context.Context, in io.Reader) *Input { return &Input{ctx: ctx, in: in} }

// Cut reports whether the end of the context has ended a read.
func (i *Input) Cut() bool { return i.cut.Load() }

func (i *Input) Read(p []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	done, own := make(chan result, 1), make([]byte, len(p))
	go func() {
		n, err := i.in.Read(own)
		done <- result{n, err}
	}()
	select {
	case got := <-done:
		return copy(p, own[:got.n]), got.err
	case <-i.ctx.Done():
		i.cut.Store(true)
		return 0, i.ctx.Err()
	}
}
