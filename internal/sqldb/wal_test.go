package sqldb

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLogShrinks checks that the write-ahead log is cut when everything in it
// is in the database and nothing reads it, and that cutting waits for no
// reader.
func TestLogShrinks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	d, err := OpenSQLite(path, StoreSchema)
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
	grow := func() {
		t.Helper()
		err := d.Update(t.Context(), func(tx *Tx) error {
			_, err := tx.Exec("CREATE TABLE IF NOT EXISTS filler (x BLOB)")
			if err == nil {
				_, err = tx.Exec("INSERT INTO filler VALUES (zeroblob($1))", 2*keptPages*pageBytes)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	grow()
	long := size()
	c := d.Background.(*checkpointer)
	// A reader of the present state lets everything be moved, but not be cut.
	err = d.Read(t.Context(), func(tx *Tx) error {
		var n int
		if err := tx.Get([]any{&n}, "SELECT count(*) FROM filler"); err != nil {
			return err
		}
		c.checkpoint()
		var wait int
		if err := c.db.QueryRowContext(t.Context(), "PRAGMA busy_timeout").Scan(&wait); err != nil || wait != 0 {
			t.Errorf("cutting the log waits %d ms for a reader, %v", wait, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	c.checkpoint()
	if got := size(); long < keptPages*pageBytes || got > keptPages*pageBytes {
		t.Errorf("the log had %d bytes, and has %d, want at most %d", long, got, keptPages*pageBytes)
	}
	grow()
}
