package viewlog

import (
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/sqltest"
	"vitrine/report"
)

// TestBehind checks how many accounts wait for a roll-up, and that they are
// found by an index.
func TestBehind(t *testing.T) {
	l, g := openTestLog(t), sqltest.NewTraffic(3)
	var b vitrine.Batch
	accounts := map[vitrine.AccountID]bool{}
	for range 50 {
		v := g.Imported()
		b.Views, accounts[v.Account] = append(b.Views, v), true
	}
	if _, err := l.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	day := report.DayOf(b.Views[49].At)
	if err := l.RollUp(t.Context(), day); err != nil {
		t.Fatal(err)
	}
	for before, want := range map[report.Day]int{day: 0, day + 1: len(accounts)} {
		if n, err := l.Behind(t.Context(), before, 1000); err != nil || n != want {
			t.Errorf("%d accounts are behind, want %d: %v", n, want, err)
		}
	}
	if n, err := l.Behind(t.Context(), day+1, 1); err != nil || n != 1 {
		t.Errorf("%d accounts are behind, want at most 1: %v", n, err)
	}
	var run string
	l.db.Hook = func(query string) error { run = query; return nil }
	if _, err := l.Behind(t.Context(), day, 1); err != nil {
		t.Fatal(err)
	}
	l.db.Hook = nil
	err := l.read(t.Context(), func(tx logTx) error {
		plan, err := sqltest.SqlitePlan(tx.Tx, run)
		if !strings.Contains(plan, "accounts_rolled_up (rolled_up_until<?)") || !strings.Contains(plan, "links_of_account (account=?") {
			t.Error(plan)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
