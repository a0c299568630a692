package scan

import "vitrine/report"

// Sunday is a day whose weekday is 0.
const Sunday report.Day = 3

// Clock finds the step, weekday and hour of a moment. It remembers those of the
// quarter hours it has seen.
type Clock struct {
	Steps *report.Steps
	// Step, Weekday (0 = Sunday) and Hour are those of the last moment.
	Step          report.Day
	Weekday, Hour int

	first int64 // the quarter hour of seen[0]
	seen  []moment
}

type moment struct {
	step          report.Day
	weekday, hour int8
	kind          kind
}

// kind is what a Clock knows about a quarter hour.
type kind uint8

const (
	unknown kind = iota
	same         // all its moments have one place
	mixed
)

// quarter is the longest time within which neither the step nor the hour can
// change: time zones differ from UTC by multiples of a quarter hour.
const quarter = 15 * 60 * 1000

// mostQuarters limits the quarter hours that a Clock remembers, to some four
// years.
const mostQuarters = 1 << 17

// newClock returns a clock that remembers the last quarter hours of the steps
// [from, to).
func newClock(steps *report.Steps, from, to report.Day) Clock {
	c := Clock{Steps: steps}
	if from < to {
		begin, end := steps.Bounds(from, to)
		first, after := begin/quarter, (end-1)/quarter+1
		c.first = max(first, after-mostQuarters)
		c.seen = make([]moment, max(after-c.first, 0))
	}
	return c
}

// Set moves to a moment, in ms from 1970 on, which must be in one of the steps.
func (c *Clock) Set(ms int64) {
	q := ms / quarter
	if q < c.first || q >= c.first+int64(len(c.seen)) {
		c.Step, c.Weekday, c.Hour = c.Steps.Place(ms)
		return
	}
	p := &c.seen[q-c.first]
	if p.kind == same {
		c.Step, c.Weekday, c.Hour = p.step, int(p.weekday), int(p.hour)
		return
	}
	c.Step, c.Weekday, c.Hour = c.Steps.Place(ms)
	if p.kind == unknown {
		*p = moment{c.Step, int8(c.Weekday), int8(c.Hour), same}
		for _, edge := range [...]int64{q * quarter, (q+1)*quarter - 1} { // some zones have other offsets
			if step, weekday, hour := c.place(edge); step != c.Step || weekday != c.Weekday || hour != c.Hour {
				p.kind = mixed
			}
		}
	}
}

// place returns the place of a moment that may lie outside the steps.
func (c *Clock) place(ms int64) (report.Day, int, int) {
	if from, to := c.Steps.Reach(); ms < from || ms >= to {
		return -1, -1, -1
	}
	return c.Steps.Place(ms)
}
