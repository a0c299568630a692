package report

import (
	"encoding/binary"
	"maps"
	"slices"
)

// counted returns the counts of t by label, in the order of a body.
func (t *Tally) counted() []*counts {
	all := []*counts{&t.bots, &t.products, &t.clicks}
	for _, d := range carded {
		all = append(all, &t.labels[d.index])
	}
	return all
}

func (t *Tally) appendParts(b []byte) []byte {
	b = appendNumber(appendNumber(b, t.outlined), t.parts.sessions)
	if t.parts.sessions == 0 {
		return b
	}
	for _, n := range t.parts.parts {
		b = appendNumber(b, n)
	}
	return b
}

func (r *pieceReader) parts(t *Tally) {
	t.outlined += r.number()
	n := r.number()
	if t.parts.sessions += n; n == 0 {
		return
	}
	for i := range t.parts.parts {
		t.parts.parts[i] += r.number()
	}
}

func (t *Tally) appendLinks(b []byte) []byte {
	first := Day(0) // day of the tally: other days are stored relative to it
	for d := range t.days {
		if first == 0 || d < first {
			first = d
		}
	}
	b = binary.AppendVarint(b, int64(first))
	b = appendNumber(b, int64(len(t.links)))
	link := int64(0)
	for _, id := range slices.Sorted(maps.Keys(t.links)) {
		l := t.links[id]
		b = binary.AppendVarint(b, id-link)
		link = id
		b = appendNumber(b, l.views)
		b = l.sessions.append(b)
		b = l.seen.append(b, first)
	}
	return b
}

// append writes the sessions, doubled, and 1 more if the number of unmeasured
// ones follows.
func (e engagement) append(b []byte) []byte {
	if e.unmeasured == 0 {
		b = appendNumber(b, 2*e.sessions)
	} else {
		b = appendNumber(appendNumber(b, 2*e.sessions+1), e.unmeasured)
	}
	if e.sessions == 0 {
		return b
	}
	for _, n := range []int64{e.engagedMs, e.pages, e.played, e.depth} {
		b = appendNumber(b, n)
	}
	return b
}

func (r *pieceReader) engagement() (e engagement) {
	n := r.number()
	if e.sessions = n / 2; n%2 == 1 {
		e.unmeasured = r.number()
	}
	if e.sessions == 0 {
		return e
	}
	e.engagedMs, e.pages, e.played, e.depth = r.number(), r.number(), r.number(), r.number()
	return e
}
