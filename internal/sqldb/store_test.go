package sqldb

import (
	"path/filepath"
	"testing"

	"vitrine"
	"vitrine/internal/vitrinetest"
)

func openTestStore(tb testing.TB, path string) *Store {
	tb.Helper()
	s, err := OpenStore(path)
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
	vitrinetest.Store(t, func(t *testing.T) vitrine.Store {
		return openTestStore(t, filepath.Join(t.TempDir(), "store.db"))
	})
}
