package report

import "slices"

// ViewerDay is one viewer on one day of a scope (a link or an account): the
// scope saw the viewer on Day and, before that, last on Prev; NoDay means
// never.
//
// Viewer days count distinct viewers without a set of viewers. A viewer of the
// days [a, b) has exactly one viewer day in these days whose Prev is before a:
// the first. So for every a and b, the number of viewer days with Prev < a is
// the number of distinct viewers. Bots have no viewer days.
type ViewerDay struct{ Day, Prev Day }

// seen counts a day's viewers by the day on which they came before.
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

// merge adds the viewers of r, in one pass from the end if there are several.
func (s *seen) merge(r seen) {
	if len(r.prevs) < 4 {
		for i, prev := range r.prevs {
			s.add(prev, r.viewers[i])
		}
		return
	}
	i, j, missing := len(s.prevs)-1, len(r.prevs)-1, s.missing(r)
	s.prevs = append(s.prevs, make([]Day, missing)...)
	s.viewers = append(s.viewers, make([]int64, missing)...)
	for k := len(s.prevs) - 1; j >= 0; k-- {
		old, added := i >= 0 && s.prevs[i] >= r.prevs[j], i < 0 || s.prevs[i] <= r.prevs[j]
		prev, viewers := r.prevs[j], int64(0)
		if old {
			prev, viewers = s.prevs[i], s.viewers[i]
			i--
		}
		if added {
			viewers += r.viewers[j]
			j--
		}
		s.prevs[k], s.viewers[k] = prev, viewers
	}
	if slices.Contains(s.viewers, 0) { // some were removed
		s.tidy()
	}
}

// missing returns how many days of r are not in s.
func (s *seen) missing(r seen) (n int) {
	i := 0
	for _, prev := range r.prevs {
		for i < len(s.prevs) && s.prevs[i] < prev {
			i++
		}
		if i == len(s.prevs) || s.prevs[i] != prev {
			n++
		}
	}
	return n
}

// tidy deletes days without viewers.
func (s *seen) tidy() {
	kept := 0
	for i, n := range s.viewers {
		if n != 0 {
			s.prevs[kept], s.viewers[kept] = s.prevs[i], n
			kept++
		}
	}
	s.prevs, s.viewers = s.prevs[:kept], s.viewers[:kept]
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
