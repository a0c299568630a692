package api_test

import (
	"testing"
	"time"

	"vitrine/internal/app/analytics"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"
	"vitrine/report"
)

// TestAllSinceClockSetBack checks that the range "all" has the views that were
// stored while the clock was behind, also those from before the link's
// creation.
func TestAllSinceClockSetBack(t *testing.T) {
	f := webtest.NewFixture(t)
	l := f.Publish("notes.txt", webtest.Samples["notes.txt"])
	open := func() { f.Status(f.Get("/p/"+string(l.Slug), "User-Agent: "+webtest.Desktop), 200) }
	views := func(r report.Range) (n [2]int64) {
		t.Helper()
		link, err := f.Server.Analytics.Link(t.Context(), f.Site.Account, string(l.Slug), analytics.In(r))
		f.Check(err)
		account, err := f.Server.Analytics.Account(t.Context(), f.Site.Account, analytics.In(r))
		f.Check(err)
		return [2]int64{link.Totals.Views, account.Totals.Views}
	}
	open()
	f.Clock.Advance(-48 * time.Hour)
	open()
	open()
	f.Clock.Advance(48 * time.Hour)
	for _, r := range []report.Range{report.Range30d, report.RangeAll} {
		vitrinetest.Equal(t, "views of the link and the account, "+string(r), views(r), [2]int64{3, 3})
	}
}

// TestClockBefore1970 checks that a server with such a clock refuses a view as
// temporarily unavailable, and counts again when its clock is right.
func TestClockBefore1970(t *testing.T) {
	f := webtest.NewFixture(t)
	l := f.Publish("notes.txt", webtest.Samples["notes.txt"])
	back := f.Clock.Now().Sub(time.Date(1969, 6, 1, 0, 0, 0, 0, time.UTC))
	f.Clock.Advance(-back)
	f.Status(f.Get("/p/"+string(l.Slug), "User-Agent: "+webtest.Desktop), 503)
	f.Clock.Advance(back)
	f.Status(f.Get("/p/"+string(l.Slug), "User-Agent: "+webtest.Desktop), 200)
	vitrinetest.Equal(t, "views", f.Counts(l).Views, int64(1))
}
