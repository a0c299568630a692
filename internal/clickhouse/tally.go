package clickhouse

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"vitrine"
	"vitrine/report"
)

// Tally implements [vitrine.ViewLog].
func (l *ViewLog) Tally(ctx context.Context, q vitrine.TallyQuery) (t *report.Tally, truncated bool, err error) {
	first := q.From
	tally := l.c.anyTally
	if q.Narrow() {
		from, _ := q.Steps.Bounds(q.From, q.To)
		first, tally = report.DayOf(from), l.c.narrow
	}
	err = l.asOf(ctx, first, func(s state) (err error) {
		t, truncated, err = tally(ctx, q, s)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	if q.Link != 0 {
		return t.OfLink(), truncated, nil
	}
	return t.OfAccount(), truncated, nil
}

// asOf calls f to read days from a day on. It calls f again if some of the days
// expired concurrently, because their data moves.
func (l *ViewLog) asOf(ctx context.Context, from report.Day, f func(state) error) error {
	s := l.lastState.Load()
	if s == nil {
		s = new(state)
	}
	for {
		err := f(*s)
		if err != nil && ctx.Err() != nil {
			return err
		}
		now, again := l.c.state(ctx)
		if again != nil {
			return again
		}
		l.lastState.Store(&now)
		if max(from, s.forgotten) == max(from, now.forgotten) {
			return err
		}
		s = &now
	}
}

func (c *client) anyTally(ctx context.Context, q vitrine.TallyQuery,
	s state) (t *report.Tally, truncated bool, err error) {
	w := window{TallyQuery: q, ids: idsOf(max(q.From, s.forgotten), q.To),
		gone: min(max(q.From, s.forgotten), max(q.From, q.To)), state: s}
	if t, ok, err := c.dailyTally(ctx, w); ok || err != nil {
		return t, false, err
	}
	views, err := c.count(ctx, w)
	switch {
	case err != nil:
	case q.Cap > 0 && views > int64(q.Cap):
		truncated = true
		t, err = c.newest(ctx, w)
	default:
		t, err = c.tally(ctx, w, c.insideFrom >= 0 && views >= int64(c.insideFrom))
	}
	return t, truncated, err
}

// window is the scope and time of a tally.
type window struct {
	vitrine.TallyQuery
	ids  ids        // IDs of the views that have not expired
	gone report.Day // days of the window before this one have expired
	// reach is the range of views that show when viewers came before, if it is
	// larger than the window; otherwise zero.
	reach ids
	more  string // further conditions
	state
}

// where returns the condition of the window's views, or downloads, that have
// not expired.
func (w window) where() string { return within(w.Scope) + " AND " + w.ids.where() + w.more }

// count returns the exact number of views.
func (c *client) count(ctx context.Context, w window) (n int64, err error) {
	_, err = c.one(ctx, "SELECT toInt64(count()) FROM opens FINAL WHERE "+w.where(), func(r *reader) { n = r.int64() })
	return n, err
}

// newest returns the tally of the newest views, as many as the cap.
func (c *client) newest(ctx context.Context, w window) (*report.Tally, error) {
	return c.fold(ctx, w, fmt.Sprintf("%s ORDER BY id DESC, link DESC LIMIT %d", w.where(), w.Cap))
}

// defaultInside is the number of views from which the database counts them.
// Reading fewer takes less time than the statements that count them
// (docs/decisions/0019-clickhouse.md).
const defaultInside = 20_000

// tally returns the tally of a window. Its views are counted inside the
// database or here.
func (c *client) tally(ctx context.Context, w window, inside bool) (*report.Tally, error) {
	t := new(report.Tally)
	forgotten := w.From < w.gone
	if !forgotten && !inside {
		return c.fold(ctx, w, w.where())
	}
	if forgotten {
		if err := c.stored(ctx, w, t); err != nil || w.gone >= w.To {
			return t, err
		}
	}
	if inside {
		return t, c.inside(ctx, w, forgotten, t)
	}
	if err := c.eachView(ctx, w.where(), t.Add); err != nil {
		return nil, err
	}
	// Viewers of expired days may have come again.
	err := c.visits(ctx, w, true, func(d report.Day, v prevViewers) {
		t.AddVisits(report.Visit{Day: d, Prev: v.prev}, v.viewers)
	})
	if err == nil && w.Link == 0 {
		err = c.linkVisits(ctx, w, true, func(d linkDay, v prevViewers) { t.AddLinkVisits(d.link, v.prev, v.viewers) })
	}
	if err == nil {
		err = c.downloads(ctx, w, t)
	}
	return t, err
}

// fold reads views and counts them here, with the downloads of the window.
func (c *client) fold(ctx context.Context, w window, where string) (*report.Tally, error) {
	fold := report.Fold{Steps: w.Steps, Single: w.Single}
	if err := c.eachView(ctx, where, fold.Add); err != nil {
		return nil, err
	}
	t := fold.Tally()
	return t, c.downloads(ctx, w, t)
}

// eachView calls f with each view that matches a condition. The view is valid
// until f returns.
func (c *client) eachView(ctx context.Context, where string, f func(*report.View)) error {
	var o viewRow
	return c.query(ctx, "SELECT "+viewColumns+" FROM opens FINAL WHERE "+where, func(r *reader) error {
		if o.read(r); r.err == nil {
			f(&o.View)
		}
		return nil
	})
}

// downloads adds the download events of a window.
func (c *client) downloads(ctx context.Context, w window, t *report.Tally) error {
	return c.query(ctx, "SELECT "+w.stepOf()+" AS d, toInt64(count()) FROM downloads FINAL WHERE "+w.whereDownloads()+
		" GROUP BY d", func(r *reader) error {
		if day, n := report.Day(r.int32()), r.int64(); r.err == nil {
			t.AddDownloads(day, n)
		}
		return nil
	})
}

// DailyViews implements [vitrine.ViewLog].
func (l *ViewLog) DailyViews(ctx context.Context, q vitrine.TallyQuery,
	links []vitrine.LinkID) (map[vitrine.LinkID][]int64, error) {
	var views map[vitrine.LinkID][]int64
	from, _ := q.Steps.Bounds(q.From, q.To)
	err := l.asOf(ctx, report.DayOf(from), func(s state) (err error) {
		if q.Narrow() {
			views, err = l.c.narrowDaily(ctx, s, q, links)
			return err
		}
		views, err = l.c.dailyViews(ctx, s, q.Account, links, q.From, q.To)
		return err
	})
	return views, err
}

func (c *client) dailyViews(ctx context.Context, s state, account vitrine.AccountID, links []vitrine.LinkID,
	from, to report.Day) (map[vitrine.LinkID][]int64, error) {
	views := make(map[vitrine.LinkID][]int64, len(links))
	for _, link := range links {
		views[link] = make([]int64, max(to-from, 0))
	}
	if len(links) == 0 || from >= to {
		return views, nil
	}
	if from < s.forgotten {
		if err := c.storedViews(ctx, s, account, views, from, min(to, s.forgotten)); err != nil {
			return nil, err
		}
	}
	sql := fmt.Sprintf("SELECT link, toInt32(day), toInt64(count()) FROM opens FINAL WHERE account = %d AND link IN (%s) AND %s AND bot = '' GROUP BY link, day",
		account, list(links), idsOf(max(from, s.forgotten), to).where())
	err := c.query(ctx, sql, func(r *reader) error {
		of, day, n := views[vitrine.LinkID(r.int64())], report.Day(r.int32()), r.int64()
		if r.err == nil && from <= day && day < to && of != nil {
			of[day-from] = n
		}
		return nil
	})
	return views, err
}

// storedViews adds the views of expired days to the daily numbers of [from,
// to).
func (c *client) storedViews(ctx context.Context, s state, account vitrine.AccountID, views map[vitrine.LinkID][]int64,
	from, to report.Day) error {
	sql := fmt.Sprintf("SELECT link, toInt32(day), head FROM tallies FINAL WHERE account = %d AND link IN (%s) AND toInt32(day) >= %d AND toInt32(day) < %d AND %s",
		account, list(slices.Sorted(maps.Keys(views))), from, to, s.counted())
	return c.query(ctx, sql, func(r *reader) error {
		link, day, head := vitrine.LinkID(r.int64()), report.Day(r.int32()), r.bytes()
		if r.err != nil {
			return r.err
		}
		t := new(report.Tally)
		if err := addPieces(t, window{TallyQuery: vitrine.TallyQuery{From: report.NoDay, Brief: true}}, nil,
			[3][]byte{head}); err != nil {
			return vitrine.Unavailable(fmt.Errorf("account %d, link %d, %v, whose views have expired: %w", account,
				link,
				day, err))
		}
		views[link][day-from] = t.Views()
		return nil
	})
}
