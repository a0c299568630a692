package analytics_test

import (
	"errors"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/analytics"
	"vitrine/internal/filetype"
	"vitrine/internal/signer"
	"vitrine/internal/sqlstore"
	"vitrine/internal/viewdb"
	"vitrine/internal/vitrinetest"
	"vitrine/internal/vitrinetest/fixture"
	"vitrine/report"
)

// completionPct is the mean over sessions, each of the version that it read: a
// document of other pages, a video, one that was deleted. A version without a
// length has none.
func TestCompletionOverVersions(t *testing.T) {
	dir := fixture.Databases(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	store, err := sqlstore.Open(filepath.Join(dir, "store.db"))
	must(err)
	defer store.Close()
	log, err := viewdb.Open(filepath.Join(dir, "views.db"))
	must(err)
	defer log.Close()
	account := &vitrine.Account{Email: "ann@example.org", Plan: vitrine.PlanPro, ViewerKey: []byte("k"),
		CreatedAt: vitrinetest.Epoch}
	must(store.Update(t.Context(), func(tx vitrine.Tx) error { return tx.AddAccount(account) }))
	row := func(kind string, pages int) *vitrine.Link {
		return &vitrine.Link{Account: account.ID, Kind: filetype.PDF, Pages: pages, State: vitrine.StateLive,
			CreatedAt: vitrinetest.Epoch, StateAt: vitrinetest.Epoch, Name: "a." + kind}
	}
	link := row("pdf", 5)
	link.Slug, link.Versions, link.Version = "replaced", 5, 5
	must(store.Update(t.Context(), func(tx vitrine.Tx) error {
		err := tx.AddLink(link)
		for n, v := range []*vitrine.Link{row("pdf", 10), row("webm", 0), row("zip", 0), row("pdf", 5)} {
			if v.Of, v.Version = link.ID, n+1; n == 1 {
				v.Kind = filetype.Video
			} else if n == 2 {
				v.Kind = filetype.Archive
			} else if n == 3 {
				v.DeletedAt = vitrinetest.Epoch
			}
			err = errors.Join(err, tx.AddLink(v))
		}
		return err
	}))
	pages := func(n int) (list []report.PageTime) {
		for p := range n {
			list = append(list, report.PageTime{Page: p + 1, Ms: 1000})
		}
		return list
	}
	var b vitrine.Batch
	for i, v := range []struct {
		version int
		report.Session
	}{{1, report.Session{Pages: pages(10)}}, {2, report.Session{Played: 500_000, Reached: 900_000}},
		{3, report.Session{}},
		{4, report.Session{Pages: pages(3)}}, {5, report.Session{Pages: pages(1)}}, {5, report.Session{}}} {
		id := vitrine.ViewIDAt(vitrinetest.Epoch.UnixMilli()+int64(i), 0)
		v.Session.EngagedMs, v.Session.PresentMs = 20_000, 30_000
		b.Views = append(b.Views, vitrine.ViewRecord{Account: account.ID,
			View: report.View{ID: int64(id), At: id.Ms(),
				Link: int64(link.ID), Viewer: uint64(i), Version: v.version}})
		b.Snapshots = append(b.Snapshots, vitrine.Snapshot{Link: link.ID, View: id, At: id.Ms() + 60_000,
			Session: v.Session})
	}
	if _, err := log.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	s := &analytics.Service{Store: store, Log: log, Signer: signer.New([]byte("k")),
		Now: func() time.Time { return vitrinetest.Epoch.Add(time.Hour) },
		URL: func(s vitrine.Slug) string { return string(s) }}
	for query, want := range map[string]report.Tenths{"": 460, // (100 + 50 + 60 + 20 + 0) / 5
		"filter=version:is:1": 1000, "filter=version:is:4&filter=version:is:5": 267, "filter=version:is_not:5": 700,
		"filter=version:is:2": 500, "filter=version:is:3": -1, "timezone=Asia/Kolkata": 460, "version=2": 460} {
		values, _ := url.ParseQuery(query)
		q, err := analytics.ParseQuery(values)
		must(err)
		r, err := s.Link(t.Context(), account, "replaced", q)
		must(err)
		if got := r.Totals.CompletionPct; got == nil && want != -1 || got != nil && *got != want {
			t.Errorf("%q: %v, want %v", query, got, want)
		}
	}
}
