package clickhouse

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/report"
)

// Recent implements [vitrine.ViewLog]. It first finds the IDs of the views in
// narrow columns.
func (l *ViewLog) Recent(ctx context.Context, q vitrine.RecentQuery) (recent []report.View, err error) {
	st, err := l.c.state(ctx)
	if err != nil || q.N <= 0 {
		return nil, err
	}
	scope := q.Scope
	if scope.Link != 0 {
		if scope.Account, err = l.c.owner(ctx, q.Link); err != nil || scope.Account == 0 {
			return nil, err
		}
	}
	where := within(scope) + " AND " + ids{max(q.From, idsOf(st.forgotten, st.forgotten).from), q.To}.where()
	which := where + filterSQL(q.Filter)
	if q.Engaged {
		which += " AND session AND bot != '" + report.BotOwn + "'"
	}
	if q.Link == 0 || q.Counted {
		which += " AND bot = ''"
	}
	if q.Viewer != nil {
		which += fmt.Sprintf(" AND viewer = %d", *q.Viewer)
	}
	sql := fmt.Sprintf("SELECT %s FROM opens FINAL WHERE %s AND (link, id) IN (SELECT link, id FROM opens FINAL WHERE %s ORDER BY id DESC, link DESC LIMIT %d) ORDER BY id DESC, link DESC",
		viewColumns, where, which, q.N)
	err = l.c.query(ctx, sql, func(r *reader) error {
		var o viewRow
		o.read(r)
		recent = append(recent, o.View)
		return nil
	})
	if err != nil || len(recent) == 0 {
		return recent, err
	}
	return recent, l.markDownloaded(ctx, scope, recent)
}

// markDownloaded sets Downloaded on the views of a link that have a download
// event.
func (l *ViewLog) markDownloaded(ctx context.Context, s vitrine.Scope, views []report.View) error {
	at := make(map[int64]*report.View, len(views))
	list := make([]string, len(views))
	for i := range views {
		at[views[i].ID] = &views[i]
		list[i] = strconv.FormatInt(views[i].ID, 10)
	}
	sql := fmt.Sprintf("SELECT open FROM downloads FINAL WHERE %s AND open IN (%s)", within(s),
		strings.Join(list, ", "))
	return l.c.query(ctx, sql, func(r *reader) error {
		if o := at[r.int64()]; o != nil {
			o.Downloaded = true
		}
		return nil
	})
}

// viewsBatch is about how many views are read before they are passed on. The
// consumer may be slow.
const viewsBatch = 16_384

// Views implements [vitrine.ViewLog].
func (l *ViewLog) Views(ctx context.Context, link vitrine.LinkID, from, to report.Day,
	f func(*report.View) error) error {
	account, r, err := l.kept(ctx, link, from, to)
	if err != nil || account == 0 {
		return err
	}
	scope := within(vitrine.Scope{Account: account, Link: link})
	for r.from < r.to {
		some := r
		// This ID has about as many views before it. It is found in sort order,
		// without reading the rest.
		sql := fmt.Sprintf("SELECT id FROM opens WHERE %s AND %s ORDER BY account, link, id LIMIT 1 OFFSET %d", scope,
			r.where(), viewsBatch)
		if _, err := l.c.one(ctx, sql, func(r *reader) {
			some.to = max(some.from+1,
				vitrine.ViewID(r.int64()))
		}); err != nil {
			return err
		}
		var rows []viewRow
		sql = fmt.Sprintf("SELECT %s FROM opens FINAL WHERE %s AND %s ORDER BY id", viewColumns, scope, some.where())
		err := l.c.query(ctx, sql, func(r *reader) error {
			rows = append(rows, viewRow{})
			rows[len(rows)-1].read(r)
			return nil
		})
		if err != nil {
			return err
		}
		for i := range rows {
			if err := f(&rows[i].View); err != nil {
				return err
			}
		}
		r.from = some.to
	}
	return nil
}

// kept returns the account of a link, and the IDs of its views on the days
// [from, to) that have not expired.
func (l *ViewLog) kept(ctx context.Context, link vitrine.LinkID, from, to report.Day) (vitrine.AccountID, ids, error) {
	s, err := l.c.state(ctx)
	if err != nil {
		return 0, ids{}, err
	}
	account, err := l.c.owner(ctx, link)
	return account, idsOf(max(from, s.forgotten), to), err
}
