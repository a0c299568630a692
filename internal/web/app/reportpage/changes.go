package reportpage

import (
	"fmt"
	"time"

	"vitrine/internal/web/ui"
	"vitrine/report"
)

// statsDelta is a change against the time before, as a sign and in words.
type statsDelta struct {
	Dir               report.Dir // of its colour: up is good
	Sign, Short, From string
	Words             string // the whole of it, read aloud
}

// A change is shown if the time before has at least this many views, and has a
// colour from this percentage, or this many percentage points, on. Less is
// chance.
const (
	deltaViews  = 30
	deltaColour = 5
)

// canCompare reports whether a report is compared with the time before: not if
// few views came then, or if the link did not exist for all of it.
func canCompare(r *report.Summary) bool {
	return compares(r) && !r.Younger && r.Previous.Views >= deltaViews
}

// compares reports whether a comparison is asked for.
func compares(r *report.Summary) bool {
	return r.Range.Key != report.RangeAll && r.Range.Compare != report.CompareNone
}

// newStatsDelta is a change in words, or nil; is and was are the numbers as
// pages show them.
func newStatsDelta(r *report.Summary, d report.Delta, is, was string) *statsDelta {
	if !canCompare(r) {
		return nil
	}
	span := spanBefore(r)
	if d.Pct == nil && d.Dir != report.Flat { // a change from zero has no meaningful size
		return &statsDelta{Dir: report.Flat, Short: "none before", Words: "There was nothing in " + span + "."}
	}
	if d.Dir == report.Flat || is == was {
		return noChange(span)
	}
	pct := max(*d.Pct, -*d.Pct)
	s := newChange(d.Dir, fmt.Sprintf("%s%%", ui.Figure(pct)), was)
	s.Words = fmt.Sprintf("%s %s percent, from %s in %s.", ui.Capital(string(d.Dir)), ui.Figure(pct), was, span)
	if pct < deltaColour {
		s.Dir = report.Flat
	}
	return s
}

// newCountDelta is the change of a number that grows until today is over: until
// then, less is no decline.
func newCountDelta(r *report.Summary, d report.Delta, is, was int64, now time.Time) *statsDelta {
	if is == 0 && was == 0 {
		return nil
	}
	s := newStatsDelta(r, d, ui.Figure(is).String(), ui.Figure(was).String())
	if s != nil && soFar(r, now) {
		if s.Dir == report.Down {
			s.Dir = report.Flat
		}
		if s.From != "" {
			s.From = ", " + s.From
		}
		s.From = "so far" + s.From
		s.Words += " Today is not over."
	}
	return s
}

// soFar reports whether what is missing of today may give a change a colour.
// The last 24 hours end with the current hour, and lack less.
func soFar(r *report.Summary, now time.Time) bool {
	return r.Range.Key != report.RangeDay && r.Range.Days*deltaColour <= 100 && r.Range.To.After(now)
}

// newPointsDelta is the change of a percentage, in percentage points, or nil if
// one of the two is missing.
func newPointsDelta(r *report.Summary, is, was *report.Tenths) *statsDelta {
	if is == nil || was == nil || !canCompare(r) {
		return nil
	}
	span, shown := spanBefore(r), ui.Percent(*was)
	if ui.Percent(*is) == shown {
		return noChange(span)
	}
	dir, points := report.Up, *is-*was
	if points < 0 {
		dir, points = report.Down, -points
	}
	size := ui.Percent(points)
	size = size[:len(size)-1]
	unit := "points"
	if size == "1" {
		unit = "point"
	}
	s := newChange(dir, size+" "+unit, shown)
	s.Words = fmt.Sprintf("%s %s percentage %s, from %s in %s.", ui.Capital(string(dir)), size, unit, shown, span)
	if points < 10*deltaColour {
		s.Dir = report.Flat
	}
	return s
}

// newReturningDelta is the change of the share of views that return.
func newReturningDelta(r *report.Summary) *statsDelta {
	return newPointsDelta(r, measured(r.Totals.ReturningPct, r.Totals.Views),
		measured(r.Previous.ReturningPct, r.Previous.Views))
}

// measured returns a share of a number, or nil if that is 0.
func measured(share report.Tenths, of int64) *report.Tenths {
	if of == 0 {
		return nil
	}
	return &share
}

func newChange(dir report.Dir, size, was string) *statsDelta {
	return &statsDelta{Dir: dir, Sign: map[report.Dir]string{report.Up: "↑", report.Down: "↓"}[dir], Short: size,
		From: "from " + was}
}

func noChange(span string) *statsDelta {
	return &statsDelta{Dir: report.Flat, Short: "no change", Words: "No change from " + span + "."}
}

func spanBefore(r *report.Summary) string { return before(&r.Range, r.Granularity == "hour") }

// whyUncompared says why a report has no changes, or returns "". The name is
// that of the oldest thing in the report, which was created at a time.
func whyUncompared(r *report.Summary, name string, created, now time.Time, words seriesWords) string {
	if !compares(r) || canCompare(r) || r.Totals.Views == 0 {
		return ""
	}
	why := fmt.Sprintf("fewer than %d %ss in %s", deltaViews, words.One, spanBefore(r))
	if r.Previous.Views == 0 {
		why = "no " + words.One + "s in " + spanBefore(r)
	}
	if days := int64(now.Sub(created) / (24 * time.Hour)); r.Younger && days == 0 {
		why = name + " is less than a day old"
	} else if r.Younger {
		why = name + " is " + ui.Counted(days, "day", "days") + " old"
	}
	return "Not compared: " + why + "."
}

// uncompared says why no number has a change.
func (p *reportPage) uncompared(n *numbers, now time.Time) string {
	if n.link == nil {
		name := "the oldest link"
		if p.Website != nil {
			name = "the oldest page"
		}
		return whyUncompared(p.Summary, name, p.Account.AllTime.Since, now, p.Words())
	}
	if p.Few {
		return ""
	}
	return whyUncompared(p.Summary, "the link", p.Link.CreatedAt, now, p.Words())
}

// Opens reports whether numbers open what makes them.
func (p *reportPage) Opens() bool { return p.explain != "" }
