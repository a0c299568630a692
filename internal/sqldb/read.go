package sqldb

import (
	"context"
	"errors"
	"math"

	"vitrine"
	"vitrine/report"
)

// opener makes opens of their rows, in memory that it uses again: what it returned is good until its next open.
type opener struct {
	words   *words
	record  openRecord
	session sessionRecord
	open    report.Open
}

func (r *opener) read(link, id int64, open, session []byte) (*report.Open, error) {
	rec, o := &r.record, &r.open
	if err := rec.decode(open); err != nil {
		return nil, err
	}
	*o = report.Open{ID: id, At: vitrine.ViewID(id).Ms(), Link: link, Viewer: rec.viewer,
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
	if session == nil {
		return o, nil
	}
	if err := r.session.decode(session, o.At); err != nil {
		return nil, err
	}
	screen, err := r.words.word(r.session.screen)
	if err != nil {
		return nil, err
	}
	o.Session = &r.session.Session
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

// Tally is vitrine.ViewLog's.
func (l *ViewLog) Tally(ctx context.Context, s vitrine.Scope, from, to report.Day, cap int) (t *report.Tally, truncated bool, err error) {
	var fold report.Fold
	err = l.db.read(ctx, func(t *tx) error {
		r, oldest := idsOf(from, to), place{}
		if cap > 0 {
			if oldest, truncated, err = newest(t, s, from, to, int64(cap)); err != nil {
				return err
			}
			r.from = max(r.from, oldest.id)
		}
		clause, args := within(s, "opens", r)
		opens, n := opener{words: l.words}, 0
		err := t.dialect.visit(t, func(link, id int64, open, session []byte) error {
			if n++; n%checkEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if id == int64(oldest.id) && link < int64(oldest.link) {
				return nil
			}
			o, err := opens.read(link, id, open, session)
			if err == nil {
				fold.Add(o)
			}
			return err
		}, clause, args)
		if err != nil {
			return err
		}
		clause, args = within(s, "downloads", idsOf(from, to))
		return t.each(func(s scanner) error {
			var id vitrine.ViewID
			if err := s.Scan(&id); err != nil {
				return err
			}
			fold.AddDownload(report.DayOf(id.Ms()))
			return nil
		}, "SELECT o.id"+clause, args...)
	})
	if err != nil {
		return nil, false, err
	}
	return fold.Tally(), truncated, nil
}

// place is a place in the order of a scope's opens: by ID, then by link.
type place struct {
	id   vitrine.ViewID
	link vitrine.LinkID
}

// newest finds the oldest of the newest n opens of a window. It goes back from the window's end in steps that double, so that it
// counts little more than n opens of however long a window. With no more than n opens in the window nothing is left out.
func newest(t *tx, s vitrine.Scope, from, to report.Day, n int64) (oldest place, leavesOut bool, err error) {
	for width := report.Day(1); from < to && firstID(to) > firstID(from); width = min(2*width, 1<<20) {
		start := max(from, to-width)
		clause, args := within(s, "opens", idsOf(start, to))
		var have int64
		if err := t.get([]any{&have}, "SELECT count(*)"+clause, args...); err != nil {
			return place{}, false, err
		}
		switch {
		case have <= n:
			n -= have
			to = start
		case n == 0:
			return place{id: firstID(to)}, true, nil
		default:
			var p place
			err := t.get([]any{&p.id, &p.link}, "SELECT o.id, o.link"+clause+" ORDER BY o.id DESC, o.link DESC LIMIT 1 OFFSET $4", append(args, n-1)...)
			return p, true, err
		}
	}
	return place{}, false, nil
}

// Recent is vitrine.ViewLog's.
func (l *ViewLog) Recent(ctx context.Context, link vitrine.LinkID, from, to report.Day, n int) (recent []report.Open, err error) {
	err = l.db.read(ctx, func(t *tx) error {
		recent = nil
		r := idsOf(from, to)
		return t.opens(func(link, id int64, open, session []byte) error {
			opens := opener{words: l.words}
			o, err := opens.read(link, id, open, session)
			if err == nil {
				recent = append(recent, *o)
			}
			return err
		}, `SELECT link, id, open, session FROM opens WHERE link = $1 AND id >= $2 AND id < $3 AND session IS NOT NULL
			ORDER BY id DESC LIMIT $4`, int64(link), int64(r.from), int64(r.to), max(n, 0))
	})
	return recent, err
}

// opensAtOnce is how many opens are read before they are handed on. Whoever takes them may be slow, and a transaction that
// is held meanwhile would keep others from the connection and the database's log from being shortened.
const opensAtOnce = 1000

// Opens is vitrine.ViewLog's.
func (l *ViewLog) Opens(ctx context.Context, link vitrine.LinkID, from, to report.Day, f func(*report.Open) error) error {
	type row struct {
		id            int64
		open, session []byte
	}
	rows := make([]row, 0, opensAtOnce)
	opens := opener{words: l.words}
	for r := idsOf(from, to); ; r.from = vitrine.ViewID(rows[len(rows)-1].id) + 1 {
		rows = rows[:0]
		err := l.db.read(ctx, func(t *tx) error {
			return t.opens(func(_, id int64, open, session []byte) error {
				rows = append(rows, row{id, append([]byte(nil), open...), append([]byte(nil), session...)})
				return nil
			}, "SELECT link, id, open, session FROM opens WHERE link = $1 AND id >= $2 AND id < $3 ORDER BY id LIMIT $4",
				int64(link), int64(r.from), int64(r.to), opensAtOnce)
		})
		if err != nil {
			return err
		}
		for _, row := range rows {
			o, err := opens.read(int64(link), row.id, row.open, row.session)
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
	}
}
