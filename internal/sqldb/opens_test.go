package sqldb

import (
	"strings"
	"testing"

	"vitrine/internal/vitrinetest"
)

// The newest views with engagement data are found without reading the views
// that have none, of which there may be millions.
func TestRecentPlans(t *testing.T) {
	l := openTestLog(t)
	err := l.db.read(t.Context(), func(tx *tx) error {
		plan, err := sqlitePlan(tx, logTx{tx}.selectRecent())
		if !strings.Contains(plan, "opens_engaged") || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("SQLite: %s", plan)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := OpenViewLog(vitrinetest.PostgresDatabase(t))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	err = p.db.read(t.Context(), func(tx *tx) error {
		plan, err := planOf(tx, logTx{tx}.selectRecent())
		if !strings.Contains(plan, "opens_engaged") || strings.Contains(plan, "Sort") {
			t.Errorf("PostgreSQL: %s", plan)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
