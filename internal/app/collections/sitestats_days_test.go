package collections_test

import (
	"encoding/json"
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/collections"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// TestPastDays checks on each kind of log that the report of a website does not
// change when its days are rolled up, or when its single page loads have
// expired. A load belongs to the UTC day of its answer.
func TestPastDays(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) (vitrine.ViewLog, error){
		"SQLite": func(t *testing.T) (vitrine.ViewLog, error) {
			return viewlog.Open(filepath.Join(t.TempDir(), "views.db"))
		},
		"PostgreSQL": func(t *testing.T) (vitrine.ViewLog, error) {
			return viewlog.Open(vitrinetest.PostgresDatabase(t))
		},
	} {
		t.Run(name, func(t *testing.T) { pastDays(t, open) })
	}
}

func pastDays(t *testing.T, open func(*testing.T) (vitrine.ViewLog, error)) {
	log, err := open(t)
	if err != nil {
		t.Fatal(err)
	}
	store, err := sqlstore.Open(filepath.Join(t.TempDir(), "vitrine.db"))
	if err != nil {
		t.Fatal(err)
	}
	views := fixture.NewViews(log)
	t.Cleanup(func() {
		views.Close()
		for _, c := range []func() error{log.(interface{ Close() error }).Close, store.Close} {
			if err := c(); err != nil {
				t.Error(err)
			}
		}
	})
	midnight := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	now := midnight.Add(-time.Millisecond)
	stats := collections.NewSiteStats(collections.SiteStats{Store: store, Log: log, Views: views, IDs: vitrine.NewViewIDs(),
		Now: func() time.Time { return now }})
	site := addSite(t, store, now.Add(-time.Hour))
	count := func(path string, viewer uint64, source, bot string) {
		t.Helper()
		if err := stats.Count(t.Context(), site.ID, path, netip.Prefix{},
			report.View{Viewer: viewer, Source: source, Bot: bot}); err != nil {
			t.Fatal(err)
		}
	}
	count("index.html", 1, "Direct", "")
	count("about.html", 1, "Within the website", "")
	now = midnight
	count("index.html", 1, "Direct", "")
	count("index.html", 2, "Google", "")
	count("news.html", 9, "Direct", "crawler")
	now = midnight.Add(3 * 24 * time.Hour)

	var first string
	later := report.DayOf(now.UnixMilli()) + 400 // days expire in groups
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"before", func() error { return nil }},
		{"once the days are rolled up", func() error { return log.RollUp(t.Context(), later) }},
		{"once the page loads have expired", func() error { return log.Expire(t.Context(), later-10) }},
	} {
		if err := step.do(); err != nil {
			t.Fatal(step.name, err)
		}
		r := numbers(t, store, log, func() time.Time { return now }, site, report.Range7d)
		if v, u, b := r.Totals.Views, r.Totals.Uniques, r.Totals.BotsExcluded; v != 4 || u != 2 || b != 1 {
			t.Errorf("%s: %d page loads by %d viewers, %d by bots, want 4 by 2, 1", step.name, v, u, b)
		}
		if len(r.TopLinks) != 2 || r.TopLinks[0].Slug != "index.html" || r.TopLinks[0].Views != 3 {
			t.Errorf("%s: pages = %+v", step.name, r.TopLinks)
		}
		n := len(r.Series)
		if n != 7 || r.Series[n-5].Views != 2 || r.Series[n-4].Views != 2 || r.Series[n-5].Uniques != 1 ||
			r.Series[n-4].Uniques != 2 {
			t.Errorf("%s: days = %+v", step.name, r.Series)
		}
		got, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(got)
		} else if string(got) != first {
			t.Errorf("%s: report\n%s\nwant\n%s", step.name, got, first)
		}
	}
	var whole *vitrine.SitePage
	err = store.Read(t.Context(), func(tx vitrine.Tx) (err error) {
		whole, err = tx.SitePage(site.ID, "")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := log.RetainedFrom(t.Context(), vitrine.AccountID(whole.Number))
	if err != nil || kept <= report.DayOf(midnight.UnixMilli()) {
		t.Errorf("page loads are kept from %v on, %v, want none of %v", kept, err, midnight)
	}
}
