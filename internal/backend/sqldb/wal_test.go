package sqldb

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLogShrinks checks that the write-ahead log is cut when everything in it
// is in the database, less is written than before and nothing reads it, and
// that cutting waits for no reader.
func TestLogShrinks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	d, err := OpenSQLite(path, StoreSchema, UsualWaits())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	size := func() int64 {
		t.Helper()
		st, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return st.Size()
	}
	add := func(pages int) {
		t.Helper()
		err := d.Update(t.Context(), func(tx *Tx) error {
			_, err := tx.Exec("CREATE TABLE IF NOT EXISTS filler (x BLOB)")
			if err == nil {
				_, err = tx.Exec("INSERT INTO filler VALUES (zeroblob($1))", pages*pageBytes)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	grow := func() { add(2 * keptPages) }
	grow()
	long := size()
	c := d.Background.(*checkpointer)
	for range 3 { // as much is written each time
		if !c.checkpoint(false) || size() != long {
			t.Errorf("the log had %d bytes, and has %d after a checkpoint of a busy server", long, size())
		}
		grow()
	}
	// A reader of the present state lets everything be moved, but not be cut.
	err = d.Read(t.Context(), func(tx *Tx) error {
		var n int
		if err := tx.Get([]any{&n}, "SELECT count(*) FROM filler"); err != nil {
			return err
		}
		c.checkpoint(true)
		var wait int
		if err := c.db.QueryRowContext(t.Context(), "PRAGMA busy_timeout").Scan(&wait); err != nil || wait != 0 {
			t.Errorf("cutting the log waits %d ms for a reader, %v", wait, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	shrunk := func() {
		t.Helper()
		if got := size(); long < keptPages*pageBytes || got > keptPages*pageBytes {
			t.Errorf("the log had %d bytes, and has %d, want at most %d", long, got, keptPages*pageBytes)
		}
	}
	if c.checkpoint(true) {
		t.Error("the log is still long after a quiet time")
	}
	shrunk()
	grow()
	c.checkpoint(false)
	add(1) // a little, over the start of the long log
	if c.checkpoint(false) {
		t.Error("the log is still long although less is written")
	}
	shrunk()
	grow()
}
