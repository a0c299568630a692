package sink

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/links"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
	"vitrine/report/part"
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
		v := w.traffic.Open()
		if w.random.IntN(8) == 0 {
			v.Bot, v.Product = report.BotMailNetwork, "Some Scanner"
		}
		b.Views = append(b.Views, v)
	}
	w.last = append(b.Views, w.last...)
	w.last = w.last[:min(len(w.last), 300)]
	for range n {
		v := w.last[w.random.IntN(len(w.last))]
		link, id := vitrine.LinkID(v.Link), vitrine.ViewID(v.ID)
		after := w.random.Int64N(60_000)
		switch w.random.IntN(5) {
		case 0, 1, 2:
			s := vitrine.Snapshot{Link: link, View: id, At: v.At + after, Session: report.Session{EngagedMs: after / 2,
				PresentMs: after, Screen: "1200-1439", Depth: w.random.Int64N(1_000_000)}}
			if w.random.IntN(20) == 0 {
				s.Bot = report.BotAutomation
			}
			b.Snapshots = append(b.Snapshots, s)
		case 3:
			b.Downloads = append(b.Downloads, vitrine.Download{ID: vitrine.ViewIDAt(v.At+after, 1), Link: link, View: id})
		case 4:
			b.Reclasses = append(b.Reclasses, vitrine.Reclass{Link: link, View: id,
				Reclass: report.Reclass{Count: after%2 == 0, Reason: []string{"", "monitor"}[after%2]}})
		}
	}
	w.until(time.UnixMilli(b.Views[n-1].At).Add(time.Minute))
	_, err := w.Log.Append(w.T.Context(), b)
	w.must(err)
	var imported []vitrine.ViewRecord
	for range n / 4 {
		v := w.traffic.Imported()
		v.At -= 40 * 86_400_000 // days that are rolled up
		v.ID = int64(vitrine.ViewIDAt(v.At, w.random.IntN(3)))
		if s := v.Session; s != nil {
			s.Outlined = true
			for i := 0; i < len(s.Pages); i += 2 {
				s.Pages[i].Bands = part.Bands{s.Pages[i].Ms / 2, 0, s.Pages[i].Ms / 4}
			}
		}
		imported = append(imported, v)
	}
	w.lines += int64(len(imported))
	w.must(w.Log.Import(w.T.Context(), vitrine.ImportReceipt{File: [32]byte{1}, Lines: w.lines, At: w.Clock.Now()},
		imported))
}

// reclassify gives excluded views another reason, or none.
func (w *world) reclassify(reason string) {
	w.T.Helper()
	var b vitrine.Batch
	for _, v := range w.last[len(w.last)/2:] {
		b.Reclasses = append(b.Reclasses, vitrine.Reclass{Link: vitrine.LinkID(v.Link), View: vitrine.ViewID(v.ID),
			Reclass: report.Reclass{Count: reason == "", Reason: reason}})
	}
	_, err := w.Log.Append(w.T.Context(), b)
	w.must(err)
}

// same checks that the table has exactly the visits of the export, and that SQL
// gives the numbers of the reports.
func (w *world) same(when string) {
	w.T.Helper()
	w.sameRows(when)
	w.sameCounts(when)
}

// sameRows holds all visits of a link in memory.
func (w *world) sameRows(when string) {
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
			w.must(json.Unmarshal([]byte(strings.ReplaceAll(line, `,"bands":[]`, "")), &got))
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
	}
	if got := w.query("SELECT uniqExact(link) FROM visits"); got != strconv.Itoa(links) {
		w.T.Errorf("%s: rows of %s links, want %d", when, got, links)
	}
}

func (w *world) sameCounts(when string) {
	w.T.Helper()
	for _, l := range w.links {
		r, err := w.reports.Link(w.T.Context(), w.Account, string(l.Slug), analytics.In(report.RangeAll))
		if vitrine.CodeOf(err) == vitrine.CodeNotFound {
			continue
		}
		w.must(err)
		n := r.Totals
		sql := w.query("SELECT countIf(excluded = ''), uniqExactIf(viewer, excluded = ''), countIf(excluded != ''), countIf(engaged AND excluded = '' AND NOT atypical), sumIf(engagedMs, excluded = '' AND NOT atypical)" +
			fmt.Sprintf(" FROM visits FINAL WHERE link = %d", l.ID))
		vitrinetest.Equal(w.T, when+", counts by SQL", sql, fmt.Sprintf("%d\t%d\t%d\t%d\t%d", n.Views, n.Uniques,
			n.BotsExcluded, n.Sessions, n.TotalEngagedMs))
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
