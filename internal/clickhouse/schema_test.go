package clickhouse

import (
	"fmt"
	"strings"
	"testing"
	"vitrine"

	"vitrine/internal/vitrinetest"
	"vitrine/report"
)

// TestNewer checks that a database of a newer version is refused and not
// changed.
func TestNewer(t *testing.T) {
	address := vitrinetest.ClickHouseDatabase(t)
	l := openTestLog(t, address)
	t.Cleanup(func() {
		if err := l.c.exec(ctx, "DELETE FROM migrations WHERE number = 99", nil); err != nil {
			t.Error(err)
		}
	})
	if err := l.c.exec(ctx, "INSERT INTO migrations (number) VALUES (99)", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(ctx, address, Options{}); err == nil || !strings.Contains(err.Error(), "schema version 99") ||
		!strings.Contains(err.Error(), "newer version") {
		t.Errorf("Open of a database of version 99 = %v", err)
	}
}

// TestClusterSchema parses the statements for a cluster with an engine that has
// none.
func TestClusterSchema(t *testing.T) {
	l := openTestLog(t, vitrinetest.ClickHouseDatabase(t))
	a := l.c.address
	a.cluster = "main"
	var all []string
	for _, m := range migrations {
		all = append(all, m(a)...)
	}
	all = append(all, versions(a)...)
	distributed := 0
	for _, sql := range all {
		if err := l.c.exec(ctx, "EXPLAIN AST "+sql, nil); err != nil {
			t.Errorf("EXPLAIN AST: %v\n%s", err, sql)
		}
		if !strings.Contains(sql, " ON CLUSTER 'main'") {
			t.Errorf("statement without ON CLUSTER: %s", sql)
		}
		if strings.Contains(sql, "Distributed(") {
			distributed++
		} else if verb, _, _ := strings.Cut(sql, " "); verb == "CREATE" &&
			!strings.Contains(sql, "ENGINE = Replicated") {
			t.Errorf("table without a replicated engine: %s", sql)
		}
	}
	if distributed != 7 {
		t.Errorf("%d distributed tables, want 7", distributed)
	}
}

func TestSteps(t *testing.T) {
	steps := []step{{stepInsert, "links (link, account)", []byte("rows")}, {kind: stepErase, data: numbers(1, 2)}}
	var w rows
	appendSteps(&w, steps)
	got, err := readSteps(w.b)
	if err != nil || len(got) != 2 || string(got[0].data) != "rows" || got[0].into != steps[0].into ||
		string(got[1].data) != string(steps[1].data) {
		t.Errorf("steps read back = %q, %v", got, err)
	}
	for n := range w.b {
		if _, err := readSteps(w.b[:n]); err == nil {
			t.Errorf("readSteps of the first %d of %d bytes succeeds, want an error", n, len(w.b))
		}
	}
	var odd rows
	appendSteps(&odd, []step{{stepInsert, "links (link) SELECT 1 --", nil}})
	if _, err := readSteps(odd.b); err == nil {
		t.Error("readSteps accepts any statement as a table")
	}
}

// TestSpentHasTheRules checks that the column that says whether a session
// counts has the rules of today.
func TestSpentHasTheRules(t *testing.T) {
	r := report.CountingRules()
	for _, part := range []string{
		fmt.Sprintf("engaged >= %d OR present >= %d", r.AtypicalEngagedMs, r.AtypicalPresentMs),
		fmt.Sprintf("least(greatest(engaged, 0), %d)", r.MaxMs),
	} {
		if !strings.Contains(spentOnViews, part) {
			t.Errorf("%s has other rules than %q: add a column of another name", spentOnViews, part)
		}
	}
}

// TestUpgradeBuildsAgain checks that tallies of an older schema are rebuilt,
// and that views that were stored before have the columns that were added
// since.
func TestUpgradeBuildsAgain(t *testing.T) {
	place := vitrinetest.ClickHouseDatabase(t)
	l := openTestLog(t, place)
	g := vitrinetest.NewTraffic(4, 257*60_000)
	var views []vitrine.ViewRecord
	for range 100 {
		views = append(views, g.Imported())
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(l.Import(ctx, vitrine.ImportReceipt{File: [32]byte{1}, Lines: 1}, views))
	last := report.DayOf(views[len(views)-1].At)
	must(l.RollUp(ctx, last))
	trusted := func(when string, want report.Day) {
		t.Helper()
		if got, err := l.c.trust(ctx, 1); err != nil || got.before() != want {
			t.Errorf("%s: tallies are right before %v, %v, want %v", when, got.before(), err, want)
		}
	}
	trusted("settled", last)
	must(l.c.exec(ctx, "DELETE FROM migrations WHERE number >= 4", nil))
	must(l.c.exec(ctx, "ALTER TABLE opens DROP COLUMN spent", nil))
	l = openTestLog(t, place)
	sameInside(t, l, vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1}, From: report.DayOf(views[0].At), To: last + 1})
	trusted("upgraded", 0)
	must(l.RollUp(ctx, last))
	trusted("built again", last)
	must(l.Audit(ctx, true, func(fault string, _ bool) { t.Error(fault) }))
}
