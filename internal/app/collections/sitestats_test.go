package collections_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/audit"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/ownership"
	"vitrine/internal/backend/disk"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// process is a process that serves websites.
type process struct {
	*collections.SiteStats
	store *sqlstore.Store
	log   *viewlog.ViewLog
}

// start starts a process on a store and a log.
func start(t *testing.T, store, log string) *process {
	t.Helper()
	s, err := sqlstore.Open(store)
	if err != nil {
		t.Fatal(err)
	}
	l, err := viewlog.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	views := fixture.NewViews(l)
	t.Cleanup(func() {
		views.Close()
		if err := errors.Join(l.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	})
	return &process{collections.NewSiteStats(collections.SiteStats{Store: s, Log: l, Views: views, IDs: vitrine.NewViewIDs(),
		Now: time.Now}), s, l}
}

// numbers returns the report of a website.
func (p *process) numbers(t *testing.T, site *vitrine.Site, r report.Range) *report.AccountReport {
	t.Helper()
	return numbers(t, p.store, p.log, time.Now, site, r)
}

func numbers(t *testing.T, store vitrine.Store, log analytics.Log, now func() time.Time, site *vitrine.Site,
	r report.Range) *report.AccountReport {
	t.Helper()
	s := analytics.Service{Store: store, Log: log, Now: now}
	rep, err := s.Website(t.Context(), site, analytics.In(r))
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// addSite creates a website.
func (p *process) addSite(t *testing.T) *vitrine.Site {
	t.Helper()
	return addSite(t, p.store, time.Now())
}

// addSite creates an account with a website.
func addSite(t *testing.T, store vitrine.Store, at time.Time) *vitrine.Site {
	t.Helper()
	a := &vitrine.Account{Email: "ann@example.org", ViewerKey: []byte("key"), CreatedAt: at}
	site := &vitrine.Site{Slug: "garden", Title: "Garden", CreatedAt: at}
	err := store.Update(t.Context(), func(tx vitrine.Tx) error {
		if err := tx.AddAccount(a); err != nil {
			return err
		}
		site.Account = a.ID
		return tx.AddSite(site)
	})
	if err != nil {
		t.Fatal(err)
	}
	return site
}

// TestProcesses checks that processes that concurrently count the first loads
// of the same pages give each page one number, and that each reports the loads
// of all.
func TestProcesses(t *testing.T) {
	for name, places := range map[string]func(t *testing.T) (store, log string){
		"SQLite": func(t *testing.T) (string, string) {
			dir := t.TempDir()
			return filepath.Join(dir, "vitrine.db"), filepath.Join(dir, "views.db")
		},
		"PostgreSQL": func(t *testing.T) (string, string) {
			return vitrinetest.PostgresDatabase(t), vitrinetest.PostgresDatabase(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			store, log := places(t)
			all := []*process{start(t, store, log), start(t, store, log), start(t, store, log)}
			site := all[0].addSite(t)
			const pages, loads = 7, 5
			var work sync.WaitGroup
			for n, p := range all {
				for page := range pages {
					work.Go(func() {
						for i := range loads {
							load := report.View{Viewer: uint64(1 + (n+i)%4), Source: "Direct"}
							if err := p.Count(t.Context(), site.ID, fmt.Sprintf("%d.html", page), netip.Prefix{}, load); err != nil {
								t.Error(err)
							}
						}
					})
				}
			}
			work.Wait()
			for _, p := range all {
				r := p.numbers(t, site, report.Range7d)
				if v, u := r.Totals.Views, r.Totals.Uniques; v != int64(len(all)*pages*loads) || u != 4 ||
					len(r.TopLinks) != pages {
					t.Errorf("%d loads of %d pages by %d viewers, want %d of %d by 4", v, len(r.TopLinks), u,
						len(all)*pages*loads, pages)
				}
				for _, page := range r.TopLinks {
					if page.Views != int64(len(all)*loads) || page.Uniques != 4 ||
						page.Spark[len(page.Spark)-1] != page.Views {
						t.Errorf("%s: %d loads by %d viewers, %v by day", page.Slug, page.Views, page.Uniques,
							page.Spark)
					}
				}
			}
			if faults := all[0].faults(t); len(faults) > 0 {
				t.Errorf("audit = %q", faults)
			}
		})
	}
}

// faults returns the faults that an audit finds.
func (p *process) faults(t *testing.T) (faults []string) {
	t.Helper()
	blobs, err := disk.New(t.TempDir(), "http://localhost", signer.New([]byte("secret")), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	a := &audit.Checker{Store: p.store, Blobs: blobs, Log: p.log, Now: time.Now, Deep: true}
	if err := a.Run(t.Context(), func(fault string) { faults = append(faults, fault) }); err != nil {
		t.Fatal(err)
	}
	return faults
}

// TestOtherPages checks that pages beyond MaxSitePages are counted together.
func TestOtherPages(t *testing.T) {
	dir := t.TempDir()
	p := start(t, filepath.Join(dir, "vitrine.db"), filepath.Join(dir, "views.db"))
	site := p.addSite(t)
	err := p.store.Update(t.Context(), func(tx vitrine.Tx) error {
		err := tx.AddSitePage(&vitrine.SitePage{Site: site.ID, Number: vitrine.FirstSitePage})
		for n := range vitrine.MaxSitePages {
			err = errors.Join(err, tx.AddSitePage(&vitrine.SitePage{Site: site.ID, Path: fmt.Sprintf("%d.html", n),
				Number: int64(vitrine.FirstSitePage + 1 + n)}))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"7.html", "new.html", "newer.html", "new.html"} {
		if err := p.Count(t.Context(), site.ID, path, netip.Prefix{}, report.View{Viewer: 1}); err != nil {
			t.Fatal(err)
		}
	}
	r := p.numbers(t, site, report.RangeAll)
	if len(r.TopLinks) != 2 || r.TopLinks[0].Slug != vitrine.OtherSitePages || r.TopLinks[0].Views != 3 ||
		r.TopLinks[1].Slug != "7.html" {
		t.Errorf("pages = %+v", r.TopLinks)
	}
	if faults := p.faults(t); len(faults) > 0 {
		t.Errorf("audit = %q", faults)
	}
}

// TestRestoredStore checks that a store that was restored to a moment before it
// had a website uses new numbers for the next one, and that its report does not
// have the log's other page loads.
func TestRestoredStore(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "views.db")
	before := start(t, filepath.Join(dir, "one.db"), log)
	site := before.addSite(t)
	if err := before.Count(t.Context(), site.ID, "index.html", netip.Prefix{}, report.View{Viewer: 1}); err != nil {
		t.Fatal(err)
	}
	after := start(t, filepath.Join(dir, "two.db"), log)
	again := after.addSite(t)
	if again.ID != site.ID {
		t.Fatalf("ID of the website = %d, want %d again", again.ID, site.ID)
	}
	warning, err := ownership.ReserveIDs(t.Context(), after.store, after.log)
	if err != nil || warning != "" {
		t.Errorf("warning = %q, %v, want none, because IDs of websites do not count", warning, err)
	}
	if err := after.Count(t.Context(), again.ID, "index.html", netip.Prefix{}, report.View{Viewer: 2}); err != nil {
		t.Fatal(err)
	}
	if n := after.numbers(t, again, report.RangeAll).Totals.Views; n != 1 {
		t.Errorf("%d page loads, want 1", n)
	}
	if faults := after.faults(t); len(faults) != 1 {
		t.Errorf("audit = %q, want one fault", faults)
	}
}

// brokenStore fails with an unknown error when a website is looked up.
type brokenStore struct{ vitrine.Store }

type brokenTx struct{ vitrine.Tx }

var errBroken = errors.New("the row is damaged")

func (s brokenStore) Update(ctx context.Context, f func(vitrine.Tx) error) error {
	return s.Store.Update(ctx, func(tx vitrine.Tx) error { return f(brokenTx{tx}) })
}

func (brokenTx) Site(vitrine.SiteID) (*vitrine.Site, error) { return nil, errBroken }

// TestCountFails checks that an error of the database is not reported as
// not_found.
func TestCountFails(t *testing.T) {
	dir := t.TempDir()
	p := start(t, filepath.Join(dir, "vitrine.db"), filepath.Join(dir, "views.db"))
	site := p.addSite(t)
	p.Store = brokenStore{p.store}
	err := p.Count(t.Context(), site.ID, "index.html", netip.Prefix{}, report.View{Viewer: 1})
	if !errors.Is(err, errBroken) || vitrine.CodeOf(err) != vitrine.CodeInternal {
		t.Errorf("Count = %v, code %s, want internal", err, vitrine.CodeOf(err))
	}
}
