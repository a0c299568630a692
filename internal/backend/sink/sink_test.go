package sink

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/links"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/base/durable"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// world is an instance whose views are copied.
type world struct {
	*fixture.Instance
	server  *vitrinetest.ClickHouseServer
	address string
	reports *analytics.Service
	logged  bytes.Buffer
	logger  *slog.Logger
	random  *rand.Rand
	traffic *vitrinetest.Traffic
	links   []*vitrine.Link
	last    []vitrine.ViewRecord // the newest views
	lines   int64                // imported so far
}

// newWorld returns an instance whose view log is in a SQLite file, or at an
// address of PostgreSQL.
func newWorld(t *testing.T, server *vitrinetest.ClickHouseServer, place string) *world {
	t.Helper()
	log := openLog(t, place)
	w := &world{server: server, Instance: fixture.New(t),
		random: rand.New(rand.NewPCG(vitrinetest.Seed(t), 1)), traffic: vitrinetest.NewTraffic(5, 60_000)}
	w.Log, w.Instance.Links.Log = log, log
	w.logger = slog.New(slog.NewTextHandler(&w.logged, nil))
	w.address = w.server.Database(t)
	w.reports = &analytics.Service{Store: w.Store, Log: w.Log, Signer: signer.New([]byte("k")), Now: w.Clock.Now,
		URL: func(s vitrine.Slug) string { return "https://share.example/p/" + string(s) }}
	old := &links.Service{Store: w.Store, Now: func() time.Time { return vitrinetest.Epoch.AddDate(0, -3, 0) }}
	for i := range 5 {
		w.links = append(w.links, fixture.AddLink(t, old, w.Account, fmt.Sprintf("link-%d", i)))
	}
	w.must(w.Log.SetMark(t.Context(), 0, 77))
	return w
}

func openLog(t testing.TB, place string) *viewlog.ViewLog {
	t.Helper()
	log, err := viewlog.Open(cmp.Or(place, filepath.Join(t.TempDir(), "views.db")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	return log
}

func (w *world) must(err error) {
	w.T.Helper()
	if err != nil {
		w.T.Fatal(err)
	}
}

// sink returns the sink of a new process.
func (w *world) sink() *Sink {
	w.T.Helper()
	s, err := New(w.address, w.Log, w.reports.VisitsOf, w.Clock.Now, w.logger)
	w.must(err)
	return s
}

func (w *world) run(s *Sink) {
	w.T.Helper()
	w.must(s.Run(w.T.Context()))
}

// until moves the clock to a time, unless it is later already.
func (w *world) until(at time.Time) {
	if d := at.Sub(w.Clock.Now()); d > 0 {
		w.Clock.Advance(d)
	}
}

// query returns the answer to a statement.
func (w *world) query(sql string) string {
	w.T.Helper()
	_, database, _ := strings.Cut(strings.TrimPrefix(w.address, "clickhouse://"), "/")
	return strings.TrimSpace(w.server.Exec(w.T, strings.ReplaceAll(sql, "visits", database+".visits")))
}

// happen adds views and changes stored ones, in every way in which a log
// changes.
func (w *world) happen(n int) {
	w.T.Helper()
	var b vitrine.Batch
	for range n {
		o := w.traffic.Open()
		if w.random.IntN(8) == 0 {
			o.Bot, o.Product = report.BotUndecided, "Some Scanner"
		}
		b.Views = append(b.Views, o)
	}
	w.last = append(b.Views, w.last...)
	w.last = w.last[:min(len(w.last), 300)]
	for range n {
		o := w.last[w.random.IntN(len(w.last))]
		link, id := vitrine.LinkID(o.Link), vitrine.ViewID(o.ID)
		after := w.random.Int64N(60_000)
		switch w.random.IntN(5) {
		case 0, 1, 2:
			s := vitrine.Snapshot{Link: link, View: id, At: o.At + after, Session: report.Session{EngagedMs: after / 2,
				PresentMs: after, Screen: "1200-1439", Depth: w.random.Int64N(1_000_000)}}
			if w.random.IntN(20) == 0 {
				s.Bot = vitrine.BotAutomation
			}
			b.Snapshots = append(b.Snapshots, s)
		case 3:
			b.Downloads = append(b.Downloads, vitrine.Download{ID: vitrine.ViewIDAt(o.At+after, 1), Link: link, View: id})
		case 4:
			b.Reclasses = append(b.Reclasses, vitrine.Reclass{Link: link, View: id, Count: after%2 == 0,
				Reason: []string{"", "monitor"}[after%2]})
		}
	}
	w.until(time.UnixMilli(b.Views[n-1].At).Add(time.Minute))
	_, err := w.Log.Append(w.T.Context(), b)
	w.must(err)
	var imported []vitrine.ViewRecord
	for range n / 4 {
		o := w.traffic.Imported()
		o.At -= 40 * 86_400_000 // days that are rolled up
		o.ID = int64(vitrine.ViewIDAt(o.At, w.random.IntN(3)))
		imported = append(imported, o)
	}
	w.lines += int64(len(imported))
	w.must(w.Log.Import(w.T.Context(), vitrine.ImportReceipt{File: [32]byte{1}, Lines: w.lines, At: w.Clock.Now()},
		imported))
}

// reclassify gives excluded views another reason, or none.
func (w *world) reclassify(reason string) {
	w.T.Helper()
	var b vitrine.Batch
	for _, o := range w.last[len(w.last)/2:] {
		b.Reclasses = append(b.Reclasses, vitrine.Reclass{Link: vitrine.LinkID(o.Link), View: vitrine.ViewID(o.ID),
			Count: reason == "", Reason: reason})
	}
	_, err := w.Log.Append(w.T.Context(), b)
	w.must(err)
}

// same checks that the table has exactly the visits of the export, and that SQL
// gives the numbers of the reports.
func (w *world) same(when string) {
	w.T.Helper()
	links := 0
	for _, l := range w.links {
		want := map[string]map[string]any{}
		err := w.reports.EachVisit(w.T.Context(), w.Account, string(l.Slug), analytics.VisitQuery{All: true},
			func(v *report.VisitRow) error {
				want[v.ID] = decoded(w.T, v)
				return nil
			})
		if vitrine.CodeOf(err) == vitrine.CodeNotFound {
			continue
		}
		w.must(err)
		links++
		where := fmt.Sprintf(" FROM visits FINAL WHERE link = %d", l.ID)
		text := w.query("SELECT * EXCEPT (account, link, linkId, slug, change)" + where +
			" SETTINGS date_time_output_format = 'iso', output_format_json_quote_64bit_integers = 0 FORMAT JSONEachRow")
		rows := 0
		for line := range strings.Lines(text) {
			var got map[string]any
			w.must(json.Unmarshal([]byte(line), &got))
			rows++
			for name, value := range want[got["id"].(string)] {
				if !reflect.DeepEqual(got[name], value) {
					w.T.Fatalf("%s: visit %s of link %d: %s = %v, want %v", when, got["id"], l.ID, name, got[name], value)
				}
			}
		}
		if rows != len(want) || rows == 0 {
			w.T.Errorf("%s: %d rows of link %d, want %d", when, rows, l.ID, len(want))
		}
		r, err := w.reports.Link(w.T.Context(), w.Account, string(l.Slug), analytics.In(report.RangeAll))
		w.must(err)
		n := r.Totals
		sql := w.query("SELECT countIf(excluded = ''), uniqExactIf(viewer, excluded = ''), countIf(excluded != ''), countIf(engaged AND excluded = '' AND NOT atypical), sumIf(engagedMs, excluded = '' AND NOT atypical)" + where)
		vitrinetest.Equal(w.T, when+", counts by SQL", sql, fmt.Sprintf("%d\t%d\t%d\t%d\t%d", n.Views, n.Uniques,
			n.BotsExcluded, n.Sessions, n.TotalEngagedMs))
	}
	if got := w.query("SELECT uniqExact(link) FROM visits"); got != strconv.Itoa(links) {
		w.T.Errorf("%s: rows of %s links, want %d", when, got, links)
	}
}

func decoded(t *testing.T, v any) (m map[string]any) {
	t.Helper()
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

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
	before := durable.Step
	t.Cleanup(func() { durable.Step = before })
	for kills := 0; kills < 20; {
		w.happen(20)
		ctx, kill := context.WithCancel(t.Context())
		left := 1 + w.random.IntN(9)
		durable.Step = func(string) {
			if left--; left == 0 {
				kill()
			}
		}
		err := w.sink().Run(ctx)
		durable.Step = before
		if kill(); left <= 0 {
			kills++
		} else if err != nil {
			t.Fatal(err)
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

// TestDeleted checks that rows of deleted links follow within an hour, and that
// rows of expired views stay.
func TestDeleted(t *testing.T) {
	w := newWorld(t, vitrinetest.SharedClickHouse(t), "")
	w.happen(100)
	s := w.sink()
	w.run(s)
	w.must(w.Links.Delete(t.Context(), string(w.links[2].Slug), fixture.Operator("")))
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
