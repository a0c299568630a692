package report

import (
	"encoding/binary"
	"maps"
	"slices"
)

// hasMore reports whether t has what the second form of a body adds.
func (t *Tally) hasMore() bool {
	for _, d := range carded {
		if d.Extra && len(t.labels[d.index]) > 0 {
			return true
		}
	}
	return len(t.products) > 0 || t.parts != partSums{} || t.outlined > 0 || len(t.clicks) > 0
}

// appendLabels appends the counts of the extra cards, or of the others.
func (t *Tally) appendLabels(b []byte, extra bool, id func(label string) (uint64, error)) (_ []byte, err error) {
	for _, d := range carded {
		if d.Extra == extra {
			if b, err = t.labels[d.index].append(b, id); err != nil {
				return nil, err
			}
		}
	}
	return b, nil
}

// labels reads what appendLabels wrote.
func (r *pieceReader) labels(t *Tally, extra bool, label func(id uint64) (string, error)) error {
	for _, d := range carded {
		if d.Extra == extra {
			if err := r.counts(&t.labels[d.index], label); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *Tally) appendMore(b []byte, id func(label string) (uint64, error)) (_ []byte, err error) {
	if b, err = t.products.append(b, id); err != nil {
		return nil, err
	}
	if b, err = t.appendLabels(b, true, id); err != nil {
		return nil, err
	}
	b = appendNumber(b, t.outlined)
	if b, err = t.clicks.append(b, id); err != nil {
		return nil, err
	}
	b = appendNumber(b, t.parts.sessions)
	if t.parts.sessions == 0 {
		return b, nil
	}
	for _, n := range t.parts.parts {
		b = appendNumber(b, n)
	}
	return b, nil
}

func (r *pieceReader) more(t *Tally, label func(id uint64) (string, error)) error {
	if err := r.counts(&t.products, label); err != nil {
		return err
	}
	if err := r.labels(t, true, label); err != nil {
		return err
	}
	t.outlined += r.number()
	if err := r.counts(&t.clicks, label); err != nil {
		return err
	}
	n := r.number()
	if t.parts.sessions += n; n == 0 {
		return nil
	}
	for i := range t.parts.parts {
		t.parts.parts[i] += r.number()
	}
	return nil
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
