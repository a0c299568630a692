package viewlog

import (
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/test/sqltest"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/viewlogtest"
	"vitrine/report"
)

// TestScans checks that no statement that the log runs reads a whole table. Its
// statements are those of the suite of its port.
func TestScans(t *testing.T) {
	testScans(t, map[string]string{
		"WITH RECURSIVE a":                   "one row for each account, as found by an index",
		"SELECT account FROM accounts UNION": "the audit",
		"FROM account_counts":                "the audit",
		"NOT deleting GROUP BY account":      "the audit",
		"FROM tallies":                       "the audit",
		"FROM daily_views":                   "the audit",
	})
}

// TestDeletedLinksAreFound checks that the links of an account that are being
// deleted are found by the index, and not among all its links.
func TestDeletedLinksAreFound(t *testing.T) {
	l, g := openTestLog(t), sqltest.NewTraffic(1)
	var b vitrine.Batch
	for range 100 {
		b.Views = append(b.Views, g.Imported())
	}
	if _, err := l.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	v := b.Views[99]
	if err := l.RollUp(t.Context(), report.DayOf(v.At)+1); err != nil {
		t.Fatal(err)
	}
	var run string
	l.db.Hook = func(query string) error {
		if strings.Contains(query, " deleting") && !strings.Contains(query, "NOT deleting") {
			run = query
		}
		return nil
	}
	err := l.read(t.Context(), func(tx logTx) error {
		if _, err := tx.History(v.Account); err != nil {
			return err
		}
		plan, err := sqltest.SqlitePlan(tx.Tx, run)
		if !strings.Contains(plan, "(account=? AND deleting=?)") {
			t.Errorf("%s: %s", run, plan)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestPostgresScans is TestScans on PostgreSQL.
func TestPostgresScans(t *testing.T) {
	tier.Need(t, tier.All, "the suite once more, on PostgreSQL")
	sqltest.InPostgres(t)
	testScans(t, map[string]string{"FROM account_counts": "the audit"})
}

func testScans(t *testing.T, excused map[string]string) {
	var run sqltest.Statements
	viewlogtest.Run(t, 5, func(t *testing.T) vitrine.ViewLog {
		l := openTestLog(t)
		l.least = minViews{1, 1, 1}
		run.Watch(l.db)
		return l
	})
	l := openTestLog(t)
	g := sqltest.NewTraffic(200)
	last := int64(0)
	for range 8 {
		var b vitrine.Batch
		for range 500 {
			v := g.Imported()
			last = v.At
			b.Views = append(b.Views, v)
		}
		if _, err := l.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.RollUp(t.Context(), report.DayOf(last)); err != nil {
		t.Fatal(err)
	}
	err := l.db.Update(t.Context(), func(tx *sqldb.Tx) error { _, err := tx.Exec("ANALYZE"); return err })
	if err != nil {
		t.Fatal(err)
	}
	run.CheckScans(t, l.db, excused)
}
