package analytics_test

import (
	"encoding/json"
	"math/rand/v2"
	"sync"
	"testing"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/test/sqltest"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// TestBesideServer checks that a server that writes, reads and rolls up during
// a reclassification loses nothing, and that its reports are right afterwards,
// also for days that it has cached.
func TestBesideServer(t *testing.T) {
	for _, backend := range []struct {
		name  string
		place func(t *testing.T) (open func() vitrine.ViewLog)
	}{
		{"SQLite", inSQL},
		{"PostgreSQL", func(t *testing.T) func() vitrine.ViewLog {
			sqltest.InPostgres(t)
			return inSQL(t)
		}},
	} {
		t.Run(backend.name, func(t *testing.T) { besideServer(t, backend.place(t)) })
	}
}

func inSQL(t *testing.T) func() vitrine.ViewLog {
	place := sqltest.NewPlace(t)
	return func() vitrine.ViewLog {
		log, err := viewlog.Open(place)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { log.Close() })
		return log
	}
}

func besideServer(t *testing.T, open func() vitrine.ViewLog) {
	const links, days = 3, 6
	server, admin := open(), open()
	r := rand.New(rand.NewPCG(vitrinetest.Seed(t), 0))
	reasons := [][2]string{{}, {"crawler", "A"}, {"crawler", "B"}, {"mail_network", "C"}, {"own", ""}}
	write := func(batches, n int) {
		for range batches {
			var b vitrine.Batch
			for range n {
				link, class := 1+r.Int64N(links), reasons[r.IntN(len(reasons))]
				id := vitrine.ViewIDAt((day+report.Day(r.IntN(days))).StartMs()+r.Int64N(86_400_000), r.IntN(9))
				b.Views = append(b.Views, vitrine.ViewRecord{Account: 1, View: report.View{ID: int64(id), At: id.Ms(),
					Link: link, Viewer: r.Uint64N(20), Bot: class[0], Product: class[1], Own: class[0] == "own"}})
				if r.IntN(3) == 0 {
					b.Downloads = append(b.Downloads, vitrine.Download{ID: id, Link: vitrine.LinkID(link), View: id})
					b.Snapshots = append(b.Snapshots, vitrine.Snapshot{Link: vitrine.LinkID(link), View: id,
						At: id.Ms() + 9000, Session: report.Session{EngagedMs: r.Int64N(3000), PresentMs: 4000}})
				}
			}
			if _, err := server.Append(t.Context(), b); err != nil {
				t.Error(err)
			}
			reportsOf(t, server, days, links)
		}
	}
	write(3, 60)
	if err := server.RollUp(t.Context(), day+3); err != nil {
		t.Fatal(err)
	}
	reportsOf(t, server, days, links)
	ruleSets := []map[string]string{{"A": "", "B": "monitor", "C": ""}, {"A": "monitor", "B": "", "C": "mail_scanner"},
		{}}
	for _, rule := range ruleSets {
		s := &analytics.Reclassify{Log: admin, Rule: rules(rule)}
		var together sync.WaitGroup
		together.Go(func() { write(4, 30) })
		together.Go(func() {
			if err := server.RollUp(t.Context(), day+4); err != nil {
				t.Error(err)
			}
		})
		if _, err := s.Run(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		together.Wait()
		if _, err := s.Run(t.Context(), true); err != nil { // what arrived in the meantime
			t.Fatal(err)
		}
		fresh := reportsOf(t, open(), days, links)
		vitrinetest.Equal(t, "what the server tells", reportsOf(t, server, days, links), fresh)
		vitrinetest.Equal(t, "what the administrator is told", reportsOf(t, admin, days, links), fresh)
		audit(t, server)
		if got := allClasses(t, admin, links); rule["A"] == "" && len(rule) > 0 && got["crawler A"] != 0 {
			t.Errorf("views of crawlers are left: %v", got)
		}
	}
}

func allClasses(t *testing.T, log vitrine.ViewLog, links vitrine.LinkID) map[string]int {
	all := map[string]int{}
	for link := range links {
		for class, n := range byClass(t, log, link+1) {
			all[class] += n
		}
	}
	return all
}

// reportsOf returns all reports of a log on an account and its links as text.
func reportsOf(t *testing.T, log vitrine.ViewLog, days report.Day, links vitrine.LinkID) string {
	t.Helper()
	var all []any
	for link := range links + 1 {
		s := vitrine.Scope{Account: 1, Link: link}
		tally, _, err := log.Tally(t.Context(), vitrine.TallyQuery{Scope: s, From: day, To: day + days})
		if err != nil {
			t.Error(err)
			return ""
		}
		w := report.Window{Key: report.RangeAll, From: day, To: day + days}
		all = append(all, report.ForLink(report.Link{}, w, tally, nil, nil), tally.Products())
	}
	b, err := json.Marshal(all)
	if err != nil {
		t.Error(err)
	}
	return string(b)
}
