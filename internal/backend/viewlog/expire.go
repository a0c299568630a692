package viewlog

import (
	"context"
	"database/sql"
	"errors"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/report"
)

// Expire implements [vitrine.ViewLog]. It works on 64 days at a time, the width
// of the largest tallies. It first stores a tally for each link and day,
// however few its views, and then deletes the views.
func (l *ViewLog) Expire(ctx context.Context, before report.Day) error {
	return l.eachAccount(ctx, "SELECT account FROM accounts WHERE account > $1 AND retained_from < $2 AND stale_from >= $3 ORDER BY account LIMIT 1",
		[]any{alignDown(before, 2), width(2)}, func(account vitrine.AccountID) (err error) {
			for more := true; more && err == nil; {
				more, err = l.expireNext(ctx, account, before)
			}
			return err
		})
}

// expireNext expires the next 64 days of an account that have views.
func (l *ViewLog) expireNext(ctx context.Context, account vitrine.AccountID, before report.Day) (more bool, err error) {
	b := building{log: l, ctx: ctx, account: account}
	var end report.Day // earlier days can be expired
	err = l.read(ctx, func(t logTx) (err error) {
		if b.state, err = t.state(account); err != nil {
			return err
		}
		end = alignDown(min(before, b.state.staleFrom), 2)
		if b.links, err = t.links(b.scope(0)); err != nil {
			return err
		}
		var first *vitrine.ViewID
		err = t.Get([]any{&first}, "SELECT min(p.first) FROM links l JOIN segments p ON p.link = l.link WHERE l.account = $1 AND NOT l.deleting", int64(account))
		if err != nil {
			return err
		}
		from, err := t.FirstDownload(account, b.state.retainedFrom, end)
		if first != nil {
			from = min(from, report.DayOf(first.Ms()))
		}
		b.days = span{end, end}
		if from < end {
			b.days = span{alignDown(from, 2), alignDown(from, 2) + width(2)}
		}
		return err
	})
	if err != nil || end <= b.state.retainedFrom {
		return false, err
	}
	if b.days.from < b.days.to {
		for _, link := range b.links {
			if err := b.everyDay(b.scope(link)); errors.Is(err, errChanged) {
				return true, ctx.Err()
			} else if err != nil {
				return false, err
			}
		}
	}
	err = l.update(ctx, func(t logTx, c *tables.Changes) error {
		s, err := t.state(account)
		if err != nil || s != b.state {
			more = true
			return err
		}
		more = b.days.to < end
		s.version++
		s.retainedFrom = b.days.to
		c.Reset(account)
		if err := t.putState(account, s); err != nil {
			return err
		}
		for _, link := range b.links {
			if err := t.dropViews(link, segment.FirstID(s.retainedFrom)); err != nil {
				return err
			}
		}
		return nil
	})
	return more, err
}

// everyDay stores the tallies of each of the 64 days, and the larger ones, for
// a link that has views in them.
func (b *building) everyDay(s vitrine.Scope) error {
	days := dayTallies{}
	err := b.read(func(t logTx) error {
		return b.log.eachDay(b.ctx, t, s, window{cold: []span{b.days}},
			func(d report.Day, tally *report.Tally) { days[d] = tally.OfLink() })
	})
	if err != nil || len(days) == 0 {
		return err
	}
	return b.write(func(t logTx) error {
		if err := t.dropTallies(s, b.days); err != nil {
			return err
		}
		words := b.log.words.Writer(t.Tx)
		all := new(report.Tally)
		for from := b.days.from; from < b.days.to; from += width(1) {
			some := new(report.Tally)
			for d := from; d < from+width(1); d++ {
				if days[d] == nil {
					continue
				}
				if err := t.putTally(words, s, 0, d, days[d]); err != nil {
					return err
				}
				some.MergeCounts(days[d])
			}
			if some.Empty() {
				continue
			}
			if err := t.putTally(words, s, 1, from, some); err != nil {
				return err
			}
			all.MergeCounts(some)
		}
		return t.putTally(words, s, 2, b.days.from, all)
	})
}

// dropTallies deletes the stored tallies of a scope's days, which are complete
// blocks of 64.
func (t logTx) dropTallies(s vitrine.Scope, days span) error {
	for _, table := range []string{"tallies", "times"} {
		_, err := t.Exec("DELETE FROM "+table+" WHERE account = $1 AND link = $2 AND day >= $3 AND day < $4",
			int64(s.Account), int64(s.Link), days.from, days.to)
		if err != nil {
			return err
		}
	}
	return nil
}

// dropViews deletes the packed views and the download events of a link before
// an ID.
func (t logTx) dropViews(link vitrine.LinkID, before vitrine.ViewID) error {
	var kept []segment.Row
	err := t.Each(func(s sqldb.Scanner) error {
		var p tables.Segment
		if err := s.Scan(&p.First, (*sql.RawBytes)(&p.Data)); err != nil {
			return t.Failed(err)
		}
		return segment.DecodeAll(p.Data, p.First, &kept)
	}, "SELECT first, data FROM segments WHERE link = $1 AND first < $2 AND last >= $3", int64(link), int64(before),
		int64(before))
	if err != nil {
		return err
	}
	for len(kept) > 0 && kept[0].ID < before {
		kept = kept[1:]
	}
	if _, err := t.Exec("DELETE FROM segments WHERE link = $1 AND first < $2", int64(link), int64(before)); err != nil {
		return err
	}
	if _, err := t.Exec("DELETE FROM downloads WHERE link = $1 AND id < $2", int64(link), int64(before)); err != nil {
		return err
	}
	w := tables.SegmentWriter{Tx: t.Index, Link: link}
	return w.Write(kept, false)
}

// RetainedFrom implements [vitrine.ViewLog].
func (l *ViewLog) RetainedFrom(ctx context.Context, account vitrine.AccountID) (from report.Day, err error) {
	err = l.read(ctx, func(t logTx) error {
		s, err := t.state(account)
		from = s.retainedFrom
		return err
	})
	return from, err
}
