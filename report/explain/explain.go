// Package explain says what makes each figure of a report: its rule, and the
// value of each view that is part of it (analytics, Explanations).
package explain

import (
	"slices"
	"strconv"
	"strings"

	"vitrine/report"
)

// Kind is how a figure follows from the values of its views.
type Kind string

// The kinds. A figure that is the mean or median of no values is 0, and so is a
// share of nothing.
const (
	Count     Kind = "count"      // the number of views
	Distinct  Kind = "distinct"   // the number of different viewers
	Sum       Kind = "sum"        // the sum of the values
	Mean      Kind = "mean"       // the sum of the values ÷ the sum of what they are of
	Median    Kind = "median"     // the value in the middle, or the mean of two
	Share     Kind = "share"      // the sum of the values ÷ the sum of what they are of, in percent
	MeanShare Kind = "mean_share" // the mean of value ÷ what it is of, in percent
	Derived   Kind = "derived"    // follows from other figures
	None      Kind = "none"       // has no views
)

// Units of values.
const (
	Milliseconds = "ms"
	Pages        = "pages"
	Millionths   = "millionths"
	Clicks       = "clicks"
)

// Report is a report and what it was made from.
type Report struct {
	Window  report.Window
	Summary *report.Summary
	Link    *report.LinkReport    // nil for an account
	Account *report.AccountReport // nil for a link
	Of      map[int64]report.Link // the links in it
	Top     []int64               // the links of the rows of top_links
	Recent  []int64               // the IDs of the views of the rows of recent
	Excess  int64                 // excluded views that were only counted
}

// Figure says what makes a figure.
type Figure struct {
	Kind Kind
	Rule string
	Unit string   // of values; "" for views
	From []string // the figures from which it follows
	// Previous reports whether its views are those of the time before.
	Previous bool
	// Downloads reports whether it counts download events instead of views.
	Downloads bool
	// Without is how many views that are not stored it counts, of the WithoutOf
	// that it is a share of.
	Without, WithoutOf int64

	of    class
	value func(view *report.View) (v Value, in bool)
}

// Value is the part of a view in a figure. Of is 1 unless the figure is a mean
// or share of something else.
type Value struct{ Value, Of int64 }

// class is which views a figure is about.
type class int

const (
	ofViews    class = iota // counted ones
	ofSessions              // counted ones with counted engagement
	ofExcluded              // those that do not count
	ofAll
)

// Reasons why a view is not part of a figure.
const (
	Bots       = "bots"
	Own        = "own"
	Unmeasured = "unmeasured"
	Atypical   = "atypical"
	Counted    = "counted" // of a figure about excluded views
	Other      = "other"   // a view of the same class with another value
)

// Value returns the part of a view in the figure, or why it has none.
func (f *Figure) Value(view *report.View) (v Value, without string) {
	switch {
	case f.of == ofExcluded && view.Counted():
		return v, Counted
	case f.of == ofAll, f.of == ofExcluded:
	case view.Bot == report.BotOwn:
		return v, Own
	case !view.Counted():
		return v, Bots
	case f.of == ofSessions && view.Session == nil:
		return v, Unmeasured
	case f.of == ofSessions && view.Atypical():
		return v, Atypical
	}
	v, in := f.value(view)
	if !in {
		return Value{}, Other
	}
	return v, ""
}

// Find returns what makes the figure at a JSON pointer into a report, or nil if
// there is no figure.
func (r *Report) Find(pointer string) *Figure {
	path, ok := strings.CutPrefix(pointer, "/")
	if !ok {
		return nil
	}
	p := strings.Split(path, "/")
	find := map[string]func([]string) *Figure{"totals": r.totals, "previous": r.previous, "deltas": r.deltas,
		"series": r.series, "breakdowns": r.breakdowns, "timing": r.timing, "content": r.content,
		"insights": r.insights, "recent": r.recent, "top_links": r.topLinks, "mix": r.mix, "excluded": r.excluded,
		"all_time": r.allTime, "trash": r.trash, "range": r.rangeCard}[p[0]]
	if find == nil {
		return nil
	}
	return find(p[1:])
}

// index returns the number in a pointer of an entry of a list with n, or -1.
func index(text string, n int) int {
	if i, err := strconv.Atoi(text); err == nil && 0 <= i && i < n && strconv.Itoa(i) == text {
		return i
	}
	return -1
}

// is reports whether a path is these names.
func is(path []string, names ...string) bool { return slices.Equal(path, names) }

var one = Value{1, 1}

// yes returns the value of a view in a share.
func yes(b bool) Value {
	if b {
		return one
	}
	return Value{0, 1}
}

// count returns a figure that counts the views of a class for which in holds.
func count(of class, rule string, in func(v *report.View) bool) *Figure {
	return &Figure{Kind: Count, Rule: rule, of: of,
		value: func(v *report.View) (Value, bool) { return one, in(v) }}
}

// share returns a figure that is the share of the views of a class for which
// part holds.
func share(of class, rule string, part func(v *report.View) bool) *Figure {
	return &Figure{Kind: Share, Rule: rule, of: of,
		value: func(v *report.View) (Value, bool) { return yes(part(v)), true }}
}

// derived returns a figure that follows from others.
func derived(rule string, from ...string) *Figure {
	return &Figure{Kind: Derived, Rule: rule, From: from}
}

// none returns a figure without views.
func none(rule string) *Figure { return &Figure{Kind: None, Rule: rule} }

func every(*report.View) bool { return true }

var maxMs = report.CountingRules().MaxMs

// within returns v limited to 0 to most.
func within(v, most int64) int64 { return min(max(v, 0), most) }

func engaged(v *report.View) int64 { return within(v.Session.EngagedMs, maxMs) }

// during limits a figure to the views of a time, in Unix milliseconds.
func (f *Figure) during(from, to int64) *Figure {
	return f.where(func(v *report.View) bool { return from <= v.At && v.At < to })
}

// where limits a figure to the views for which in holds.
func (f *Figure) where(in func(v *report.View) bool) *Figure {
	value := f.value
	f.value = func(v *report.View) (Value, bool) {
		if !in(v) {
			return Value{}, false
		}
		return value(v)
	}
	return f
}

// At returns the value at a JSON pointer into a decoded report, and whether
// there is one.
func At(v any, pointer string) (_ any, found bool) {
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch of := v.(type) {
		case map[string]any:
			v, found = of[name]
		case []any:
			i, err := strconv.Atoi(name)
			if found = err == nil && 0 <= i && i < len(of); found {
				v = of[i]
			}
		default:
			found = false
		}
		if !found {
			return nil, false
		}
	}
	return v, true
}
