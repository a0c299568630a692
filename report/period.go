package report

import (
	"fmt"
	"time"
)

// Period is what a reader asks a report to cover.
type Period struct {
	Range Range // one of the five; "" for DefaultRange, or if Dates or Hourly is set

	// Dates replace the range by any two dates, the second one included.
	Dates *Dates
	// Hourly asks for the hours of the dates or, without dates, for the last
	// 24.
	Hourly bool
	// Zone is the time zone of the days and hours; nil means UTC.
	Zone    *time.Location
	Compare Compare // "" is ComparePrevious
}

// Dates is a range of dates, both included.
type Dates struct{ First, Last Day }

// Compare is what a report compares its window with.
type Compare string

// A window is compared with the same width of time before it, or with the same
// dates of the year before.
const (
	ComparePrevious Compare = "previous"
	CompareYear     Compare = "year"
	CompareNone     Compare = "none" // with nothing: there is no time before
)

// Bounds of windows.
const (
	maxHourlyDays = 7
	maxDays       = 366 * 50
)

// lastYear is the key of the window a year before, as a comparison.
const lastYear Range = "year"

// ParseDate reads a date such as 2026-11-03, from 1970 on.
func ParseDate(s string) (Day, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil || t.Year() < 1970 {
		return 0, fmt.Errorf("%q is no date such as 2026-11-03, of 1970 or later", shortened(s))
	}
	return DayOf(t.UnixMilli()), nil
}

// WindowOf returns the window of a period as of now; created is as in
// NewWindow. An error is a message for the client.
func WindowOf(p Period, now, created time.Time) (w Window, err error) {
	zone := p.Zone
	if zone == nil {
		zone = time.UTC
	}
	today := localDay(now, zone)
	w = Window{Key: p.Range, zone: p.Zone, alone: p.Compare == CompareNone}
	switch {
	case p.Dates != nil:
		err = p.Dates.check(today, p)
		w.Key, w.From, w.To = RangeCustom, p.Dates.First, p.Dates.Last+1
	case p.Hourly:
		w = lastDay(p, zone, now)
		w.alone = p.Compare == CompareNone
		return w, nil
	default:
		if w.Key == "" {
			w.Key = DefaultRange
		}
		if _, err = ParseRange(string(w.Key)); err != nil {
			return w, err
		}
		w.From, w.To = today, today+1
		if n := w.Key.days(); n > 0 {
			w.From = today - Day(n-1)
		} else if !created.IsZero() {
			w.From = min(today, localDay(created, zone))
		}
	}
	if err != nil {
		return w, err
	}
	before := Window{Key: w.Key, From: w.From - (w.To - w.From), To: w.From, zone: p.Zone}
	if p.Compare == CompareYear {
		from := yearBefore(w.From)
		before = Window{Key: lastYear, From: from, To: from + (w.To - w.From), zone: p.Zone}
	}
	switch {
	case p.Hourly:
		w.toHours(zone)
		before.toHours(zone)
	case zone != time.UTC:
		w.Steps, before.Steps = daysIn(zone, w.From, w.To), daysIn(zone, before.From, before.To)
	case p.Compare != CompareYear:
		return w, nil
	}
	w.before = &before
	return w, nil
}

func (d *Dates) check(today Day, p Period) error {
	switch {
	case d.Last < d.First:
		return fmt.Errorf("the last date, %s, is before the first, %s", d.Last.words(), d.First.words())
	case d.Last > today:
		zone := "UTC"
		if p.Zone != nil {
			zone = p.Zone.String()
		}
		return fmt.Errorf("the last date, %s, is after today, which is %s in %s", d.Last.words(), today.words(), zone)
	case d.Last-d.First >= maxDays:
		return fmt.Errorf("a report covers at most %d days", maxDays)
	case p.Hourly && d.Last-d.First >= maxHourlyDays:
		return fmt.Errorf("a report by the hour covers at most %d days", maxHourlyDays)
	}
	return nil
}

// localDay returns the latest date that clocks of a zone have shown by t.
func localDay(t time.Time, zone *time.Location) Day {
	_, offset := t.In(zone).Zone()
	d := DayOf(t.UnixMilli() + int64(offset)*1000)
	if next := daysIn(zone, d, d+2); t.UnixMilli() >= next.Start(d+1) {
		return d + 1
	}
	return d
}

// toHours replaces the days of a window by their hours.
func (w *Window) toHours(zone *time.Location) {
	days := daysIn(zone, w.From, w.To)
	w.Steps = hoursIn(zone, days.Start(w.From), days.Start(w.To))
	w.From, w.To = 0, Day(w.Steps.Count())
}

// lastDay returns the last 24 hours, including the current one.
func lastDay(p Period, zone *time.Location, now time.Time) Window {
	at := now.UnixMilli()
	soon := hoursIn(zone, at, at+2*hourMs) // the second one begins with the next full hour
	end := soon.Start(1)
	back := func(key Range, end int64) *Window {
		w := &Window{Key: key, Steps: hoursIn(zone, end-dayMs, end), zone: p.Zone}
		w.To = Day(w.Steps.Count())
		return w
	}
	w := back(RangeDay, end)
	if w.before = back(RangeDay, end-dayMs); p.Compare == CompareYear {
		year := time.UnixMilli(end).In(zone)
		w.before = back(lastYear, year.AddDate(-1, 0, 0).UnixMilli())
	}
	return *w
}

// yearBefore returns the same date a year before; for 29 February, the 28th.
func yearBefore(d Day) Day {
	t := d.Time()
	year := t.AddDate(-1, 0, 0)
	if year.Month() != t.Month() {
		year = year.AddDate(0, 0, -1)
	}
	return DayOf(year.UnixMilli())
}
