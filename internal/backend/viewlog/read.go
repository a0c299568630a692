package viewlog

import (
	"vitrine"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/report"
)

// ids is the range of IDs [from, to).
type ids struct{ from, to vitrine.ViewID }

func idsOf(from, to report.Day) ids { return ids{segment.FirstID(from), segment.FirstID(to)} }

// within returns the FROM and WHERE clauses of a query for a scope's rows in a
// range of IDs, and its arguments. The table has the columns link and id and
// gets the alias o.
func within(s vitrine.Scope, table string, r ids) (clause string, args []any) {
	const inRange = " AND o.id >= $2 AND o.id < $3"
	if s.Link != 0 {
		return " FROM " + table + " o WHERE o.link = $1" + inRange, []any{int64(s.Link), int64(r.from), int64(r.to)}
	}
	// CROSS JOIN makes SQLite iterate over the links.
	return " FROM links l CROSS JOIN " + table + " o WHERE l.account = $1 AND o.link = l.link" + inRange,
		[]any{int64(s.Account), int64(r.from), int64(r.to)}
}
