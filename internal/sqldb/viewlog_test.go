package sqldb

import (
	"path/filepath"
	"testing"

	"vitrine"
	"vitrine/internal/vitrinetest"
)

func TestViewLog(t *testing.T) {
	vitrinetest.ViewLog(t, func(t *testing.T) vitrine.ViewLog { return openTestLog(t) })
}

// TestViewLogOfFew is TestViewLog with tallies stored of the fewest opens.
func TestViewLogOfFew(t *testing.T) {
	vitrinetest.ViewLog(t, func(t *testing.T) vitrine.ViewLog {
		l := openTestLog(t)
		l.least = least{1, 1, 1}
		return l
	})
}

// newPlace is where a test has a database of its own: in a file, unless the test is run once more for PostgreSQL.
var newPlace = func(tb testing.TB) string { return filepath.Join(tb.TempDir(), "vitrine.db") }

func openTestLog(tb testing.TB) *ViewLog {
	tb.Helper()
	l, err := OpenViewLog(newPlace(tb))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := l.Close(); err != nil {
			tb.Error(err)
		}
	})
	return l
}

// Reports do not tell which database they are from.
func TestSameReports(t *testing.T) {
	vitrinetest.SameReports(t, func(t *testing.T) vitrine.ViewLog { return openTestLog(t) })
}
