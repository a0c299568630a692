package reportpage

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/web/chart"
	"vitrine/internal/web/ui"
	"vitrine/report"
	"vitrine/report/part"
)

// statsPages shows how a file was read, page by page or part by part.
type statsPages struct {
	Noun   string         // "page", "section" or "slide"
	ID     string         // of its heading
	Anchor string         // of its tile
	Card   string         // of its CSV file
	Unread string         // message if no page was seen
	Note   string         // below the table; often ""
	Facts  [][3]string    // name, value, pointer
	Rows   []statsPageRow // the first maxPages
	All    int            // number of rows with those that are not shown
	Thumbs bool           // small pictures of pages exist

	version int // of the file; 0 if it was never replaced
}

// Heading returns the heading of the tile, and Column that of the first column.
func (p *statsPages) Heading() string { return p.Column() + " by " + p.Noun }
func (p *statsPages) Column() string  { return ui.Capital(p.Noun) }

// Unit returns what the owner would know the time of if a document were a PDF:
// a page or a slide; "" of other files.
func (p *reportPage) Unit() string {
	if p.Link == nil || p.Reader || p.Sample || p.Parts != nil {
		return ""
	}
	switch ui.Look(p.Link.Link) {
	case "slides":
		return "slide"
	case "document":
		return "page"
	}
	return ""
}

// unread reports that something has not been done in the days of a report, or
// not at all.
func unread(what string, before bool) string {
	if before {
		return what + " in this period."
	}
	return what + " yet."
}

// statsPageRow is a page of a document, or a part of another file.
type statsPageRow struct {
	report.PageRow
	Label   string // the heading of a part; often ""
	Seen    ui.Figure
	Time    string // on average
	Stopped string // "22%" or "all" on the page after which most stopped, else ""
	Width   string // of the bar of its time, the longest one's being all there is
	Tip     string
	Thumb   string // address of a picture; "" for none
	Figure  string // the pointer to its row
}

// newStatsPages returns the pages of a PDF; before reports whether there were
// views before these days.
func newStatsPages(of *report.Content, before bool) *statsPages {
	c := of.Pages
	if c == nil {
		return nil
	}
	p := &statsPages{Noun: "page", ID: "content-title", Anchor: "pages", Card: "content", version: of.Version,
		Facts: [][3]string{{"Read to the last page", ui.Percent(c.ReadToEndPct), "/content/pages/readToEndPct"}}}
	if c.PagesTotal == 0 {
		p.Facts = [][3]string{{"Pages seen on average", c.AvgPagesSeen.String(), "/content/pages/avgPagesSeen"}}
	}
	if !slices.ContainsFunc(c.Pages, func(row report.PageRow) bool { return row.Views > 0 }) {
		p.Unread = unread("No reading was measured", before)
		return p
	}
	p.list(c.Pages, "/content/pages/pages", c.Dropoff)
	return p
}

// newStatsParts returns the parts of a file that is no PDF.
func newStatsParts(of *report.Content, before bool) *statsPages {
	if of.PartKind == "" {
		return nil
	}
	p := &statsPages{Noun: string(of.PartKind), ID: "parts-title", Anchor: "parts", Card: "parts", version: of.Version}
	switch measured := *of.PartSessions; {
	case of.Sessions == 0:
		p.Unread = unread("No reading was measured", before)
		return p
	case measured == 0:
		p.Unread = fmt.Sprintf("The visits of this period are from before %ss were measured.", p.Noun)
		return p
	case measured < of.Sessions:
		p.Note = fmt.Sprintf("Measured in %d of %s. The others are from before %ss were measured.", measured,
			ui.Counted(of.Sessions, "session", "sessions"), p.Noun)
	}
	rows := make([]report.PageRow, len(of.Parts))
	for i, r := range of.Parts {
		rows[i] = report.PageRow{Page: r.Part, Views: r.Views, ReachPct: r.ReachPct, AvgMs: r.AvgMs,
			AttentionPct: r.AttentionPct}
	}
	p.list(rows, "/content/parts", report.PageDropoff{AfterPage: of.PartDropoff.AfterPart,
		LostPct: of.PartDropoff.LostPct})
	for i := range p.Rows {
		p.Rows[i].Label = of.Parts[i].Label
	}
	return p
}

// counts reports whether slides or pages of an office file were counted, which
// say more than how far it was scrolled.
func (p *statsPages) counts() bool {
	return p != nil && p.Noun != string(part.Section) && p.Unread == ""
}

// list adds the rows, whose list is at a pointer.
func (p *statsPages) list(rows []report.PageRow, at string, dropoff report.PageDropoff) {
	p.All = len(rows)
	var longest int64
	for _, row := range rows {
		longest = max(longest, row.AvgMs)
	}
	for i, row := range rows[:min(len(rows), maxPages)] {
		r := statsPageRow{PageRow: row, Figure: fmt.Sprintf("%s/%d", at, i),
			Width: chart.Percent(row.AvgMs, longest), Seen: ui.Figure(row.Views), Time: ui.TimeOf(row.AvgMs, row.Views)}
		if after := dropoff.AfterPage; after != nil && *after == row.Page {
			if r.Stopped = ui.Percent(*dropoff.LostPct); *dropoff.LostPct == row.ReachPct {
				r.Stopped = "all"
			}
		}
		r.Tip = chart.Tip(fmt.Sprintf("%s %d", ui.Capital(p.Noun), row.Page),
			[3]string{"", "Reached by", ui.Percent(row.ReachPct)},
			[3]string{"", "Seen by", ui.Counted(row.Views, "session", "sessions")},
			[3]string{"", "Average time", r.Time},
			[3]string{"", "Share of time", ui.Percent(row.AttentionPct)})
		if row.ExpectedPct != nil {
			r.Tip += "\n|Against a typical page|" + times(*row.ExpectedPct) + "×"
		}
		p.Rows = append(p.Rows, r)
	}
}

// statsClicks shows which links inside a file were followed.
type statsClicks struct {
	Column string // "Page", "Section" or "Slide"; "" if parts are not known
	Rows   []statsClick
}

type statsClick struct {
	Part   string // its number and its heading
	Target string
	Count  ui.Figure
	Figure string // the pointer to it
}

// newStatsClicks returns nil if no link was followed.
func newStatsClicks(of *report.Content) *statsClicks {
	if len(of.Clicks) == 0 {
		return nil
	}
	c := &statsClicks{}
	for i, row := range of.Clicks {
		r := statsClick{Target: clickTarget(row.Target), Count: ui.Figure(row.Count),
			Figure: fmt.Sprintf("/content/clicks/%d/count", i)}
		if row.Part > 0 {
			r.Part = strconv.Itoa(row.Part)
			c.Column = ui.Capital(cmp.Or(string(of.PartKind), "page"))
			if row.Part <= len(of.Parts) && of.Parts[row.Part-1].Label != "" {
				r.Part += " " + of.Parts[row.Part-1].Label
			}
		}
		c.Rows = append(c.Rows, r)
	}
	return c
}

// clickTarget returns the target of a click for people.
func clickTarget(target string) string {
	if address, ok := strings.CutPrefix(target, "https://"); ok {
		return strings.TrimSuffix(address, "/")
	}
	switch target {
	case "mailto":
		return "Mail address"
	case "tel":
		return "Phone number"
	}
	return "Address with " + target + ":"
}

// times writes a percentage as a factor: 288.8 % is 2.9.
func times(pct report.Tenths) string { return report.Tenths((int64(pct) + 50) / 100).String() }

// statsMarks shows how far a video, sound or page was followed: a curve, and
// marks as a table.
type statsMarks struct {
	Title  string
	Unread string      // shown instead of the numbers if nobody has read it
	Facts  [][3]string // name, value, pointer
	Curve  chart.Chart
	Rows   []statsMark
}

// statsMark is a position in the file and the share of sessions that reached
// it.
type statsMark struct {
	Name string
	Pct  report.Tenths
	// Figure is the pointer to it; "" if it is none.
	Figure string
}

func newStatsMarks(c *report.Content, before bool) *statsMarks {
	var m *statsMarks
	var past, list string // past participle of what readers did; the pointer to the marks
	var marks []report.Mark
	var drop report.MarkDropoff
	var curve []report.Tenths // finer than the marks
	switch {
	case c.Media != nil:
		m = &statsMarks{Title: "How far it was played", Facts: [][3]string{
			{"Played on average", ui.Percent(c.Media.AvgPlayedPct), "/content/media/avgPlayedPct"},
			{"Played to the end", ui.Percent(c.Media.FinishedPct), "/content/media/finishedPct"}}}
		m.Rows = append(m.Rows, statsMark{"Began to play", c.Media.PlayedPct, "/content/media/playedPct"})
		list = "/content/media/quartiles"
		past, marks, drop, curve = "Got to", c.Media.Quartiles, c.Media.Dropoff, c.Media.Curve
	case c.Scroll != nil:
		m = &statsMarks{Title: "Scroll depth", Facts: [][3]string{
			{"Scrolled on average", ui.Percent(c.Scroll.AvgDepthPct), "/content/scroll/avgDepthPct"},
			{"Read to the end", ui.Percent(c.Scroll.ReadToEndPct), "/content/scroll/readToEndPct"}}}
		m.Rows = append(m.Rows, statsMark{"Opened", report.Tenths(1000), ""})
		list = "/content/scroll/depths"
		past, marks, drop, curve = "Saw", c.Scroll.Depths, c.Scroll.Dropoff, c.Scroll.Curve
	default:
		return nil
	}
	if c.Sessions == 0 {
		return &statsMarks{Title: m.Title, Unread: unread("No reading was measured", before)}
	}
	for i, mark := range marks {
		m.Rows = append(m.Rows, statsMark{fmt.Sprintf("%s %d%%", past, mark.Pct), mark.ReachPct,
			fmt.Sprintf("%s/%d/reachPct", list, i)})
		if drop.BeforePct != nil && *drop.BeforePct == mark.Pct {
			m.Facts = append(m.Facts, [3]string{fmt.Sprintf("Stopped before %d%%", mark.Pct),
				ui.Percent(*drop.LostPct), "/content/" + string(c.Kind) + "/dropoff/lostPct"})
		}
	}
	points := m.Rows
	if len(curve) > 0 {
		points = points[:1:1]
		for i, pct := range curve {
			points = append(points, statsMark{fmt.Sprintf("%s %d%%", past, (i+1)*100/len(curve)), pct, ""})
		}
	}
	m.Curve = newCurve(m.Title, points)
	return m
}

// newCurve draws the share of sessions that reached each position.
func newCurve(title string, rows []statsMark) chart.Chart {
	values, tips := make([]int64, len(rows)), make([]string, len(rows))
	for i, r := range rows {
		values[i], tips[i] = int64(r.Pct), chart.Tip(r.Name, [3]string{"kept", "of sessions", ui.Percent(r.Pct)})
	}
	const top = 1000 // tenths of a percent
	var ticks, below []chart.Tick
	for pct := int64(100); pct >= 0; pct -= 25 {
		below = append(below, chart.Tick{Label: fmt.Sprintf("%d%%", pct), At: chart.Percent(pct, 100),
			Anchor: map[int64]string{0: "start", 100: "end"}[pct]})
		ticks = append(ticks, chart.Tick{Label: fmt.Sprintf("%d%%", pct), At: chart.Percent(100-pct, 100)})
	}
	return chart.New(title+", share of sessions. Arrow keys go from point to point", top, ticks, below,
		[]chart.Series{{Class: "kept", Values: values, Filled: true}}, tips)
}
