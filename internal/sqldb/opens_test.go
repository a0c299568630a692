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
		var plan []string
		err := tx.each(func(s scanner) error {
			var id, parent, unused int64
			var step string
			err := s.Scan(&id, &parent, &unused, &step)
			plan = append(plan, step)
			return err
		}, "EXPLAIN QUERY PLAN "+tx.dialect.selectRecent(), 1, 2, 3, 4)
		if all := strings.Join(plan, "; "); !strings.Contains(all, "opens_engaged") || strings.Contains(all, "TEMP B-TREE") {
			t.Errorf("SQLite: %s", all)
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
		plan, err := planOf(tx, tx.dialect.selectRecent())
		if !strings.Contains(plan, "opens_engaged") || strings.Contains(plan, "Sort") {
			t.Errorf("PostgreSQL: %s", plan)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
