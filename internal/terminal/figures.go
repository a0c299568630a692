package terminal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"vitrine/report"

	"github.com/dustin/go-humanize"
)

// FormatSize returns a size for a person, rounded to two digits.
func FormatSize(n int64) string {
	return strings.NewReplacer(".0 ", "", " ", "").Replace(humanize.Bytes(uint64(max(n, 0))))
}

// Duration returns a duration in milliseconds for a person.
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

// Count returns a number with separators of thousands.
func Count(n int64) string { return humanize.Comma(n) }

// Counted returns a number and a noun with a regular plural.
func Counted(n int64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return Count(n) + " " + thing
}

// percent returns a share, or a dash if there is none.
func percent(p *report.Tenths) string {
	if p == nil {
		return "–"
	}
	return p.String() + "%"
}

// tenths returns a share for a column, always with its decimal.
func tenths(p report.Tenths) string { return fmt.Sprintf("%.1f%%", p.Float()) }

// change returns the change of a figure against the previous period.
func (t *Terminal) change(d report.Delta) string {
	size := "new"
	if d.Pct != nil {
		size = fmt.Sprintf("%d%%", max(*d.Pct, -*d.Pct))
	}
	switch {
	case d.Dir == report.Up && d.Pct == nil: // from zero: it is unknown whether that is good
		return t.Paint(Dim, "▲ "+size)
	case d.Dir == report.Up:
		return t.Paint(Good, "▲ "+size)
	case d.Dir == report.Down:
		return t.Paint(Bad, "▼ "+size)
	}
	return t.Paint(Dim, "=")
}

// sparks are the heights of a spark line, lowest first.
var sparks = []rune("▁▂▃▄▅▆▇█")

// spark draws values side by side. The largest has full height, and only 0 the
// lowest. If there are more values than width, groups are added up.
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

// gauge draws a share as a bar of width columns.
func gauge(share report.Tenths, width int) string {
	n := int(share) * width / 1000
	if share > 0 {
		n = max(n, 1)
	}
	return strings.Repeat("█", min(n, width)) + strings.Repeat("░", max(width-n, 0))
}
