package clickhouse

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/report"
)

// A tally that the database counts comes from two statements. One sums views by
// link, label and page (this file). The other sends a few numbers of each
// counted view, because distinct viewers, times and local hours cost less to
// count here (passing.go). The sums are made while the viewers are counted:
// with two processors, both statements at once cost a tenth more of the
// server's.

// The kinds of rows of the statement that sums views. Each row has a number,
// a text and further numbers.
const (
	partFile      = iota // a file of a link: the link, its version, the sums of its counted views
	partLabel            // labels: number of their kind (insideLabels), the labels; views
	partBot              // a reason and product: views, atypical sessions
	partPage             // a page: counted sessions that saw it, time on it, sessions that saw no later one
	partPlayed           // a played part of a medium, or (-1) any part: counted sessions
	partReached          // a percent that counted sessions reached: sessions
	partDepth            // the same for the depth
	partVisit            // the previous day of the viewers of a day: how many
	partLinkVisit        // the previous day of the viewers of a link: how many
	partDownload         // the download events of a step: how many
)

// insideLabels lists the columns that join labels, and the labels.
var insideLabels = []struct {
	column string
	labels []report.Label
}{
	{"place", []report.Label{report.LabelCountry}}, // and the city
	{"origin", []report.Label{report.LabelReferrer, report.LabelSource}},
	{"agent", []report.Label{report.LabelDevice, report.LabelBrowser, report.LabelOS}},
	{"utm", []report.Label{report.LabelCampaign, report.LabelMedium, report.LabelContent, report.LabelTerm}},
	{"screen", []report.Label{report.LabelScreen}}, // alone
}

// joined returns the expression of a column that joins labels. apart reverses
// it.
func joined(columns ...string) string {
	var parts []string
	for _, c := range columns {
		parts = append(parts, "toString(length("+c+"))", "':'", c)
	}
	return "concat(" + strings.Join(parts, ", ") + ")"
}

// apart returns the labels of a joined column.
func apart(s string) (labels []string, err error) {
	for s != "" {
		digits, rest, found := strings.Cut(s, ":")
		n, err := strconv.Atoi(digits)
		if !found || err != nil || n < 0 || n > len(rest) {
			return nil, errAnswer
		}
		labels, s = append(labels, rest[:n]), rest[n:]
	}
	return labels, nil
}

// insideTries bounds the tries to count while others write.
const insideTries = 3

// inside counts the views and visits of a window inside the database. With
// seen, visits on expired days before the window are taken into account. If a
// batch was written between the statements, it tries again; the last try
// counts.
func (c *client) inside(ctx context.Context, w window, seen bool, t *report.Tally) error {
	for try := 1; ; try++ {
		s, p := summing{t: new(report.Tally)}, newPassing(w, !w.earlier(seen))
		if err := c.pass(ctx, w, p); err != nil {
			return err
		}
		var passed report.Tally
		err := concurrently(
			func() error { p.addTo(&passed); return nil },
			func() error { return c.query(ctx, w.insideSQL(seen), s.row) },
		)
		if err != nil {
			return err
		}
		if p.total() == s.whole || try == insideTries {
			t.Merge(s.t)
			t.Merge(&passed)
			return nil
		}
	}
}

// earlier reports whether viewers may have come before the views of the window
// that are read, so that the database must count visits.
func (w window) earlier(seen bool) bool {
	return w.reach.from < w.ids.from && w.reach.to > 0 || seen && w.state.forgotten > 0
}

// summing collects the rows of the statement that sums views.
type summing struct {
	t     *report.Tally
	whole total
}

// total is what both statements know about all counted views.
type total struct{ views, sessions, engagedMs int64 }

func (s *summing) row(r *reader) error {
	kind, i, text := r.take(1)[0], r.int64(), r.word()
	var v [20]int64
	n := r.length()
	if n > len(v) {
		r.fail(errAnswer)
	}
	for k := range n {
		if r.err == nil {
			v[k] = r.int64()
		}
	}
	if r.err == nil {
		if err := s.add(kind, i, text, &v); err != nil {
			r.fail(err)
		}
	}
	return r.err
}

// add adds a row of the answer.
func (s *summing) add(kind byte, i int64, text string, v *[20]int64) error {
	t := s.t
	switch kind {
	case partFile:
		sums := sumsOf(v)
		version, _ := strconv.Atoi(text) // brief tallies have none
		t.AddFileSums(i, version, sums)
		t.AddSums(sums)
		t.AddLinkSums(i, sums)
		s.whole = total{s.whole.views + sums.Views, s.whole.sessions + sums.Sessions,
			s.whole.engagedMs + sums.EngagedMs}
	case partLabel, partBot:
		return s.labels(kind, i, text, v)
	case partPage:
		t.AddPage(int(i), v[0], v[1], v[2])
	case partVisit:
		t.AddVisits(report.Visit{Day: report.Day(i), Prev: report.Day(v[0])}, v[1])
	case partLinkVisit:
		t.AddLinkVisits(i, report.Day(v[0]), v[1])
	case partDownload:
		t.AddDownloads(report.Day(i), v[0])
	case partPlayed:
		var parts [report.PartCount]int64
		sessions := int64(0)
		if i < 0 {
			sessions = v[0]
		} else if i < report.PartCount {
			parts[i] = v[0]
		}
		t.AddParts(sessions, parts)
	case partReached, partDepth:
		var points [2][101]int64
		points[kind-partReached][min(max(i, 0), 100)] = v[0]
		t.AddPoints(points[0], points[1])
	}
	return nil
}

func (s *summing) labels(kind byte, i int64, text string, v *[20]int64) error {
	labels, err := apart(text)
	switch {
	case kind == partLabel && i == int64(len(insideLabels)-1):
		labels = []string{text}
	case err != nil:
		return err
	case kind == partBot && len(labels) == 2:
		s.t.AddBots(labels[0], labels[1], v[0])
		s.t.AddSums(&report.Sums{Atypical: v[1]})
		return nil
	case kind == partBot || i < 0 || int(i) >= len(insideLabels):
		return errAnswer
	case i == 0 && len(labels) == 2:
		s.t.AddCity(labels[1], labels[0], v[0])
		labels = labels[:1]
	}
	if len(labels) != len(insideLabels[i].labels) {
		return errAnswer
	}
	for k, l := range insideLabels[i].labels {
		s.t.AddLabel(l, labels[k], v[0])
	}
	return nil
}

// sumsOf converts columns in the order of insideSums.
func sumsOf(v *[20]int64) *report.Sums {
	return &report.Sums{Views: v[0], Sessions: v[1], EngagedMs: v[2], QR: v[3], Returning: v[4], Atypical: v[5],
		Bounces: v[6], Pages: v[7], Played: v[8], Depth: v[9],
		Media:  report.ProgressSums{Begun: v[10], Reached: [4]int64(v[11:15])},
		Scroll: report.ProgressSums{Begun: v[15], Reached: [4]int64(v[16:20])}}
}

// insideSums returns the expressions of the sums. Accounts have no progress.
func insideSums(rules report.Rules, progress bool) string {
	sums := []string{"count()", "sum(counted)", "sum(counted * e)", "countIf(qr)", "countIf(returning)",
		"countIf(brief)", fmt.Sprintf("countIf(counted AND e < %d)", rules.BounceMs),
		"sumIf(seen, counted)", "sumIf(least(greatest(played, 0), 1000000), counted)",
		"sumIf(least(greatest(depth, 0), 1000000), counted)"}
	for _, column := range []struct{ begun, reached string }{{"played", "reached"}, {"depth", "depth"}} {
		if !progress {
			break
		}
		sums = append(sums, fmt.Sprintf("countIf(counted AND %s > 0)", column.begun))
		for _, m := range rules.Marks {
			sums = append(sums, fmt.Sprintf("countIf(counted AND %s >= %d)", column.reached, m))
		}
	}
	for i, e := range sums {
		sums[i] = "toInt64(" + e + ")"
	}
	return "[" + strings.Join(sums, ", ") + "]"
}

// countedColumns are the expressions of counted (a session counts), brief (it
// is atypical) and e (the engaged time, if it counts), for views by persons.
const countedColumns = "spent > 0 AS counted, session AND spent = 0 AS brief, greatest(spent, 1) - 1 AS e"

// persons returns a subquery for columns of the window's views by persons, with
// those of countedColumns.
func (w window) persons(columns string) string {
	return w.views("session, spent, "+columns+", "+countedColumns, "bot = ''")
}

// views returns a subquery for columns of the window's views that match a
// condition. Of whole months it reads partitions, which costs less than to
// compare IDs.
func (w window) views(columns, condition string) string {
	var parts []string
	add := func(which string) {
		parts = append(parts, fmt.Sprintf("SELECT %s FROM opens FINAL WHERE %s AND %s%s AND %s", columns,
			within(w.Scope), which, w.more, condition))
	}
	before, months, after := w.ids.months()
	if before.from < before.to || len(months) == 0 {
		add(before.where())
	}
	if len(months) > 0 {
		add("_partition_id IN ('" + strings.Join(months, "', '") + "')")
		if after.from < after.to {
			add(after.where())
		}
	}
	return "(" + strings.Join(parts, " UNION ALL ") + ")"
}

// mostMonths limits the list of months in a statement.
const mostMonths = 240

// months splits a range into the names of its whole months and what is before
// and after them. Without whole months, or with too many, all is before.
func (r ids) months() (before ids, months []string, after ids) {
	if r.from >= r.to {
		return r, nil, ids{r.to, r.to}
	}
	start := func(t time.Time) vitrine.ViewID { return vitrine.ViewIDAt(t.UnixMilli(), 0) }
	first := r.from.Time().UTC()
	month := time.Date(first.Year(), first.Month(), 1, 0, 0, 0, 0, time.UTC)
	if start(month) < r.from {
		month = month.AddDate(0, 1, 0)
	}
	begin := month
	for len(months) <= mostMonths && start(month.AddDate(0, 1, 0)) <= r.to {
		months = append(months, month.Format("200601"))
		month = month.AddDate(0, 1, 0)
	}
	if len(months) == 0 || len(months) > mostMonths {
		return r, nil, ids{r.to, r.to}
	}
	return ids{r.from, start(begin)}, months, ids{start(month), r.to}
}

// insideSQL returns the statement that sums views.
func (w window) insideSQL(seen bool) string {
	rules := report.CountingRules()
	version, by := "toString(file)", "link, file"
	if w.Brief {
		version, by = "''", "link"
	}
	parts := []string{
		fmt.Sprintf("SELECT %d AS kind, link AS i, %s AS s, %s AS v FROM %s GROUP BY %s", partFile, version,
			insideSums(rules, w.Link != 0),
			w.persons("link, file, qr, returning, seen, played, reached, depth"), by),
		fmt.Sprintf("SELECT %d, 0, toString(reason), [toInt64(count()), toInt64(countIf(session AND bot != '%s'))] FROM %s GROUP BY reason",
			partBot, report.BotOwn, w.views("reason, bot, session", "bot != ''")),
	}
	if !w.Selects() { // otherwise pass counts them
		parts = append(parts, fmt.Sprintf("SELECT %d, toInt64(%s) AS step, '', [toInt64(count())] FROM downloads FINAL WHERE %s GROUP BY step",
			partDownload, w.stepOf(), w.whereDownloads()))
	}
	if w.earlier(seen) {
		parts = append(parts, fmt.Sprintf("SELECT %d, toInt64(d), '', [toInt64(prev), n] FROM (%s)", partVisit,
			w.visits("viewer", "viewer", "", seen)))
	}
	if !w.Brief {
		parts = append(parts, w.insideMore(rules, seen)...)
	}
	return "SELECT toUInt8(kind), toInt64(i), toString(s), v FROM (" + strings.Join(parts, "\nUNION ALL ") + ")"
}

// insideMore returns the parts that a comparison does not need.
func (w window) insideMore(rules report.Rules, seen bool) []string {
	var names, columns, sets, which []string
	for i, l := range insideLabels {
		names, sets = append(names, l.column), append(sets, "("+l.column+")")
		columns = append(columns, "toString("+l.column+")")
		which = append(which, fmt.Sprintf("grouping(%s) = 0, %d", l.column, i))
	}
	parts := []string{fmt.Sprintf("SELECT %d, toInt64(multiIf(%s, -1)), concat(%s), [toInt64(count())] FROM %s GROUP BY GROUPING SETS (%s)",
		partLabel, strings.Join(which, ", "), strings.Join(columns, ", "),
		w.views(strings.Join(names, ", "), "bot = ''"),
		strings.Join(sets, ", "))}
	if w.Link != 0 {
		return append(parts, w.insideContent(rules)...)
	}
	if w.earlier(seen) {
		parts = append(parts, fmt.Sprintf("SELECT %d, link, '', [toInt64(prev), toInt64(sum(n))] FROM (%s) GROUP BY link, prev",
			partLinkVisit, w.visits("link, viewer", "link, viewer", "link, ", seen)))
	}
	return parts
}

// insideContent returns the parts about the content of a link.
func (w window) insideContent(rules report.Rules) []string {
	parts := []string{
		fmt.Sprintf(`SELECT %d, part, '', [toInt64(count())] FROM (SELECT arrayJoin(arrayConcat([toInt64(-1)],
			arrayMap(p -> toInt64(p), bitPositionsToArray(parts_low)), arrayMap(p -> toInt64(p) + 64, bitPositionsToArray(parts_high)))) AS part
			FROM %s WHERE counted AND (parts_low != 0 OR parts_high != 0)) GROUP BY part`, partPlayed,
			w.persons("parts_low, parts_high")),
		fmt.Sprintf(`SELECT %d, page, '', [toInt64(count()), sum(least(greatest(ms, 0), %d)), toInt64(countIf(page = pages[-1]))]
			FROM (SELECT pages, page, ms FROM %s ARRAY JOIN pages AS page, page_ms AS ms WHERE counted AND page >= 1) GROUP BY page`,
			partPage, rules.MaxMs, w.persons("pages, page_ms")),
	}
	if w.Single {
		for kind, column := range map[int]string{partReached: "reached", partDepth: "depth"} {
			parts = append(parts, fmt.Sprintf("SELECT %d, toInt64(intDiv(least(greatest(%s, 0), 1000000), 10000)) AS percent, '', [toInt64(count())] FROM %s WHERE counted GROUP BY percent",
				kind, column, w.persons(column)))
		}
	}
	return parts
}
