package sink

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/app/analytics"
	"vitrine/internal/app/links"
	"vitrine/internal/base/durable"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// TestKilled copies a history that goes on, and ends the copy before or after a
// random step of it, twenty times. Each time another process continues. The
// table then has each visit as the export has it, once.
func TestKilled(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) { killed(t, "") })
	t.Run("PostgreSQL", func(t *testing.T) { killed(t, vitrinetest.PostgresDatabase(t)) })
}

func killed(t *testing.T, place string) {
	w := newWorld(t, vitrinetest.SharedClickHouse(t), place)
	w.happen(200)
	w.must(w.Log.RollUp(t.Context(), report.DayOf(w.Clock.Now().UnixMilli())-30))
	for kills := 0; kills < 20; {
		w.happen(20)
		if w.killed() {
			kills++
		}
	}
	s := w.sink()
	w.run(s)
	w.same("after the kills")
	var together sync.WaitGroup
	for range 3 { // processes that do not know that they have lost their lease
		other := w.sink()
		together.Go(func() {
			for range 5 {
				if err := other.Run(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 5 {
		w.happen(20)
	}
	together.Wait()
	w.run(s)
	w.same("after several copied at once")
	w.reclassify("crawler")
	w.must(w.Log.RollUp(t.Context(), report.DayOf(w.Clock.Now().UnixMilli())+1))
	w.reclassify("") // in packs
	w.happen(30)
	w.run(s)
	w.same("later")
	state, err := w.Log.CopyState(t.Context())
	if err != nil || !state.Whole || !state.Since.IsZero() {
		t.Errorf("CopyState = %+v, %v, want nothing that waits", state, err)
	}
}

// killed copies until a random step, at which the process ends. It reports
// whether it came so far.
func (w *world) killed() bool {
	w.T.Helper()
	before := durable.Step
	defer func() { durable.Step = before }()
	ctx, kill := context.WithCancel(w.T.Context())
	defer kill()
	left := 1 + w.random.IntN(9)
	durable.Step = func(string) {
		if left--; left == 0 {
			kill()
		}
	}
	err := w.sink().Run(ctx)
	if left > 0 {
		w.must(err)
	}
	return left <= 0
}

// TestDeleted checks that rows of deleted links follow within an hour, and that
// rows of expired views stay.
func TestDeleted(t *testing.T) {
	w := newWorld(t, vitrinetest.SharedClickHouse(t), "")
	w.happen(100)
	s := w.sink()
	w.run(s)
	w.must(w.Links.Delete(t.Context(), string(w.links[2].Slug), fixture.Administrator("")))
	w.must(w.Links.Purge(t.Context()))
	w.happen(10) // some of it from open pages of the deleted link
	w.Clock.Advance(time.Hour)
	w.run(s)
	w.must(w.Links.Purge(t.Context()))
	w.Clock.Advance(time.Hour)
	w.run(s)
	w.same("a link was deleted")
	rows := w.query("SELECT count() FROM visits FINAL")
	w.must(w.Log.RollUp(t.Context(), report.DayOf(w.Clock.Now().UnixMilli())+200))
	w.must(w.Log.Expire(t.Context(), report.DayOf(w.Clock.Now().UnixMilli())+100))
	w.run(s)
	vitrinetest.Equal(t, "rows after views have expired", w.query("SELECT count() FROM visits FINAL"), rows)
}

// TestDeletedDuringCopy checks that rows of deleted links are deleted while the
// first copy, which may take hours, goes on.
func TestDeletedDuringCopy(t *testing.T) {
	w := newWorld(t, vitrinetest.SharedClickHouse(t), "")
	w.happen(100)
	s := w.sink()
	w.run(s)
	was, before := batch, durable.Step
	t.Cleanup(func() { batch, durable.Step = was, before })
	batch = 10
	state, err := w.Log.CopyState(t.Context())
	w.must(err)
	_, err = w.Log.BeginCopy(t.Context(), state.Number) // copies all views again
	w.must(err)
	w.query("INSERT INTO visits (account, link) VALUES (1, 999)")
	gone := false // while the copy is not whole
	durable.Step = func(string) {
		w.Clock.Advance(5 * time.Minute)
		state, err := w.Log.CopyState(context.Background())
		w.must(err)
		gone = gone || !state.Whole && w.query("SELECT count() FROM visits WHERE link = 999") == "0"
	}
	w.run(s)
	durable.Step = before
	if !gone {
		t.Error("rows of a deleted link were kept until all views were copied")
	}
	w.same("after the copy")
}

// TestAway checks that views wait while ClickHouse is away, that this is logged
// once, and that nothing is missing afterwards.
func TestAway(t *testing.T) {
	w := newWorld(t, vitrinetest.ClickHouse(t), "")
	s := w.sink()
	w.happen(20)
	w.run(s)
	w.server.Stop()
	for range 5 {
		w.happen(20)
		w.run(s)
		w.run(w.sink()) // another process, which logs it, too
	}
	if n := strings.Count(w.logged.String(), "sink unavailable, views wait in the view log"); n != 1+5 {
		t.Errorf("%d warnings, want one of each process: %s", n, &w.logged)
	}
	state, err := w.Log.CopyState(t.Context())
	if err != nil || state.Since.IsZero() {
		t.Errorf("CopyState = %+v, %v, want changes that wait", state, err)
	}
	if err := Look(t.Context(), w.address, 77); err == nil {
		t.Error("Look finds nothing while ClickHouse is away")
	}
	w.server.Start(t)
	w.run(s)
	if n := strings.Count(w.logged.String(), "sink is available again"); n != 1 {
		t.Errorf("%d lines say that it is available again, want 1", n)
	}
	w.same("available again")
	w.must(Look(t.Context(), w.address, 77))
}

// TestTable checks what a sink does with tables that are not the copy of its
// log.
func TestTable(t *testing.T) {
	w := newWorld(t, vitrinetest.SharedClickHouse(t), "")
	w.happen(30)
	s := w.sink()
	w.run(s)
	fails := func(what, want string) {
		t.Helper()
		w.logged.Reset()
		w.run(w.sink())
		if !strings.Contains(w.logged.String(), want) {
			t.Errorf("%s: %s, want %q", what, &w.logged, want)
		}
	}
	w.query("DROP TABLE visits")
	w.run(s) // looks again once an insert has failed
	w.happen(5)
	w.run(s)
	w.run(s)
	w.same("the table was dropped")

	// The changes became too many: everything is copied once more.
	dropped, err := w.Log.DropChanges(t.Context(), MostWaiting)
	if err != nil || dropped {
		t.Errorf("DropChanges of a few = %v, %v, want false", dropped, err)
	}
	w.happen(5)
	if dropped, err = w.Log.DropChanges(t.Context(), 10); err != nil || !dropped {
		t.Errorf("DropChanges = %v, %v, want true", dropped, err)
	}
	w.happen(5) // not recorded
	w.run(s)
	w.run(s)
	w.same("the changes were dropped")

	// A table of the administrator's own making.
	w.query("DROP TABLE visits")
	w.query(strings.Replace(Table, "ENGINE", "ENGINE /* another one */", 1))
	w.run(w.sink())
	w.same("the table was made by hand")

	w.must(w.Log.SetMark(t.Context(), 77, 78))
	fails("another log", "belongs to something else, or to another view log")
	w.must(w.Log.SetMark(t.Context(), 78, 77))
	w.query("ALTER TABLE visits UPDATE qr = 1 - qr WHERE 1 SETTINGS mutations_sync = 2")
	w.query("INSERT INTO visits (account, link, change) VALUES (1, 1, 1000000)")
	fails("a restored log", "the table visits is newer than the view log")
}

// TestExamples runs the queries of the documentation. A link has changed its
// address. The first query has the numbers of reports.
func TestExamples(t *testing.T) {
	w := newWorld(t, vitrinetest.SharedClickHouse(t), "")
	w.traffic.SetStep(2 * 3_600_000)
	s := w.sink()
	for range 4 {
		w.happen(150)
		w.run(s)
	}
	address := "another-address"
	renamed, err := w.Instance.Links.Edit(t.Context(), w.Account, string(w.links[1].Slug), links.Edit{Slug: &address})
	w.must(err)
	w.links[1] = renamed
	w.happen(60)
	w.run(s)
	page, err := os.ReadFile("../../../docs/guide/query.md")
	w.must(err)
	var answers []string
	for _, block := range strings.Split(string(page), "```sql\n")[1:] {
		if sql, _, _ := strings.Cut(block, "```"); strings.HasPrefix(sql, "SELECT") {
			now := fmt.Sprintf("toDateTime(%d, 'UTC')", w.Clock.Now().Unix())
			answers = append(answers, w.query(strings.ReplaceAll(sql, "now('UTC')", now)))
		}
	}
	if len(answers) != 3 {
		t.Fatalf("the page has %d queries, want 3", len(answers))
	}
	got := slices.Sorted(strings.SplitSeq(answers[0], "\n"))
	var want []string
	for _, l := range w.links {
		r, err := w.reports.Link(t.Context(), w.Account, string(l.Slug), analytics.In(report.Range30d))
		w.must(err)
		n := r.Totals
		want = append(want, fmt.Sprintf("%d\t%s\t%d\t%d\t%d\t%v", l.ID, l.Slug, n.Views, n.Uniques, n.Sessions,
			float64(n.TotalEngagedMs)/1000))
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the first query has\n%q, reports have\n%q", got, want)
	}
}

// TestTableHasEveryField checks that the table has a column for each field of a
// visit in an export, and that the documentation shows the table.
func TestTableHasEveryField(t *testing.T) {
	visit := reflect.TypeFor[report.VisitRow]()
	var fields []string
	for i := range visit.NumField() {
		name, _, _ := strings.Cut(visit.Field(i).Tag.Get("json"), ",")
		if name != "-" && name != "sameViewer" {
			fields = append(fields, name)
		}
	}
	var columns []string
	for line := range strings.Lines(Table) {
		if name, ok := strings.CutPrefix(line, "\t"); ok {
			columns = append(columns, strings.Fields(name)[0])
		}
	}
	if want := append([]string{"account", "link", "linkId", "slug", "change"}, fields...); !slices.Equal(columns, want) {
		t.Errorf("columns are\n%q, want\n%q", columns, want)
	}
	page, err := os.ReadFile("../../../docs/guide/query.md")
	if err != nil || !strings.Contains(string(page), strings.ReplaceAll(Table, "\t", "    ")) {
		t.Errorf("docs/guide/query.md does not show the table as it is (%v)", err)
	}
}

func TestCheck(t *testing.T) {
	for address, want := range map[string]string{
		"clickhouse://u:p%40ss@db.example:9000/views":   "",
		"clickhouse://db.example/views?secure=true":     "",
		"clickhouse://db.example":                       "the database \"\"",
		"clickhouse://db.example/a-b":                   "the database \"a-b\"",
		"clickhouse://db.example/views?cluster=c":       "only parameter",
		"http://u:s3cret@db.example/views":              "the address is clickhouse://",
		"clickhouse://u:s3cret/x@db.example:8123/views": "the address is clickhouse://",
	} {
		err := Check(address)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "s3cret")) {
			t.Errorf("Check(%q) = %v, want %q", address, err, want)
		}
	}
}
