package report

import "time"

// Point is one day or week of the series.
type Point struct {
	Date        Day    `json:"date"` // the day, or the week's Monday clipped to the window
	Label       string `json:"label"`
	Views       int64  `json:"views"`
	Uniques     int64  `json:"uniques"` // distinct within the point
	AvgEngagedS int64  `json:"avgEngagedS"`
	At          string `json:"at,omitempty"` // the start of an hour; only for hours
	Sessions    int64  `json:"-"`            // 0: nothing was measured, and AvgEngagedS is 0
}

func granularity(w Window) string {
	if w.Hourly() {
		return "hour"
	}
	if w.Weekly() {
		return "week"
	}
	return "day"
}

// Series lists every point of the window, zeros included (analytics, Series). A
// report has the series of its own window; a chart that compares windows also
// needs the previous one's.
func Series(w Window, t *Tally) []Point {
	points := []Point{}
	for from := w.From; from < w.To; {
		to := w.pointEnd(from)
		points = append(points, point(w, t, from, to))
		from = to
	}
	return points
}

// Point returns when point i of the window's series begins and ends, in Unix
// milliseconds. There must be such a point.
func (w Window) Point(i int) (from, to int64) {
	at := w.From
	for ; i > 0; i-- {
		at = w.pointEnd(at)
	}
	return w.Steps.Bounds(at, w.pointEnd(at))
}

// pointEnd returns the step after those of the point that begins with from.
func (w Window) pointEnd(from Day) Day {
	if w.Weekly() {
		return min(from.monday()+7, w.To)
	}
	return from + 1
}

// since sets Younger and Absent of a report of links. The oldest of them was
// created at a time; zero means that there is none. Imported views from before
// their creation make links as old as they are.
func (s *Summary) since(created time.Time, before Window) {
	at := created.UnixMilli()
	if at <= before.Steps.Start(before.From) {
		return
	}
	absent := 0
	for from := before.From; from < before.To; absent++ {
		to := before.pointEnd(from)
		if before.Steps.Start(to) > at {
			break
		}
		if s.PreviousSeries[absent].Views > 0 {
			return
		}
		from = to
	}
	s.Younger, s.Absent = true, absent
}

// point sums the days [from, to).
func point(w Window, t *Tally, from, to Day) Point {
	p := Point{Date: from, Label: dayLabel(w, from)}
	if w.Hourly() {
		start := w.Steps.Start(from)
		shown := w.Steps.local(start)
		p.Date, p.Label, p.At = DayOf(shown), time.UnixMilli(shown).UTC().Format("15:04"),
			dateTime(time.UnixMilli(start))
	}
	var engagedMs int64
	for d := from; d < to; d++ {
		row := t.row(d)
		p.Views += row.views
		p.Uniques += row.seen.before(from)
		p.Sessions += row.sessions
		engagedMs += row.engagedMs
	}
	p.AvgEngagedS = mean(engagedMs, 1000*p.Sessions)
	return p
}

// dayLabel returns the name of a day for people, with the year if the window
// has more than one day of that name.
func dayLabel(w Window, d Day) string {
	if w.Days() > 365 {
		return d.Time().Format("2 Jan 2006")
	}
	return d.Time().Format("2 Jan")
}
