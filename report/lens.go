package report

import "math"

// Lens selects the views that a tally counts, and its steps. The zero value
// counts all views by UTC day.
type Lens struct {
	// Steps replace UTC days; nil means UTC days.
	Steps *Steps
	// Filter selects the views that count, with their downloads. With a filter,
	// downloads without a view do not count. Conditions on links are ignored.
	Filter Filter
	Links  []int64 // only these links count; nil means all
	// Single also asks for the data of Content.AddCurves, which stored tallies
	// do not have.
	Single bool
}

// Narrow reports whether the lens is not the zero value.
func (l *Lens) Narrow() bool {
	return l.Steps != nil || len(l.Filter) > 0 || l.Links != nil || l.Single
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
