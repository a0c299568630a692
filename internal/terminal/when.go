package terminal

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ParseSpan parses a duration: 30d, or a text that [time.ParseDuration]
// accepts.
func ParseSpan(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil && n > 0 {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	} else if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return d, nil
	}
	return 0, fmt.Errorf("%q is not a length of time, such as 30d or 12h", text)
}

// ParseWhen parses a time: a duration from now, a UTC date (its beginning), or
// an RFC 3339 time.
func ParseWhen(text string, now time.Time) (time.Time, error) {
	if d, err := ParseSpan(text); err == nil {
		return now.Add(d).UTC(), nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time, such as 30d, 2027-01-31 or 2027-01-31T09:00:00Z", text)
}
