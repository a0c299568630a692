package viewlog

import (
	"context"
	"errors"
	"math"
	"slices"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/report"
)

// RollUp implements [vitrine.ViewLog]. For each account it moves the views
// before the given day into segments, in short transactions. Then it marks the
// account as rolled up to that day and builds its tallies. The next call
// continues an interrupted one. Reports are right at every moment.
func (l *ViewLog) RollUp(ctx context.Context, before report.Day) error {
	return l.eachAccount(ctx, accountsWithViews+` SELECT account FROM a WHERE account IS NOT NULL
		AND (coalesce((SELECT rolled_up_until FROM accounts s WHERE s.account = a.account), 0) < $2
			OR EXISTS (SELECT 1 FROM accounts s WHERE s.account = a.account AND s.stale_from < s.rolled_up_until))
		LIMIT 1`, []any{before},
		func(account vitrine.AccountID) error { return l.rollUp(ctx, account, before) })
}

// Behind returns how many accounts have views before a day that are not rolled
// up, at most most. An account that has never been rolled up is not counted.
func (l *ViewLog) Behind(ctx context.Context, before report.Day, most int) (n int, err error) {
	err = l.read(ctx, func(t logTx) error {
		// The newest come first: accounts whose links are all deleted stay
		// behind for good.
		return t.Get([]any{&n}, `SELECT count(*) FROM (SELECT account FROM accounts WHERE rolled_up_until < $1
			ORDER BY rolled_up_until DESC LIMIT $2) late
			WHERE EXISTS (SELECT 1 FROM links l WHERE l.account = late.account AND NOT l.deleting)`, before, int64(most))
	})
	return n, err
}

// accountsWithViews finds the accounts after $1 that have links, in their
// order, by one look into the index for each: an account may have very many
// links.
const accountsWithViews = `WITH RECURSIVE a (account) AS (
	SELECT min(account) FROM links WHERE account > $1 AND NOT deleting
	UNION ALL SELECT (SELECT min(account) FROM links WHERE account > a.account AND NOT deleting) FROM a
		WHERE a.account IS NOT NULL)`

// eachAccount calls f for each account that a query returns; the query selects
// the next account after $1. Only one process at a time does background work on
// a database. If another process holds the lock, eachAccount does nothing.
func (l *ViewLog) eachAccount(ctx context.Context, query string, args []any, f func(vitrine.AccountID) error) error {
	l.background.Lock()
	defer l.background.Unlock()
	unlock, err := l.db.Lock(ctx, "rollup", false)
	if errors.Is(err, sqldb.ErrHeld) {
		return nil
	}
	if err != nil {
		return err
	}
	// The lock can be lost, and another process can begin. So each step checks
	// in its transaction that the state is unchanged.
	defer func() { _ = unlock() }()
	after := vitrine.AccountID(math.MinInt64)
	for {
		var account vitrine.AccountID
		err := l.read(ctx, func(t logTx) error {
			return t.Get([]any{&account}, query, append([]any{int64(after)}, args...)...)
		})
		if errors.Is(err, vitrine.ErrNotFound) {
			return nil
		}
		if err == nil {
			err = f(account)
		}
		if err != nil {
			return err
		}
		after = account
	}
}

func (l *ViewLog) rollUp(ctx context.Context, account vitrine.AccountID, before report.Day) error {
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := l.update(ctx, func(t logTx, c *tables.Changes) (err error) {
			more, err = compactSome(t, account, before)
			if err == nil {
				c.Reset(account)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := l.mergeRuns(ctx, account, true); err != nil {
		return err
	}
	return l.build(ctx, account)
}

// compactBatch is about how many views one transaction compacts. Other writers
// wait for it.
const compactBatch = 2048

// compactSome compacts views before a day. When none is left, it marks the
// account as rolled up.
func compactSome(t logTx, account vitrine.AccountID, before report.Day) (more bool, err error) {
	s, err := t.state(account)
	if err != nil || s.rolledUpUntil >= before {
		return false, err
	}
	var links []vitrine.LinkID
	err = t.Each(func(row sqldb.Scanner) error {
		var link vitrine.LinkID
		err := row.Scan(&link)
		links = append(links, link)
		return err
	}, `SELECT l.link FROM links l WHERE l.account = $1 AND NOT l.deleting AND EXISTS (SELECT 1 FROM views o WHERE o.link = l.link AND o.id < $2) ORDER BY l.link LIMIT $3`,
		int64(account), int64(segment.FirstID(before)), compactBatch)
	if err != nil {
		return false, err
	}
	var viewerDays []segment.ViewerDay
	left := compactBatch
	for _, link := range links {
		if left <= 0 {
			break
		}
		n, v, err := compactLink(t, link, before, left)
		if err != nil {
			return false, err
		}
		left -= n
		viewerDays = append(viewerDays, v...)
	}
	if err := t.AddRun(account, segment.SortViewerDays(viewerDays)); err != nil {
		return false, err
	}
	s.compactedUntil = max(s.compactedUntil, before)
	done := left > 0
	if done {
		s.rolledUpUntil = before
	}
	return !done, t.putState(account, s)
}

// compactLink moves up to n views of a link before a day into segments. It
// returns their number and their viewer days.
func compactLink(t logTx, link vitrine.LinkID, before report.Day,
	n int) (moved int, viewerDays []segment.ViewerDay, err error) {
	var rows []segment.Row
	err = t.Views(func(_, id int64, record, session []byte) error {
		r := segment.Row{ID: vitrine.ViewID(id)}
		if err := r.Decode(record, session); err != nil {
			return err
		}
		rows = append(rows, r)
		return nil
	}, "SELECT link, id, record, session FROM views WHERE link = $1 AND id < $2 ORDER BY id LIMIT $3", int64(link),
		int64(segment.FirstID(before)), n)
	if err != nil || len(rows) == 0 {
		return 0, nil, err
	}
	w := tables.SegmentWriter{Tx: t.Index, Link: link}
	if err := w.Write(rows, false); err != nil {
		return 0, nil, err
	}
	if _, err := t.Exec("DELETE FROM views WHERE link = $1 AND id <= $2", int64(link),
		int64(rows[len(rows)-1].ID)); err != nil {
		return 0, nil, err
	}
	viewers := map[uint64]int64{}
	for i := range rows {
		if r := &rows[i]; r.Human() {
			viewers[r.Viewer]++
		}
	}
	for viewer, views := range viewers {
		if err := t.DecrementViewer(link, viewer, views); err != nil {
			return 0, nil, err
		}
	}
	return len(rows), w.ViewerDays, nil
}

// reopen moves the views of a link and day from segments back into the table
// views, where they can change. It reports whether there were any.
func reopen(t logTx, account vitrine.AccountID, link vitrine.LinkID, day report.Day) (some bool, err error) {
	r := tables.IDsOf(day, day+1)
	var rows []segment.Row
	err = t.Segments(tables.OfLink(link), r, func(_ vitrine.LinkID, p *tables.Segment) error {
		return segment.DecodeAll(p.Data, p.First, &rows)
	})
	if err != nil || len(rows) == 0 {
		return false, err
	}
	_, err = t.Exec("DELETE FROM segments WHERE link = $1 AND first >= $2 AND first <= $3", int64(link), int64(rows[0].ID),
		int64(rows[len(rows)-1].ID))
	if err != nil {
		return false, err
	}
	from, _ := slices.BinarySearchFunc(rows, r.From, segment.Row.CompareID)
	to, _ := slices.BinarySearchFunc(rows, r.To, segment.Row.CompareID)
	for _, kept := range [][]segment.Row{rows[:from], rows[to:]} {
		w := tables.SegmentWriter{Tx: t.Index, Link: link}
		if err := w.Write(kept, false); err != nil {
			return false, err
		}
	}
	rows = rows[from:to]
	var viewerDays []segment.ViewerDay
	var b, session []byte
	for i := range rows {
		o := &rows[i]
		if o.Human() {
			viewerDays = append(viewerDays, o.ViewerDay(link))
			if err := t.CountViewer(link, o.Viewer, o.ID); err != nil {
				return false, err
			}
		}
		b = o.View.Append(b[:0])
		var engaged any
		if o.Engaged {
			session = o.Session.Append(session[:0], o.ID.Ms())
			engaged = session
		}
		if _, err := t.Exec(insertView, int64(link),
			int64(o.ID), b, engaged); err != nil {
			return false, err
		}
	}
	return len(rows) > 0, t.RemoveViewerDays(account, segment.SortViewerDays(viewerDays))
}
