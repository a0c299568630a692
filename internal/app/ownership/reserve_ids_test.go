package ownership_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/ownership"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/vitrinetest"
)

// TestRestoredBehindTheLog checks that a database that was restored to an
// earlier moment than the log never reuses an ID in the log, so that nobody
// sees another account's views (promise 9), and that the audit reports views of
// lost links.
func TestRestoredBehindTheLog(t *testing.T) {
	for _, place := range []struct {
		name       string
		store, log func(t *testing.T) string
	}{
		{"SQLite", func(t *testing.T) string { return filepath.Join(fixture.Databases(t), "store.db") },
			func(t *testing.T) string { return filepath.Join(fixture.Databases(t), "views.db") }},
		{"PostgreSQL", func(t *testing.T) string { return vitrinetest.PostgresDatabase(t) },
			func(t *testing.T) string { return vitrinetest.PostgresDatabase(t) }},
	} {
		t.Run(place.name, func(t *testing.T) {
			open := func() *sqlstore.Store {
				db, err := sqlstore.Open(place.store(t))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = db.Close() })
				return db
			}
			log, err := viewlog.Open(place.log(t))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = log.Close() })
			n := fixture.Numbered{T: t, DB: open(), Log: log}
			before := n.Link("before")
			n.Opened(before, 2)
			restored := fixture.Numbered{T: t, DB: open(), Log: log}
			n.Must(n.DB.CopyTo(t.Context(), restored.DB, func(string, int64, int64) {}))
			lost := n.Link("lost")
			n.Opened(lost, 5)
			if warning, err := ownership.ReserveIDs(t.Context(), n.DB, n.Log); warning != "" || err != nil {
				t.Errorf("ReserveIDs of a current database = %q, %v, want no warning", warning, err)
			}
			if faults := n.Audit(); len(faults) > 0 {
				t.Error("audit:", faults)
			}

			warning, err := ownership.ReserveIDs(t.Context(), restored.DB, restored.Log)
			if err != nil || !strings.Contains(warning, "restored to an earlier moment") {
				t.Errorf("ReserveIDs = %q, %v, want a warning", warning, err)
			}
			if warning, err := ownership.ReserveIDs(t.Context(), restored.DB, restored.Log); warning != "" ||
				err != nil {
				t.Errorf("second ReserveIDs = %q, %v, want no warning", warning, err)
			}
			anew := restored.Link("anew")
			if anew.ID <= lost.ID || anew.Account <= lost.Account || restored.Views(anew) != 0 {
				t.Errorf("link %d of account %d has %d views; link %d of account %d was lost", anew.ID, anew.Account,
					restored.Views(anew), lost.ID, lost.Account)
			}
			restored.Opened(anew, 1)
			if restored.Views(anew) != 1 || restored.Views(before) != 2 {
				t.Errorf("%d and %d views, want 1 and 2", restored.Views(anew), restored.Views(before))
			}
			if faults := strings.Join(restored.Audit(), "\n"); strings.Count(faults, "\n") != 1 ||
				!strings.Contains(faults, "the link is not in the database") ||
				!strings.Contains(faults, "the account is not in the database") {
				t.Errorf("audit:\n%s", faults)
			}
			n.Must(log.DeleteLink(t.Context(), lost.ID))
		})
	}
}

// TestAuditMixedLink checks that the audit reports a link whose views belong to
// another account.
func TestAuditMixedLink(t *testing.T) {
	db, err1 := sqlstore.Open(filepath.Join(fixture.Databases(t), "store.db"))
	log, err2 := viewlog.Open(filepath.Join(fixture.Databases(t), "views.db"))
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = db.Close(), log.Close() })
	n := fixture.Numbered{T: t, DB: db, Log: log}
	one, two := n.Link("one"), n.Link("two")
	n.Opened(&vitrine.Link{ID: one.ID, Account: two.Account}, 1)
	if faults := n.Audit(); len(faults) != 1 || !strings.Contains(faults[0],
		"its views belong to account 2, but the link to account 1") {
		t.Errorf("audit: %q", faults)
	}
}
