package notation

import (
	"testing"
	"time"
)

func TestParseTime(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.FixedZone("", 3600))
	for text, want := range map[string]string{
		"30d": "2026-06-03T11:00:00Z", "90m": "2026-05-04T12:30:00Z",
		"2w": "2026-05-18T11:00:00Z", "1y": "2027-05-04T11:00:00Z", "w": "", "9999w": "", "200y": "",
		"2027-01-31":                "2027-01-31T00:00:00Z",
		"2027-01-31T09:00:00+01:00": "2027-01-31T08:00:00Z",
		"":                          "", "0d": "", "-1h": "", "d": "", "1.5d": "", "99999d": "", "31.1.2027": "",
		"tomorrow": "",
	} {
		got, err := ParseTime(text, now)
		if (err != nil) != (want == "") || err == nil && got.Format(time.RFC3339) != want {
			t.Errorf("ParseTime(%q) = %v, %v, want %s", text, got, err, want)
		}
	}
}
