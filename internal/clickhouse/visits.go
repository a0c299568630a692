package clickhouse

import (
	"context"
	"fmt"

	"vitrine/report"
)

// prevViewers is the number of viewers of a day whose previous visit was on the
// given day.
type prevViewers struct {
	prev    report.Day
	viewers int64
}

// visits counts, in the database, the viewers of each day of a window by the
// previous day on which they came to the scope, within the window. With seen,
// expired days before the window are included.
func (c *client) visits(ctx context.Context, w window, seen bool, each func(report.Day, prevViewers)) error {
	return c.query(ctx, w.visits("viewer", "viewer", "", seen), func(r *reader) error {
		day, v := report.Day(r.int32()), prevViewers{report.Day(r.int32()), r.int64()}
		if r.err == nil {
			each(day, v)
		}
		return nil
	})
}

// linkVisits calls each with the visits of each link of an account.
func (c *client) linkVisits(ctx context.Context, w window, seen bool, each func(linkDay, prevViewers)) error {
	return c.query(ctx, w.visits("link, viewer", "link, viewer", "link, ", seen), func(r *reader) error {
		d := linkDay{r.int64(), report.Day(r.int32())}
		v := prevViewers{report.Day(r.int32()), r.int64()}
		if r.err == nil {
			each(d, v)
		}
		return nil
	})
}

// visits returns the query for the visits of viewers, or of viewers of links.
// It collects the days of each viewer and pairs each one with the previous.
func (w window) visits(columns, by, of string, seen bool) string {
	from := fmt.Sprintf("SELECT %s, %s AS d FROM opens FINAL WHERE %s AND bot = ''", columns, w.stepOf(), w.where())
	if w.reach.from < w.ids.from && w.reach.to > 0 {
		from = fmt.Sprintf("SELECT %s, toInt32(day) AS d FROM opens FINAL WHERE %s AND %s AND bot = '' AND viewer GLOBAL IN (SELECT viewer FROM opens WHERE %s)",
			columns, within(w.Scope), w.reach.where(), w.where())
	}
	if seen && w.state.forgotten > 0 {
		links := "link = 0"
		switch {
		case w.Link != 0:
			links = fmt.Sprintf("link = %d", w.Link)
		case of != "":
			links = "link != 0"
		}
		from += fmt.Sprintf(" UNION ALL SELECT %s, toInt32(max(day)) AS d FROM seen WHERE account = %d AND %s AND %s GROUP BY %s",
			columns, w.Account, links, w.state.counted(), by)
	}
	first := w.Steps.Of(w.ids.from.Ms())
	return fmt.Sprintf(`SELECT %sd, prev, toInt64(count()) AS n FROM (SELECT %sarraySort(groupUniqArray(d)) AS days FROM (%s) GROUP BY %s)
		ARRAY JOIN days AS d, arrayPushFront(arrayPopBack(days), toInt32(%d)) AS prev WHERE d >= %d GROUP BY %sd, prev`,
		of, of, from, by, report.NoDay, first, of)
}
