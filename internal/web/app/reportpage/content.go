package reportpage

import (
	"fmt"
	"slices"

	"vitrine/internal/web/ui"
	"vitrine/report"
)

// statsPages is how a document was read, page by page.
type statsPages struct {
	*report.PagesContent
	Unread string // in place of the rows: nobody has seen a page
	Rows   []statsPageRow
}

// statsPageRow is one page of a document.
type statsPageRow struct {
	report.PageRow
	Seen    ui.Figure
	Time    ui.Lasting
	Stopped string // "22%" on the page after which most stopped, else ""
}

// newStatsPages makes the rows; before tells whether there were views before
// these days.
func newStatsPages(c *report.PagesContent, before bool) *statsPages {
	if c == nil {
		return nil
	}
	p := &statsPages{PagesContent: c}
	if !slices.ContainsFunc(c.Pages, func(row report.PageRow) bool { return row.Views > 0 }) {
		p.Unread = "Nobody has read a page yet."
		if before {
			p.Unread = "Nobody has read a page in these days."
		}
		return p
	}
	for _, row := range c.Pages {
		r := statsPageRow{PageRow: row, Seen: ui.Figure(row.Views), Time: ui.Lasting(row.AvgMs)}
		if after := c.Dropoff.AfterPage; after != nil && *after == row.Page {
			r.Stopped = c.Dropoff.LostPct.String() + "%"
		}
		p.Rows = append(p.Rows, r)
	}
	return p
}

// statsMarks is how far a video, a sound or a page held its readers.
type statsMarks struct {
	Title, Past string // of the card, and what was done with so much of the file
	Facts       [][2]string
	Rows        []statsMark
	Drop        string // where most stopped, in words
}

type statsMark struct {
	Name  string
	Pct   report.Tenths
	Lost  bool // most stopped before it
	First bool // those who began, not a mark
}

func newStatsMarks(c *report.Content) *statsMarks {
	var m *statsMarks
	var marks []report.Mark
	var drop report.MarkDropoff
	switch {
	case c.Media != nil:
		m = &statsMarks{Title: "How far it was played", Past: "Got to", Facts: [][2]string{
			{"Played on average", c.Media.AvgPlayedPct.String() + "%"}, {"Played to the end", c.Media.FinishedPct.String() + "%"}}}
		m.Rows = append(m.Rows, statsMark{Name: "Began to play", Pct: c.Media.PlayedPct, First: true})
		marks, drop = c.Media.Quartiles, c.Media.Dropoff
	case c.Scroll != nil:
		m = &statsMarks{Title: "How far it was scrolled", Past: "Saw", Facts: [][2]string{
			{"Scrolled on average", c.Scroll.AvgDepthPct.String() + "%"}, {"Read to the end", c.Scroll.ReadToEndPct.String() + "%"}}}
		marks, drop = c.Scroll.Depths, c.Scroll.Dropoff
	default:
		return nil
	}
	for _, mark := range marks {
		row := statsMark{Name: fmt.Sprintf("%s %d%%", m.Past, mark.Pct), Pct: mark.ReachPct}
		if drop.BeforePct != nil && *drop.BeforePct == mark.Pct {
			row.Lost = true
			m.Drop = fmt.Sprintf("%s%% stopped before %d%%", drop.LostPct, mark.Pct)
		}
		m.Rows = append(m.Rows, row)
	}
	return m
}
