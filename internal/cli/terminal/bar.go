package terminal

import (
	"cmp"
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
	name string
	from int64 // bytes that were sent before what the bar shows
	sent int64
}

// Begin starts the bar for a file.
func (b *Bar) Begin(f client.File) {
	if !b.T.ErrTTY {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.name, b.from, b.sent = filepath.Base(f.Name), 0, 0
	b.bar = b.T.progress(b.name, f.Size)
}

// Widths of a line of progress. On a terminal of narrowLine columns or more, it
// also has the times. bareLine columns are neither name nor bar.
const (
	narrowLine = 72
	bareLine   = 22
)

// progress returns a progress bar that fits the terminal.
func (t *Terminal) progress(what string, bytes int64) *progressbar.ProgressBar {
	room, name, bar, narrow := cmp.Or(t.ErrWidth, defaultWidth), 30, 24, false
	if narrow = room < narrowLine; narrow {
		name = min(max((room-bareLine)/2, 1), name)
		bar = min(max(room-bareLine-name, 1), bar)
	}
	return progressbar.NewOptions64(bytes,
		progressbar.OptionSetWriter(t.Err),
		progressbar.OptionSetDescription(Pad(Truncate(Plain(what), name), name)),
		progressbar.OptionSetWidth(bar),
		progressbar.OptionShowBytes(true),
		progressbar.OptionSetPredictTime(!narrow),
		progressbar.OptionSetElapsedTime(!narrow),
		progressbar.OptionThrottle(ProgressEvery),
		progressbar.OptionSetRenderBlankState(true))
}

// resumedAfter is how many bytes at once cannot have been sent just now.
const resumedAfter = 1 << 20

// Set updates the number of bytes sent. If these do not continue what was sent,
// because the transfer goes on elsewhere in the file, the bar shows the rest of
// it, so that the rate and the time left are right.
func (b *Bar) Set(sent, total int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar == nil {
		return
	}
	if (sent < b.sent || sent-b.sent > resumedAfter) && sent < total {
		b.from = sent
		fmt.Fprint(b.T.Err, clearLine)
		b.bar = b.T.progress(b.name, total-sent)
	}
	b.sent = sent
	_ = b.bar.Set64(sent - b.from)
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
