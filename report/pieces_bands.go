package report

import (
	"slices"

	"vitrine/report/part"
)

// banded returns the pages of which quarters were measured, ascending.
func (t *Tally) banded() (pages []int) {
	for p, s := range t.pages {
		if s.bands != (part.Bands{}) {
			pages = append(pages, p)
		}
	}
	slices.Sort(pages)
	return pages
}

// appendBands appends the times of quarters of the pages that have them.
func (t *Tally) appendBands(b []byte) []byte {
	pages, before := t.banded(), 0
	b = appendNumber(b, int64(len(pages)))
	for _, p := range pages {
		b = appendNumber(b, int64(p-before))
		before = p
		for _, ms := range t.pages[p].bands {
			b = appendNumber(b, ms)
		}
	}
	return b
}

// bands reads what appendBands wrote.
func (r *pieceReader) bands(t *Tally) {
	page := 0
	for range r.count() {
		page += int(r.number())
		s := entry(&t.pages, page)
		for i := range s.bands {
			s.bands[i] += r.number()
		}
	}
}
