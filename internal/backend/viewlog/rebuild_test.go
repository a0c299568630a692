package viewlog

import (
	"math/rand/v2"
	"testing"

	"vitrine"
	"vitrine/report"
)

// TestRebuild checks that missing or damaged tallies are rebuilt, and that
// nothing is rebuilt if all are right.
func TestRebuild(t *testing.T) {
	const d = firstTestDay
	for _, harm := range []string{
		"DELETE FROM tallies WHERE account = 1 AND link = 0 AND level = 0",
		"DELETE FROM tallies WHERE account = 1 AND link = 0 AND level = 0 AND day % 3 = 1",
		"DELETE FROM daily_views WHERE account = 1",
		"DELETE FROM times WHERE account = 1",
		"UPDATE tallies SET head = x'00' WHERE account = 1",
		"UPDATE tallies SET body = x'00' WHERE account = 1 AND link > 0",
		"UPDATE daily_views SET data = x'00' WHERE account = 1 AND day % 7 = 1",
	} {
		l := openTestLog(t)
		l.least = minViews{1, 1, 1}
		r := randomHistory{rand.New(rand.NewPCG(9, 9)), d, 100, 4, 12}
		h := newFacts()
		if err := importViews(t, l, 1, r.imports(h, 300)...); err != nil {
			t.Fatal(err)
		}
		rollUp(t, l, d+100)
		rebuild := func() (accounts []vitrine.AccountID) {
			t.Helper()
			err := l.Rebuild(t.Context(), func(a vitrine.AccountID, from report.Day) {
				accounts = append(accounts, a)
				if from < d-1 || from > d+100 {
					t.Errorf("%s: views are kept from %v on", harm, from)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			return accounts
		}
		if got := rebuild(); got != nil {
			t.Errorf("nothing is wrong, but accounts %v were rebuilt", got)
		}
		tamper(t, l, harm)
		if faults(t, l) == nil {
			t.Errorf("%s: the audit finds nothing", harm)
		}
		if got := rebuild(); len(got) != 1 || got[0] != 1 {
			t.Errorf("%s: accounts %v were rebuilt, want 1", harm, got)
		}
		clean(t, l)
		r.windows(t, h, l, 10)
		if got := rebuild(); got != nil {
			t.Errorf("%s: accounts %v were rebuilt again", harm, got)
		}
	}
}

// TestRebuildWaits checks that Rebuild waits for a process that makes rollups,
// and then makes them right.
func TestRebuildWaits(t *testing.T) {
	one, other := twoLogs(t)
	rollUp(t, one, firstTestDay+20)
	tamper(t, one, "DELETE FROM daily_views")
	unlock, err := one.db.Lock(t.Context(), "rollup", false)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- other.Rebuild(t.Context(), func(vitrine.AccountID, report.Day) {}) }()
	select {
	case err := <-done:
		t.Fatalf("Rebuild did not wait: %v", err)
	default:
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	clean(t, one)
}
