package report

import (
	"slices"

	"vitrine/report/part"
)

// points counts counted sessions by the percent that their furthest point, or
// their depth, has reached. Stored tallies have no points; only tallies of
// single views do (Lens.Single).
type points struct {
	reached, depth [101]int64
}

func (p *points) add(s *Session, n int64) {
	p.reached[within(s.Reached, Whole)/(Whole/100)] += n
	p.depth[within(s.Depth, Whole)/(Whole/100)] += n
}

func (p *points) orEmpty() points {
	if p == nil {
		return points{}
	}
	return *p
}

func (p *points) merge(q *points) {
	for i := range p.reached {
		p.reached[i] += q.reached[i]
		p.depth[i] += q.depth[i]
	}
}

// AddPoints adds counted sessions by the percent of their furthest point and of
// their depth.
func (t *Tally) AddPoints(reached, depth [101]int64) {
	if t.points == nil {
		t.points = new(points)
	}
	t.points.merge(&points{reached, depth})
}

// curve returns the share of sessions that reached each percent from 1 to 100.
// From 95 percent on, every point counts as the end (analytics, Content).
func curve(counts *[101]int64, sessions int64) []Tenths {
	c := make([]Tenths, 100)
	var reach int64
	for i := 100; i > 0; i-- {
		reach += counts[i]
		c[i-1] = pct(reach, sessions)
	}
	for i := 95; i < 100; i++ {
		c[i] = c[94]
	}
	return c
}

// AddCurves adds to a content card the parts that it has only on request:
// curves by percent, from a tally of single views, and the expected reading
// time.
func (c *Content) AddCurves(t *Tally) {
	t = orEmpty(t)
	p := t.points.orEmpty()
	sessions := t.sessions.measured()
	switch c.Kind {
	case ContentPages:
		c.Pages.addExpected()
		for i, of := range c.Pages.parts[:min(len(c.Pages.parts), len(c.Pages.Pages))] {
			p := &c.Pages.Pages[i]
			p.Words, p.Reading = of.Words, part.ReadingOf(of.Words, p.Views, sessions, p.AvgMs)
		}
	case ContentMedia:
		c.Media.Curve = curve(&p.reached, sessions)
		c.Media.Played = make([]Tenths, PartCount)
		for i, n := range t.parts.parts {
			c.Media.Played[i] = pct(n, t.parts.sessions)
		}
	case ContentScroll:
		c.Scroll.Curve = curve(&p.depth, sessions)
	}
}

// addExpected sets the expected time of a page: the median of the mean times of
// the pages that were seen, or the lower of the two middle times.
func (c *PagesContent) addExpected() {
	var times []int64
	for _, p := range c.Pages {
		if p.Views > 0 {
			times = append(times, p.AvgMs)
		}
	}
	if len(times) == 0 {
		return
	}
	slices.Sort(times)
	expected := times[(len(times)-1)/2]
	c.ExpectedMs = &expected
	for i := range c.Pages {
		if p := &c.Pages[i]; p.Views > 0 && expected > 0 {
			share := pct(p.AvgMs, expected)
			p.ExpectedPct = &share
		}
	}
}
