package reportpage

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/web/ui"
	"vitrine/report"
)

// statsPages is how a document was read: by page, how many came so far, and how
// long they stayed.
type statsPages struct {
	*report.PagesContent
	Unread string         // that nobody has seen a page, in place of all the rest
	Bars   []statsPageBar // one a page, while there are few enough to point at
	Reach  string         // else one shape of all, within the same
	Axis   []statsTick    // the numbers of the pages, while there is room for them
	Time   string
	Drop   string // where most stopped, in words
	DropX  string // the place of that on the axis, in percent
	Rows   []statsPageRow
}

// statsPageBar is a page's bars, in percent of the width and the height there
// is.
type statsPageBar struct {
	Page            int
	X, Width        string
	ReachY, ReachUp string
	TimeY, TimeUp   string
	Words           string
}

type statsPageRow struct {
	report.PageRow
	Seen ui.Figure
	Time ui.Lasting
}

// mostBars bounds how many pages have bars of their own, and mostNumbers how
// many have their number below.
const (
	mostBars    = 200
	mostNumbers = 24
)

// newStatsPages draws the pages; before tells whether there were views before
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
	var longest int64
	for _, row := range c.Pages {
		longest = max(longest, row.AvgMs)
		p.Rows = append(p.Rows, statsPageRow{row, ui.Figure(row.Views), ui.Lasting(row.AvgMs)})
	}
	if after := c.Dropoff.AfterPage; after != nil {
		p.Drop = fmt.Sprintf("%s%% stopped after page %d", c.Dropoff.LostPct, *after)
		p.DropX = percentOf(int64(*after), int64(len(c.Pages)))
	}
	if n := len(c.Pages); n <= mostNumbers {
		for i, row := range c.Pages {
			p.Axis = append(p.Axis, statsTick{Label: strconv.Itoa(row.Page), At: percentOf(int64(2*i+1), int64(2*n)), Spare: n > 12 && i%2 == 1})
		}
	}
	if n := len(c.Pages); n > mostBars {
		reach, times := make([]int64, n), make([]int64, n)
		for i, row := range c.Pages {
			reach[i], times[i] = int64(row.ReachPct), row.AvgMs
		}
		p.Reach, p.Time = stairs(reach, 1000), stairs(times, longest)
		return p
	}
	for i, row := range c.Pages {
		n := int64(len(c.Pages))
		p.Bars = append(p.Bars, statsPageBar{
			Page: row.Page, X: percentOf(int64(i), n), Width: percentOf(1, n),
			ReachY: percentOf(1000-int64(row.ReachPct), 1000), ReachUp: row.ReachPct.String() + "%",
			TimeY: percentOf(longest-row.AvgMs, longest), TimeUp: percentOf(row.AvgMs, longest),
			Words: fmt.Sprintf("Page %d: %s%% came this far, %s on average, %s%% of all time", row.Page, row.ReachPct, ui.Lasting(row.AvgMs), row.AttentionPct),
		})
	}
	return p
}

// stairs is the shape of bars without gaps, on a scale from 0 to top.
func stairs(values []int64, top int64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "M0,%d", chartHeight)
	for i, v := range values {
		fmt.Fprintf(&b, "V%sH%s", coordinate(chartHeight*(1-float64(v)/float64(max(top, 1)))), coordinate(chartWidth*float64(i+1)/float64(len(values))))
	}
	fmt.Fprintf(&b, "V%dZ", chartHeight)
	return b.String()
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
