package explain

import (
	"strconv"

	"vitrine/report"
	"vitrine/report/part"
)

// completionOf returns how much of the file that it showed a session saw.
func completionOf(l report.Link, view *report.View) (v Value, known bool) {
	if view.Session.Unmeasured {
		return Value{}, false
	}
	switch l = l.WithFile(view.Version); l.Content {
	case report.ContentPages:
		return Value{pagesSeen(view.Session), int64(l.Pages)}, l.Pages > 0
	case report.ContentMedia:
		return Value{within(view.Session.Played, report.Whole), report.Whole}, true
	case report.ContentScroll:
		return Value{within(view.Session.Depth, report.Whole), report.Whole}, true
	}
	return Value{}, false
}

// pagesSeen returns how many pages a session saw.
func pagesSeen(s *report.Session) (n int64) {
	for _, p := range s.Pages {
		if p.Page > 0 {
			n++
		}
	}
	return n
}

// completion returns the figure of the completion of all links of the report.
func (r *Report) completion() *Figure {
	return &Figure{Kind: MeanShare, Unit: Millionths, of: ofSessions,
		Rule: "The mean of how much of the file each counted session saw, if that was measured: pages, time or height.",
		value: func(v *report.View) (Value, bool) {
			l, known := r.Of[v.Link]
			if !known {
				return Value{}, false
			}
			return completionOf(l, v)
		}}
}

func (r *Report) topLinks(p []string) *Figure {
	if r.Account == nil || len(p) < 2 {
		return nil
	}
	i := index(p[0], min(len(r.Top), len(r.Account.TopLinks)))
	if i < 0 {
		return nil
	}
	link := func(v *report.View) bool { return v.Link == r.Top[i] }
	switch {
	case len(p) == 3 && p[1] == "spark":
		w := r.Window.Spark()
		k := index(p[2], w.Days())
		if k < 0 {
			return nil
		}
		from, to := w.Steps.Bounds(w.From+report.Day(k), w.From+report.Day(k)+1)
		return views().where(link).during(from, to)
	case len(p) != 2:
		return nil
	case p[1] == "completionPct":
		return r.completion().where(link)
	case p[1] == "downloads":
		return none("Downloads of the link since it was created, whatever the range and the filter.")
	}
	if f := r.common(p[1]); f != nil {
		return f.where(link)
	}
	return nil
}

// trash returns what a report counts of links in the trash.
func (r *Report) trash(p []string) *Figure {
	switch {
	case r.Account == nil || r.Account.Trash == nil:
		return nil
	case is(p, "links"):
		return none("The links in the trash that have some of the views.")
	case is(p, "views"):
		return views().where(func(v *report.View) bool { return r.Of[v.Link].Trashed })
	}
	return nil
}

func (r *Report) mix(p []string) *Figure {
	if r.Account == nil || len(p) != 2 {
		return nil
	}
	i := index(p[0], len(r.Account.Mix))
	if i < 0 {
		return nil
	}
	return bucket(p[1], r.Account.Mix[i].Key, "Counted views", func(v *report.View) string {
		l := r.Of[v.Link]
		l = l.WithFile(v.Version)
		return l.Kind
	}, ofViews)
}

// content returns the figures of the content card, which is of one version of a
// link whose file was replaced.
func (r *Report) content(p []string) *Figure {
	if r.Link == nil || len(p) == 0 {
		return nil
	}
	c := &r.Link.Content
	var f *Figure
	switch {
	case is(p, "version"):
		return none("The version of the file that the card is of.")
	case is(p, "sessions") && c.OfVersion != nil:
		f = sessions()
		f.Rule = "Counted sessions in which it was measured how far readers came."
	case p[0] == "pages" && c.Pages != nil:
		f = pagesFigure(c.Pages, p[1:])
	case p[0] == "media" && c.Media != nil:
		f = mediaFigure(c.Media, p[1:])
	case p[0] == "scroll" && c.Scroll != nil:
		f = scrollFigure(c.Scroll, p[1:])
	case p[0] == "clicks":
		f = clickFigure(c, p[1:])
	default:
		f = partsFigure(c, p)
	}
	if f != nil && f.value != nil {
		f.where(func(v *report.View) bool { return !v.Session.Unmeasured })
	}
	if f != nil && f.value != nil && c.Version > 0 {
		f.where(func(v *report.View) bool { return max(v.Version, 1) == c.Version })
	}
	return f
}

// furthest returns the furthest page of a session, or 0.
func furthest(v *report.View) (page int) {
	for _, p := range v.Session.Pages {
		page = max(page, p.Page)
	}
	return page
}

func pagesFigure(c *report.PagesContent, p []string) *Figure {
	const from = "/content/pages/"
	switch {
	case is(p, "pagesTotal"):
		return none("The pages of the document; 0 if their number is not known.")
	case is(p, "avgPagesSeen"):
		return &Figure{Kind: Mean, Rule: "The mean of the number of pages that counted sessions saw.", Unit: Pages,
			of: ofSessions, value: func(v *report.View) (Value, bool) { return Value{pagesSeen(v.Session), 1}, true }}
	case is(p, "readToEndPct"):
		return share(ofSessions, "Counted sessions whose furthest page is the last, of all.",
			func(v *report.View) bool { return c.PagesTotal > 0 && furthest(v) >= c.PagesTotal })
	case is(p, "expectedMs"):
		f := derived("The median of the average times of the pages that anybody saw, the lower one of two.")
		for i, row := range c.Pages {
			if row.Views > 0 {
				f.From = append(f.From, from+"pages/"+strconv.Itoa(i)+"/avgMs")
			}
		}
		return f
	case is(p, "dropoff", "afterPage"):
		return derived("The page after which the most sessions stopped: at least 3 sessions, and 10 of 100.",
			from+"dropoff/lostPct")
	case is(p, "dropoff", "lostPct"):
		if c.Dropoff.AfterPage == nil {
			return none(noDropoff)
		}
		return share(ofSessions, "Counted sessions whose furthest page is this one, of all.",
			func(v *report.View) bool { return furthest(v) == *c.Dropoff.AfterPage })
	case len(p) == 3 && p[0] == "pages":
		if i := index(p[1], len(c.Pages)); i >= 0 {
			return pageFigure(c.Pages[i].Page, p[2], from+"pages/"+p[1])
		}
	case len(p) == 4 && p[0] == "pages" && p[2] == "bandsPct":
		if i := index(p[1], len(c.Pages)); i >= 0 {
			return bandFigure(c.Pages[i].Page, index(p[3], len(c.Pages[i].BandsPct)))
		}
	}
	return nil
}

// partsFigure returns a figure of the parts of a file that is no PDF: what the
// pages of a PDF have, over the sessions in which parts were measured.
func partsFigure(c *report.Content, p []string) (f *Figure) {
	switch {
	case is(p, "partSessions") && c.PartSessions != nil:
		f = count(ofSessions, "Counted sessions in which parts were measured.", func(*report.View) bool { return true })
	case len(p) == 3 && p[0] == "parts":
		i := index(p[1], len(c.Parts))
		switch {
		case i < 0:
			return nil
		case p[2] == "part":
			return none("The number of the part.")
		case p[2] == "label":
			return none("The heading of the part.")
		case p[2] == "words":
			return pageFigure(0, p[2], "")
		}
		f = pageFigure(c.Parts[i].Part, p[2], "")
	case len(p) == 4 && p[0] == "parts" && p[2] == "bandsPct":
		if i := index(p[1], len(c.Parts)); i >= 0 {
			f = bandFigure(c.Parts[i].Part, index(p[3], len(c.Parts[i].BandsPct)))
		}
	case c.PartDropoff == nil:
		return nil
	case is(p, "partDropoff", "afterPart"):
		return derived("The part after which the most sessions stopped: at least 3 sessions, and 10 of 100.",
			"/content/partDropoff/lostPct")
	case is(p, "partDropoff", "lostPct") && c.PartDropoff.AfterPart == nil:
		return none(noDropoff)
	case is(p, "partDropoff", "lostPct"):
		f = share(ofSessions, "Counted sessions whose furthest part is this one, of those in which parts were measured.",
			func(v *report.View) bool { return furthest(v) == *c.PartDropoff.AfterPart })
	}
	if f != nil {
		f.where(func(v *report.View) bool { return v.Session != nil && v.Session.Outlined })
	}
	return f
}

// clickFigure returns a figure of the clicks on a link inside the file.
func clickFigure(c *report.Content, p []string) *Figure {
	if len(p) != 2 {
		return nil
	}
	i := index(p[0], len(c.Clicks))
	switch {
	case i < 0:
		return nil
	case p[1] == "part":
		return none("The page or part with the link; 0 if it is not known.")
	case p[1] == "target":
		return none("Where the link leads: without query and fragment, and unless it is https, only the scheme.")
	case p[1] != "count":
		return nil
	}
	row := c.Clicks[i]
	return &Figure{Kind: Sum, Rule: "The clicks of counted sessions on this link, in this part of the file.", Unit: Clicks,
		of: ofSessions, value: func(v *report.View) (Value, bool) {
			for _, click := range v.Session.Clicks {
				if click.Part == row.Part && click.Target == row.Target {
					return Value{click.Count, 1}, true
				}
			}
			return Value{}, false
		}}
}

const noDropoff = "Nothing, because it takes at least 3 sessions and a loss of at least 10 points."

// pageFigure returns a figure of a page.
func pageFigure(page int, name, row string) *Figure {
	saw := func(v *report.View) bool {
		for _, p := range v.Session.Pages {
			if p.Page == page {
				return true
			}
		}
		return false
	}
	// times returns the time on the page, and on all pages.
	times := func(v *report.View) (here, all int64) {
		for _, p := range v.Session.Pages {
			if p.Page < 1 {
				continue
			}
			ms := within(p.Ms, maxMs)
			if all += ms; p.Page == page {
				here += ms
			}
		}
		return here, all
	}
	switch name {
	case "words":
		return none("The words of the part, counted when the file was published.")
	case "page":
		return none("The number of the page.")
	case "views":
		return count(ofSessions, "Counted sessions that saw this page.", saw)
	case "reachPct":
		return share(ofSessions, "Counted sessions whose furthest page is this or a later one, of all.",
			func(v *report.View) bool { return furthest(v) >= page })
	case "avgMs":
		return (&Figure{Kind: Mean, Rule: "The mean of the time on this page, over the counted sessions that saw it.",
			Unit: Milliseconds, of: ofSessions, value: func(v *report.View) (Value, bool) {
				here, _ := times(v)
				return Value{here, 1}, true
			}}).where(saw)
	case "attentionPct":
		return &Figure{Kind: Share, Rule: "The time of counted sessions on this page, of their time on all pages.",
			Unit: Milliseconds, of: ofSessions, value: func(v *report.View) (Value, bool) {
				here, all := times(v)
				return Value{here, all}, all > 0
			}}
	case "expectedPct":
		return derived("The average time of the page, in percent of the expected time.", row+"/avgMs",
			"/content/pages/expectedMs")
	}
	return nil
}

// bandFigure returns the figure of a quarter of a page, or nil without one.
func bandFigure(page, quarter int) *Figure {
	if quarter < 0 {
		return nil
	}
	const rule = "The time of counted sessions on this quarter of the page, of their time on all four."
	return &Figure{Kind: Share, Rule: rule, Unit: Milliseconds, of: ofSessions,
		value: func(v *report.View) (Value, bool) {
			var b part.Bands
			for _, p := range v.Session.Pages {
				if p.Page == page {
					b = b.Add(p.Bands.Within(within(p.Ms, maxMs)), 1)
				}
			}
			return Value{b[quarter], b.Sum()}, b.Sum() > 0
		}}
}

// marks are the points, in millionths, that media and scroll kinds report.
var marks = report.CountingRules().Marks

func mediaFigure(c *report.MediaContent, p []string) *Figure {
	reached := func(v *report.View) int64 { return v.Session.Reached }
	begun := func(v *report.View) bool { return v.Session.Played > 0 }
	switch {
	case is(p, "playedPct"):
		return share(ofSessions, "Counted sessions that played at all, of all.", begun)
	case is(p, "avgPlayedPct"):
		return millionths("The mean over counted sessions of the part that each played, repeats once.",
			func(v *report.View) int64 { return v.Session.Played })
	case is(p, "finishedPct"):
		return reach(reached, marks[3])
	case len(p) == 2 && p[0] == "played":
		if i := index(p[1], len(c.Played)); i >= 0 {
			return share(ofSessions, "Counted sessions that played this hundredth, of those with known hundredths.",
				func(v *report.View) bool { return v.Session.Parts.Has(i) }).
				where(func(v *report.View) bool { return v.Session.Parts != report.Parts{} })
		}
	case len(p) > 0 && p[0] == "curve":
		return curveFigure(len(c.Curve), reached, p[1:])
	case len(p) > 0 && p[0] == "quartiles":
		return markFigure(p[1:], reached)
	case len(p) > 0 && p[0] == "dropoff":
		return dropoffFigure(c.Dropoff, "/content/media/", begun, reached, p[1:])
	}
	return nil
}

func scrollFigure(c *report.ScrollContent, p []string) *Figure {
	depth := func(v *report.View) int64 { return v.Session.Depth }
	switch {
	case is(p, "avgDepthPct"):
		return millionths("The mean over counted sessions of how far each scrolled.", depth)
	case is(p, "readToEndPct"):
		return reach(depth, marks[3])
	case len(p) > 0 && p[0] == "curve":
		return curveFigure(len(c.Curve), depth, p[1:])
	case len(p) > 0 && p[0] == "depths":
		return markFigure(p[1:], depth)
	case len(p) > 0 && p[0] == "dropoff":
		begun := func(v *report.View) bool { return depth(v) > 0 }
		return dropoffFigure(c.Dropoff, "/content/scroll/", begun, depth, p[1:])
	}
	return nil
}

// millionths returns the mean of shares in millionths.
func millionths(rule string, part func(*report.View) int64) *Figure {
	return &Figure{Kind: Share, Rule: rule, Unit: Millionths, of: ofSessions,
		value: func(v *report.View) (Value, bool) { return Value{within(part(v), report.Whole), report.Whole}, true }}
}

// reach returns the share of sessions whose furthest point is at least that
// far.
func reach(point func(*report.View) int64, from int64) *Figure {
	return share(ofSessions, "Counted sessions whose furthest point is here or beyond, of all. From 95 percent on it is the end.",
		func(v *report.View) bool { return point(v) >= from })
}

func curveFigure(n int, point func(*report.View) int64, p []string) *Figure {
	if len(p) != 1 {
		return nil
	}
	i := index(p[0], n)
	if i < 0 {
		return nil
	}
	percent := int64(min(i+1, 95)) // everything from there on is the end
	return reach(func(v *report.View) int64 { return within(point(v), report.Whole) }, percent*report.Whole/100)
}

func markFigure(p []string, point func(*report.View) int64) *Figure {
	if len(p) != 2 {
		return nil
	}
	switch i := index(p[0], len(marks)); {
	case i < 0:
	case p[1] == "pct":
		return none("The point in the file, in percent.")
	case p[1] == "reachPct":
		return reach(point, marks[i])
	}
	return nil
}

func dropoffFigure(d report.MarkDropoff, card string, begun func(*report.View) bool, point func(*report.View) int64,
	p []string) *Figure {
	switch {
	case is(p, "beforePct"):
		return derived("The point before which the most sessions stopped.", card+"dropoff/lostPct")
	case !is(p, "lostPct"):
		return nil
	case d.BeforePct == nil:
		return none(noDropoff)
	}
	i := 0
	for i < 3 && []int64{25, 50, 75, 100}[i] != *d.BeforePct {
		i++
	}
	return &Figure{Kind: Share, of: ofSessions,
		Rule: "Counted sessions that reached the point before this one and not this one, of all.",
		value: func(v *report.View) (Value, bool) {
			before, here := begun(v), point(v) >= marks[i]
			if i > 0 {
				before = point(v) >= marks[i-1]
			}
			return Value{yes(before).Value - yes(here).Value, 1}, true
		}}
}
