package report

import (
	"encoding/json"
	"fmt"
	"time"
)

// Range is what a reader asks a report to cover: the key of a window.
type Range string

// The five ranges (service, getLinkAnalytics).
const (
	Range7d  Range = "7d"
	Range14d Range = "14d"
	Range30d Range = "30d"
	Range90d Range = "90d"
	RangeAll Range = "all"
)

// DefaultRange is used where none is asked for.
const DefaultRange = Range30d

// Ranges lists the ranges, shortest first.
func Ranges() []Range { return []Range{Range7d, Range14d, Range30d, Range90d, RangeAll} }

// ParseRange reads a range's key; an empty one is DefaultRange. The match is
// exact, and everything else is an error (service, Errors: bad_range).
func ParseRange(s string) (Range, error) {
	if s == "" {
		return DefaultRange, nil
	}
	for _, r := range Ranges() {
		if s == string(r) {
			return r, nil
		}
	}
	return "", fmt.Errorf("range %q is not one of 7d, 14d, 30d, 90d, all", s)
}

// days is the width of a fixed range; 0 for RangeAll.
func (r Range) days() int {
	switch r {
	case Range7d:
		return 7
	case Range14d:
		return 14
	case Range30d:
		return 30
	case Range90d:
		return 90
	}
	return 0
}

// Window is the whole UTC days that a report covers.
type Window struct {
	Key  Range
	From Day
	To   Day // exclusive
}

// NewWindow is the window of r as of now (analytics, Range). created is
// when the link, or the account's oldest link, was created; it matters to
// RangeAll alone. Zero, or a day after today, gives today alone.
func NewWindow(r Range, now, created time.Time) Window {
	today := DayOf(now.UnixMilli())
	from := today
	if n := r.days(); n > 0 {
		from = today - Day(n-1)
	} else if !created.IsZero() {
		from = min(today, DayOf(created.UnixMilli()))
	}
	return Window{Key: r, From: from, To: today + 1}
}

// Days is the width of the window.
func (w Window) Days() int { return int(w.To - w.From) }

// Previous is the window of the same width that ends where w begins.
func (w Window) Previous() Window {
	return Window{Key: w.Key, From: w.From - (w.To - w.From), To: w.From}
}

// Weekly says that the series has a point a week instead of one a day.
func (w Window) Weekly() bool { return w.Days() > weeklyOverDays }

// Label names the window to a person.
func (w Window) Label() string {
	if n := w.Key.days(); n > 0 {
		return fmt.Sprintf("Last %d days", n)
	}
	return "All time"
}

// Contains reports whether the instant, in Unix milliseconds, lies in the
// window.
func (w Window) Contains(ms int64) bool {
	return ms >= w.From.StartMs() && ms < w.To.StartMs()
}

// RangeCard is `range` of a report.
type RangeCard struct {
	Key   Range     `json:"key"`
	From  time.Time `json:"from"`
	To    time.Time `json:"to"` // exclusive
	Days  int       `json:"days"`
	Label string    `json:"label"`
}

// MarshalJSON writes From and To as dateTime does.
func (r RangeCard) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Key   Range  `json:"key"`
		From  string `json:"from"`
		To    string `json:"to"`
		Days  int    `json:"days"`
		Label string `json:"label"`
	}{r.Key, dateTime(r.From), dateTime(r.To), r.Days, r.Label})
}

// dateTime is an instant as JSON has it: UTC, always with three digits of a
// second, so that texts sort as instants do.
func dateTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func rangeCard(w Window) RangeCard {
	return RangeCard{Key: w.Key, From: w.From.Time(), To: w.To.Time(), Days: w.Days(), Label: w.Label()}
}
