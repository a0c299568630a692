package reportpage

import (
	"fmt"
	"strconv"
	"strings"

	"vitrine/internal/web/ui"
	"vitrine/report"
)

// statsChart is views and unique viewers over time, and those of the time
// before. What it draws is in a table, too, which the script that draws it anew
// reads.
type statsChart struct {
	Points  []statsPoint
	Before  bool  // there is a time before
	Weekly  bool  // a point is a week
	Top     int64 // of the scale, which begins at 0
	Ticks   []statsTick
	Dates   []statsTick
	Views   statsLine
	Area    string // paths within 1000 by 100
	Uniques statsLine
	Was     string
}

// statsLine is a line in two parts: the days, or weeks, that are over, and from
// the last of these to the current one, which is not.
type statsLine struct{ Past, Now string }

func newStatsLine(values []int64, top int64) statsLine {
	last := len(values) - 1
	if last < 1 {
		return statsLine{Now: chartPath(values, top)}
	}
	return statsLine{Past: chartPart(values, top, 0, last-1), Now: chartPart(values, top, last-1, last)}
}

// statsPoint is a day or a week, and as many days before the same place of the
// time before.
type statsPoint struct {
	Date, Label          string
	SoFar                string // "today so far" for the current day, which is the last
	Views, Uniques       ui.Figure
	WasLabel             string
	WasViews, WasUniques ui.Figure
	Engaged              ui.Lasting
}

// statsTick is a label of a scale, and its place in percent.
type statsTick struct {
	Label, At string
	Anchor    string // of the text
	Spare     bool   // left out where there is little room
}

// chartWidth and chartHeight are what paths lie within; they are stretched to
// what the page has room for.
const (
	chartWidth  = 1000
	chartHeight = 100
	mostDates   = 8
)

// newStatsChart draws a summary from its first day on, or from a later one.
func newStatsChart(r *report.Summary, from report.Day) statsChart {
	series := r.Series
	for len(series) > 1 && series[1].Date <= from {
		series = series[1:]
	}
	c := statsChart{Weekly: r.Granularity == "week", Before: r.Range.Key != report.RangeAll && len(r.PreviousSeries) == len(series) && r.Previous.Views > 0}
	views, uniques, was := make([]int64, len(series)), make([]int64, len(series)), make([]int64, len(series))
	var most int64
	for i, p := range series {
		point := statsPoint{Date: p.Date.Time().Format("2006-01-02"), Label: p.Label, Views: ui.Figure(p.Views), Uniques: ui.Figure(p.Uniques), Engaged: ui.Lasting(1000 * p.AvgEngagedS)}
		if c.Before {
			b := r.PreviousSeries[i]
			point.WasLabel, point.WasViews, point.WasUniques = b.Label, ui.Figure(b.Views), ui.Figure(b.Uniques)
			was[i] = b.Views
		}
		if i == len(series)-1 {
			point.SoFar = "today so far"
			if c.Weekly {
				point.SoFar = "this week so far"
			}
		}
		views[i], uniques[i] = p.Views, p.Uniques
		most = max(most, views[i], uniques[i], was[i])
		c.Points = append(c.Points, point)
	}
	step := niceStep(most)
	c.Top = max((most+step-1)/step, 1) * step
	for v := c.Top; v >= 0; v -= step {
		c.Ticks = append(c.Ticks, statsTick{Label: ui.Figure(v).String(), At: percentOf(c.Top-v, c.Top)})
	}
	c.Dates = dateTicks(series)
	c.Views, c.Uniques = newStatsLine(views, c.Top), newStatsLine(uniques, c.Top)
	c.Area = chartPath(views, c.Top) + fmt.Sprintf("L%d,%dL0,%dZ", chartWidth, chartHeight, chartHeight)
	if c.Before {
		c.Was = chartPath(was, c.Top)
	}
	return c
}

// niceStep is a step of 1, 2 or 5 and zeros by which three to five lead to
// most.
func niceStep(most int64) int64 {
	for step := int64(1); ; step *= 10 {
		for _, m := range []int64{1, 2, 5} {
			if step*m*5 >= most {
				return step * m
			}
		}
	}
}

// percentOf is a place in percent, with two decimals.
func percentOf(part, all int64) string {
	if all == 0 {
		return "0%"
	}
	return strconv.FormatFloat(100*float64(part)/float64(all), 'f', 2, 64) + "%"
}

// dateTicks are the dates under the chart, evenly spaced from the last one on.
func dateTicks(series []report.Point) (ticks []statsTick) {
	last := len(series) - 1
	every := (len(series) + mostDates - 1) / mostDates
	for i, n := last, 0; i >= 0; i, n = i-every, n+1 {
		t := statsTick{Label: series[i].Label, At: percentOf(int64(i), int64(max(last, 1))), Anchor: "middle", Spare: n%2 == 1}
		switch {
		case i == last && last > 0:
			t.Anchor = "end"
		case i*30 < last || last == 0:
			t.Anchor = "start"
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// chartPath is a line through values on a scale from 0 to top; a single value
// is a level line.
func chartPath(values []int64, top int64) string {
	if len(values) == 1 {
		values = []int64{values[0], values[0]}
	}
	return chartPart(values, top, 0, len(values)-1)
}

// chartPart is the line of chartPath from one value to another.
func chartPart(values []int64, top int64, from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		v, command := values[i], byte('L')
		if i == from {
			command = 'M'
		}
		b.WriteByte(command)
		b.WriteString(coordinate(chartWidth * float64(i) / float64(len(values)-1)))
		b.WriteByte(',')
		b.WriteString(coordinate(chartHeight * (1 - float64(v)/float64(max(top, 1)))))
	}
	return b.String()
}

func coordinate(f float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0")
}

// statsSpark is daily views in a small picture.
type statsSpark struct {
	Path, Area string
	Words      string
}

func newStatsSpark(views []int64) statsSpark {
	if len(views) == 0 {
		return statsSpark{}
	}
	var most int64
	for _, v := range views {
		most = max(most, v)
	}
	path := chartPath(views, max(most, 1))
	return statsSpark{Path: path, Area: path + fmt.Sprintf("L%d,%dL0,%dZ", chartWidth, chartHeight, chartHeight),
		Words: fmt.Sprintf("%s, at most %s a day, %s on the last.", ui.Plural(int64(len(views)), "day", "days"), ui.Figure(most), ui.Figure(views[len(views)-1]))}
}
