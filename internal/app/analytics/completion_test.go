package analytics_test

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/base/signer"
	"vitrine/internal/filetype"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// TestCompletionOverVersions checks that completionPct is the mean over
// sessions, each relative to the version that it read: a document with other
// pages, a video, and a deleted version. A version without a length has no
// completion.
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
	log, err := viewlog.Open(filepath.Join(dir, "views.db"))
	must(err)
	defer log.Close()
	account := &vitrine.Account{Email: "ann@example.org", Plan: vitrine.PlanPro, ViewerKey: []byte("k"),
		CreatedAt: vitrinetest.Epoch}
	must(store.Update(t.Context(), func(tx vitrine.Tx) error { return tx.AddAccount(account) }))
	row := func(kind string, pages int) *vitrine.Link {
		return &vitrine.Link{Account: account.ID,
			File: vitrine.File{Kind: filetype.PDF, Pages: pages, Name: "a." + kind}, State: vitrine.StateLive,
			CreatedAt: vitrinetest.Epoch, StateAt: vitrinetest.Epoch}
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
		"filter=version:is:2": 500, "filter=version:is:3": -1, "filter=version:is:9": -1, "timezone=Asia/Kolkata": 460,
		"version=2": 460} {
		values, _ := url.ParseQuery(query)
		q, err := analytics.ParseQuery(values)
		must(err)
		r, err := s.Link(t.Context(), account, "replaced", q)
		must(err)
		if got := r.Totals.CompletionPct; got == nil && want != -1 || got != nil && *got != want {
			t.Errorf("completionPct with %q = %v, want %v", query, got, want)
		}
	}
	if n, err := s.Numbers(t.Context(), link); err != nil || n.Views != 6 || n.CompletionPct == nil ||
		*n.CompletionPct != 460 {
		t.Errorf("numbers = %+v, %v, want 6 views and 46.0", n, err)
	}
	for query, want := range map[string]string{
		"":                     "6 views, 46.0; archive 1 pdf 4 video 1",
		"timezone=Asia/Tokyo":  "6 views, 46.0; archive 1 pdf 4 video 1",
		"filter=kind:is:video": "1 views, 50.0; video 1",
		"filter=kind:is:pdf":   "4 views, 45.0; pdf 4",
		"filter=kind:is_not:pdf&filter=kind:is_not:video": "1 views, none; archive 1",
		"filter=kind:is:pdf&filter=version:is_not:5":      "2 views, 80.0; pdf 2",
		"filter=kind:is:audio":                            "0 views, none;",
		"filter=link:is:replaced&filter=kind:is:archive":  "1 views, none; archive 1",
	} {
		if got := ofAccount(t, s, account, query); got != want {
			t.Errorf("account %q: %s, want %s", query, got, want)
		}
	}
	must(log.RollUp(t.Context(), report.DayOf(vitrinetest.Epoch.UnixMilli())+1))
	must(log.Expire(t.Context(), report.DayOf(vitrinetest.Epoch.UnixMilli())+1))
	s.Now = func() time.Time { return vitrinetest.Epoch.Add(24 * time.Hour) }
	if got, want := ofAccount(t, s, account, ""), "6 views, 46.0; archive 1 pdf 4 video 1"; got != want {
		t.Errorf("account without its views: %s, want %s", got, want)
	}
	r, err := s.Link(t.Context(), account, "replaced", analytics.Query{})
	must(err)
	if got := r.Totals.CompletionPct; got == nil || *got != 460 {
		t.Errorf("link without its views: %v, want 46.0", got)
	}
}

// ofAccount returns the views, the completion and the kinds of an account's
// report, and checks that its link's row has the same.
func ofAccount(t *testing.T, s *analytics.Service, a *vitrine.Account, query string) string {
	t.Helper()
	values, _ := url.ParseQuery(query)
	q, err := analytics.ParseQuery(values)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Account(t.Context(), a, q)
	if err != nil {
		t.Fatal(err)
	}
	pct := func(p *report.Tenths) string {
		if p == nil {
			return "none"
		}
		return fmt.Sprintf("%.1f", float64(*p)/10)
	}
	text := fmt.Sprintf("%d views, %s;", r.Totals.Views, pct(r.Totals.CompletionPct))
	slices.SortFunc(r.Mix, func(a, b report.Bucket) int { return cmp.Compare(a.Key, b.Key) })
	for _, b := range r.Mix {
		text += fmt.Sprintf(" %s %d", b.Key, b.Count)
	}
	for _, l := range r.TopLinks {
		if l.Views != r.Totals.Views || pct(l.CompletionPct) != pct(r.Totals.CompletionPct) || l.Kind != "pdf" {
			t.Errorf("%q: the row of the link is %+v", query, l)
		}
	}
	return text
}
