package main

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vitrine/client"
	"vitrine/internal/cli/instance"
	"vitrine/internal/test/tier"
)

// importing is an instance into which old history is imported.
type importing struct {
	*killed
	r     *rand.Rand
	began time.Time // of the history: 90 days ago
	files int
	views int64 // of successful imports
}

// importedLinks is the number of links in the history. With a few views a day
// for each, a run of days makes more rollups than one transaction stores.
const importedLinks = 6

func newImporting(t *testing.T) *importing {
	t.Helper()
	i := &importing{killed: &killed{t: t, data: t.TempDir()}, r: seeded(t),
		began: time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -90)}
	i.key = strings.TrimSpace(i.run("admin", "account", "create", "owner@example.org"))
	i.run("admin", "account", "plan", "owner@example.org", "lifetime", "--limit", "uploads=0")
	var b strings.Builder
	for link := range importedLinks {
		fmt.Fprintf(&b, `{"slug":"old-%d","title":"Old","kind":"pdf","createdAt":%q,"account":"owner@example.org"}`+
			"\n", link, i.began.Format(time.RFC3339))
	}
	i.run("admin", "import", "links", i.file(b.String()))
	return i
}

func (i *importing) file(text string) string {
	i.t.Helper()
	i.files++
	name := filepath.Join(i.t.TempDir(), fmt.Sprintf("%d.ndjson", i.files))
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		i.t.Fatal(err)
	}
	return name
}

// viewsFile returns a file with n views over 70 days.
func (i *importing) viewsFile(n int) string {
	i.t.Helper()
	var b strings.Builder
	for range n {
		at := i.began.Add(time.Duration(i.r.Int64N(int64(70 * 24 * time.Hour))))
		fmt.Fprintf(&b, `{"slug":"old-%d","at":%q,"viewer":"v%d"}`+"\n", i.r.IntN(importedLinks),
			at.Format("2006-01-02T15:04:05.000Z07:00"), i.r.IntN(100_000))
	}
	return i.file(b.String())
}

// check checks that the audit finds no fault and that every view is in the
// account's report.
func (i *importing) check(when string) {
	i.t.Helper()
	if out, err := vitrineOn(i.data, "admin", "audit", "--all"); err != nil {
		i.t.Fatalf("%s: audit: %v: %s", when, err, out)
	}
	url, kill := i.serve()
	defer kill()
	c, err := client.New(url, i.key)
	if err != nil {
		i.t.Fatal(err)
	}
	rep, err := c.Analytics(i.t.Context(), client.ReportQuery{Range: "all"})
	if err != nil {
		i.t.Fatal(err)
	}
	if v, least := rep.Totals.Views, i.views+int64(i.pages); v < least || v > least+int64(i.broken) {
		i.t.Fatalf("%s: %d views were imported, %d pages were answered and %d were not, but the account has %d views",
			when,
			i.views, i.pages, i.broken, v)
	}
}

// TestTwoProcessesRollUp lets two processes make the rollups of one log. The
// first imports and is suspended at a step of the rollup. The second, which has
// nothing to import, is suspended at a step of the same work, if it reaches it.
// Then the first continues to its end, and after it the second.
func TestTwoProcessesRollUp(t *testing.T) {
	t.Parallel()
	const views = 8000 // makes more rollups than one transaction stores
	i := newImporting(t)
	known := i.viewsFile(10)
	i.run("admin", "import", "views", known)
	i.views += 10
	begin := func(file, setting string) (*exec.Cmd, *lines) {
		t.Helper()
		cmd := exec.Command("vitrine", "admin", "import", "views", file, "--data", i.data)
		cmd.Env = append(os.Environ(), setting)
		out, err := cmd.StderrPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		return cmd, readLines(out)
	}
	end := func(cmd *exec.Cmd, log *lines) (commits int) {
		t.Helper()
		_ = cmd.Process.Signal(syscall.SIGCONT)
		text := log.drain()
		if err := cmd.Wait(); err != nil {
			t.Fatalf("import: %v: %s", err, text)
		}
		return strings.Count(text, ": committed ")
	}
	commits := end(begin(i.viewsFile(views), killSetting(0)))
	i.views += views
	for range tier.Pick(4, 40) {
		a, b := commits-i.r.IntN(commits/2), 1+i.r.IntN(commits/2)
		one, saidOne := begin(i.viewsFile(views), fmt.Sprint(killVariable, "=stop:", a))
		waitStopped(t, one.Process.Pid)
		other, saidOther := begin(known, fmt.Sprint(killVariable, "=stop:", b))
		waitStopped(t, other.Process.Pid)
		end(one, saidOne)
		end(other, saidOther)
		i.views += views
		i.check(fmt.Sprintf("stopped after commit %d of %d, and after commit %d", a, commits, b))
	}
}

// States of a process in /proc.
const (
	stoppedProcess = 'T'
	endedProcess   = 'Z'
)

// waitStopped waits until a process has suspended itself or has ended.
func waitStopped(t *testing.T, pid int) {
	t.Helper()
	late := time.After(hang)
	for {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(b), ") ")
		if rest[0] == stoppedProcess || rest[0] == endedProcess {
			return
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-late:
			t.Fatal("the process neither stops nor ends")
		}
	}
}

// killsVariable names the variable with the number of kills of
// TestImportBesideKills, for example 100.
const killsVariable = "VITRINE_TEST_KILLS"

// TestImportBesideKills kills a server under load at random steps while another
// process imports old history. Each start and each import makes rollups.
func TestImportBesideKills(t *testing.T) {
	t.Parallel()
	kills := tier.Pick(4, 20)
	if n, err := strconv.Atoi(os.Getenv(killsVariable)); err == nil {
		kills = n
	}
	i := newImporting(t)
	for n := range kills {
		file, views := "", 1000+i.r.IntN(9000)
		file = i.viewsFile(views)
		var all sync.WaitGroup
		all.Go(func() {
			out, err := exec.Command("vitrine", "admin", "import", "views", file, "--data", i.data).CombinedOutput()
			if err != nil {
				t.Errorf("import: %v: %s", err, out)
			}
		})
		cmd, url, log := i.start(killSetting(1 + i.r.IntN(150)))
		if url != "" {
			i.load(url)
		}
		_ = cmd.Process.Kill() // if the load ended before that step
		log.drain()
		_ = cmd.Wait()
		all.Wait()
		if t.Failed() {
			t.FailNow()
		}
		i.views += int64(views)
		if n%10 == 9 || n == kills-1 {
			i.check(fmt.Sprintf("after %d kills", n+1))
		}
	}
	t.Logf("%d kills, %d views imported, %d links, %d pages answered, %d cut off", kills, i.views, len(i.links),
		i.pages, i.broken)
}

// TestAuditRepair deletes rollups in the database, and checks that the audit
// reports and rebuilds them.
func TestAuditRepair(t *testing.T) {
	t.Parallel()
	i := newImporting(t)
	i.run("admin", "import", "views", i.viewsFile(5000))
	i.views += 5000
	check := func(succeeds bool, want string, args ...string) {
		t.Helper()
		if out, err := vitrineOn(i.data, args...); (err == nil) != succeeds || !strings.Contains(out, want) {
			t.Errorf("%s: %v: %s\nwant %q", args, err, out, want)
		}
	}
	check(true, "All stored tallies are correct", "admin", "audit", "--repair")
	db, err := sql.Open("sqlite", filepath.Join(i.data, instance.ViewsFile))
	if err != nil {
		t.Fatal(err)
	}
	res, err := db.Exec("DELETE FROM tallies WHERE link = 0 AND day % 5 = 0")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := res.RowsAffected(); n == 0 || err != nil {
		t.Fatalf("%d rollups deleted, %v, want some", n, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	check(false, `"vitrine admin audit --repair"`, "admin", "audit")
	check(true, "Account 1: the stored tallies from ", "admin", "audit", "--repair")
	check(true, "No faults", "admin", "audit", "--all")
	i.check("repaired")
}
