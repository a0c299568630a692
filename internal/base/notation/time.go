package notation

import (
	"fmt"
	"strconv"
	"time"
)

// maxSpan is the number of days that ParseSpan accepts at most.
const maxSpan = 65535

// inDays are units of durations that [time.ParseDuration] does not have.
var inDays = map[string]uint64{"d": 1, "w": 7, "y": 365}

// ParseSpan parses a duration: whole days, weeks or years, such as 30d, 2w or
// 1y; or a text that [time.ParseDuration] accepts.
func ParseSpan(text string) (time.Duration, error) {
	if days := inDays[text[max(len(text)-1, 0):]]; days > 0 {
		n, err := strconv.ParseUint(text[:len(text)-1], 10, 16)
		if err == nil && n > 0 && n*days <= maxSpan {
			return time.Duration(n*days) * 24 * time.Hour, nil
		}
	} else if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return d, nil
	}
	return 0, fmt.Errorf("%q is not a length of time, such as 30d or 12h", text)
}

// ParseTime parses a time: a duration from now, a UTC date (its beginning), or
// an RFC 3339 time.
func ParseTime(text string, now time.Time) (time.Time, error) {
	if d, err := ParseSpan(text); err == nil {
		return now.Add(d).UTC(), nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time, such as 12h, 30d, 2w, 1y, 2027-01-31 or 2027-01-31T09:00:00Z", text)
}
