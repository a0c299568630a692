package clickhouse

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"vitrine/report"
)

// The kinds of rows of the query that counts a tally inside the database. Each
// row has a number, two texts and further numbers.
const (
	partWhole     = iota // all views: the sums
	partLink             // a link: its number, the sums
	partHour             // an hour since 1970 in local time: the sums, and the step
	partLabel            // a label: number of its kind (insideLabels), the label, the country of a city; views, views
	partTime             // an engaged time: counted sessions
	partPage             // a page: counted sessions that saw it, time on it, sessions that saw no later one
	partVisit            // the previous day of the viewers of a day: how many
	partLinkVisit        // the previous day of the viewers of a link: how many
	partDownload         // the download events of a day: how many
	partFile             // a version of a link after its first: its link, its number, the sums
	partPlayed           // a played part of a medium, or (-1) any part: counted sessions
)

// insideLabels lists the columns whose labels are counted. The index is the
// number of the kind.
var insideLabels = []struct {
	column string
	label  report.Label
}{
	{"country", report.LabelCountry}, {"referrer", report.LabelReferrer}, {"source", report.LabelSource},
	{"device", report.LabelDevice},
	{"browser", report.LabelBrowser}, {"os", report.LabelOS}, {"screen", report.LabelScreen}, {"bot", -1}, {"city", -1},
	{"campaign", report.LabelCampaign}, {"medium", report.LabelMedium}, {"content", report.LabelContent},
	{"term", report.LabelTerm},
}

// inside counts the views and visits of a window inside the database. With
// seen, visits on expired days before the window are taken into account.
func (c *client) inside(ctx context.Context, w window, seen bool, t *report.Tally) error {
	sql := w.insideSQL(seen)
	return c.query(ctx, sql, func(r *reader) error {
		kind, i, s1, s2 := r.take(1)[0], r.int64(), r.word(), r.word()
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
			addPart(t, kind, i, s1, s2, &v)
		}
		return r.err
	})
}

// addPart adds a row of the answer to a tally.
func addPart(t *report.Tally, kind byte, i int64, s1, s2 string, v *[20]int64) {
	switch kind {
	case partWhole:
		t.AddSums(sumsOf(v))
	case partLink:
		t.AddLinkSums(i, sumsOf(v))
	case partFile:
		version, _ := strconv.Atoi(s1)
		t.AddFileSums(i, version, sumsOf(v))
	case partHour:
		if s := (&report.Sums{Views: v[0], Sessions: v[1], EngagedMs: v[2]}); s.Views > 0 {
			t.AddDaySums(report.Day(v[3]), s)
			t.AddHour(report.Day(i/24), int(i%24), s.Views)
		}
	case partLabel:
		switch l := insideLabels[i]; l.column {
		case "bot":
			if s1 != "" {
				t.AddBots(s1, s2, v[1])
			}
		case "city":
			t.AddCity(s1, s2, v[0])
		default:
			t.AddLabel(l.label, s1, v[0])
		}
	case partTime:
		t.AddTime(i, v[0])
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
	}
}

// sumsOf converts columns in the order of insideSums.
func sumsOf(v *[20]int64) *report.Sums {
	return &report.Sums{Views: v[0], Sessions: v[1], EngagedMs: v[2], QR: v[3], Returning: v[4], Atypical: v[5],
		Bounces: v[6], Pages: v[7], Played: v[8], Depth: v[9],
		Media:  report.ProgressSums{Begun: v[10], Reached: [4]int64(v[11:15])},
		Scroll: report.ProgressSums{Begun: v[15], Reached: [4]int64(v[16:20])}}
}

// insideSums returns the expressions of the sums: all, or the first three.
func insideSums(rules report.Rules, all bool) string {
	sums := []string{"sum(view)", "sum(counted)", "sum(counted * e)"}
	if !all {
		return "[" + toInt64(sums) + "]"
	}
	sums = append(sums, "countIf(view AND qr)", "countIf(view AND returning)",
		"countIf(session AND bot != 'own' AND (NOT view OR brief))",
		fmt.Sprintf("countIf(counted AND e < %d)", rules.BounceMs),
		"sumIf(seen, counted)", "sumIf(least(greatest(played, 0), 1000000), counted)",
		"sumIf(least(greatest(depth, 0), 1000000), counted)")
	for _, column := range []struct{ begun, reached string }{{"played", "reached"}, {"depth", "depth"}} {
		sums = append(sums, fmt.Sprintf("countIf(counted AND %s > 0)", column.begun))
		for _, m := range rules.Marks {
			sums = append(sums, fmt.Sprintf("countIf(counted AND %s >= %d)", column.reached, m))
		}
	}
	return "[" + toInt64(sums) + "]"
}

func toInt64(expressions []string) string {
	for i, e := range expressions {
		expressions[i] = "toInt64(" + e + ")"
	}
	return strings.Join(expressions, ", ")
}

// insideSQL returns the query. The rules of the report package decide what
// counts as a view or session.
func (w window) insideSQL(seen bool) string {
	rules := report.CountingRules()
	typical := fmt.Sprintf("(engaged >= %d OR present >= %d)", rules.AtypicalEngagedMs, rules.AtypicalPresentMs)
	views := fmt.Sprintf(`(SELECT *, day, bot = '' AS view, NOT %s AS brief, view AND session AND NOT brief AS counted, least(greatest(engaged, 0), %d) AS e,
		arrayCount(p -> p >= 1, pages) AS seen FROM opens FINAL WHERE %s)`, typical, rules.MaxMs, w.where())
	parts := []string{
		fmt.Sprintf("SELECT %d AS kind, toInt64(0) AS i, '' AS s1, '' AS s2, %s AS v FROM %s", partWhole,
			insideSums(rules, true), views),
		fmt.Sprintf("SELECT %d, %s AS hour, '', '', arrayPushBack(%s, toInt64(%s AS step)) FROM %s GROUP BY hour, step",
			partHour, w.hourOf(), insideSums(rules, false), w.dayOf(), views),
		fmt.Sprintf("SELECT %d, toInt64(%s) AS step, '', '', [toInt64(count())] FROM downloads FINAL WHERE %s GROUP BY step", partDownload, w.dayOf(), w.whereDownloads()),
		fmt.Sprintf("SELECT %d, toInt64(d), '', '', [toInt64(prev), n] FROM (%s)", partVisit,
			w.visits("viewer", "viewer", "", seen)),
	}
	if !w.Brief {
		parts = append(parts, w.insideMore(rules, views, seen)...)
	}
	return "SELECT toUInt8(kind), toInt64(i), toString(s1), toString(s2), v FROM (" + strings.Join(parts,
		"\nUNION ALL ") + ")"
}

// insideMore returns the parts that a comparison does not need.
func (w window) insideMore(rules report.Rules, views string, seen bool) []string {
	var columns, sets, which []string
	for i, l := range insideLabels {
		set := "(" + l.column + ")"
		switch l.column {
		case "city":
			set = "(city, country)"
			which = append([]string{fmt.Sprintf("grouping(city) = 0, %d", i)}, which...) // before the country
		case "bot":
			set = "(bot, product)"
			fallthrough
		default:
			which = append(which, fmt.Sprintf("grouping(%s) = 0, %d", l.column, i))
		}
		sets, columns = append(sets, set), append(columns, "toString("+l.column+")")
	}
	parts := []string{
		fmt.Sprintf(`SELECT %d, toInt64(multiIf(%s, -1)), if(grouping(city) = 0, toString(city), concat(%s)), multiIf(grouping(city) = 0, toString(country), grouping(bot) = 0, toString(product), ''),
			[toInt64(sum(view)), toInt64(count())] FROM %s GROUP BY GROUPING SETS (%s)`,
			partLabel, strings.Join(which, ", "), strings.Join(columns, ", "), views, strings.Join(sets, ", ")),
		fmt.Sprintf("SELECT %d, e, '', '', [toInt64(count())] FROM %s WHERE counted GROUP BY e", partTime, views),
		fmt.Sprintf("SELECT %d, link, toString(file), '', %s FROM %s WHERE file > 1 GROUP BY link, file", partFile,
			insideSums(rules, true), views),
	}
	if w.Link != 0 {
		parts = append(parts, fmt.Sprintf(`SELECT %d, part, '', '', [toInt64(count())] FROM (SELECT arrayJoin(arrayConcat([toInt64(-1)],
			arrayMap(p -> toInt64(p), bitPositionsToArray(parts_low)), arrayMap(p -> toInt64(p) + 64, bitPositionsToArray(parts_high)))) AS part
			FROM %s WHERE counted AND (parts_low != 0 OR parts_high != 0)) GROUP BY part`, partPlayed, views))
		return append(parts, fmt.Sprintf(`SELECT %d, page, '', '', [toInt64(count()), sum(least(greatest(ms, 0), %d)), toInt64(countIf(page = pages[-1]))]
			FROM (SELECT pages, page, ms FROM %s ARRAY JOIN pages AS page, page_ms AS ms WHERE counted AND page >= 1) GROUP BY page`, partPage, rules.MaxMs, views))
	}
	return append(parts,
		fmt.Sprintf("SELECT %d, link, '', '', %s FROM %s GROUP BY link", partLink, insideSums(rules, true), views),
		fmt.Sprintf("SELECT %d, link, '', '', [toInt64(prev), toInt64(sum(n))] FROM (%s) GROUP BY link, prev",
			partLinkVisit,
			w.visits("link, viewer", "link, viewer", "link, ", seen)))
}
