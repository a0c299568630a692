package report_test

import (
	"testing"
	"time"

	"vitrine/report"
)

// TestYounger checks which links, and accounts with their links, have no whole
// previous window, and from which point of it on they existed. Imported views
// make a link older.
func TestYounger(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, time.March, n, 0, 0, 0, 0, time.UTC) }
	now := day(29).Add(12 * time.Hour)
	w := report.NewWindow(report.Range7d, now, time.Time{}) // from 23 March, and from 16 March before
	for _, test := range []struct {
		created time.Time
		view    int // day of March
		younger bool
		absent  int
	}{
		{day(16), 20, false, 0},
		{day(16).Add(time.Millisecond), 20, true, 0},
		{day(18), 20, true, 2},
		{day(18).Add(23 * time.Hour), 20, true, 2},
		{day(24), 25, true, 7},
		{day(18), 17, false, 0},
	} {
		prev := foldOf([]report.View{{At: day(test.view).UnixMilli(), Link: 1}})
		link := report.Link{ID: 1, Created: test.created}
		newer := report.Link{ID: 2, Created: now}
		for what, r := range map[string]report.Summary{
			"a link": report.ForLink(link, w, nil, prev, nil).Summary,
			"an account": report.ForAccount([]report.Link{newer, link}, w, nil, prev, nil,
				report.AllTime{Since: test.created}).Summary,
		} {
			if r.Younger != test.younger || r.Absent != test.absent {
				t.Errorf("of %s of %s with a view on %d March: younger %t, %d absent, want %t, %d", what, test.created,
					test.view, r.Younger, r.Absent, test.younger, test.absent)
			}
		}
	}
}
