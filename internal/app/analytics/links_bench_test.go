package analytics_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// BenchmarkAccountByLinks renders the report of an account with more and more
// links, of which a hundred are viewed. It reports processor time too, which
// other programs of the machine change little.
func BenchmarkAccountByLinks(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, a := accountWithLinks(b, n)
			from := processorTime()
			for b.Loop() {
				if _, err := s.Account(b.Context(), a, analytics.In(report.Range30d)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(processorTime()-from)/float64(b.N), "cpu-ns/op")
		})
	}
}

// TestAccountIsFlat checks that what the report of an account costs does not
// grow with links that nobody viewed in its time.
func TestAccountIsFlat(t *testing.T) {
	allocated := func(links int) uint64 {
		s, a := accountWithLinks(t, links)
		var from, to runtime.MemStats
		for i := range 6 {
			if i == 1 { // the first one fills caches
				runtime.ReadMemStats(&from)
			}
			if _, err := s.Account(t.Context(), a, analytics.In(report.Range30d)); err != nil {
				t.Fatal(err)
			}
		}
		runtime.ReadMemStats(&to)
		return (to.TotalAlloc - from.TotalAlloc) / 5
	}
	few, many := allocated(100), allocated(3000)
	if t.Logf("%d bytes with few links, %d with many", few, many); many > few+few/4 {
		t.Error("a report costs more with many links")
	}
}

// BenchmarkRollUpIdle looks for days to roll up where there are none.
func BenchmarkRollUpIdle(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, _ := accountWithLinks(b, n)
			for b.Loop() {
				if err := s.RollUp(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// accountWithLinks returns an account with a view of each of n links, a year
// ago, and a hundred views of each of its first hundred within the last month.
func accountWithLinks(b testing.TB, n int) (*analytics.Service, *vitrine.Account) {
	clock := vitrinetest.NewClock(vitrinetest.Epoch)
	dir := b.TempDir()
	store, err1 := sqlstore.Open(filepath.Join(dir, "store.db"))
	log, err2 := viewlog.Open(filepath.Join(dir, "views.db"))
	if err := errors.Join(err1, err2); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := errors.Join(store.Close(), log.Close()); err != nil {
			b.Error(err)
		}
	})
	a := &vitrine.Account{Email: "ann@example.org", Plan: vitrine.PlanPro, ViewerKey: vitrine.RandomKey(),
		CreatedAt: clock.Now()}
	created := clock.Now().AddDate(-1, 0, 0)
	var views vitrine.Batch
	view := func(link vitrine.LinkID, ms int64, k int) {
		id := vitrine.ViewIDAt(ms, k)
		views.Views = append(views.Views, vitrine.ViewRecord{Account: a.ID, View: report.View{ID: int64(id),
			At: id.Ms(), Link: int64(link), Viewer: uint64(k)}})
	}
	err := store.Update(b.Context(), func(tx vitrine.Tx) error {
		err := tx.AddAccount(a)
		for i := range n {
			l := &vitrine.Link{Account: a.ID, Slug: vitrine.Slug(fmt.Sprint("link-", i)), Title: "Link",
				File: vitrine.File{Name: "a.pdf", Kind: "pdf", Pages: 3}, State: vitrine.StateLive, CreatedAt: created,
				StateAt: created}
			err = errors.Join(err, l.Add(tx, vitrine.Owner(a.ID)))
			view(l.ID, created.UnixMilli()+int64(i), 1)
			for k := range 100 {
				if i < 100 {
					view(l.ID, clock.Now().AddDate(0, 0, -2-k%28).UnixMilli()+int64(i), k)
				}
			}
		}
		return err
	})
	if err == nil {
		_, err = log.Append(b.Context(), views)
	}
	s := &analytics.Service{Store: store, Log: log, Signer: signer.New([]byte("k")), Now: clock.Now,
		URL: func(s vitrine.Slug) string { return string(s) }}
	if err := errors.Join(err, s.RollUp(b.Context())); err != nil {
		b.Fatal(err)
	}
	return s, a
}
