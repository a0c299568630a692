package report

import "math/bits"

// PartCount is the number of parts of a medium.
const PartCount = 100

// Parts is a set of hundredths of a medium's duration, counted from 0. The set
// has a hundredth if at least half of that hundredth was played. Bits from
// PartCount on are 0.
type Parts [2]uint64

// Has reports whether p has a part.
func (p Parts) Has(part int) bool {
	return 0 <= part && part < PartCount && p[part/64]&(1<<(part%64)) != 0
}

// Add adds a part. A number out of range is ignored.
func (p *Parts) Add(part int) {
	if 0 <= part && part < PartCount {
		p[part/64] |= 1 << (part % 64)
	}
}

// AddRange adds the parts [from, to).
func (p *Parts) AddRange(from, to int) {
	for part := max(from, 0); part < min(to, PartCount); part++ {
		p.Add(part)
	}
}

// Union returns the parts that p or q has.
func (p Parts) Union(q Parts) Parts { return Parts{p[0] | q[0], p[1] | q[1]} }

// Count returns the number of parts in p.
func (p Parts) Count() int { return bits.OnesCount64(p[0]) + bits.OnesCount64(p[1]) }

// Within returns p without parts that a session cannot have played: parts
// beyond its furthest point, and parts beyond the number that its time played
// can cover half each. The first parts are kept.
func (p Parts) Within(played, reached int64) Parts {
	const part = Whole / PartCount
	var kept Parts
	for i, left := 0, (2*within(played, Whole)+part-1)/part; i < PartCount && left > 0 && int64(i)*part < reached; i++ {
		if p.Has(i) {
			kept.Add(i)
			left--
		}
	}
	return kept
}

// Ranges calls f with each run [from, to) of parts, in order.
func (p Parts) Ranges(f func(from, to int)) {
	for i := 0; i < PartCount; i++ {
		if !p.Has(i) {
			continue
		}
		from := i
		for p.Has(i) {
			i++
		}
		f(from, i)
	}
}

// partSums counts the counted sessions with known parts, and for each part how
// many of them have it.
type partSums struct {
	sessions int64
	parts    [PartCount]int64
}

func (s *partSums) add(p Parts, n int64) {
	if p == (Parts{}) {
		return
	}
	s.sessions += n
	p.Ranges(func(from, to int) {
		for i := from; i < to; i++ {
			s.parts[i] += n
		}
	})
}

func (s *partSums) merge(t *partSums) {
	s.sessions += t.sessions
	for i, n := range t.parts {
		s.parts[i] += n
	}
}

// PlayedParts returns how many counted sessions have parts of a medium, and how
// many have each hundredth.
func (t *Tally) PlayedParts() (sessions int64, parts [PartCount]int64) {
	return t.parts.sessions, t.parts.parts
}

// AddParts adds the number of counted sessions with parts of a medium, and the
// number with each part.
func (t *Tally) AddParts(sessions int64, parts [PartCount]int64) {
	t.parts.merge(&partSums{sessions, parts})
}
