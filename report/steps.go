package report

import (
	"slices"
	"time"
)

// Steps are the local days, or hours, of a window in a time zone. nil means UTC
// days.
//
// A day begins at the first moment at which the zone's clocks show its date or
// a later one, and ends where the next begins. So days never have gaps, even
// when clocks change. An hour lasts as long as clocks show it without being
// changed; a day on which they are set back has 25.
type Steps struct {
	first  Day     // the number of the first step
	starts []int64 // ms; one more than there are steps
	shifts []Shift
	hours  bool
}

// Shift is an offset of clocks from UTC from the moment From on; both are in
// ms. The first shift also applies before its From.
type Shift struct{ From, Offset int64 }

// shiftsOf lists the offsets of a zone within [from, to), ascending.
func shiftsOf(zone *time.Location, from, to int64) (shifts []Shift) {
	for at := from; ; {
		t := time.UnixMilli(at).In(zone)
		_, offset := t.Zone()
		if n := len(shifts); n == 0 || shifts[n-1].Offset != int64(offset)*1000 {
			shifts = append(shifts, Shift{at, int64(offset) * 1000})
		}
		_, end := t.ZoneBounds()
		if end.IsZero() || end.UnixMilli() >= to {
			return shifts
		}
		at = end.UnixMilli()
	}
}

// maxOffset is larger than the offset of any zone from UTC.
const maxOffset = 26 * hourMs

// daysIn returns the days [from, to) in a zone.
func daysIn(zone *time.Location, from, to Day) *Steps {
	s := &Steps{first: from, shifts: shiftsOf(zone, from.StartMs()-maxOffset, to.StartMs()+maxOffset)}
	for d := from; d <= to; d++ {
		s.starts = append(s.starts, firstMoment(s.shifts, d))
	}
	return s
}

// firstMoment returns when clocks first show a day or a later one.
func firstMoment(shifts []Shift, d Day) int64 {
	for i, s := range shifts {
		at := max(s.From, d.StartMs()-s.Offset)
		if i == len(shifts)-1 || at < shifts[i+1].From {
			return at
		}
	}
	panic("report: a zone has no offset")
}

// hoursIn returns the hours of [from, to), in ms, numbered from 0.
func hoursIn(zone *time.Location, from, to int64) *Steps {
	s := &Steps{shifts: shiftsOf(zone, from, to), hours: true}
	for i, shift := range s.shifts {
		end := to
		if i+1 < len(s.shifts) {
			end = s.shifts[i+1].From
		}
		for at := shift.From; at < end; at += hourMs - floorMod(at+shift.Offset, hourMs) {
			s.starts = append(s.starts, at)
		}
	}
	s.starts = append(s.starts, to)
	return s
}

func floorMod(n, of int64) int64 { return ((n % of) + of) % of }

// Count returns the number of steps.
func (s *Steps) Count() int { return len(s.starts) - 1 }

// Of returns the step of a moment, which must be in one of them.
func (s *Steps) Of(ms int64) Day {
	if s == nil {
		return DayOf(ms)
	}
	i, found := slices.BinarySearch(s.starts, ms)
	if !found {
		return s.first + Day(i-1)
	}
	for i+1 < len(s.starts) && s.starts[i+1] == ms { // a day that a zone left out
		i++
	}
	return s.first + Day(i)
}

// Start returns when a step begins, in ms. For the number after the last step
// it returns when the last step ends.
func (s *Steps) Start(d Day) int64 {
	if s == nil {
		return d.StartMs()
	}
	return s.starts[d-s.first]
}

// Shifts returns the offsets of the zone's clocks from UTC, ascending.
func (s *Steps) Shifts() []Shift {
	if s == nil {
		return []Shift{{0, 0}}
	}
	return s.shifts
}

// Hourly reports whether the steps are hours.
func (s *Steps) Hourly() bool { return s != nil && s.hours }

// Days returns the offsets that map moments to local days: a moment plus the
// offset in force lies on the day of its step. The offsets are those of Shifts,
// except that a day does not begin twice when clocks are set back over
// midnight.
func (s *Steps) Days() []Shift {
	days := slices.Clone(s.Shifts())
	for i := 1; i < len(days); i++ {
		before, at := days[i-1].Offset, days[i].From
		if d := DayOf(at - 1 + before); d > DayOf(at+days[i].Offset) {
			days[i].From = d.StartMs() - days[i].Offset
		}
	}
	return days
}

// local returns a moment as the zone's clocks show it, in ms since 1970 on
// those clocks.
func (s *Steps) local(ms int64) int64 {
	if s == nil {
		return ms
	}
	i := len(s.shifts) - 1
	for i > 0 && s.shifts[i].From > ms {
		i--
	}
	return ms + s.shifts[i].Offset
}

// Place returns the step of a moment, and the weekday (0 = Sunday) and hour on
// the zone's clocks.
func (s *Steps) Place(ms int64) (step Day, weekday, hour int) {
	local := s.local(ms)
	day := DayOf(local)
	return s.Of(ms), day.Weekday(), day.hourOf(local)
}
