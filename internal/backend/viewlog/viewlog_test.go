package viewlog

import (
	"testing"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/test/sqltest"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/viewlogtest"
)

func TestViewLog(t *testing.T) {
	viewlogtest.Run(t, 1, func(t *testing.T) vitrine.ViewLog { return openTestLog(t) })
}

// TestViewLogOfFew runs TestViewLog with tallies stored from the first view on.
func TestViewLogOfFew(t *testing.T) {
	viewlogtest.Run(t, tier.Pick(5, 1), func(t *testing.T) vitrine.ViewLog {
		l := openTestLog(t)
		l.least = minViews{1, 1, 1}
		return l
	})
}

func openTestLog(tb testing.TB) *ViewLog {
	tb.Helper()
	l, err := Open(sqltest.NewPlace(tb))
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

// TestSameReports checks that reports do not depend on the database.
func TestSameReports(t *testing.T) {
	viewlogtest.SameReports(t, sqltest.Repeated(tier.Pick(4, 1)),
		func(t *testing.T) vitrine.ViewLog { return openTestLog(t) })
}

func openTestStore(tb testing.TB, place string) *sqlstore.Store {
	tb.Helper()
	return openStoreWith(tb, place, sqldb.UsualWaits())
}

func openStoreWith(tb testing.TB, place string, w sqldb.Waits) *sqlstore.Store {
	tb.Helper()
	s, err := sqlstore.OpenWith(place, w)
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
