package viewdb

import (
	"container/heap"
	"context"

	"vitrine"
	"vitrine/internal/sqldb"
	"vitrine/internal/viewdb/segment"
	"vitrine/report"
)

// newest is the tally of the newest q.Cap opens of a window, if it has more;
// what is older is left out.
func (l *ViewLog) newest(ctx context.Context, q vitrine.TallyQuery) (t *report.Tally, truncated bool, err error) {
	err = l.read(ctx, func(tx logTx) error {
		all := newestOf(q.Cap)
		if err := eachID(ctx, tx, q, all.add); err != nil || !all.full {
			return err
		}
		truncated = true
		oldest := all.places[0]
		var fold report.Fold
		g := l.gather(ctx, tx, q.Scope)
		g.each = func(o *report.View) {
			if !(place{vitrine.ViewID(o.ID), vitrine.LinkID(o.Link)}).before(oldest) {
				fold.Add(o)
			}
		}
		if err := g.packed(max(q.From, report.DayOf(oldest.id.Ms())), q.To); err != nil {
			return err
		}
		if err := g.running(max(q.From, report.DayOf(oldest.id.Ms())), q.To); err != nil {
			return err
		}
		if err := g.downloads(q.From, q.To); err != nil {
			return err
		}
		t = fold.Tally()
		for _, day := range g.tallies {
			t.Merge(day) // downloads
		}
		return nil
	})
	return t, truncated, err
}

// place is a place in the order of a scope's views: by ID, then by link.
type place struct {
	id   vitrine.ViewID
	link vitrine.LinkID
}

func (p place) before(q place) bool { return p.id < q.id || p.id == q.id && p.link < q.link }

// places keeps the newest n of the places that it is given: a heap, the oldest
// first.
type places struct {
	n      int
	places []place
	full   bool // more were given
}

func newestOf(n int) *places { return &places{n: n} }

func (p *places) add(q place) {
	if len(p.places) < p.n {
		heap.Push(p, q)
		return
	}
	p.full = true
	if p.places[0].before(q) {
		p.places[0] = q
		heap.Fix(p, 0)
	}
}

func (p *places) Len() int           { return len(p.places) }
func (p *places) Less(i, j int) bool { return p.places[i].before(p.places[j]) }
func (p *places) Swap(i, j int)      { p.places[i], p.places[j] = p.places[j], p.places[i] }
func (p *places) Push(q any)         { p.places = append(p.places, q.(place)) }
func (p *places) Pop() any           { panic("sqldb: nothing is taken off") }

// eachID calls f with the place of every view of a window.
func eachID(ctx context.Context, t logTx, q vitrine.TallyQuery, f func(place)) error {
	r, n := idsOf(q.From, q.To), 0
	each := func(link vitrine.LinkID, id vitrine.ViewID) error {
		if n++; n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		f(place{id, link})
		return nil
	}
	err := t.packedRows(q.Scope, r, true, func(link vitrine.LinkID, row *segment.Row) error { return each(link, row.ID) })
	if err != nil {
		return err
	}
	clause, args := within(q.Scope, "opens", r)
	return t.Each(func(s sqldb.Scanner) error {
		var p place
		if err := s.Scan(&p.id, &p.link); err != nil {
			return err
		}
		return each(p.link, p.id)
	}, "SELECT o.id, o.link"+clause, args...)
}
