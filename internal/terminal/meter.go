package terminal

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// Meter shows the progress of long work on a terminal, a line for each step.
type Meter struct {
	T   *Terminal
	bar *progressbar.ProgressBar
}

// Begin begins a step of so many bytes. A negative number means unknown.
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

// Add adds bytes to the present step.
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

// ProgressEvery is the shortest time between two updates of the bar.
const ProgressEvery = 100 * time.Millisecond
