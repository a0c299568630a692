package sqldb

import (
	"path/filepath"
	"testing"

	"vitrine"
	"vitrine/internal/vitrinetest"
	"vitrine/internal/vitrinetest/tier"
)

func TestViewLog(t *testing.T) {
	vitrinetest.ViewLog(t, 1, func(t *testing.T) vitrine.ViewLog { return openTestLog(t) })
}

// TestViewLogOfFew is TestViewLog with tallies stored of the fewest opens.
func TestViewLogOfFew(t *testing.T) {
	vitrinetest.ViewLog(t, tier.Pick(5, 1), func(t *testing.T) vitrine.ViewLog {
		l := openTestLog(t)
		l.least = least{1, 1, 1}
		return l
	})
}

// newPlace is where a test has a database of its own: in a file, unless the test is run once more for PostgreSQL.
var newPlace = func(tb testing.TB) string { return filepath.Join(tb.TempDir(), "vitrine.db") }

// onPostgres reports whether a test is run once more for PostgreSQL.
var onPostgres bool

// repeated returns share where a test is run once more for PostgreSQL, and 1 the
// first time: random repetitions are tried in full on one backend.
func repeated(share int) int {
	if onPostgres {
		return share
	}
	return 1
}

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
	vitrinetest.SameReports(t, repeated(tier.Pick(4, 1)), func(t *testing.T) vitrine.ViewLog { return openTestLog(t) })
}
