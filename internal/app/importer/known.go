package importer

import (
	"cmp"
	"context"
	"io"
	"slices"

	"vitrine"
	"vitrine/report"
)

// known finds the staged views that the log has already: those with the link,
// time and viewer of one of its views. If the file has a view several times, as
// many are known as the log has.
func (i *importing) known(ctx context.Context) (known places, err error) {
	targets := slices.SortedFunc(slices.Values(i.staged.targets), func(a, b *importTarget) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.link, b.link))
	})
	err = i.retry(ctx, func() error {
		sorted, err := i.staged.sorted()
		if err != nil {
			return err
		}
		m := matching{sorted: sorted, place: -1, known: make(places, i.staged.views/64+1)}
		for _, t := range targets {
			if err := m.link(ctx, i.Log, t); err != nil {
				return err
			}
		}
		known = m.known
		return nil
	})
	return known, err
}

// matching compares the staged views with those of the log. Both are ordered by
// account, link and time.
type matching struct {
	sorted *merge
	known  places
	next   vitrine.ViewRecord // the next staged view, unless place is -1
	place  int64              // its place in the order
	ended  bool               // there is no next one
}

// link compares the views of a link.
func (m *matching) link(ctx context.Context, log Log, t *importTarget) error {
	at, viewers := int64(0), map[uint64]int{} // of a millisecond
	err := log.Views(ctx, t.link, report.DayOf(t.first), report.DayOf(t.last)+1, func(v *report.View) error {
		if v.At != at {
			if err := m.match(t, at, viewers); err != nil {
				return err
			}
			at = v.At
			clear(viewers)
		}
		viewers[v.Viewer]++
		return nil
	})
	return cmp.Or(err, m.match(t, at, viewers))
}

// match marks the staged views of a link and millisecond that the viewers have
// in the log.
func (m *matching) match(t *importTarget, at int64, viewers map[uint64]int) error {
	if len(viewers) == 0 {
		return nil
	}
	for ; !m.ended; m.place++ {
		if m.place >= 0 {
			order := cmp.Or(cmp.Compare(m.next.Account, t.account), cmp.Compare(m.next.Link, int64(t.link)),
				cmp.Compare(m.next.At, at))
			if order > 0 {
				return nil
			}
			if order == 0 && viewers[m.next.Viewer] > 0 {
				viewers[m.next.Viewer]--
				m.known.add(m.place)
			}
		}
		err := m.sorted.next(&m.next)
		if m.ended = err == io.EOF; err != nil && !m.ended {
			return err
		}
	}
	return nil
}

// places is a set of places in the order of the staged views.
type places []uint64

func (p places) add(n int64)      { p[n/64] |= 1 << (n % 64) }
func (p places) has(n int64) bool { return p[n/64]&(1<<(n%64)) != 0 }
