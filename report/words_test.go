package report_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"vitrine/report"
	"vitrine/report/country"
)

func TestCountryName(t *testing.T) {
	for code, want := range map[string]string{"DE": "Germany", "US": "United States", "XK": "Kosovo",
		"GB": "United Kingdom", "ZZZ": "ZZZ", "=1": "=1", "": ""} {
		if got := country.Name(code); got != want {
			t.Errorf("CountryName(%q) = %q, want %q", code, got, want)
		}
	}
}

// TestDateTimesHaveMilliseconds checks that times in reports always have three
// digits of a second, so that their texts sort by time.
func TestDateTimesHaveMilliseconds(t *testing.T) {
	base := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for ms, want := range map[int]string{0: "2026-05-04T12:00:00.000Z", 120: "2026-05-04T12:00:00.120Z",
		999: "2026-05-04T12:00:00.999Z"} {
		at := base.Add(time.Duration(ms) * time.Millisecond)
		l := report.Link{ID: 1, Content: report.ContentScroll, Created: base}
		v := report.View{ID: 1, At: at.UnixMilli(), Link: 1, Session: &report.Session{EngagedMs: 5000, PresentMs: 5000}}
		b, err := json.Marshal(report.ForLink(l, report.NewWindow(report.Range7d, at, base), nil, nil,
			[]report.View{v}))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{`"recent":[{"at":"` + want + `","country":`,
			`"from":"2026-04-28T00:00:00.000Z","to":"2026-05-05T00:00:00.000Z"`} {
			if !strings.Contains(string(b), part) {
				t.Errorf("%[2]s lacks %[1]s", part, b)
			}
		}
	}
}

// TestRecentDownloaded checks that a row of recent views shows what the server
// counted, whatever the page's script claims.
func TestRecentDownloaded(t *testing.T) {
	for _, counted := range []bool{false, true} {
		for _, said := range []bool{false, true} {
			at := today.UnixMilli()
			v := report.View{ID: 1, At: at, Link: 1, Downloaded: counted,
				Session: &report.Session{EngagedMs: 5000, PresentMs: 5000, Downloaded: said}}
			r := report.ForLink(report.Link{ID: 1}, report.NewWindow(report.Range7d, today, today), nil, nil,
				[]report.View{v})
			if got := r.Recent[0].Downloaded; got != counted {
				t.Errorf("Downloaded = %v with a counted download = %v and a script's claim = %v", got,
					counted, said)
			}
		}
	}
}
