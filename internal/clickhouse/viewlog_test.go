package clickhouse

import (
	"context"
	"testing"

	"vitrine"
	"vitrine/internal/vitrinetest"
)

func TestViewLog(t *testing.T) {
	vitrinetest.ViewLog(t, func(t *testing.T) vitrine.ViewLog { return openTestLog(t, vitrinetest.ClickHouseDatabase(t)) })
}

// TestViewLogInside is TestViewLog with tallies that the database counts.
func TestViewLogInside(t *testing.T) {
	vitrinetest.ViewLog(t, func(t *testing.T) vitrine.ViewLog {
		l := openTestLog(t, vitrinetest.ClickHouseDatabase(t))
		l.c.insideFrom = 0
		return l
	})
}

func openTestLog(t testing.TB, address string) *ViewLog {
	t.Helper()
	l, err := Open(context.Background(), address, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}
