package linkpage

import (
	"net/url"
	"strings"
	"time"

	"vitrine"
)

// lastDay returns the last UTC day on which a link is public, for a form field,
// or "" if it does not expire.
func lastDay(expires time.Time) string {
	if expires.IsZero() {
		return ""
	}
	return expires.Add(-time.Nanosecond).UTC().Format(time.DateOnly)
}

// expiryOf parses the last day of a link, which expires at the end of that day.
// It returns nil if the form has no day, or the link's present one, whatever
// its time.
func expiryOf(f url.Values, l *vitrine.Link) (*time.Time, error) {
	day := strings.TrimSpace(f.Get("expires"))
	switch {
	case !f.Has("expires") || day == lastDay(l.ExpiresAt):
		return nil, nil
	case day == "":
		return new(time.Time), nil
	}
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return nil, &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "expiresAt",
			Message: "Write the day as 2026-12-31, or leave it empty."}
	}
	return new(t.AddDate(0, 0, 1)), nil
}
