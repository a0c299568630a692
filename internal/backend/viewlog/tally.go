package viewlog

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/report"
)

// checkEvery is the number of rows after which a long query checks its context.
const checkEvery = 1 << 12

// Tally implements [vitrine.ViewLog]. It uses stored tallies, keeps the running
// days up to date in memory, and reads the views of all other days.
func (l *ViewLog) Tally(ctx context.Context, q vitrine.TallyQuery) (t *report.Tally, truncated bool, err error) {
	if q.NeedsViews() {
		return l.tallyViews(ctx, q)
	}
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

// tally computes a tally without a cap. With trust, it uses stored tallies.
func (l *ViewLog) tally(ctx context.Context, q vitrine.TallyQuery, trust bool) (t *report.Tally, err error) {
	err = l.read(ctx, func(tx logTx) error {
		w, err := l.window(tx, q.Scope, span{q.From, q.To}, trust)
		if err != nil {
			return err
		}
		past, err := l.rolledUpTally(ctx, tx, q, w)
		if err != nil {
			return err
		}
		t = past.tally
		now := window{state: w.state, running: w.running, live: w.live, alone: q.From >= w.running.from}
		err = l.eachDays(ctx, tx, q.Scope, now, func(days dayTallies) {
			t = new(report.Tally) // past.tally is shared
			t.Merge(past.tally)
			for _, day := range days {
				t.MergeCounts(day)
			}
			t.MergeMedianTimes(maps.Values(days))
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

// keptBytes bounds the memory for recently used tallies of rolled-up days. A
// tally stays valid until something of those days changes, which the state of
// the account shows, or until the next day.
const keptBytes = 24 << 20

// keptKey identifies a tally.
type keptKey struct {
	vitrine.Scope
	span
	brief bool
}

// keptTally is a tally that must not change any more.
type keptTally struct {
	tally *report.Tally
	parts []usedTally
}

// rolledUpTally returns the part of a tally that covers rolled-up days. The
// caller must not change it.
func (l *ViewLog) rolledUpTally(ctx context.Context, tx logTx, q vitrine.TallyQuery, w window) (*keptTally, error) {
	of := keptKey{q.Scope, span{q.From, w.running.from}, q.Brief}
	trusted := w.stored.from < w.stored.to
	if trusted {
		if k, found := l.kept.Find(of, w.state); found {
			return k, nil
		}
	}
	t := new(report.Tally)
	s := stored{tx: tx, words: l.words, scope: q.Scope, brief: q.Brief, since: q.From, tally: t,
		gone: w.state.retainedFrom}
	cold := w.cold
	if trusted {
		missing, err := s.take(w.stored)
		if err != nil {
			return nil, err
		}
		cold = append(missing, cold...)
	}
	err := l.eachDay(ctx, tx, q.Scope, window{cold: cold, alone: len(s.parts) == 0},
		func(_ report.Day, day *report.Tally) { t.Merge(day) })
	if err == nil {
		err = s.times(trim(q.Scope, t))
	}
	k := &keptTally{t, s.parts}
	if err == nil && trusted {
		l.kept.Keep(of, w.state, k, t.Size())
	}
	return k, err
}

// trim removes what a report of the scope does not show. Some of it is not
// stored.
func trim(s vitrine.Scope, t *report.Tally) *report.Tally {
	if s.Link != 0 {
		return t.OfLink()
	}
	return t.OfAccount()
}

// window divides the days of a query by where their views are.
type window struct {
	state   state
	stored  span   // days that may have stored tallies
	cold    []span // in segments only
	running span   // in the table views, and in segments unless live
	live    bool
	alone   bool // earlier viewer days do not matter
}

func (l *ViewLog) window(t logTx, s vitrine.Scope, days span, trust bool) (w window, err error) {
	if days.from >= days.to {
		return w, nil
	}
	if w.state, err = t.state(s.Account); err != nil {
		return w, err
	}
	cut := func(d report.Day) report.Day { return min(max(d, days.from), days.to) }
	fresh := cut(w.state.staleFrom)
	if !trust {
		if days.from < w.state.retainedFrom {
			return w, fmt.Errorf("a tally of days whose views have expired, of account %d, link %d: %w", s.Account,
				s.Link,
				segment.ErrDamaged)
		}
		fresh = days.from
	}
	rolledUp := cut(w.state.rolledUpUntil)
	w.stored = span{days.from, fresh}
	if fresh < rolledUp {
		w.cold = []span{{fresh, rolledUp}}
	}
	w.running = span{rolledUp, days.to}
	w.live = trust && w.state.compactedUntil <= w.state.rolledUpUntil
	return w, nil
}

// eachDay calls f with the tally of each day that has views and no stored
// tally. f must not change or keep the tally.
func (l *ViewLog) eachDay(ctx context.Context, t logTx, s vitrine.Scope, w window,
	f func(report.Day, *report.Tally)) error {
	return l.eachDays(ctx, t, s, w, func(days dayTallies) {
		for d, t := range days {
			f(d, t)
		}
	})
}

// eachDays calls f once for the days in memory and once for the days read from
// views.
func (l *ViewLog) eachDays(ctx context.Context, t logTx, s vitrine.Scope, w window, f func(dayTallies)) error {
	some := func(days dayTallies) {
		if len(days) > 0 {
			f(days)
		}
	}
	g := l.gather(ctx, t, s)
	slices.SortFunc(w.cold, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	if err := g.cold(w.cold); err != nil {
		return err
	}
	if r := w.running; r.from < r.to {
		live := false
		if w.live {
			var err error
			if live, err = l.lives.each(ctx, t, s, w.state, r, some); err != nil {
				return err
			}
		}
		if !live {
			if err := g.packed(r.from, min(r.to, max(r.from, w.state.compactedUntil))); err != nil {
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
	if err := g.addViewerDays(w.alone); err != nil {
		return err
	}
	some(g.tallies)
	return nil
}

// DailyViews implements [vitrine.ViewLog].
func (l *ViewLog) DailyViews(ctx context.Context, q vitrine.TallyQuery,
	links []vitrine.LinkID) (map[vitrine.LinkID][]int64, error) {
	if q.NeedsViews() {
		return l.dailyOfViews(ctx, q, links)
	}
	account, from, to := q.Account, q.From, q.To
	views := make(map[vitrine.LinkID][]int64, len(links))
	err := l.read(ctx, func(t logTx) error {
		for _, link := range links {
			views[link] = make([]int64, max(to-from, 0))
		}
		sorted := slices.Sorted(maps.Keys(views))
		s := vitrine.Scope{Account: account}
		w, err := l.window(t, s, span{from, to}, true)
		if err != nil {
			return err
		}
		err = t.Each(func(row sqldb.Scanner) error {
			var day report.Day
			var data sql.RawBytes
			if err := row.Scan(&day, &data); err != nil {
				return t.Failed(err)
			}
			rest := sorted // views in daily_views are ordered by link
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
		}, "SELECT day, data FROM daily_views WHERE account = $1 AND day >= $2 AND day < $3", int64(account),
			w.stored.from, w.stored.to)
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
