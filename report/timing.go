package report

import "slices"

// Timing is `timing` of a report: counted views by UTC hour and weekday, 0 =
// Sunday (analytics, Timing). The peaks are nil without views.
type Timing struct {
	ByHour      [24]int64    `json:"byHour"`
	ByWeekday   [7]int64     `json:"byWeekday"`
	Heat        [7][24]int64 `json:"heat"` // [weekday][hour]
	PeakHour    *int         `json:"peakHour"`
	PeakWeekday *int         `json:"peakWeekday"`
}

func timing(t *Tally) Timing {
	c := Timing{Heat: t.heat}
	for weekday, hours := range t.heat {
		for hour, n := range hours {
			c.ByHour[hour] += n
			c.ByWeekday[weekday] += n
		}
	}
	c.PeakHour, c.PeakWeekday = peak(c.ByHour[:]), peak(c.ByWeekday[:])
	return c
}

// peak returns the index of the largest count, the first on a tie, or nil if
// all are 0.
func peak(counts []int64) *int {
	most := slices.Max(counts)
	if most == 0 {
		return nil
	}
	i := slices.Index(counts, most)
	return &i
}
