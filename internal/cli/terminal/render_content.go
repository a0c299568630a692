package terminal

import (
	"cmp"
	"fmt"
	"strings"

	"vitrine/client"

	"github.com/rivo/uniseg"
)

func (p *page) content(r *client.LinkReport) {
	c, sessions := &r.Content, r.Totals.Sessions
	if c.Sessions != nil {
		sessions = *c.Sessions
	}
	switch {
	case sessions == 0:
		p.unread(r)
	case c.Pages != nil:
		p.pages(c.Pages)
	case c.Media != nil:
		p.heading("Playback")
		p.line("%s%% played it, %s%% finished; on average %s%% of it was played", c.Media.PlayedPct,
			c.Media.FinishedPct, c.Media.AvgPlayedPct)
		p.marks(c.Media.Quartiles, c.Media.Dropoff)
	case c.Scroll != nil:
		p.heading("Reading")
		p.line("%s%% read to the end; on average %s%% of it was scrolled", c.Scroll.ReadToEndPct, c.Scroll.AvgDepthPct)
		p.marks(c.Scroll.Depths, c.Scroll.Dropoff)
		p.parts(c, sessions)
	}
	p.clicks(c.Clicks, cmp.Or(Plain(c.PartKind), "page"))
}

// unread reports that a content card has no sessions.
func (p *page) unread(r *client.LinkReport) {
	c := &r.Content
	switch {
	case c.Kind == "none" || r.Totals.Views == 0: // nothing to measure, or no views at all
	case c.Version > 0:
		p.heading("Reading")
		p.line("No sessions of version %d in this time. --version N shows", c.Version)
		p.line("another; for a list: vitrine versions %s", Plain(r.Link.Slug))
	default:
		p.heading("Reading")
		p.line("No session was measured in this time.")
	}
}

func (p *page) pages(c *client.PagesContent) {
	p.heading("Pages")
	of := ""
	if c.PagesTotal > 0 {
		of = fmt.Sprintf(" of %d", c.PagesTotal)
	}
	p.line("%s%s pages seen on average; %s%% read to the end", c.AvgPagesSeen, of, c.ReadToEndPct)
	rows := make([]client.PartRow, len(c.Pages))
	for i, r := range c.Pages {
		rows[i] = client.PartRow{Part: r.Page, Views: r.Views, ReachPct: r.ReachPct, AvgMs: r.AvgMs}
	}
	p.partRows("page", rows, client.PartDropoff{AfterPart: c.Dropoff.AfterPage, LostPct: c.Dropoff.LostPct})
}

// parts writes the parts of a file that is no PDF.
func (p *page) parts(c *client.Content, sessions int64) {
	if c.PartKind == "" {
		return
	}
	kind := Plain(c.PartKind)
	p.heading(strings.ToUpper(kind[:1]) + kind[1:] + "s")
	if len(c.Parts) == 0 {
		p.line("The sessions of this time are from before %ss were measured.", kind)
		return
	}
	if *c.PartSessions < sessions {
		p.line("Measured in %d of %s.", *c.PartSessions, Counted(sessions, "session"))
	}
	p.partRows(kind, c.Parts, *c.PartDropoff)
}

// clicks writes which links inside a file were followed, in which of its pages,
// slides or sections.
func (p *page) clicks(clicks []client.Click, kind string) {
	if len(clicks) == 0 {
		return
	}
	p.heading("Clicks on links")
	for i, c := range clicks {
		if i == pageRows {
			p.line("%s", p.t.Paint(Dim, fmt.Sprintf("and %d more", len(clicks)-pageRows)))
			break
		}
		where := ""
		if c.Part > 0 {
			where = fmt.Sprintf(", %s %d", kind, c.Part)
		}
		p.line("%6d  %s%s", c.Count, Truncate(Plain(c.Target), max(p.width-len(where)-10, 8)), where)
	}
}

// partRows writes rows of pages or parts.
func (p *page) partRows(kind string, rows []client.PartRow, d client.PartDropoff) {
	wide := max(len(kind), 5)
	p.line("%s", p.t.Paint(Dim, fmt.Sprintf("%*s  %s %7s  %12s", wide, kind, Pad("", gaugeWidth), "reached", "time")))
	for i, row := range rows {
		if i == pageRows {
			p.line("%s", p.t.Paint(Dim, fmt.Sprintf("and %d more", len(rows)-pageRows)))
			break
		}
		note, room := "", p.width-wide-gaugeWidth-24
		if d.AfterPart != nil && *d.AfterPart == row.Part {
			text := fmt.Sprintf("  ◂ %s%% stopped here", d.LostPct)
			note, room = p.t.Paint(Warn, text), room-uniseg.StringWidth(text)
		}
		if row.Label != "" {
			note += "  " + Truncate(Plain(row.Label), max(room-2, 8))
		}
		p.line("%*d  %s %7s  %12s%s", wide, row.Part, p.t.Paint(Good, gauge(row.ReachPct, gaugeWidth)),
			percent(&row.ReachPct), durationOf(row.AvgMs, row.Views), note)
	}
}

func (p *page) marks(marks []client.Mark, d client.MarkDropoff) {
	p.line("%s", p.t.Paint(Dim, fmt.Sprintf("%5s  %s %7s", "", Pad("", gaugeWidth), "reached")))
	for _, m := range marks {
		note := ""
		if d.BeforePct != nil && *d.BeforePct == m.Pct {
			note = p.t.Paint(Warn, fmt.Sprintf("  ◂ %s%% stopped before", d.LostPct))
		}
		p.line("%4d%%  %s %7s%s", m.Pct, p.t.Paint(Good, gauge(m.ReachPct, gaugeWidth)), percent(&m.ReachPct), note)
	}
}
