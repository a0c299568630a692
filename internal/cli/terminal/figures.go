package terminal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"vitrine/client"

	"github.com/dustin/go-humanize"
)

// FormatSize formats a size in bytes as pages do, rounded to two digits.
func FormatSize(n int64) string { return humanize.Bytes(uint64(max(n, 0))) }

// Duration formats a duration in milliseconds as pages do.
func Duration(ms int64) string {
	switch s := (max(ms, 0) + 500) / 1000; {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %02d s", s/60, s%60)
	default:
		return fmt.Sprintf("%s h %02d min", Count(s/3600), s/60%60)
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
func percent(p *client.Tenths) string {
	if p == nil {
		return nothing
	}
	return p.String() + "%"
}

// Changes are shown and colored from these numbers on, as on the page: less is
// chance.
const (
	changeViews  = 30
	changeColour = 5
)

// change formats the change against the previous period. It returns "" if the
// periods cannot be compared, or if the previous one has few views.
func (p *page) change(s *client.Summary, d client.Delta) string {
	switch {
	case s.Range.Key == "all" || p.young || s.Previous.Views < changeViews:
		return ""
	case d.Dir == "flat":
		return p.t.Paint(Dim, "no change")
	case d.Pct == nil: // an increase from zero has no meaningful size
		return p.t.Paint(Dim, "none before")
	}
	pct, sign, colour := max(*d.Pct, -*d.Pct), "↑", Good
	if d.Dir == "down" {
		sign, colour = "↓", Bad
	}
	if pct < changeColour {
		colour = Dim
	}
	return p.t.Paint(colour, sign+" "+Count(pct)+"%")
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
func gauge(share client.Tenths, width int) string {
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

// narrowHours is the width below which the hours have less text.
const narrowHours = 64

// hours writes the views by hour and weekday.
func (p *page) hours(h client.Timing) {
	if h.PeakHour == nil || h.PeakWeekday == nil {
		return
	}
	p.heading("Hours (" + Plain(p.zone.String()) + ")")
	pad, hours, week := len(h.ByHour), "0 to 23, ", "Monday to Sunday, "
	if p.width < narrowHours {
		pad, hours, week = 0, "", "Mon to Sun, "
	}
	p.line("%s  %smost at %02d:00", spark(h.ByHour[:], len(h.ByHour)), hours, *h.PeakHour)
	days := append(slices.Clone(h.ByWeekday[1:]), h.ByWeekday[0]) // from Monday
	p.line("%s  %smost on %s", Pad(spark(days, len(days)), pad), week, time.Weekday(*h.PeakWeekday))
}
