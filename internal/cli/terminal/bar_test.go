package terminal

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"vitrine/client"

	"github.com/rivo/uniseg"
)

// screen returns what a terminal shows after this output.
func screen(written string) []string {
	lines, column := [][]rune{{}}, 0
	for i := 0; i < len(written); {
		last := len(lines) - 1
		switch rest := written[i:]; {
		case strings.HasPrefix(rest, "\x1b[2K"):
			lines[last] = nil
			i += 4
		case rest[0] == '\r':
			column = 0
			i++
		case rest[0] == '\n':
			lines, column = append(lines, []rune{}), 0
			i++
		default:
			r := []rune(rest)[0]
			for len(lines[last]) <= column {
				lines[last] = append(lines[last], ' ')
			}
			lines[last][column] = r
			column++
			i += len(string(r))
		}
	}
	text := make([]string, len(lines))
	for i, l := range lines {
		text[i] = strings.TrimRight(string(l), " ")
	}
	return text
}

// TestBarLeavesNothing checks that the progress bar leaves nothing on the line
// of the link.
func TestBarLeavesNothing(t *testing.T) {
	var out bytes.Buffer
	b := &Bar{T: &Terminal{Err: &out, ErrTTY: true}}
	b.Begin(client.File{Name: "Größe 日本語 report with a name that is long.pdf", Size: 10 << 20})
	for sent := int64(0); sent <= 10<<20; sent += 1 << 20 {
		b.bar.Reset() // draws each of them
		b.Set(sent, 10<<20)
		if sent == 5<<20 {
			b.Clear()
			b.T.Say("a server is not there; trying again in 2s")
		}
	}
	if !strings.Contains(out.String(), "report") {
		t.Fatalf("nothing is drawn: %q", out.String())
	}
	b.End()
	b.Set(10<<20, 10<<20) // a late update
	fmt.Fprintln(&out, "http://localhost:8080/p/k7m2w9xq4t")
	lines := screen(out.String())
	if lines[0] != "a server is not there; trying again in 2s" || lines[1] != "http://localhost:8080/p/k7m2w9xq4t" {
		t.Errorf("the terminal shows %q", lines)
	}
}

// TestNarrowProgress checks that the progress of a large file fits a narrow
// terminal, and has a bar.
func TestNarrowProgress(t *testing.T) {
	for _, width := range []int{30, 40, 60, 71} {
		var out bytes.Buffer
		b := &Bar{T: &Terminal{Err: &out, ErrTTY: true, ErrWidth: width}}
		b.Begin(client.File{Name: "A report with a name that is long.pdf", Size: 700 << 20})
		b.Set(700<<20, 700<<20) // the end is always drawn
		lines := strings.Split(out.String(), "\r")
		last := lines[len(lines)-1]
		if uniseg.StringWidth(last) >= width || !strings.Contains(last, "100%") || !strings.Contains(last, "█") {
			t.Errorf("%d columns: %q", width, last)
		}
	}
}

// TestBarGoesOn checks that the bar of an upload that goes on shows the rest of
// the file: the rate and the time left would be wrong with bytes that were sent
// earlier.
func TestBarGoesOn(t *testing.T) {
	const total = 700 << 20
	b := &Bar{T: &Terminal{Err: &bytes.Buffer{}, ErrTTY: true}}
	b.Begin(client.File{Name: "tour.mp4", Size: total})
	for _, c := range []struct{ sent, max, shown int64 }{
		{10, total, 10},
		{600 << 20, 100 << 20, 0},     // an earlier run has sent them
		{600<<20 + 5, 100 << 20, 5},   // sent now
		{590 << 20, 110 << 20, 0},     // what was on its way has not arrived
		{590<<20 + 9, 110 << 20, 9},   // sent again
		{total, 110 << 20, 110 << 20}, // the end of another way of sending
	} {
		b.Set(c.sent, total)
		if got := b.bar.State(); got.CurrentNum != c.shown || got.Max != c.max {
			t.Errorf("after %d bytes: %d of %d are shown, want %d of %d", c.sent, got.CurrentNum, got.Max, c.shown, c.max)
		}
	}
}
