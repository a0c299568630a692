package sqldb

import (
	"cmp"
	"container/heap"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"vitrine"
	"vitrine/report"
)

// opener makes opens of their rows, in memory that it uses again: what it returned is good until its next open.
type opener struct {
	words *words
	row   row
	open  report.Open
}

func (r *opener) read(link, id int64, open, session []byte) (*report.Open, error) {
	r.row.id = vitrine.ViewID(id)
	if err := r.row.openRecord.decode(open); err != nil {
		return nil, err
	}
	if r.row.engaged = session != nil; r.row.engaged {
		if err := r.row.session.decode(session, r.row.id.Ms()); err != nil {
			return nil, err
		}
	}
	return r.make(link, &r.row)
}

// make makes an open of a row, with whose pages it shares memory.
func (r *opener) make(link int64, row *row) (*report.Open, error) {
	rec, o := &row.openRecord, &r.open
	*o = report.Open{ID: int64(row.id), At: row.id.Ms(), Link: link, Viewer: rec.viewer,
		QR: rec.flags&openQR != 0, Returning: rec.flags&openReturning != 0}
	place, err1 := r.words.word(rec.place)
	origin, err2 := r.words.word(rec.origin)
	agent, err3 := r.words.word(rec.agent)
	bot, err4 := r.words.word(rec.bot)
	if err1 != nil || err2 != nil || err3 != nil || err4 != nil {
		return nil, errors.Join(err1, err2, err3, err4)
	}
	o.Country, o.City = place.labels[0], place.labels[1]
	o.Referrer, o.Source = origin.labels[0], origin.labels[1]
	o.Device, o.Browser, o.OS = agent.labels[0], agent.labels[1], agent.labels[2]
	o.Bot = bot.labels[0]
	if !row.engaged {
		return o, nil
	}
	screen, err := r.words.word(row.session.screen)
	if err != nil {
		return nil, err
	}
	o.Session = &row.session.Session
	o.Session.Screen = screen.labels[0]
	return o, nil
}

// ids is a range of IDs, its end not included.
type ids struct{ from, to vitrine.ViewID }

func idsOf(from, to report.Day) ids { return ids{firstID(from), firstID(to)} }

// firstID is the smallest ID of a day.
func firstID(d report.Day) vitrine.ViewID {
	const days = math.MaxInt64>>21/(24*60*60*1000) - 1 // that IDs can tell, either side of 1970
	switch {
	case d > days:
		return math.MaxInt64
	case d < -days:
		return math.MinInt64
	}
	return vitrine.ViewIDAt(d.StartMs(), 0)
}

// within is the end of a query for a scope's rows in a range of IDs, from a table with link and id, which it calls o. Its
// arguments are args.
func within(s vitrine.Scope, table string, r ids) (clause string, args []any) {
	const inRange = " AND o.id >= $2 AND o.id < $3"
	if s.Link != 0 {
		return " FROM " + table + " o WHERE o.link = $1" + inRange, []any{int64(s.Link), int64(r.from), int64(r.to)}
	}
	// CROSS JOIN holds SQLite to going from link to link.
	return " FROM links l CROSS JOIN " + table + " o WHERE l.account = $1 AND o.link = l.link" + inRange,
		[]any{int64(s.Account), int64(r.from), int64(r.to)}
}

// checkEvery is after how many rows a long answer looks whether it is still wanted.
const checkEvery = 1 << 12

// Tally is vitrine.ViewLog's. What is stored is taken as it is, the running days are kept in memory and brought up to date, and
// whatever is left is read from its opens.
func (l *ViewLog) Tally(ctx context.Context, q vitrine.TallyQuery) (t *report.Tally, truncated bool, err error) {
	if q.Cap > 0 {
		if t, truncated, err = l.newest(ctx, q); err != nil || truncated {
			return t, truncated, err
		}
	}
	t, err = l.tally(ctx, q, true)
	if damaged(err) {
		t, err = l.tally(ctx, q, false)
	}
	return t, false, err
}

// tally is Tally without a cap; with trust, from stored tallies where there are any.
func (l *ViewLog) tally(ctx context.Context, q vitrine.TallyQuery, trust bool) (t *report.Tally, err error) {
	err = l.db.read(ctx, func(tx *tx) error {
		w, err := l.window(tx, q.Scope, span{q.From, q.To}, trust)
		if err != nil {
			return err
		}
		past, err := l.settledTally(ctx, tx, q, w)
		if err != nil {
			return err
		}
		t = past.tally
		now := window{state: w.state, running: w.running, live: w.live, alone: q.From >= w.running.from}
		err = l.eachDay(ctx, tx, q.Scope, now, func(_ report.Day, day *report.Tally) {
			if t == past.tally { // others may be reading it
				t = new(report.Tally)
				t.Merge(past.tally)
			}
			t.Merge(day)
		})
		if err != nil {
			return err
		}
		if t == past.tally {
			return nil
		}
		return (&stored{tx: tx, scope: q.Scope, parts: past.parts}).times(trim(q.Scope, t))
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// settledTally is the part of a tally that is of settled days. It is nobody's to change.
func (l *ViewLog) settledTally(ctx context.Context, tx *tx, q vitrine.TallyQuery, w window) (*keptTally, error) {
	of := keptOf{q.Scope, span{q.From, w.running.from}, q.Brief}
	trusted := w.stored.from < w.stored.to
	if trusted {
		if k := l.kept.find(of, w.state); k != nil {
			return k, nil
		}
	}
	t := new(report.Tally)
	s := stored{tx: tx, words: l.words, scope: q.Scope, brief: q.Brief, since: q.From, tally: t, gone: w.state.forgotten}
	cold := w.cold
	if trusted {
		missing, err := s.take(w.stored)
		if err != nil {
			return nil, err
		}
		cold = append(missing, cold...)
	}
	err := l.eachDay(ctx, tx, q.Scope, window{cold: cold, alone: len(s.parts) == 0}, func(_ report.Day, day *report.Tally) { t.Merge(day) })
	if err == nil {
		err = s.times(trim(q.Scope, t))
	}
	k := &keptTally{of: of, state: w.state, tally: t, parts: s.parts}
	if err == nil && trusted {
		l.kept.keep(k)
	}
	return k, err
}

// trim leaves out what a scope's report does not show: some is not stored.
func trim(s vitrine.Scope, t *report.Tally) *report.Tally {
	if s.Link != 0 {
		return t.OfLink()
	}
	return t.OfAccount()
}

// window is where what is known of days stands.
type window struct {
	state   state
	stored  span   // tallies may be stored
	cold    []span // in packs
	running span   // in the table of opens, and, unless live, in packs
	live    bool
	alone   bool // what was before these days does not matter
}

func (l *ViewLog) window(t *tx, s vitrine.Scope, days span, trust bool) (w window, err error) {
	if days.from >= days.to {
		return w, nil
	}
	if w.state, err = t.state(s.Account); err != nil {
		return w, err
	}
	cut := func(d report.Day) report.Day { return min(max(d, days.from), days.to) }
	fresh := cut(w.state.stale)
	if !trust {
		if days.from < w.state.forgotten {
			return w, fmt.Errorf("a tally of days whose opens are gone, of account %d, link %d: %w", s.Account, s.Link, errRecord)
		}
		fresh = days.from
	}
	settled := cut(w.state.settled)
	w.stored = span{days.from, fresh}
	if fresh < settled {
		w.cold = []span{{fresh, settled}}
	}
	w.running = span{settled, days.to}
	w.live = trust && w.state.packed <= w.state.settled
	return w, nil
}

// eachDay calls f with a tally of each day that is not taken from what is stored, and was not without opens. The tally is not f's
// to keep or to change.
func (l *ViewLog) eachDay(ctx context.Context, t *tx, s vitrine.Scope, w window, f func(report.Day, *report.Tally)) error {
	g := l.gather(ctx, t, s)
	slices.SortFunc(w.cold, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	if err := g.cold(w.cold); err != nil {
		return err
	}
	if r := w.running; r.from < r.to {
		live := false
		if w.live {
			var err error
			if live, err = l.lives.each(ctx, t, s, w.state, r, f); err != nil {
				return err
			}
		}
		if !live {
			if err := g.packed(r.from, min(r.to, max(r.from, w.state.packed))); err != nil {
				return err
			}
			if err := g.running(r.from, r.to); err != nil {
				return err
			}
			if err := g.downloads(r.from, r.to); err != nil {
				return err
			}
		}
	}
	if err := g.addVisits(w.alone); err != nil {
		return err
	}
	for d, t := range g.tallies {
		f(d, t)
	}
	return nil
}

// DailyViews is vitrine.ViewLog's.
func (l *ViewLog) DailyViews(ctx context.Context, account vitrine.AccountID, links []vitrine.LinkID, from, to report.Day) (map[vitrine.LinkID][]int64, error) {
	views := make(map[vitrine.LinkID][]int64, len(links))
	err := l.db.read(ctx, func(t *tx) error {
		for _, link := range links {
			views[link] = make([]int64, max(to-from, 0))
		}
		sorted := slices.Sorted(maps.Keys(views))
		s := vitrine.Scope{Account: account}
		w, err := l.window(t, s, span{from, to}, true)
		if err != nil {
			return err
		}
		err = t.each(func(row scanner) error {
			var day report.Day
			var data sql.RawBytes
			if err := row.Scan(&day, &data); err != nil {
				return t.fail(err)
			}
			rest := sorted // links come in order
			err := report.EachLinkViews(data, func(link, n int64) {
				for len(rest) > 0 && int64(rest[0]) < link {
					rest = rest[1:]
				}
				if len(rest) > 0 && int64(rest[0]) == link {
					views[rest[0]][day-from] = n
				}
			})
			if damaged(err) {
				w.cold = append(w.cold, span{day, day + 1})
				err = nil
			}
			return err
		}, "SELECT day, data FROM daily_views WHERE account = $1 AND day >= $2 AND day < $3", int64(account), w.stored.from, w.stored.to)
		if err != nil {
			return err
		}
		w.alone = true
		return l.eachDay(ctx, t, s, w, func(d report.Day, day *report.Tally) {
			for link, of := range views {
				of[d-from] = day.LinkViews(int64(link))
			}
		})
	})
	return views, err
}

// newest is the tally of the newest q.Cap opens of a window, if it has more; what is older is left out.
func (l *ViewLog) newest(ctx context.Context, q vitrine.TallyQuery) (t *report.Tally, truncated bool, err error) {
	err = l.db.read(ctx, func(tx *tx) error {
		all := newestOf(q.Cap)
		if err := eachID(ctx, tx, q, all.add); err != nil || !all.full {
			return err
		}
		truncated = true
		oldest := all.places[0]
		var fold report.Fold
		g := l.gather(ctx, tx, q.Scope)
		g.each = func(o *report.Open) {
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

// place is a place in the order of a scope's opens: by ID, then by link.
type place struct {
	id   vitrine.ViewID
	link vitrine.LinkID
}

func (p place) before(q place) bool { return p.id < q.id || p.id == q.id && p.link < q.link }

// places keeps the newest n of the places that it is given: a heap, the oldest first.
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

// eachID calls f with the place of every open of a window.
func eachID(ctx context.Context, t *tx, q vitrine.TallyQuery, f func(place)) error {
	r, n := idsOf(q.From, q.To), 0
	each := func(link vitrine.LinkID, id vitrine.ViewID) error {
		if n++; n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		f(place{id, link})
		return nil
	}
	err := t.packedRows(q.Scope, r, true, func(link vitrine.LinkID, row *row) error { return each(link, row.id) })
	if err != nil {
		return err
	}
	clause, args := within(q.Scope, "opens", r)
	return t.each(func(s scanner) error {
		var p place
		if err := s.Scan(&p.id, &p.link); err != nil {
			return err
		}
		return each(p.link, p.id)
	}, "SELECT o.id, o.link"+clause, args...)
}

// Recent is vitrine.ViewLog's.
func (l *ViewLog) Recent(ctx context.Context, link vitrine.LinkID, from, to report.Day, n int) (recent []report.Open, err error) {
	if n <= 0 {
		return nil, nil
	}
	err = l.db.read(ctx, func(t *tx) error {
		recent = nil
		r := idsOf(from, to)
		err := t.opens(func(link, id int64, open, session []byte) error {
			opens := opener{words: l.words}
			o, err := opens.read(link, id, open, session)
			if err == nil {
				recent = append(recent, *o)
			}
			return err
		}, `SELECT link, id, open, session FROM opens WHERE link = $1 AND id >= $2 AND id < $3 AND session IS NOT NULL
			ORDER BY id DESC LIMIT $4`, int64(link), int64(r.from), int64(r.to), n)
		if err != nil {
			return err
		}
		return l.recentPacked(t, link, r, n, &recent)
	})
	return recent, err
}

// recentPacked adds sessions in packs to a list of the newest, newest first, and cuts it to n.
func (l *ViewLog) recentPacked(t *tx, link vitrine.LinkID, r ids, n int, recent *[]report.Open) error {
	err := t.each(func(s scanner) error {
		var p storedPack
		if err := s.Scan(&p.first, (*sql.RawBytes)(&p.data)); err != nil {
			return t.fail(err)
		}
		var rows []row
		if err := unpackAll(&p, &rows); err != nil {
			return err
		}
		for _, row := range slices.Backward(rows) {
			if !row.engaged || row.id < r.from || row.id >= r.to {
				continue
			}
			opens := opener{words: l.words}
			o, err := opens.make(int64(link), &row)
			if err != nil {
				return err
			}
			*recent = append(*recent, *o)
		}
		if slices.SortFunc(*recent, func(a, b report.Open) int { return cmp.Compare(b.ID, a.ID) }); len(*recent) < n {
			return nil
		}
		*recent = (*recent)[:n]
		if (*recent)[n-1].ID >= int64(p.first) {
			return errStop
		}
		return nil
	}, "SELECT first, data FROM packs WHERE link = $1 AND first < $2 AND last >= $3 AND sessions > 0 ORDER BY first DESC", int64(link), int64(r.to), int64(r.from))
	if errors.Is(err, errStop) {
		err = nil
	}
	return err
}

// opensAtOnce is how many opens are read before they are handed on. Whoever takes them may be slow, and a transaction that
// is held meanwhile would keep others from the connection and the database's log from being shortened.
const opensAtOnce = 1000

// Opens is vitrine.ViewLog's.
func (l *ViewLog) Opens(ctx context.Context, link vitrine.LinkID, from, to report.Day, f func(*report.Open) error) error {
	opens := opener{words: l.words}
	for r := idsOf(from, to); ; {
		var rows []row
		err := l.db.read(ctx, func(t *tx) (err error) {
			rows, err = t.rows(link, r, opensAtOnce)
			return err
		})
		if err != nil {
			return err
		}
		for i := range rows {
			o, err := opens.make(int64(link), &rows[i])
			if err != nil {
				return err
			}
			if err := f(o); err != nil {
				return err
			}
		}
		if len(rows) < opensAtOnce {
			return nil
		}
		r.from = rows[len(rows)-1].id + 1
	}
}

// rows reads the first n opens of a link in a range of IDs, wherever they are.
func (t *tx) rows(link vitrine.LinkID, r ids, n int) (rows []row, err error) {
	err = t.packs(ofLink(link), r, func(_ vitrine.LinkID, p *storedPack) error {
		if len(rows) >= n && p.first > rows[n-1].id {
			return errStop
		}
		before := len(rows)
		err := unpackAll(p, &rows)
		kept := slices.DeleteFunc(rows[before:], func(row row) bool { return row.id < r.from || row.id >= r.to })
		rows = rows[:before+len(kept)]
		return err
	})
	if err != nil && !errors.Is(err, errStop) {
		return nil, err
	}
	err = t.opens(func(_, id int64, open, session []byte) error {
		row := row{id: vitrine.ViewID(id)}
		if err := row.decode(open, session); err != nil {
			return err
		}
		rows = append(rows, row)
		return nil
	}, "SELECT link, id, open, session FROM opens WHERE link = $1 AND id >= $2 AND id < $3 ORDER BY id LIMIT $4",
		int64(link), int64(r.from), int64(r.to), n)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.id, b.id) })
	return rows[:min(n, len(rows))], nil
}
