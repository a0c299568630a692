package main

import (
	"github.com/schollz/progressbar/v3"
)

// meter shows on a terminal how far long work has come, a line for each of its steps.
type meter struct {
	t   *terminal
	bar *progressbar.ProgressBar
}

// begin begins a step of so many bytes; below 0: nobody knows how many.
func (m *meter) begin(what string, bytes int64) {
	if !m.t.errTTY {
		return
	}
	m.end()
	m.bar = progressbar.NewOptions64(bytes,
		progressbar.OptionSetWriter(m.t.err),
		progressbar.OptionSetDescription(pad(truncate(plain(what), 30), 30)),
		progressbar.OptionSetWidth(24),
		progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(progressEvery),
		progressbar.OptionSetRenderBlankState(true))
}

// add counts bytes; set says how many there are by now.
func (m *meter) add(bytes int64) {
	if m.bar != nil {
		_ = m.bar.Add64(bytes)
	}
}

func (m *meter) set(bytes int64) {
	if m.bar != nil {
		_ = m.bar.Set64(bytes)
	}
}

// end ends the line of a step.
func (m *meter) end() {
	if m.bar != nil {
		_ = m.bar.Exit()
		m.t.say("")
		m.bar = nil
	}
}
