package report

import "math"

// Lens says which views a tally is of, and what its steps are. The zero value
// is of all views, by UTC day.
type Lens struct {
	// Steps are what days number in the place of UTC days.
	Steps *Steps
	// Filter says which views count, and the downloads of which; downloads that
	// belong to no view are left out with one. What it says of links is ignored.
	Filter Filter
	Links  []int64 // which alone count; nil: all
	// Single asks for what is not stored of tallies, too: Content.AddCurves.
	Single bool
}

// Narrow says that the lens is not the zero one.
func (l *Lens) Narrow() bool {
	return l.Steps != nil || len(l.Filter) > 0 || l.Links != nil || l.Single
}

// Reach is Bounds of all steps.
func (s *Steps) Reach() (from, to int64) {
	if s == nil {
		return math.MinInt64, math.MaxInt64
	}
	return s.starts[0], s.starts[len(s.starts)-1]
}

// Bounds are the moments, in Unix milliseconds, at which the steps [from, to)
// begin and end.
func (s *Steps) Bounds(from, to Day) (begin, end int64) { return s.Start(from), s.Start(to) }
