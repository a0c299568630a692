package ingest_test

import (
	"path/filepath"
	"testing"
	"testing/synctest"

	"vitrine"
	"vitrine/internal/app/ingest"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/test/fixture"
)

// TestEarlyDrained checks that draining a stopped server's spools drops no
// early event, however old, because its view had no time to arrive.
func TestEarlyDrained(t *testing.T) {
	db, err := sqlstore.Open(filepath.Join(fixture.Databases(t), "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	l := fixture.Numbered{T: t, DB: db}.Link("drained")
	if l.ID != 1 {
		t.Fatalf("ID of the link = %d, want 1", l.ID)
	}
	dir := t.TempDir()
	spool, early := openSpool(t, filepath.Join(dir, "spool")), openSpool(t, filepath.Join(dir, "early"))
	old := vitrine.Snapshot{Link: l.ID, View: vitrine.ViewID(newView(0).ID)}
	gone := vitrine.Snapshot{Link: 2, View: old.View}
	if err := early.Append(vitrine.Batch{Snapshots: []vitrine.Snapshot{old, gone}}); err != nil {
		t.Fatal(err)
	}
	if err := ingest.DrainSpool(t.Context(), db, sharedLog(t), spool, early); err != nil {
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
		t.Errorf("early events left = %+v, want the one of the old view", left)
	}
}

// TestEarlyAlone checks that nothing waits for a missing view if no other
// process writes to the log.
func TestEarlyAlone(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		log := sharedLog(t)
		v, s, _ := startViews(t, log, dir)
		defer v.Close()
		id := vitrine.ViewID(newView(0).ID)
		if err := v.Snapshot(t.Context(), &vitrine.Snapshot{Link: 1, View: id}); err != nil || !s.Empty() {
			t.Errorf("Snapshot = %v, spool empty = %v, want no error and true", err, s.Empty())
		}
	})
}
