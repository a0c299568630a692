package terminal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"vitrine/report"

	"github.com/dustin/go-humanize"
)

// FormatSize formats a size in bytes, rounded to two digits.
func FormatSize(n int64) string {
	return strings.NewReplacer(".0 ", "", " ", "").Replace(humanize.Bytes(uint64(max(n, 0))))
}

// Duration formats a duration in milliseconds.
func Duration(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch s := int64(d.Round(time.Second) / time.Second); {
	case ms <= 0:
		return "0s"
	case ms < 950:
		return fmt.Sprintf("0.%ds", (ms+50)/100)
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm %02ds", s/60, s%60)
	default:
		return fmt.Sprintf("%dh %02dm", s/3600, s/60%60)
	}
}

// durationOf formats a time that is made of n sessions.
func durationOf(ms, n int64) string {
	if n == 0 {
		return nothing
	}
	return Duration(ms)
}

// nothing is written for a number that was not measured.
const nothing = "–"

// Count formats a number with thousands separators.
func Count(n int64) string { return humanize.Comma(n) }

// Counted formats a number with a noun and its regular plural.
func Counted(n int64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return Count(n) + " " + thing
}

// percent formats a share, or returns a dash for nil.
func percent(p *report.Tenths) string {
	if p == nil {
		return nothing
	}
	return p.String() + "%"
}

// tenths formats a share with one decimal, for a column.
func tenths(p report.Tenths) string { return fmt.Sprintf("%.1f%%", p.Float()) }

// change formats the change against the previous period.
func (t *Terminal) change(d report.Delta) string {
	size := "new"
	if d.Pct != nil {
		size = fmt.Sprintf("%d%%", max(*d.Pct, -*d.Pct))
	}
	switch {
	case d.Dir == report.Up && d.Pct == nil: // increase from zero: no rating
		return t.Paint(Dim, "▲ "+size)
	case d.Dir == report.Up:
		return t.Paint(Good, "▲ "+size)
	case d.Dir == report.Down:
		return t.Paint(Bad, "▼ "+size)
	}
	return t.Paint(Dim, "=")
}

// sparks are the characters of a sparkline, lowest first.
var sparks = []rune("▁▂▃▄▅▆▇█")

// spark draws a sparkline. The largest value has full height, and only 0 has
// the lowest. If there are more values than width, it sums groups.
func spark(values []int64, width int) string {
	if n := len(values); n > width && width > 0 {
		grouped := make([]int64, width)
		for i, v := range values {
			grouped[i*width/n] += v
		}
		values = grouped
	}
	if len(values) == 0 {
		return ""
	}
	var b strings.Builder
	most := max(slices.Max(values), 1)
	for _, v := range values {
		i := 0
		if v > 0 {
			i = 1 + int((v*int64(len(sparks)-1)-1)/most)
		}
		b.WriteRune(sparks[min(i, len(sparks)-1)])
	}
	return b.String()
}

// eighths are the parts of a column, narrowest first.
var eighths = []rune("▏▎▍▌▋▊▉█")

// gauge draws a share as a horizontal bar, exact to an eighth of a column, in
// width columns. Only 0 has no bar.
func gauge(share report.Tenths, width int) string {
	n := (int(share)*width*8 + 500) / 1000
	if share > 0 {
		n = max(n, 1)
	}
	n = min(n, width*8)
	bar := strings.Repeat("█", n/8)
	if n%8 > 0 {
		bar += string(eighths[n%8-1])
	}
	return Pad(bar, width)
}
