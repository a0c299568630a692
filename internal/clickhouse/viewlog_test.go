package clickhouse

import (
	"context"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/vitrinetest"
	"vitrine/internal/vitrinetest/tier"
	"vitrine/internal/vitrinetest/viewlogtest"
)

// share returns the share of random repetitions that the gate runs here,
// because each takes many statements, and the engine runs one at a time.
func share() int { return tier.Pick(8, 3) }

func TestViewLog(t *testing.T) {
	viewlogtest.Run(t, share(), func(t *testing.T) vitrine.ViewLog {
		l := openTestLog(t, vitrinetest.ClickHouseDatabase(t))
		if strings.HasSuffix(t.Name(), "Cap") { // the others read, as they have few views
			l.c.insideFrom = 0
		}
		return l
	})
}

// TestSameReports compares reports with the model's, for both ways of making
// tallies. In the gate only TestViewLog does so, for tallies that are read.
func TestSameReports(t *testing.T) {
	for _, way := range []struct {
		name       string
		insideFrom int
		history    uint64
	}{{"read", -1, 0}, {"inside", 0, 1}} {
		t.Run(way.name, func(t *testing.T) {
			if way.name == "read" {
				tier.Need(t, tier.All, "another history of reports by reading")
			}
			viewlogtest.SameReports(t, share(), func(t *testing.T) vitrine.ViewLog {
				l := openTestLog(t, vitrinetest.ClickHouseDatabase(t))
				l.c.insideFrom = way.insideFrom
				return l
			}, way.history)
		})
	}
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
