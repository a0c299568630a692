package ingest_test

import (
	"path/filepath"
	"testing"
	"testing/synctest"

	"vitrine"
	"vitrine/internal/ingest"
	"vitrine/internal/sqlstore"
	"vitrine/internal/vitrinetest/fixture"
)

// Who puts the spools of a stopped server into the log lets nothing go, however
// old: there has been no time for the view to come.
func TestEarlyDrained(t *testing.T) {
	db, err := sqlstore.Open(filepath.Join(fixture.Databases(t), "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	l := fixture.Numbered{T: t, DB: db}.Link("drained")
	if l.ID != 1 {
		t.Fatalf("the link is number %d", l.ID)
	}
	dir := t.TempDir()
	spool, early := openSpool(t, filepath.Join(dir, "spool")), openSpool(t, filepath.Join(dir, "early"))
	old := vitrine.Snapshot{Link: l.ID, View: vitrine.ViewID(newView(0).ID)}
	gone := vitrine.Snapshot{Link: 2, View: old.View}
	if err := early.Append(vitrine.Batch{Snapshots: []vitrine.Snapshot{old, gone}}); err != nil {
		t.Fatal(err)
	}
	if err := ingest.DrainSpool(t.Context(), db, others(t), spool, early); err != nil {
		t.Error(err)
	}
	var left []vitrine.Snapshot
	if err := early.Replay(t.Context(), func(b vitrine.Batch) (vitrine.Batch,
		error) {
		left = append(left, b.Snapshots...)
		return b, nil
	}); err != nil {
		t.Error(err)
	}
	if len(left) != 1 || left[0].Link != l.ID || left[0].View != old.View {
		t.Errorf("left: %+v", left)
	}
}

// Where no other process writes to the log, nothing waits for a view that is
// not there.
func TestEarlyAlone(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		log := others(t)
		v, s, _ := startViews(t, log, dir)
		defer v.Close()
		id := vitrine.ViewID(newView(0).ID)
		if err := v.Snapshot(t.Context(), &vitrine.Snapshot{Link: 1, View: id}); err != nil || !s.Empty() {
			t.Errorf("%v; empty spool: %v", err, s.Empty())
		}
	})
}
