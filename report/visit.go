package report

import "slices"

// Visit is one viewer on one day of a scope (a link or an account): the scope
// saw the viewer on Day and, before that, last on Prev; NoDay means never.
//
// Visits count distinct viewers without a set of viewers. A viewer of the days
// [a, b) has exactly one visit in these days whose Prev is before a: the first.
// So for every a and b, the number of visits with Prev < a is the number of
// distinct viewers. Bots have no visits.
type Visit struct{ Day, Prev Day }

// seen counts a day's viewers by the day of their visit before.
type seen struct {
	prevs   []Day   // ascending
	viewers []int64 // for each of prevs
}

func (s *seen) add(prev Day, viewers int64) {
	i, ok := s.find(prev)
	if !ok {
		s.prevs = slices.Insert(s.prevs, i, prev)
		s.viewers = slices.Insert(s.viewers, i, 0)
	}
	if s.viewers[i] += viewers; s.viewers[i] == 0 {
		s.prevs = slices.Delete(s.prevs, i, i+1)
		s.viewers = slices.Delete(s.viewers, i, i+1)
	}
}

// find returns the index at which prev is or belongs. It tries the first entry
// first, because most viewers are new.
func (s *seen) find(prev Day) (i int, ok bool) {
	if len(s.prevs) > 0 && s.prevs[0] == prev {
		return 0, true
	}
	return slices.BinarySearch(s.prevs, prev)
}

func (s *seen) merge(r seen) {
	for i, prev := range r.prevs {
		s.add(prev, r.viewers[i])
	}
}

func (s *seen) equal(r seen) bool {
	return slices.Equal(s.prevs, r.prevs) && slices.Equal(s.viewers, r.viewers)
}

// before returns how many of the day's viewers had last come before day a, or
// never.
func (s *seen) before(a Day) int64 {
	var n int64
	for i, prev := range s.prevs {
		if prev >= a {
			break
		}
		n += s.viewers[i]
	}
	return n
}
