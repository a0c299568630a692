package segment

import (
	"iter"
	"maps"
	"slices"

	"vitrine/report"
)

// ViewerDaySet counts the views of each viewer day (a viewer, link and day) in
// about 13 bytes a viewer day. Viewer days are grouped into leaves by the bits
// of their viewer above the lowest 32. Viewers are hashes of 48 bits, so there
// are 65,536 leaves of about the same size. A viewer day stores only the other
// bits of its viewer, and a new viewer day moves only viewer days of its leaf.
type ViewerDaySet struct {
	leaves map[uint32]*dayLeaf // by prefix
	links  []int64             // links by their index
	places map[int64]uint32    // indexes of links
	many   map[ViewerDay]int32
	N      int // number of viewer days
	spare  int // unused capacity of the leaves
}

// dayLeaf holds the viewer days of viewers with the same highest bits, in
// order.
type dayLeaf struct {
	keys []uint64 // the viewer's lowest 32 bits, then 16 bits of the day
	rest []uint32 // 24 bits of the link's index, then 8 bits of the count
}

const (
	maxLinkPlaces = 1 << 24
	maxDay        = 1<<16 - 1
	// manyViews in a leaf means a count in ViewerDaySet.many.
	manyViews = 1<<8 - 1
)

// NewViewerDaySet returns an empty set.
func NewViewerDaySet() *ViewerDaySet {
	return &ViewerDaySet{leaves: map[uint32]*dayLeaf{}, places: map[int64]uint32{}, many: map[ViewerDay]int32{}}
}

// Bytes returns about how much memory s takes.
func (s *ViewerDaySet) Bytes() int {
	const day, leaf, link, count = 12, 96, 48, 64
	return day*(s.N+s.spare) + leaf*len(s.leaves) + link*len(s.links) + count*len(s.many)
}

// prefix returns the highest bits of a viewer, which order leaves as viewers
// are ordered.
func prefix(viewer int64) uint32 { return uint32((uint64(viewer) ^ 1<<63) >> 32) }

// keyOf returns the key of a viewer day in its leaf.
func keyOf(viewer int64, day report.Day) uint64 { return uint64(uint32(viewer))<<16 | uint64(day) }

// search returns the position of a viewer day in the leaf, or the position at
// which to insert it.
func (l *dayLeaf) search(key uint64, place uint32) (at int, found bool) {
	end := len(l.keys)
	for at < end {
		switch mid := (at + end) / 2; {
		case l.keys[mid] < key || l.keys[mid] == key && l.rest[mid]>>8 < place:
			at = mid + 1
		default:
			end = mid
		}
	}
	return at, at < len(l.keys) && l.keys[at] == key && l.rest[at]>>8 == place
}

// Add adds n, which may be negative, to the views of a viewer day. It returns
// the number before. It reports false, and changes nothing, if s cannot hold
// the viewer day: its day is after the year 2149, or there are too many links.
func (s *ViewerDaySet) Add(v ViewerDay, n int32) (before int32, ok bool) {
	if v.Day < 0 || v.Day > maxDay {
		return 0, false
	}
	place, known := s.places[v.Link]
	if !known {
		if len(s.links) == maxLinkPlaces {
			return 0, false
		}
		place = uint32(len(s.links))
		s.links = append(s.links, v.Link)
		s.places[v.Link] = place
	}
	leaf := s.leaves[prefix(v.Viewer)]
	if leaf == nil {
		leaf = new(dayLeaf)
		s.leaves[prefix(v.Viewer)] = leaf
	}
	key := keyOf(v.Viewer, v.Day)
	at, found := leaf.search(key, place)
	if found {
		before = int32(leaf.rest[at] & manyViews)
		if before == manyViews {
			before = s.many[v]
		}
	}
	now := before + n
	switch {
	case now <= 0 && found:
		leaf.keys, leaf.rest = slices.Delete(leaf.keys, at, at+1), slices.Delete(leaf.rest, at, at+1)
		s.N--
		s.spare++
	case now > 0 && !found:
		s.insert(leaf, at, key, place<<8)
	}
	if now >= manyViews {
		s.many[v] = now
	} else if before >= manyViews {
		delete(s.many, v)
	}
	if now > 0 {
		leaf.rest[at] = place<<8 | uint32(min(now, manyViews))
	}
	return before, true
}

// insert adds a viewer day to a leaf. It extends a full leaf by an eighth.
func (s *ViewerDaySet) insert(l *dayLeaf, at int, key uint64, rest uint32) {
	if n := len(l.keys); n == cap(l.keys) || n == cap(l.rest) {
		more := n/8 + 2
		s.spare += n + more - cap(l.keys)
		l.keys = append(make([]uint64, 0, n+more), l.keys...)
		l.rest = append(make([]uint32, 0, n+more), l.rest...)
	}
	l.keys, l.rest = slices.Insert(l.keys, at, key), slices.Insert(l.rest, at, rest)
	s.N++
	s.spare--
}

// entry returns the viewer day at a position of a leaf.
func (s *ViewerDaySet) entry(prefix uint32, l *dayLeaf, at int) ViewerDay {
	return ViewerDay{
		Viewer: int64((uint64(prefix)<<32 ^ 1<<63) | l.keys[at]>>16),
		Link:   s.links[l.rest[at]>>8],
		Day:    report.Day(l.keys[at] & maxDay),
	}
}

// Of appends the viewer days of a viewer to list.
func (s *ViewerDaySet) Of(list []ViewerDay, viewer int64) []ViewerDay {
	l := s.leaves[prefix(viewer)]
	if l == nil {
		return list
	}
	at, _ := l.search(keyOf(viewer, 0), 0)
	for ; at < len(l.keys) && uint32(l.keys[at]>>16) == uint32(viewer); at++ {
		list = append(list, s.entry(prefix(viewer), l, at))
	}
	return list
}

// All yields all viewer days, ordered by viewer, the viewer days of some
// viewers at a time. A slice is valid until the next one.
func (s *ViewerDaySet) All() iter.Seq[[]ViewerDay] {
	return func(yield func([]ViewerDay) bool) {
		var list []ViewerDay
		for _, p := range slices.Sorted(maps.Keys(s.leaves)) {
			l := s.leaves[p]
			list = list[:0]
			for at := range l.keys {
				list = append(list, s.entry(p, l, at))
			}
			if len(list) > 0 && !yield(list) {
				return
			}
		}
	}
}
