package app

import (
	"net/url"
	"strings"
	"time"

	"vitrine"
)

// lastDay returns the last day in a zone on which a link is public, as a field
// of a form has it, or "" if it does not expire.
func lastDay(expires time.Time, zone *time.Location) string {
	if expires.IsZero() {
		return ""
	}
	return expires.Add(-time.Nanosecond).In(zone).Format(time.DateOnly)
}

// ExpiryDay returns the last day of the form as pages show days, or "this day"
// without one.
func (p *linkPage) ExpiryDay() string {
	day, err := time.Parse(time.DateOnly, p.NewExpires)
	if err != nil {
		return "this day"
	}
	return day.Format("2 Jan 2006")
}

// expiryOf returns the last day of a link from the form. The link expires when
// that day is over. It returns nil if the form has no day, or the day of the
// present expiry, even if that is not at midnight.
func expiryOf(f url.Values, l *vitrine.Link, zone *time.Location) (*time.Time, error) {
	day := strings.TrimSpace(f.Get("expires"))
	if !f.Has("expires") || day == lastDay(l.ExpiresAt, zone) {
		return nil, nil
	}
	end, err := endOf(day, zone)
	return &end, err
}

// endOf returns when a day of a form is over, or the zero time for "".
func endOf(day string, zone *time.Location) (time.Time, error) {
	if day = strings.TrimSpace(day); day == "" {
		return time.Time{}, nil
	}
	t, err := time.ParseInLocation(time.DateOnly, day, zone)
	if err != nil {
		return t, &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "expiresAt",
			Message: "Write the day as 2026-12-31, or leave it empty."}
	}
	return t.AddDate(0, 0, 1), nil
}
