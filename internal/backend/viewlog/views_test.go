package viewlog

import (
	"strings"
	"testing"

	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/internal/test/sqltest"
	"vitrine/internal/test/vitrinetest"
)

// TestRecentPlans checks that the newest views with engagement data are found
// without reading those without, of which there may be millions.
func TestRecentPlans(t *testing.T) {
	l := openTestLog(t)
	err := l.db.Read(t.Context(), func(tx *sqldb.Tx) error {
		plan, err := sqltest.SqlitePlan(tx, logTx{tables.Index{Tx: tx}}.selectRecent(true))
		if !strings.Contains(plan, "views_engaged") || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("plan in SQLite = %s", plan)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Open(vitrinetest.PostgresDatabase(t))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	err = p.db.Read(t.Context(), func(tx *sqldb.Tx) error {
		plan, err := sqltest.PlanOf(tx, logTx{tables.Index{Tx: tx}}.selectRecent(true))
		if !strings.Contains(plan, "views_engaged") || strings.Contains(plan, "Sort") {
			t.Errorf("plan in PostgreSQL = %s", plan)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestDownloadPlans checks that the downloads of a view are found in indexes,
// both those with the ID of the view and the others.
func TestDownloadPlans(t *testing.T) {
	l := openTestLog(t)
	err := l.db.Read(t.Context(), func(tx *sqldb.Tx) error {
		plan, err := sqltest.SqlitePlan(tx, tables.DownloadsOfView)
		for _, index := range []string{"PRIMARY KEY (link=? AND id=?)", "downloads_of_view (link=? AND view=?)"} {
			if !strings.Contains(plan, index) {
				t.Errorf("plan in SQLite = %s, want %s", plan, index)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
