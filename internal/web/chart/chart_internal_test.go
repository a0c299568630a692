package chart

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestScale checks that scales begin at 0, contain the largest value and have
// few round steps.
func TestScale(t *testing.T) {
	for most := range int64(20_000) {
		top, ticks := Scale(most)
		n := len(ticks) - 1
		if n > 5 || n < 1 || top < most || most >= 10 && n < 3 {
			t.Fatalf("scale for %d ends at %d and has %d steps", most, top, n)
		}
	}
}

func TestLabels(t *testing.T) {
	for _, n := range []int{1, 2, 7, 14, 30, 90, 120, 400} {
		ticks := Labels(make([]string, n))
		if len(ticks) > maxLabels || len(ticks) == 0 {
			t.Errorf("%d labels for %d points", len(ticks), n)
		}
	}
}

// TestLine checks that the last step of an unfinished line is drawn separately,
// and that a single value is a narrow bar, not stretched over the chart.
func TestLine(t *testing.T) {
	for _, c := range []struct {
		values []int64
		open   bool
		want   Line
	}{
		{[]int64{5}, false, Line{Past: "M480,100L480,50L520,50L520,100"}},
		{[]int64{5}, true, Line{Past: "M480,100L480,50L520,50L520,100"}},
		{[]int64{0, 10, 5}, false, Line{Past: "M0,100L500,0L1000,50"}},
		{[]int64{0, 10, 5}, true, Line{Past: "M0,100L500,0", Now: "M500,0L1000,50"}},
	} {
		if got := line(Series{Values: c.values, Open: c.open}, 10); got != c.want {
			t.Errorf("line of %v, open %t = %+v, want %+v", c.values, c.open, got, c.want)
		}
	}
	if got, want := area([]int64{5}, 10), "M480,100L480,50L520,50L520,100Z"; got != want {
		t.Errorf("area of a single value = %s, want %s", got, want)
	}
}

// TestPoints checks that the points of a chart cover its width without gaps,
// and that their dots are on the lines.
func TestPoints(t *testing.T) {
	for _, n := range []int{1, 2, 3, 30, 365} {
		values := make([]int64, n)
		for i := range values {
			values[i] = int64(i % 5)
		}
		c := New("x", 5, nil, nil, []Series{{Class: "views", Values: values}}, make([]string, n))
		var covered float64
		for i, p := range c.Points {
			from, wide := number(t, p.From), number(t, p.Wide)
			if n > 1 && (from > covered+0.02 || from < covered-0.02) {
				t.Fatalf("point %d of %d begins at %v, want the end of the previous one, %v", i, n, from, covered)
			}
			covered = from + wide
			if want := []Dot{{"views", Percent(5-values[i], 5)}}; !reflect.DeepEqual(p.Dots, want) {
				t.Errorf("dots of point %d of %d = %v, want %v", i, n, p.Dots, want)
			}
		}
		if covered < 99.9 || covered > 100.1 {
			t.Errorf("%d points cover %v%%", n, covered)
		}
	}
}

func number(t *testing.T, percent string) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(strings.TrimSuffix(percent, "%"), 64)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestTip checks that user text does not add rows to a tip.
func TestTip(t *testing.T) {
	got := Tip("a\nb", [3]string{"views", "Views|x", "1\r\n2"})
	if want := "a b\nviews|Views¦x|1  2"; got != want {
		t.Errorf("tip = %q, want %q", got, want)
	}
	if rows := slices.Collect(strings.Lines(got)); len(rows) != 2 {
		t.Errorf("%d rows, want 2", len(rows))
	}
}

// TestSpark checks that a single number has no picture, and that numbers
// which are all 0 have a line without an area.
func TestSpark(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		views      []int64
		line, area bool
	}{{"none", nil, false, false}, {"one day", []int64{3}, false, false},
		{"no views", []int64{0, 0, 0}, true, false}, {"views", []int64{0, 2, 1}, true, true}} {
		got := NewSpark(c.views, "day")
		if (got.Path != "") != c.line || (got.Area != "") != c.area {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}
