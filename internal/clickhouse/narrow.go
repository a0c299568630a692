package clickhouse

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"vitrine"
	"vitrine/report"
)

// narrow answers a Tally query that stored tallies cannot answer.
func (c *client) narrow(ctx context.Context, q vitrine.TallyQuery,
	s state) (t *report.Tally, truncated bool, err error) {
	from, to := q.Steps.Bounds(q.From, q.To)
	w := window{TallyQuery: q, ids: ids{vitrine.ViewIDAt(max(from, 0), 0), vitrine.ViewIDAt(max(to, 0), 0)},
		more: linksSQL(q.Links), state: s}
	if gone := idsOf(0, s.forgotten).to; w.ids.from < gone {
		forgotten, _, err := c.anyTally(ctx, vitrine.TallyQuery{Scope: q.Scope, From: max(report.DayOf(from), 0),
			To: min(s.forgotten, report.DayOf(to-1)+1)}, s)
		if err != nil {
			return nil, false, err
		}
		truncated = forgotten.AllViews() > 0
		w.ids.from = gone
	}
	if w.ids.from >= w.ids.to {
		return new(report.Tally), truncated, nil
	}
	if q.Cap > 0 {
		views, err := c.count(ctx, w)
		if err != nil {
			return nil, false, err
		}
		if views > int64(q.Cap) {
			truncated = true
			w.more += fmt.Sprintf(" AND (id, link) >= (SELECT id, link FROM opens FINAL WHERE %s ORDER BY id DESC, link DESC LIMIT 1 OFFSET %d)", w.where(), q.Cap-1)
		}
	}
	w.more += lensSQL(&q.Lens)
	inside, err := c.many(ctx, w)
	if err != nil {
		return nil, false, err
	}
	if inside {
		t = new(report.Tally)
		return t, truncated, c.inside(ctx, w, false, t)
	}
	t, err = c.fold(ctx, w, w.where())
	return t, truncated, err
}

// many reports whether a window has so many views that the database counts
// them. It reads no more of them than that.
func (c *client) many(ctx context.Context, w window) (many bool, err error) {
	if c.insideFrom <= 0 {
		return c.insideFrom == 0, nil
	}
	_, err = c.one(ctx, fmt.Sprintf("SELECT count() >= %d FROM (SELECT 1 FROM opens WHERE %s LIMIT %d)", c.insideFrom,
		w.where(), c.insideFrom), func(r *reader) { many = r.bool() })
	return many, err
}

// narrowDaily answers a DailyViews query that stored tallies cannot answer.
func (c *client) narrowDaily(ctx context.Context, s state, q vitrine.TallyQuery,
	links []vitrine.LinkID) (map[vitrine.LinkID][]int64, error) {
	views := make(map[vitrine.LinkID][]int64, len(links))
	for _, link := range links {
		views[link] = make([]int64, max(q.To-q.From, 0))
	}
	if len(links) == 0 {
		return views, nil
	}
	from, to := q.Steps.Bounds(q.From, q.To)
	r := ids{max(vitrine.ViewIDAt(max(from, 0), 0), idsOf(0, s.forgotten).to), vitrine.ViewIDAt(max(to, 0), 0)}
	w := window{TallyQuery: q}
	sql := fmt.Sprintf("SELECT link, %s AS step, toInt64(count()) FROM opens FINAL WHERE account = %d AND link IN (%s) AND %s AND bot = ''%s%s GROUP BY link, step",
		w.stepOf(), q.Account, list(links), r.where(), linksSQL(q.Links), lensSQL(&q.Lens))
	err := c.query(ctx, sql, func(r *reader) error {
		of, step, n := views[vitrine.LinkID(r.int64())], report.Day(r.int32()), r.int64()
		if r.err == nil && of != nil {
			of[step-q.From] += n
		}
		return nil
	})
	return views, err
}

// linksSQL returns the condition that views are of the links.
func linksSQL(links []int64) string {
	switch {
	case links == nil:
		return ""
	case len(links) == 0:
		return " AND 0"
	}
	return " AND link IN (" + list(links) + ")"
}

// filterColumns maps the dimensions of views to expressions.
var filterColumns = []struct {
	dimension report.Dimension
	sql       string
}{
	{report.OnCountry, "country"}, {report.OnCity,
		"if(city = '' OR country = '', toString(city), concat(city, ', ', country))"},
	{report.OnReferrer, "referrer"}, {report.OnSource, "if(source = '', 'Direct', toString(source))"},
	{report.OnDevice, "device"}, {report.OnBrowser, "browser"}, {report.OnOS, "os"},
	{report.OnCampaign, "campaign"}, {report.OnMedium, "medium"}, {report.OnContent, "content"},
	{report.OnTerm, "term"},
	{report.OnVersion, "toString(greatest(file, 1))"},
	{report.OnScreen, "if(session, toString(screen), '')"}, {report.OnQR, "if(qr, 'yes', 'no')"},
	{report.OnReturning, "if(returning, 'yes', 'no')"},
}

// lensSQL returns the condition that a lens selects a view, to append to
// others.
func lensSQL(l *report.Lens) string {
	if len(l.Versions) == 0 {
		return filterSQL(l.Filter)
	}
	links := slices.Sorted(maps.Keys(l.Versions))
	var shown []string
	for _, link := range links {
		for _, version := range l.Versions[link] {
			shown = append(shown, fmt.Sprintf("(%d, %d)", link, version))
		}
	}
	sql := fmt.Sprintf("link NOT IN (%s)", list(links))
	if len(shown) > 0 {
		sql += fmt.Sprintf(" OR (link, greatest(file, 1)) IN (%s)", strings.Join(shown, ", "))
	}
	return " AND (" + sql + ")" + filterSQL(l.Filter)
}

// filterSQL returns a filter as conditions to append to others.
func filterSQL(f report.Filter) string {
	var b strings.Builder
	for _, c := range filterColumns {
		var is, not []string
		for _, condition := range f.On(c.dimension) {
			value := fmt.Sprintf("unhex('%x')", condition.Value)
			if condition.Not {
				not = append(not, value)
			} else {
				is = append(is, value)
			}
		}
		if is != nil {
			fmt.Fprintf(&b, " AND %s IN (%s)", c.sql, strings.Join(is, ", "))
		}
		if not != nil {
			fmt.Fprintf(&b, " AND %s NOT IN (%s)", c.sql, strings.Join(not, ", "))
		}
	}
	return b.String()
}

// shifted returns the expression of an ID's time in a time zone. shifts are the
// offsets of the zone and when they apply.
func shifted(shifts []report.Shift) string {
	ms := "bitShiftRight(id, 21)"
	expr := fmt.Sprint(shifts[0].Offset)
	for _, s := range shifts[1:] {
		expr = fmt.Sprintf("if(%s >= %d, %d, %s)", ms, s.From, s.Offset, expr)
	}
	return fmt.Sprintf("(%s + %s)", ms, expr)
}

// stepOf returns the expression of the step of a view or download.
func (w window) stepOf() string {
	if !w.Steps.Hourly() {
		const days = 10 // more than the offset of any zone
		return fmt.Sprintf("toInt32(intDiv(%s + %d, 86400000) - %d)", shifted(w.Steps.Days()), days*86_400_000, days)
	}
	var starts []string
	for d := w.From + 1; d < w.To; d++ { // the last one that has begun
		starts = append(starts, fmt.Sprint(w.Steps.Start(d)))
	}
	return fmt.Sprintf("toInt32(%d + arrayCount(s -> s <= bitShiftRight(id, 21), CAST([%s], 'Array(Int64)')))", w.From,
		strings.Join(starts, ", "))
}

// whereDownloads returns the condition of the download events of a window. If
// the window selects views, their views must match.
func (w window) whereDownloads() string {
	where := within(w.Scope) + " AND " + w.ids.where() + linksSQL(w.Links)
	if w.Selects() {
		where += fmt.Sprintf(" AND (link, open) GLOBAL IN (SELECT link, id FROM opens FINAL WHERE %s%s%s)",
			within(w.Scope), linksSQL(w.Links), lensSQL(&w.Lens))
	}
	return where
}
