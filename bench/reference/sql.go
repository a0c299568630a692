package reference

import (
	"fmt"
	"regexp"
	"strings"
)

// dialect has the expressions that differ between engines. In queries, {name}
// is a parameter.
type dialect struct {
	div      func(expr string, by int64) string
	median   string                                // median of the column engaged
	distinct func(key, table, where string) string // how many viewers there are, for each value of key unless it is ""
	among    string                                // condition that the column link is in the parameter top
	labels   func(table, where string) []string    // queries for (label, key, count, total), sorted by label and count
}

// labelColumns are the columns of the eight breakdowns, in the order of
// Breakdowns.
var labelColumns = [...]string{"country", "city", "referrer", "source", "device", "browser", "os", "screen"}

func divide(op string) func(string, int64) string {
	return func(expr string, by int64) string { return fmt.Sprintf("((%s) %s %d)", expr, op, by) }
}

// distinctByGroups returns a query that counts viewers with GROUP BY. Engines
// parallelize it better than count(DISTINCT) and use less memory.
func distinctByGroups(key, table, where string) string {
	if key == "" {
		return "SELECT count(*) FROM (SELECT viewer FROM " + table + " WHERE " + where + " GROUP BY viewer) AS v"
	}
	return "SELECT k, count(*) FROM (SELECT " + key + " AS k, viewer FROM " + table + " WHERE " + where +
		" GROUP BY 1, 2) AS v GROUP BY 1"
}

// labelsOneByOne returns one query for each breakdown.
func labelsOneByOne(table, where string) []string {
	var queries []string
	for i, c := range labelColumns {
		queries = append(queries, fmt.Sprintf(`SELECT %d, %[2]s, count(*) AS n, CAST(sum(count(*)) OVER () AS BIGINT) FROM %s
			WHERE %s AND %[2]s <> '' GROUP BY 2 ORDER BY n DESC, 2 LIMIT 8`, i, c, table, where))
	}
	return queries
}

// query is a statement and the handler of its rows.
type query struct {
	text string
	read func([][]string)
}

// sum returns an expression for the sum of a column. Without rows it is 0.
func sum(column, when string) string {
	return "CAST(coalesce(sum(" + column + ") FILTER (WHERE " + when + "), 0) AS BIGINT)"
}

func count(when string) string { return "count(*) FILTER (WHERE " + when + ")" }

func (d *dialect) first(s Scope, r *result) []query {
	mine := "account = {account}"
	if s.Link != nil {
		mine = "link = {link}"
	}
	if s.Where != "" {
		mine += " AND " + s.Where
	}
	window := mine + " AND opened >= {from} AND opened < {to}"
	before := mine + " AND opened >= {prev} AND opened < {from}"
	people := " AND NOT bot"
	point := d.div("opened", dayMs)
	if s.weekly() {
		point = d.div(point+" + 3", 7) // 1970 began on a Thursday
	}
	hours := strings.Join([]string{count("NOT bot"), count("counted"), sum("engaged", "counted"),
		count("counted AND engaged < 5000"),
		count("qr AND NOT bot"), count("came_back AND NOT bot"), count("bot"), count("atypical"),
		"coalesce(sum(completion) FILTER (WHERE counted), 0)"}, ", ")
	qs := []query{
		{"SELECT " + d.div("opened", hourMs) + ", " + hours + " FROM opens WHERE " + window + " GROUP BY 1", r.hours},
		{"SELECT " + count("NOT bot") + ", " + count("counted") + ", " + sum("engaged", "counted") + ", " +
			count("downloaded AND NOT bot") +
			" FROM opens WHERE " + before, r.before},
		{d.distinct("", "opens", window+people), func(rows [][]string) { r.Totals.Uniques = integer(rows[0][0]) }},
		{d.distinct("", "opens", before+people), func(rows [][]string) { r.Previous.Uniques = integer(rows[0][0]) }},
		{d.distinct(point, "opens", window+people), r.points},
		{"SELECT " + d.median + " FROM opens WHERE " + window + " AND counted", r.median},
	}
	for _, text := range d.labels("opens", window+people) {
		qs = append(qs, query{text, r.labels})
	}
	if s.Link != nil {
		return append(qs,
			query{"SELECT downloads FROM links WHERE link = {link}",
				func(rows [][]string) { r.Totals.Downloads = integer(rows[0][0]) }},
			query{"SELECT page, count(*), CAST(sum(ms) AS BIGINT), " + count("furthest") + " FROM pages WHERE " +
				window + " AND counted GROUP BY 1", r.pages},
			query{"SELECT opened, country, city, device, browser, os, source, engaged, completion, downloaded, came_back, atypical FROM opens WHERE " +
				window + " AND session ORDER BY opened DESC LIMIT 25", r.recent})
	}
	return append(qs,
		query{"SELECT link, slug, kind, created, downloads FROM links WHERE account = {account}", r.rows},
		query{"SELECT link, " + count("NOT bot") + ", " + count("counted") + ", " + sum("engaged", "counted") +
			", coalesce(sum(completion) FILTER (WHERE counted), 0) FROM opens WHERE " + window + " GROUP BY 1",
			r.links})
}

// second returns the queries for the top links in the report of an account.
func (d *dialect) second(r *result) []query {
	if len(r.top) == 0 {
		return nil
	}
	some := "account = {account} AND " + d.among + " AND NOT bot AND opened < {to} AND opened >= "
	if where := r.scope.Where; where != "" {
		some = where + " AND " + some
	}
	return []query{
		{d.distinct("link", "opens", some+"{from}"), r.topUniques},
		{"SELECT link, " + d.div("opened", dayMs) + ", count(*) FROM opens WHERE " + some + "{spark} GROUP BY 1, 2",
			r.sparks},
	}
}

// report runs all queries of a report. run executes queries and passes each its
// own rows.
func (d *dialect) report(s Scope,
	run func(texts []string, values map[string]any) ([][][]string, error)) (*Figures, error) {
	r := newResult(s)
	for _, step := range []func() []query{func() []query { return d.first(s, r) },
		func() []query { return d.second(r) }} {
		qs := step()
		texts := make([]string, len(qs))
		for i, q := range qs {
			texts[i] = q.text
		}
		if len(texts) == 0 {
			break
		}
		answers, err := run(texts, r.values())
		if err != nil {
			return nil, err
		}
		for i, q := range qs {
			q.read(answers[i])
		}
		if s.Link != nil {
			break
		}
	}
	return r.figures(), nil
}

// oneOf is the value of among for engines whose parameters are inlined.
const oneOf = "link IN ({top})"

// values returns the parameters by name. The top links are included once they
// are known.
func (r *result) values() map[string]any {
	s, top := r.scope, make([]int64, len(r.top))
	for i, l := range r.top {
		top[i] = l.link
	}
	v := map[string]any{"account": int64(s.Account), "from": s.From.UnixMilli(), "to": s.To.UnixMilli(),
		"prev":  s.prev().UnixMilli(),
		"spark": s.sparkDay() * dayMs, "top": top}
	if s.Link != nil {
		v["link"] = int64(s.Link.Number)
	}
	return v
}

var parameter = regexp.MustCompile(`\{(\w+)\}`)

// inline replaces the parameters of a query by their values.
func inline(text string, values map[string]any) string {
	return parameter.ReplaceAllStringFunc(text, func(name string) string {
		v := fmt.Sprint(values[name[1:len(name)-1]])
		return strings.ReplaceAll(strings.Trim(v, "[]"), " ", ", ")
	})
}
