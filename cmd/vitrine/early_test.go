package main

import (
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/backend/spool"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/cli/instance"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

var beaconAddress = regexp.MustCompile(`/p/[^/"]+/beacon\?v=[^"&]+`)

// TestEarlyFleet loads pages from one server while the view log is unavailable,
// and sends their beacons to the other server, which reaches the log first. By
// then the server with the views is dead, and the other one is killed too.
// Everything that was acknowledged must count once.
func TestEarlyFleet(t *testing.T) {
	t.Parallel()
	log := vitrinetest.Postgres(t)
	f := newFleetOver(t, vitrinetest.PostgresDatabase(t), log.NewDatabase(t))
	pages, other := f.servers[0], f.servers[1]
	key := f.account("owner@example.org", "lifetime")
	l, err := f.client(other.url, key).Upload(t.Context(), textFile(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const n = 8
	var bodies [n]string
	each := func(do func(i int)) {
		f.t.Helper()
		next := make(chan int, n)
		for i := range n {
			next <- i
		}
		f.race(n, func(*fleetServer) outcome { do(<-next); return outcome{} })
		if t.Failed() {
			t.FailNow()
		}
	}
	open := func(at *fleetServer) {
		each(func(i int) {
			status, body, err := getPage(t.Context(), at.url+"/p/"+l.Slug)
			if err != nil || status != http.StatusOK {
				t.Errorf("page: status %d, %v, want 200", status, err)
			}
			bodies[i] = body
		})
	}
	beacon := func(at *fleetServer, body string) {
		each(func(i int) {
			res, err := http.Post(at.url+beaconAddress.FindString(bodies[i]), "text/plain", strings.NewReader(body))
			if err != nil || res.StatusCode != http.StatusNoContent {
				t.Errorf("beacon: %v, %v, want 204", res, err)
				return
			}
			res.Body.Close()
		})
	}
	download := func(at *fleetServer) {
		each(func(i int) {
			if status, _, err := getPage(t.Context(), at.url+downloadAddress.FindString(bodies[i])); err != nil ||
				status != http.StatusOK {
				t.Errorf("download: status %d, %v, want 200", status, err)
			}
		})
	}
	waitFor := func(s *fleetServer, pattern string) {
		t.Helper()
		late := time.AfterFunc(hang, func() { _ = s.process.Process.Kill() })
		defer late.Stop()
		if text, ok := s.log.wait(pattern); !ok {
			t.Fatalf("a server ended without logging %q:\n%s", pattern, text)
		}
	}
	left := func(s *fleetServer, dir string) int {
		all, err := os.ReadDir(filepath.Join(s.data, dir))
		if err != nil {
			t.Error(err)
		}
		return len(all)
	}
	totals := func(at *fleetServer) (r *client.LinkReport) {
		t.Helper()
		r, err := f.client(at.url, key).LinkAnalytics(t.Context(), l.Slug, client.ReportQuery{Range: "7d"})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	const drained, waits, none = "spool drained", "wait for their views", "no event waits for its view"

	log.Stop(t)
	open(pages)
	for _, s := range f.servers { // otherwise a balancer would remove all servers
		if status, body, err := getPage(t.Context(), s.url+"/readyz"); err != nil || status != http.StatusOK {
			t.Errorf("/readyz without the log: status %d, %s, %v, want 200", status, body, err)
		}
	}
	beacon(other, `{"engaged": 1000, "present": 1500, "depth": 60}`)
	download(other)
	f.kill(pages)
	log.Start(t)
	waitFor(other, drained)
	beacon(other, `{"engaged": 1500, "present": 1800, "depth": 60}`) // sent as soon as the log is back
	waitFor(other, waits)
	if r := totals(other); r.Totals.Views != 0 || left(other, instance.SpoolDir) != 0 || left(other, instance.EarlyDir) == 0 {
		t.Errorf("%d views, %d files in the spool, %d early files, want 0, 0 and some", r.Totals.Views,
			left(other, instance.SpoolDir),
			left(other, instance.EarlyDir))
	}
	f.kill(other)
	f.start(other)
	f.await(other)
	waitFor(other, waits)
	f.start(pages)
	f.await(pages)
	waitFor(pages, drained)
	waitFor(other, none)
	for _, s := range f.servers {
		r := totals(s)
		if r.Totals.Views != n || r.Totals.Sessions != n || r.Totals.Downloads != n || r.Totals.AvgEngagedMs != 1500 {
			t.Errorf("totals = %+v, want %d views, as many sessions and downloads, and 1500 ms each", r.Totals, n)
		}
		if left(s, instance.SpoolDir) != 0 || left(s, instance.EarlyDir) != 0 {
			t.Errorf("%d files in the spool, %d early files, want 0, 0", left(s, instance.SpoolDir), left(s, instance.EarlyDir))
		}
	}
	f.run("admin", "audit", "--deep")

	// Both servers live, and either may reach the log first.
	log.Stop(t)
	open(pages)
	beacon(other, `{"engaged": 1500, "present": 1800, "depth": 90}`)
	open(other)
	beacon(pages, `{"engaged": 1500, "present": 1800, "depth": 90}`)
	download(pages)
	log.Start(t)
	f.within(hang, "all is counted", func() bool {
		r, err := f.client(other.url, key).LinkAnalytics(t.Context(), l.Slug, client.ReportQuery{Range: "7d"})
		return err == nil && r.Totals.Views == 3*n && r.Totals.Sessions == 3*n && r.Totals.Downloads == 2*n &&
			r.Totals.AvgEngagedMs == 1500
	})
	f.run("admin", "audit", "--deep")
}

// earlyIn returns the view IDs of the early events in a data directory, after
// adding the given batches to it.
func earlyIn(t *testing.T, data string, more ...vitrine.Batch) (views []vitrine.ViewID) {
	t.Helper()
	s, err := spool.Open(filepath.Join(data, instance.EarlyDir), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, b := range more {
		if err := s.Append(b); err != nil {
			t.Fatal(err)
		}
	}
	err = s.Replay(t.Context(), func(b vitrine.Batch) (vitrine.Batch, error) {
		for _, s := range b.Snapshots {
			views = append(views, s.View)
		}
		for _, d := range b.Downloads {
			views = append(views, d.View)
		}
		return b, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return views
}

// TestEarlyIsTakenAlong checks that backups and migrations write early events
// to the log if their view is in the spool, and copy those that still wait.
func TestEarlyIsTakenAlong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	run := func(data string, args ...string) {
		t.Helper()
		if out, err := vitrineOn(data, args...); err != nil {
			t.Fatalf("vitrine %s: %v: %s", strings.Join(args, " "), err, out)
		}
	}
	run(data, "admin", "account", "create", "owner@example.org")
	links := filepath.Join(dir, "links")
	if err := os.WriteFile(links, []byte(`{"slug":"our-figures","title":"Report","kind":"pdf","createdAt":"2026-01-01T00:00:00.000Z","account":"owner@example.org"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	run(data, "admin", "import", "links", links)
	now := time.Now().UnixMilli()
	here, elsewhere, old := vitrine.ViewIDAt(now, 1), vitrine.ViewIDAt(now, 2),
		vitrine.ViewIDAt(now-49*time.Hour.Milliseconds(), 3)
	of := func(link vitrine.LinkID, id vitrine.ViewID) vitrine.Batch {
		return vitrine.Batch{Snapshots: []vitrine.Snapshot{{Link: link, View: id, At: id.Ms() + 5000,
			Session: report.Session{EngagedMs: 4000, PresentMs: 5000}}},
			Downloads: []vitrine.Download{{ID: id, Link: link, View: id}}}
	}
	s, err := spool.Open(filepath.Join(data, instance.SpoolDir), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	v := vitrine.ViewRecord{Account: 1, View: report.View{Link: 1, ID: int64(here), Viewer: 1}}
	if err := s.Append(vitrine.Batch{Views: []vitrine.ViewRecord{v}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	earlyIn(t, data, of(1, here), of(1, elsewhere), of(1, old), of(2, elsewhere)) // link 2 does not exist
	check := func(what, data string) {
		t.Helper()
		log, err := viewlog.Open(filepath.Join(data, instance.ViewsFile))
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		counts, err := log.Counts(t.Context(), []vitrine.LinkID{1})
		if err != nil || counts[1] != (vitrine.LinkCounts{Views: 1, Downloads: 1}) {
			t.Errorf("%s: counts = %+v, %v, want one view and its download", what, counts, err)
		}
		if waits, want := fmt.Sprint(earlyIn(t, data)), fmt.Sprint([]vitrine.ViewID{elsewhere, old, elsewhere,
			old}); waits != want {
			t.Errorf("%s: early events of %s, want %s", what, waits, want)
		}
	}
	backup, restored, moved := filepath.Join(dir, "backup"), filepath.Join(dir, "restored"), filepath.Join(dir, "moved")
	run(data, "admin", "backup", backup)
	if n := len(earlyIn(t, data)); n != 8 {
		t.Errorf("the instance has %d early events after a backup, want 8", n)
	}
	check("the backup", backup)
	run(restored, "admin", "restore", backup)
	check("restored", restored)
	run(data, "admin", "migrate", data, moved)
	check("moved", moved)
	check("left where it was", data)
}
