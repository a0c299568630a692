package serve

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/notify"
	"vitrine/internal/cli/instance"
	"vitrine/report"
)

// TestProblemsFound causes each problem that administrators are mailed about.
func TestProblemsFound(t *testing.T) {
	ctx, data := t.Context(), filepath.Join(t.TempDir(), "data")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	in, err := instance.Create(ctx, instance.Places{Data: data}, "")
	must(err)
	defer in.Close()
	a, _, err := in.Accounts.Create(ctx, "ann@example.org", vitrine.PlanFree)
	must(err)
	spools, err := instance.OpenSpools(data, false, slog.New(slog.DiscardHandler))
	must(err)
	defer spools.Close()
	c, err := parse(t, "--data", data, "--clamd", "127.0.0.1:1")
	must(err)
	scanner, err := c.scanner()
	must(err)
	defer scanner.Close()
	s := &service{instance: in, scanner: scanner}
	wants := func(what string, list []notify.Problem, err error, names ...string) {
		t.Helper()
		must(err)
		if len(list) != len(names) {
			t.Fatalf("%s: %v, want %v", what, list, names)
		}
		for i, p := range list {
			if !strings.HasPrefix(p.Name, names[i]) || p.Text == "" {
				t.Errorf("%s: %+v, want %s", what, p, names[i])
			}
		}
	}
	host := func(what string, least int64, names ...string) {
		t.Helper()
		list, err := c.hostProblems(spools, least)
		wants(what, list, err, names...)
	}
	host("all is well", 1)
	host("a disk without room", math.MaxInt64, "disk "+data+" on ")
	must(spools.Spool.Append(vitrine.Batch{Views: []vitrine.ViewRecord{{Account: a.ID, View: report.View{ID: 1, Link: 1}}}}))
	host("views that wait", 1, "spool on ")
	shared := func(what string, names ...string) {
		t.Helper()
		list, err := c.sharedProblems(ctx, s)
		wants(what, list, err, append([]string{"scanner "}, names...)...)
	}
	shared("a scanner that does not answer")
	created := func(ago time.Duration) {
		a.CreatedAt = in.Now().Add(-ago)
		must(in.Store.Update(ctx, func(tx vitrine.Tx) error { return tx.PutAccount(a) }))
	}
	const day = 24 * time.Hour
	created(15 * day)
	shared("no backup", "backup 0")
	for ago, names := range map[time.Duration][]string{0: nil, 13 * day: nil, 15 * day: {"backup 0"},
		35 * day: {"backup 1"}, 65 * day: {"backup 2"}} {
		must(instance.NoteBackup(data, in.Now().Add(-ago)))
		shared("a backup of "+ago.String(), names...)
	}
	c.Database = "postgres://db.example/vitrine"
	shared("backed up by other programs")
}

// TestProblemsTwice checks that a problem is mailed once it is found twice in a
// row, and that a look that fails is no sign of anything.
func TestProblemsTwice(t *testing.T) {
	var found []notify.Problem
	var failure error
	var mailed []string
	w := &problemWatch{look: func(context.Context) ([]notify.Problem, error) { return found, failure },
		mail: func(_ context.Context, list []notify.Problem) error {
			for _, p := range list {
				mailed = append(mailed, p.Name)
			}
			return nil
		}}
	for i, step := range []struct {
		names []string
		fails bool
		want  []string
	}{{[]string{"a"}, false, nil}, {[]string{"b"}, false, nil}, {[]string{"a", "b"}, false, []string{"b"}},
		{nil, true, nil}, {[]string{"a"}, false, []string{"a"}}, {nil, false, nil}, {[]string{"a"}, false, nil}} {
		found, failure, mailed = nil, nil, nil
		for _, name := range step.names {
			found = append(found, notify.Problem{Name: name})
		}
		if step.fails {
			failure = errors.New("it failed")
		}
		if err := w.check(t.Context()); !errors.Is(err, failure) || !slices.Equal(mailed, step.want) {
			t.Errorf("step %d: mailed %v, %v, want %v", i, mailed, err, step.want)
		}
	}
}
