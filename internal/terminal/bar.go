package terminal

import (
	"fmt"
	"path/filepath"
	"sync"

	"vitrine/client"

	"github.com/schollz/progressbar/v3"
)

// Bar is the progress bar of an upload. It is the only line that is redrawn.
type Bar struct {
	T *Terminal

	mu   sync.Mutex // Set is called from another goroutine
	bar  *progressbar.ProgressBar
	sent int64
}

// Begin starts the bar for a file.
func (b *Bar) Begin(f client.File) {
	if !b.T.ErrTTY {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent = 0
	b.bar = progressbar.NewOptions64(f.Size,
		progressbar.OptionSetWriter(b.T.Err),
		progressbar.OptionSetDescription(Pad(Truncate(Plain(filepath.Base(f.Name)), 30), 30)),
		progressbar.OptionSetWidth(24),
		progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(ProgressEvery),
		progressbar.OptionSetRenderBlankState(true))
}

// Set updates the number of bytes sent.
func (b *Bar) Set(sent, _ int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar == nil {
		return
	}
	if sent < b.sent {
		b.bar.Reset() // the transfer restarted
	}
	b.sent = sent
	_ = b.bar.Set64(sent)
}

// clearLine clears the current line.
const clearLine = "\r\x1b[2K"

// Clear removes the bar until the next update.
func (b *Bar) Clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar != nil {
		fmt.Fprint(b.T.Err, clearLine)
	}
}

// End removes the bar permanently.
func (b *Bar) End() {
	b.Clear()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bar = nil
}
