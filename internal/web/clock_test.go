package web_test

import (
	"testing"
	"time"

	"vitrine/internal/app/analytics"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// TestAllSinceClockSetBack checks that the range "all" has the views that were
// stored while the clock was behind, also those from before the link's
// creation.
func TestAllSinceClockSetBack(t *testing.T) {
	f := newFixture(t)
	l := f.publish("notes.txt", samples["notes.txt"])
	open := func() { f.status(f.get("/p/"+string(l.Slug), "User-Agent: "+desktop), 200) }
	views := func(r report.Range) (n [2]int64) {
		t.Helper()
		link, err := f.server.Analytics.Link(t.Context(), f.site.account, string(l.Slug), analytics.In(r))
		f.check(err)
		account, err := f.server.Analytics.Account(t.Context(), f.site.account, analytics.In(r))
		f.check(err)
		return [2]int64{link.Totals.Views, account.Totals.Views}
	}
	open()
	f.clock.Advance(-48 * time.Hour)
	open()
	open()
	f.clock.Advance(48 * time.Hour)
	for _, r := range []report.Range{report.Range30d, report.RangeAll} {
		vitrinetest.Equal(t, "views of the link and the account, "+string(r), views(r), [2]int64{3, 3})
	}
}

// TestClockBefore1970 checks that a server with such a clock refuses a view as
// temporarily unavailable, and counts again when its clock is right.
func TestClockBefore1970(t *testing.T) {
	f := newFixture(t)
	l := f.publish("notes.txt", samples["notes.txt"])
	back := f.clock.Now().Sub(time.Date(1969, 6, 1, 0, 0, 0, 0, time.UTC))
	f.clock.Advance(-back)
	f.status(f.get("/p/"+string(l.Slug), "User-Agent: "+desktop), 503)
	f.clock.Advance(back)
	f.status(f.get("/p/"+string(l.Slug), "User-Agent: "+desktop), 200)
	vitrinetest.Equal(t, "views", f.counts(l).Views, int64(1))
}
