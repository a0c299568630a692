package reportpage

import (
	"fmt"
	"slices"

	"vitrine/internal/web/chart"
	"vitrine/internal/web/ui"
	"vitrine/report"
)

// statsPages shows how a document was read, page by page.
type statsPages struct {
	*report.PagesContent
	Unread string         // message if no page was seen
	Rows   []statsPageRow // the first maxPages
	Thumbs bool           // small pictures of pages exist

	version int // of the file; 0 if it was never replaced
}

// Unit returns what the owner would know the time of if a document were a PDF:
// a page or a slide; "" of other files.
func (p *reportPage) Unit() string {
	if p.Link == nil || p.Reader || p.Sample {
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

// statsPageRow is a page of a document.
type statsPageRow struct {
	report.PageRow
	Seen    ui.Figure
	Time    string // on average
	Stopped string // "22%" or "all" on the page after which most stopped, else ""
	Width   string // of the bar of its time, the longest one's being all there is
	Tip     string
	Thumb   string // address of a picture; "" for none
	Figure  string // the pointer to its row
}

// newStatsPages returns the rows; before reports whether there were views
// before these days.
func newStatsPages(of *report.Content, before bool) *statsPages {
	c := of.Pages
	if c == nil {
		return nil
	}
	p := &statsPages{PagesContent: c, version: of.Version}
	if !slices.ContainsFunc(c.Pages, func(row report.PageRow) bool { return row.Views > 0 }) {
		p.Unread = unread("No reading was measured", before)
		return p
	}
	var longest int64
	for _, row := range c.Pages {
		longest = max(longest, row.AvgMs)
	}
	for i, row := range c.Pages[:min(len(c.Pages), maxPages)] {
		r := statsPageRow{PageRow: row, Figure: fmt.Sprintf("/content/pages/pages/%d", i),
			Width: chart.Percent(row.AvgMs, longest), Seen: ui.Figure(row.Views), Time: ui.TimeOf(row.AvgMs, row.Views)}
		if after := c.Dropoff.AfterPage; after != nil && *after == row.Page {
			if r.Stopped = ui.Percent(*c.Dropoff.LostPct); *c.Dropoff.LostPct == row.ReachPct {
				r.Stopped = "all"
			}
		}
		r.Tip = chart.Tip(fmt.Sprintf("Page %d", row.Page), [3]string{"", "Reached by", ui.Percent(row.ReachPct)},
			[3]string{"", "Seen by", ui.Counted(row.Views, "session", "sessions")},
			[3]string{"", "Average time", r.Time},
			[3]string{"", "Share of time", ui.Percent(row.AttentionPct)})
		if row.ExpectedPct != nil {
			r.Tip += "\n|Against a typical page|" + times(*row.ExpectedPct) + "×"
		}
		p.Rows = append(p.Rows, r)
	}
	return p
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
