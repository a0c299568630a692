package terminal

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// Meter shows on a terminal how far long work has come, a line for each of its
// steps.
type Meter struct {
	T   *Terminal
	bar *progressbar.ProgressBar
}

// Begin begins a step of so many bytes; below 0: nobody knows how many.
func (m *Meter) Begin(what string, bytes int64) {
	if !m.T.ErrTTY {
		return
	}
	m.End()
	m.bar = progressbar.NewOptions64(bytes,
		progressbar.OptionSetWriter(m.T.Err),
		progressbar.OptionSetDescription(Pad(Truncate(Plain(what), 30), 30)),
		progressbar.OptionSetWidth(24),
		progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(ProgressEvery),
		progressbar.OptionSetRenderBlankState(true))
}

// Add counts bytes; set says how many there are by now.
func (m *Meter) Add(bytes int64) {
	if m.bar != nil {
		_ = m.bar.Add64(bytes)
	}
}

func (m *Meter) Set(bytes int64) {
	if m.bar != nil {
		_ = m.bar.Set64(bytes)
	}
}

// End ends the line of a step.
func (m *Meter) End() {
	if m.bar != nil {
		_ = m.bar.Exit()
		m.T.Say("")
		m.bar = nil
	}
}

// ProgressEvery bounds how often the bar is drawn.
const ProgressEvery = 100 * time.Millisecond
