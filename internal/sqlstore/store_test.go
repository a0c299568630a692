package sqlstore

import (
	"errors"
	"path/filepath"
	"testing"

	"vitrine"
	"vitrine/internal/vitrinetest/sqltest"
	"vitrine/internal/vitrinetest/storetest"
)

func openTestStore(tb testing.TB, path string) *Store {
	tb.Helper()
	s, err := Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) vitrine.Store {
		return openTestStore(t, filepath.Join(t.TempDir(), "store.db"))
	})
	storetest.RunShared(t, 0, func(t *testing.T) (one, other vitrine.Store) {
		path := filepath.Join(t.TempDir(), "store.db")
		return openTestStore(t, path), openTestStore(t, path)
	})
}

// The version of a store is worth asking for: it stays while nothing is
// written, and while what was written is moved.
func TestVersionStays(t *testing.T) {
	s := openTestStore(t, filepath.Join(t.TempDir(), "store.db"))
	put := func(value string) {
		err := s.Update(t.Context(), func(tx vitrine.Tx) error { return tx.PutSecret("s", []byte(value)) })
		if err != nil {
			t.Fatal(err)
		}
	}
	version := func() int64 {
		t.Helper()
		v, err := s.Version(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	put("one")
	first := version()
	for range 3 {
		if err := s.Read(t.Context(), func(tx vitrine.Tx) error { _, err := tx.Secret("s"); return err }); err != nil {
			t.Fatal(err)
		}
		if _, err := s.DB.Writer.DB.Exec("PRAGMA wal_checkpoint(PASSIVE)"); err != nil {
			t.Fatal(err)
		}
		if v := version(); v != first {
			t.Errorf("version %d became %d, and nothing was written", first, v)
		}
	}
	// The connection that it is asked by is lost: what another one says is not
	// taken for the same.
	c, err := s.DB.Watcher.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	put("two")
	s.DB.Watcher.Release(c, false)
	if v := version(); v == first {
		t.Errorf("version %d, after a change", v)
	}
}

func TestVersionOfClosedStore(t *testing.T) {
	s, err := Open(sqltest.NewPlace(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var e *vitrine.Error
	if v, err := s.Version(t.Context()); !errors.As(err, &e) || e.Code != vitrine.CodeUnavailable {
		t.Errorf("version %d of a closed store, %v", v, err)
	}
}
