package collections_test

import (
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"vitrine"
	"vitrine/report"
)

// TestPurgeManyPages checks that one run deletes the page loads of all pages of
// a deleted website, however many it has.
func TestPurgeManyPages(t *testing.T) {
	dir := t.TempDir()
	p := start(t, filepath.Join(dir, "vitrine.db"), filepath.Join(dir, "views.db"))
	site := p.addSite(t)
	const pages = 1005
	err := p.store.Update(t.Context(), func(tx vitrine.Tx) error {
		err := tx.AddSitePage(&vitrine.SitePage{Site: site.ID, Number: vitrine.FirstSitePage})
		for n := range pages {
			err = errors.Join(err, tx.AddSitePage(&vitrine.SitePage{Site: site.ID, Path: fmt.Sprintf("%d.html", n),
				Number: int64(vitrine.FirstSitePage + 1 + n)}))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	loads := func() (n int64) {
		t.Helper()
		counts, err := p.log.AccountCounts(t.Context(), vitrine.FirstSitePage)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range counts {
			n += c.Views
		}
		return n
	}
	for _, page := range []int{0, 999, 1000, pages - 1} {
		if err := p.Count(t.Context(), site.ID, fmt.Sprintf("%d.html", page), netip.Prefix{}, report.View{Viewer: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if n := loads(); n != 4 {
		t.Fatalf("%d page loads, want 4", n)
	}
	site.DeletedAt = time.Now()
	if err := p.store.Update(t.Context(), func(tx vitrine.Tx) error { return tx.PutSite(site) }); err != nil {
		t.Fatal(err)
	}
	if err := p.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := loads(); n != 0 {
		t.Errorf("%d page loads of a deleted website, want none", n)
	}
}
