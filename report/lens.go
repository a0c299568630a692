package report

import (
	"math"
	"slices"
)

// Lens selects the views that a tally counts, and its steps. The zero value
// counts all views by UTC day.
type Lens struct {
	// Steps replace UTC days; nil means UTC days.
	Steps *Steps
	// Filter selects the views that count, with their downloads. With a filter,
	// downloads without a view count only if it is on recipients alone.
	// Conditions on links are ignored.
	Filter Filter
	Links  []int64 // only these links count; nil means all
	// Versions has, for some links, the only versions of the file whose views
	// count, with their downloads. It restricts downloads as a filter does.
	Versions map[int64][]int
	// Single also asks for the data of Content.AddCurves, which stored tallies
	// do not have.
	Single bool
}

// NeedsViews reports whether stored tallies cannot answer the lens: it is not
// the zero value.
func (l *Lens) NeedsViews() bool {
	return l.Steps != nil || len(l.Filter) > 0 || l.Links != nil || l.Versions != nil || l.Single
}

// Selects reports whether the lens selects views by more than their link.
func (l *Lens) Selects() bool { return len(l.Filter) > 0 || l.Versions != nil }

// Match reports whether the lens selects a view, if it is of its links.
func (l *Lens) Match(v *View) bool {
	return l.shows(v.Link, v.Version) && l.Filter.Match(v)
}

// MatchDownload reports whether the lens selects a download without a view,
// through the address of a recipient or the plain one (0). Only conditions on
// recipients can.
func (l *Lens) MatchDownload(recipient int64) bool {
	return l.Versions == nil && l.Filter.OnlyRecipients() && l.Filter.Match(&View{Recipient: recipient})
}

// shows reports whether views of a version of a link count.
func (l *Lens) shows(link int64, version int) bool {
	of, some := l.Versions[link]
	return !some || slices.Contains(of, max(version, 1))
}

// Reach returns the bounds of all steps.
func (s *Steps) Reach() (from, to int64) {
	if s == nil {
		return math.MinInt64, math.MaxInt64
	}
	return s.starts[0], s.starts[len(s.starts)-1]
}

// Bounds returns when the steps [from, to) begin and end, in Unix milliseconds.
func (s *Steps) Bounds(from, to Day) (begin, end int64) { return s.Start(from), s.Start(to) }
