package logowner_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/logowner"
	"vitrine/internal/sqlstore"
	"vitrine/internal/viewdb"
	"vitrine/internal/vitrinetest"
	"vitrine/internal/vitrinetest/fixture"
)

// A database that was restored to an earlier moment than the log gives no
// number again that the log knows: nobody is shown another's views (promise 9),
// and the audit names those whose links are lost.
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
			log, err := viewdb.Open(place.log(t))
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
			if warning, err := logowner.ReserveIDs(t.Context(), n.DB, n.Log); warning != "" || err != nil {
				t.Errorf("of a database that is not behind: %q, %v", warning, err)
			}
			if faults := n.Audit(); len(faults) > 0 {
				t.Error("audit:", faults)
			}

			warning, err := logowner.ReserveIDs(t.Context(), restored.DB, restored.Log)
			if err != nil || !strings.Contains(warning, "restored to an earlier moment") {
				t.Errorf("ReserveIDs says %q, %v", warning, err)
			}
			if warning, err := logowner.ReserveIDs(t.Context(), restored.DB, restored.Log); warning != "" ||
				err != nil {
				t.Errorf("ReserveIDs again says %q, %v", warning, err)
			}
			anew := restored.Link("anew")
			if anew.ID <= lost.ID || anew.Account <= lost.Account || restored.Views(anew) != 0 {
				t.Errorf("link %d of account %d has %d views; link %d of account %d was lost", anew.ID, anew.Account,
					restored.Views(anew), lost.ID, lost.Account)
			}
			restored.Opened(anew, 1)
			if restored.Views(anew) != 1 || restored.Views(before) != 2 {
				t.Errorf("%d and %d views", restored.Views(anew), restored.Views(before))
			}
			if faults := strings.Join(restored.Audit(), "\n"); strings.Count(faults, "\n") != 1 ||
				!strings.Contains(faults, "has no such link") || !strings.Contains(faults, "has no such account") {
				t.Errorf("audit:\n%s", faults)
			}
			n.Must(log.DeleteLink(t.Context(), lost.ID))
		})
	}
}

// The audit names a link whose opens are another account's.
func TestAuditMixedLink(t *testing.T) {
	db, err1 := sqlstore.Open(filepath.Join(fixture.Databases(t), "store.db"))
	log, err2 := viewdb.Open(filepath.Join(fixture.Databases(t), "views.db"))
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = db.Close(), log.Close() })
	n := fixture.Numbered{T: t, DB: db, Log: log}
	one, two := n.Link("one"), n.Link("two")
	n.Opened(&vitrine.Link{ID: one.ID, Account: two.Account}, 1)
	if faults := n.Audit(); len(faults) != 1 || !strings.Contains(faults[0],
		"its views are account 2's, and the link is account 1's") {
		t.Errorf("audit: %q", faults)
	}
}
