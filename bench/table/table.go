// Package table formats benchmark results as Markdown.
package table

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"
)

// Unit is the unit of a figure. It determines whether more or less is better.
type Unit int

// Units. More is better for rates, less for all others.
const (
	None   Unit = iota
	Time        // seconds of a time.Duration
	Rate        // items per second
	Speed       // bytes per second
	Memory      // bytes
	Bytes       // bytes per item
)

// Value is a figure with an optional note.
type Value struct {
	Unit Unit
	N    float64
	Note string
}

// Of returns a value that is a duration.
func Of(d time.Duration) Value { return Value{Unit: Time, N: d.Seconds()} }

// With adds a note.
func (v Value) With(format string, a ...any) Value {
	v.Note = fmt.Sprintf(format, a...)
	return v
}

func (v Value) String() string {
	s := v.number()
	if v.Note == "" {
		return s
	}
	return strings.TrimSpace(s + ", " + v.Note)
}

func (v Value) number() string {
	switch v.Unit {
	case Time:
		return digits(v.N*1000) + " ms"
	case Rate:
		return digits(v.N) + "/s"
	case Speed:
		return digits(v.N/1e6) + " MB/s"
	case Memory:
		return digits(v.N/(1<<20)) + " MiB"
	case Bytes:
		return digits(v.N) + " B"
	}
	return "–"
}

// digits formats a number: small ones with three digits, large ones with
// separators.
func digits(n float64) string {
	switch {
	case n == 0:
		return "0"
	case math.Abs(n) < 10:
		return fmt.Sprintf("%.2f", n)
	case math.Abs(n) < 100:
		return fmt.Sprintf("%.1f", n)
	}
	s := fmt.Sprintf("%.0f", n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Row is a figure of Vitrine and of a reference.
type Row struct {
	Figure    string
	Vitrine   Value
	Reference string // its name, "" for none
	Than      Value
	Aim       string
}

// Ratio returns how many times better Vitrine is, or 0 without a reference.
func (r Row) Ratio() float64 {
	if r.Vitrine.Unit == None || r.Vitrine.Unit != r.Than.Unit || r.Vitrine.N == 0 || r.Than.N == 0 {
		return 0
	}
	if r.Vitrine.Unit == Rate || r.Vitrine.Unit == Speed {
		return r.Vitrine.N / r.Than.N
	}
	return r.Than.N / r.Vitrine.N
}

func (r Row) String() string {
	reference, ratio, aim := "", "", r.Aim
	if r.Reference != "" {
		reference = r.Reference
		if r.Than.Unit != None {
			reference += ": " + r.Than.String()
		}
	}
	if q := r.Ratio(); q != 0 {
		ratio = digits(q)
	}
	return "| " + strings.Join([]string{r.Figure, r.Vitrine.String(), reference, ratio, aim}, " | ") + " |"
}

// Write writes the description of the machine and the rows.
func Write(w io.Writer, machine []string, rows []Row) error {
	var b strings.Builder
	for _, m := range machine {
		b.WriteString("- " + m + "\n")
	}
	b.WriteString("\n| figure | Vitrine | reference | ratio | aim |\n|---|---|---|---|---|\n")
	for _, r := range rows {
		b.WriteString(r.String() + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
