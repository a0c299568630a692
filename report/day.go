package report

import (
	"fmt"
	"math"
	"time"
)

// Day is a UTC day, counted from 1970-01-01.
type Day int32

// NoDay means no day. It is before every day.
const NoDay Day = math.MinInt32

const (
	hourMs = 60 * 60 * 1000
	dayMs  = 24 * hourMs
)

// DayOf returns the UTC day of an instant in Unix milliseconds. Every year that
// time.Time can print fits in a Day.
func DayOf(ms int64) Day {
	d := ms / dayMs
	if ms%dayMs < 0 {
		d--
	}
	return Day(d)
}

// StartMs returns 00:00:00.000 UTC of the day in Unix milliseconds.
func (d Day) StartMs() int64 { return int64(d) * dayMs }

// Time returns 00:00 UTC of the day.
func (d Day) Time() time.Time { return time.UnixMilli(d.StartMs()).UTC() }

// Weekday returns the weekday, from 0 for Sunday to 6 for Saturday.
func (d Day) Weekday() int {
	w := (int64(d) + 4) % 7 // 1970-01-01 was a Thursday
	if w < 0 {
		w += 7
	}
	return int(w)
}

// String returns the day in ISO form, such as 2026-11-03.
func (d Day) String() string {
	if d == NoDay {
		return "no day"
	}
	return d.Time().Format(time.DateOnly)
}

// words returns the day as pages write it, such as 3 Nov 2026.
func (d Day) words() string { return d.Time().Format("2 Jan 2006") }

// monday returns the first day of the day's week, which begins on Monday.
func (d Day) monday() Day { return d - Day((d.Weekday()+6)%7) }

// hourOf returns the UTC hour, 0 to 23, of an instant on day d.
func (d Day) hourOf(ms int64) int { return int((ms - d.StartMs()) / hourMs) }

// MarshalText writes the day in ISO form.
func (d Day) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a day in ISO form.
func (d *Day) UnmarshalText(b []byte) error {
	t, err := time.Parse(time.DateOnly, string(b))
	if err != nil {
		return fmt.Errorf("day: %w", err)
	}
	*d = DayOf(t.UnixMilli())
	return nil
}
