package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/cli/instance"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// oldRules creates an instance whose views were classified by other rules: some
// views are of programs that are now known by name, some of people, and some
// have the same class in both.
func oldRules(t *testing.T) (data string) {
	t.Helper()
	data = t.TempDir()
	if _, all, err := verb("admin", "account", "create", "owner@example.org", "--data", data); err != nil {
		t.Fatalf("account create: %v: %s", err, all)
	}
	var links strings.Builder
	for i := range 3 {
		fmt.Fprintf(&links, `{"slug":"link-%d","title":"Link","kind":"text","createdAt":"2026-01-02T03:04:05.000Z",`+
			`"account":"owner@example.org"}`+"\n", i)
	}
	file := filepath.Join(t.TempDir(), "links.ndjson")
	if err := os.WriteFile(file, []byte(links.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, all, err := verb("admin", "import", "links", file, "--data", data); err != nil {
		t.Fatalf("import links: %v: %s", err, all)
	}
	classes := [][2]string{{"crawler", "GPTBot"}, {"crawler", "Lynx"}, {"monitor", "Nobody"}, {"mail_network", "Gone"},
		{"crawler", "Googlebot"}, {"", ""}, {"automation", ""}, {"headless", "ChatGPT-User"}}
	day := report.DayOf(vitrinetest.Epoch.UnixMilli())
	var b vitrine.Batch
	for i := range 16_000 { // changed by several transactions
		link := vitrine.LinkID(1 + i%3)
		id := vitrine.ViewIDAt((day+report.Day(i%20)).StartMs()+int64(i)*1000, 0)
		class := classes[i%7*i%len(classes)]
		b.Views = append(b.Views, vitrine.ViewRecord{Account: 1, View: report.View{ID: int64(id), At: id.Ms(),
			Link: int64(link), Viewer: uint64(i % 50), Country: "DE", Bot: class[0], Product: class[1]}})
		if i%3 == 0 {
			b.Snapshots = append(b.Snapshots, vitrine.Snapshot{Link: link, View: id, At: id.Ms() + 60_000,
				Session: report.Session{EngagedMs: int64(i % 5000), PresentMs: 30_000}})
		}
		if i%5 == 0 {
			b.Downloads = append(b.Downloads, vitrine.Download{ID: id, Link: link, View: id})
		}
	}
	log := openViews(t, data)
	defer log.Close()
	if _, err := log.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if err := log.RollUp(t.Context(), day+15); err != nil {
		t.Fatal(err)
	}
	return data
}

func openViews(t *testing.T, data string) *viewlog.ViewLog {
	t.Helper()
	log, err := viewlog.Open(filepath.Join(data, instance.ViewsFile))
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// allReports returns all reports of the log as text.
func allReports(t *testing.T, data string) string {
	t.Helper()
	log := openViews(t, data)
	defer log.Close()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for link := range vitrine.LinkID(3) {
		err := log.Views(t.Context(), link+1, 0, math.MaxInt32, func(v *report.View) error { return e.Encode(v) })
		if err != nil {
			t.Fatal(err)
		}
	}
	counts, err := log.AccountCounts(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	day := report.DayOf(vitrinetest.Epoch.UnixMilli())
	for _, s := range []vitrine.Scope{{Account: 1}, {Account: 1, Link: 1}, {Account: 1, Link: 2},
		{Account: 1, Link: 3}} {
		tally, _, err := log.Tally(t.Context(), vitrine.TallyQuery{Scope: s, From: day, To: day + 30})
		if err != nil {
			t.Fatal(err)
		}
		w := report.Window{Key: report.RangeAll, From: day, To: day + 30}
		_ = e.Encode([]any{report.ForLink(report.Link{}, w, tally, nil, nil), tally.Products()})
	}
	return fmt.Sprint(b.String(), counts)
}

// TestKillReclassify kills vitrine admin reclassify with SIGKILL at each of its
// steps. Another run must have the same result as one without a kill: the same
// views, downloads, counts and reports, and no fault.
func TestKillReclassify(t *testing.T) {
	t.Parallel()
	r := seeded(t)
	data := oldRules(t)
	copied := func() string {
		to := filepath.Join(t.TempDir(), "data")
		if out, err := exec.Command("cp", "-r", data, to).CombinedOutput(); err != nil {
			t.Fatalf("cp: %v: %s", err, out)
		}
		return to
	}
	whole := copied()
	output, steps, _ := killedRun(t, 0, "admin", "reclassify", "--apply", "--data", whole)
	want := allReports(t, whole)
	if before := allReports(t, data); want == before || !strings.Contains(want, "ai_training") ||
		strings.Count(output, "\n") < 5 {
		t.Fatalf("reclassify changed nothing, or too little: %s", output)
	}
	partly := 0
	for _, step := range killPoints(r, steps, 6) {
		to := copied()
		output, _, ended := killedRun(t, step, "admin", "reclassify", "--apply", "--data", to)
		if ended {
			t.Fatalf("step %d of %d was not reached: %s", step, steps, output)
		}
		if now := allReports(t, to); now != want && now != allReports(t, data) {
			partly++
		}
		for _, args := range [][]string{{"admin", "audit", "--all"}, {"admin", "reclassify", "--apply"}, {"admin", "audit", "--all"}} {
			if out, err := vitrineOn(to, args...); err != nil {
				t.Fatalf("vitrine %v after a kill at step %d: %v: %s", args, step, err, out)
			}
		}
		if got := allReports(t, to); got != want {
			t.Errorf("after a kill at step %d of %d the reports differ", step, steps)
		}
		os.RemoveAll(to)
	}
	t.Logf("%d steps; %d kills left only some of the views changed", steps, partly)
}
