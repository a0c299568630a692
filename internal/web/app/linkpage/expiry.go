package linkpage

import (
	"net/url"
	"strings"
	"time"

	"vitrine"
)

// lastDay is the last day of UTC on which a link is public, as a field of a
// form has it; "" if it does not expire.
func lastDay(expires time.Time) string {
	if expires.IsZero() {
		return ""
	}
	return expires.Add(-time.Nanosecond).UTC().Format(time.DateOnly)
}

// expiryOf reads the last day of a link: it expires when that is over. nil: the
// form has none, or the day that the link has already, be it that its time is
// not midnight.
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
