package terminal

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// Meter shows the progress of a long operation on a terminal, one line for each
// step.
type Meter struct {
	T   *Terminal
	bar *progressbar.ProgressBar
}

// Begin starts a step with a total number of bytes, or -1 if it is unknown.
func (m *Meter) Begin(what string, bytes int64) {
	if !m.T.ErrTTY {
		return
	}
	m.End()
	m.bar = m.T.progress(what, bytes)
}

// Add adds bytes to the current step.
func (m *Meter) Add(bytes int64) {
	if m.bar != nil {
		_ = m.bar.Add64(bytes)
	}
}

// Set says how many bytes are done in all.
func (m *Meter) Set(bytes int64) {
	if m.bar != nil {
		_ = m.bar.Set64(bytes)
	}
}

// End ends the line of the current step.
func (m *Meter) End() {
	if m.bar != nil {
		_ = m.bar.Exit()
		m.T.Say("")
		m.bar = nil
	}
}

// ProgressEvery is the minimum time between two updates of the bar.
const ProgressEvery = 100 * time.Millisecond
