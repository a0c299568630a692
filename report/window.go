package report

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Range is what a reader asks a report to cover: the key of a window.
type Range string

// The five ranges (analytics, Range).
const (
	Range7d  Range = "7d"
	Range14d Range = "14d"
	Range30d Range = "30d"
	Range90d Range = "90d"
	RangeAll Range = "all"
)

// DefaultRange is used if no range is given.
const DefaultRange = Range30d

// Ranges lists the ranges, shortest first.
func Ranges() []Range { return []Range{Range7d, Range14d, Range30d, Range90d, RangeAll} }

// ParseRange reads a range's key; an empty key is DefaultRange. The match is
// exact, and any other key is an error (contract, Errors).
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

// days returns the width of a fixed range, or 0 for RangeAll.
func (r Range) days() int {
	n, _ := strconv.Atoi(strings.TrimSuffix(string(r), "d"))
	return n
}

// RangeCustom is the key of a window without a named range.
const RangeCustom Range = "custom"

// RangeDay is the key of the last 24 hours.
const RangeDay Range = "24h"

// Window is the steps that a report covers: UTC days, or Steps if set.
type Window struct {
	Key   Range
	From  Day
	To    Day    // exclusive
	Steps *Steps // local days or hours of a zone; nil means UTC days

	before *Window        // the window to compare with, if not the one just before
	zone   *time.Location // nil means UTC
	alone  bool           // compared with nothing
}

// Compared reports whether the window is compared with the time before.
func (w Window) Compared() bool { return w.Key != RangeAll && !w.alone }

// NewWindow returns the window of r as of now (analytics, Range). created is
// when the link, or the account's oldest link, was created; only RangeAll uses
// it. If created is zero or after today, the window is today.
func NewWindow(r Range, now, created time.Time) Window {
	w, err := WindowOf(Period{Range: r}, now, created)
	if err != nil {
		panic(err) // no such range
	}
	return w
}

// Days returns the width of the window in steps.
func (w Window) Days() int { return int(w.To - w.From) }

// Previous returns the window that w is compared with: the window of the same
// width that ends where w begins, or the one a year before.
func (w Window) Previous() Window {
	if w.before != nil {
		return *w.before
	}
	return Window{Key: w.Key, From: w.From - (w.To - w.From), To: w.From}
}

// Bounds returns when the window begins and ends, in Unix milliseconds.
func (w Window) Bounds() (from, to int64) { return w.Steps.Bounds(w.From, w.To) }

// Hourly reports whether the steps are hours.
func (w Window) Hourly() bool { return w.Steps.Hourly() }

// Zone returns the time zone of the window's days and hours.
func (w Window) Zone() *time.Location {
	if w.zone == nil {
		return time.UTC
	}
	return w.zone
}

// Weekly reports whether the series has a point a week instead of one a day.
func (w Window) Weekly() bool { return !w.Hourly() && w.Days() > weeklyOverDays }

// Label returns the name of the window for people.
func (w Window) Label() string {
	if n := w.Key.days(); n > 0 {
		return fmt.Sprintf("Last %d days", n)
	}
	switch w.Key {
	case RangeDay:
		return "Last 24 hours"
	case RangeCustom:
		first, last := w.dates()
		if first == last {
			return first.words()
		}
		return first.words() + " – " + last.words()
	}
	return "All time"
}

// dates returns the first and last local date of the window.
func (w Window) dates() (first, last Day) {
	if !w.Hourly() {
		return w.From, w.To - 1
	}
	from, to := w.Bounds()
	return DayOf(w.Steps.local(from)), DayOf(w.Steps.local(to - 1))
}

// Contains reports whether the instant, in Unix milliseconds, lies in the
// window.
func (w Window) Contains(ms int64) bool {
	from, to := w.Bounds()
	return ms >= from && ms < to
}

// RangeCard is `range` of a report.
type RangeCard struct {
	Key      Range     `json:"key"`
	From     time.Time `json:"from"`
	To       time.Time `json:"to"` // exclusive
	Days     int       `json:"days"`
	Label    string    `json:"label"`
	Timezone string    `json:"timezone,omitempty"` // if one was asked for
	Compare  Compare   `json:"compare,omitempty"`  // unless it is the time before
}

// MarshalJSON writes From and To as dateTime does.
func (r RangeCard) MarshalJSON() ([]byte, error) {
	type plain RangeCard
	return json.Marshal(struct {
		Key  Range  `json:"key"`
		From string `json:"from"`
		To   string `json:"to"`
		plain
	}{r.Key, dateTime(r.From), dateTime(r.To), plain(r)})
}

// dateTime formats an instant for JSON: UTC, always with three digits of a
// second, so that the texts sort like the instants.
func dateTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func rangeCard(w Window) RangeCard {
	from, to := w.Bounds()
	first, last := w.dates()
	if w.Key == RangeDay {
		first = last // 24 hours are a day, wherever it begins
	}
	c := RangeCard{Key: w.Key, From: time.UnixMilli(from).UTC(), To: time.UnixMilli(to).UTC(),
		Days: int(last-first) + 1, Label: w.Label()}
	if w.zone != nil {
		c.Timezone = w.zone.String()
	}
	switch {
	case w.alone:
		c.Compare = CompareNone
	case w.before != nil && w.before.Key == lastYear:
		c.Compare = CompareYear
	}
	return c
}
