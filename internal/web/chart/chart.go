// Package chart draws numbers as SVG on the server: lines over equal steps, and
// small pictures of them. The template "chart" shows a [Chart],
// "spark" a [Spark]. chart.js shows the text of each mark, any element with
// data-tip, on pointing, touch and keyboard focus.
package chart

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/web/ui"
)

//go:embed *.html *.js
var files embed.FS

var _ = ui.Folder("chart", files)

// Width and Height are the bounds of paths. Pages stretch them to the available
// space.
const (
	Width  = 1000
	Height = 100
)

// Chart has one or more lines.
type Chart struct {
	Label  string // description for screen readers
	Ticks  []Tick // of the scale, which begins at 0
	Below  []Tick // under the chart
	Lines  []Line
	Points []Point
	Flags  []Flag
	Beside []string // lines of text beside the bar of a single point
}

// Flag is above a point about which there is more to say. Class sets its look:
// "version", "note" or "both".
type Flag struct{ At, Class string }

// Series holds the values of a line. Class sets its style: "views", "uniques",
// "was" or "kept".
type Series struct {
	Class  string
	Values []int64
	First  int  // where the line begins, as an index of Values; not of a filled line
	Filled bool // down to the axis
	Open   bool // the last step is not over, and is drawn apart
}

// Line is a drawn line.
type Line struct {
	Class, Area string
	Past, Now   string // Now is the last step while it is not over
}

// Tick is a label of a scale and its position in percent.
type Tick struct {
	Label, At string
	Anchor    string // of the text
	Spare     bool   // left out where there is little room
}

// Point is a step of a chart: its text and position.
type Point struct {
	Tip            string
	From, Wide, At string // in percent of the width
	Dots           []Dot
}

// Dot marks a point on a line.
type Dot struct{ Class, At string }

// New draws series of equal lengths on a scale from 0 to top. tips has the text
// of each point; see [Tip].
func New(label string, top int64, ticks, below []Tick, series []Series, tips []string) Chart {
	c := Chart{Label: label, Ticks: ticks, Below: below}
	for _, s := range series {
		c.Lines = append(c.Lines, line(s, top))
	}
	last := int64(max(len(tips)-1, 1))
	for i, tip := range tips {
		at := 2 * int64(i) // in halves of a step
		p := Point{Tip: tip, At: Percent(at, 2*last), From: Percent(max(at-1, 0), 2*last), Wide: Percent(2, 2*last)}
		if i == 0 || i == len(tips)-1 {
			p.Wide = Percent(1, 2*last)
		}
		if len(tips) == 1 {
			p.At, p.Wide = "50%", "100%"
		}
		for _, s := range series {
			if i >= s.First {
				p.Dots = append(p.Dots, Dot{s.Class, Percent(top-s.Values[i], top)})
			}
		}
		c.Points = append(c.Points, p)
	}
	return c
}

// Tip returns the text of a mark: a title, and rows of a class, a name and a
// value. chart.js parses it.
func Tip(title string, rows ...[3]string) string {
	var b strings.Builder
	b.WriteString(clean(title))
	for _, r := range rows {
		b.WriteByte('\n')
		b.WriteString(Row(r[0], r[1], r[2]))
	}
	return b.String()
}

// Row returns a row of a tip, which follows a line break.
func Row(class, name, value string) string { return class + "|" + clean(name) + "|" + clean(value) }

// clean removes separators from a text in a tip.
func clean(s string) string { return separators.Replace(s) }

var separators = strings.NewReplacer("\n", " ", "\r", " ", "|", "¦")

// Scale returns a round top for values up to most, and its ticks.
func Scale(most int64) (top int64, ticks []Tick) {
	step := Step(most)
	top = max((most+step-1)/step, 1) * step
	for v := top; v >= 0; v -= step {
		ticks = append(ticks, Tick{Label: ui.Figure(v).String(), At: Percent(top-v, top)})
	}
	return top, ticks
}

// Step returns a step of 1, 2 or 5 times a power of ten; three to five steps
// reach most.
func Step(most int64) int64 {
	for step := int64(1); ; step *= 10 {
		for _, m := range []int64{1, 2, 5} {
			if step*m*5 >= most {
				return step * m
			}
		}
	}
}

// Percent returns a position in percent with two decimals.
func Percent(part, all int64) string {
	if all == 0 {
		return "0%"
	}
	return strconv.FormatFloat(100*float64(part)/float64(all), 'f', 2, 64) + "%"
}

// maxLabels is how many labels fit under a chart.
const maxLabels = 8

// Labels selects labels of points, evenly spaced and including the last.
func Labels(all []string) (ticks []Tick) {
	last := len(all) - 1
	every := (len(all) + maxLabels - 1) / maxLabels
	for i, n := last, 0; i >= 0; i, n = i-every, n+1 {
		t := Tick{Label: all[i], At: Percent(int64(i), int64(max(last, 1))), Anchor: "middle", Spare: n%2 == 1}
		switch {
		case i == last && last > 0:
			t.Anchor = "end"
		case last == 0:
			t.At = "50%"
		case i*30 < last:
			t.Anchor = "start"
		}
		ticks = append(ticks, t)
	}
	return ticks
}

func line(s Series, top int64) Line {
	l := Line{Class: s.Class}
	if s.Filled {
		l.Area = area(s.Values, top)
	}
	last := len(s.Values) - 1
	switch {
	case !s.Open && s.First > 0:
		l.Past = part(s.Values, top, s.First, last)
	case !s.Open:
		l.Past = path(s.Values, top)
	case last < 1:
		l.Past = path(s.Values, top)
	default:
		l.Past, l.Now = part(s.Values, top, 0, last-1), part(s.Values, top, last-1, last)
	}
	return l
}

func area(values []int64, top int64) string {
	if len(values) == 1 {
		return path(values, top) + "Z"
	}
	return path(values, top) + fmt.Sprintf("L%d,%dL0,%dZ", Width, Height, Height)
}

// The bar that stands for a single value.
const (
	barFrom = Width * 48 / 100
	barTo   = Width - barFrom
)

// path returns a line through values on a scale from 0 to top; a single value
// gives the outline of a narrow bar.
func path(values []int64, top int64) string {
	if len(values) == 1 {
		y := height(values[0], top)
		return fmt.Sprintf("M%d,%dL%d,%sL%d,%sL%d,%d", barFrom, Height, barFrom, y, barTo, y, barTo, Height)
	}
	return part(values, top, 0, len(values)-1)
}

// part returns the part of a line between two values.
func part(values []int64, top int64, from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		v, command := values[i], byte('L')
		if i == from {
			command = 'M'
		}
		b.WriteByte(command)
		b.WriteString(coordinate(Width * float64(i) / float64(len(values)-1)))
		b.WriteByte(',')
		b.WriteString(height(v, top))
	}
	return b.String()
}

func height(v, top int64) string { return coordinate(Height * (1 - float64(v)/float64(max(top, 1)))) }

func coordinate(f float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0")
}

// Spark shows numbers in a small picture; the zero Spark shows none.
type Spark struct {
	Path, Area string // the area is empty if all numbers are 0
	Words      string // description of the content
}

// sparkWords describes the views of each step.
func sparkWords(views []int64, most int64, step string) string {
	of := ui.Counted(int64(len(views)), step, step+"s")
	if most == 0 {
		return "No views in " + of
	}
	return fmt.Sprintf("Views in %s: %s on the busiest %s, %s on the last", of, ui.Figure(most), step,
		ui.Figure(views[len(views)-1]))
}

// NewSpark draws the views of each step, such as "day". One step has no line.
func NewSpark(views []int64, step string) Spark {
	if len(views) < 2 {
		return Spark{}
	}
	most := slices.Max(views)
	top, filled := max(most, 1), ""
	if most > 0 {
		filled = area(views, top)
	}
	return Spark{Path: path(views, top), Area: filled,
		Words: sparkWords(views, most, step)}
}
