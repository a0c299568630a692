package sqlstore

import (
	"errors"
	"path/filepath"
	"testing"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/test/sqltest"
	"vitrine/internal/test/storetest"
)

func openTestStore(tb testing.TB, path string) *Store {
	tb.Helper()
	return openStoreWith(tb, path, sqldb.UsualWaits())
}

func openStoreWith(tb testing.TB, path string, w sqldb.Waits) *Store {
	tb.Helper()
	s, err := OpenWith(path, w)
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

// TestVersionStays checks that the version of a store does not change without
// writes, or while pages are moved from the WAL.
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
			t.Errorf("version %d became %d without a write", first, v)
		}
	}
	// When its connection is lost, another connection's answer does not count
	// as unchanged.
	c, err := s.DB.Watcher.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	put("two")
	s.DB.Watcher.Release(c, false)
	if v := version(); v == first {
		t.Errorf("version = %d, want another one after a change", v)
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
		t.Errorf("version of a closed store = %d, %v, want unavailable", v, err)
	}
}
