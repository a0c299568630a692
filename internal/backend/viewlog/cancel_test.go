package viewlog

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/scan"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/internal/test/sqltest"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// reads returns each read of a log whose cost depends on the number of views.
func reads(l *ViewLog, from, to report.Day) map[string]func(context.Context) error {
	days := vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1}, From: from, To: to}
	filtered := days
	filtered.Filter, _ = report.ParseFilter([]string{"country:is:C1"})
	capped := filtered
	capped.Cap = 100
	link := filtered
	link.Scope.Link = 1
	tally := func(q vitrine.TallyQuery) func(context.Context) error {
		return func(ctx context.Context) error { _, _, err := l.Tally(ctx, q); return err }
	}
	return map[string]func(context.Context) error{
		"days": tally(days), "filter": tally(filtered), "cap": tally(capped), "filter of a link": tally(link),
		"daily": func(ctx context.Context) error {
			_, err := l.DailyViews(ctx, filtered, []vitrine.LinkID{1, 2})
			return err
		},
		"recent": func(ctx context.Context) error {
			_, err := l.Recent(ctx, vitrine.RecentQuery{Scope: link.Scope, N: 50, Filter: filtered.Filter})
			return err
		},
		"views": func(ctx context.Context) error {
			return l.Views(ctx, 1, from, to, func(*report.View) error { return nil })
		},
		"counts": func(ctx context.Context) error { _, err := l.AccountCounts(ctx, 1); return err },
	}
}

// readLog returns a log with views in segments and in single rows, and the days
// that contain them.
func readLog(t *testing.T, place string) (l *ViewLog, from, to report.Day) {
	t.Helper()
	l, err := Open(place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	g := vitrinetest.NewTraffic(3, 60_000)
	var last int64
	for range 8 {
		var b vitrine.Batch
		for range 500 {
			v := g.Imported()
			last = v.At
			if from == 0 {
				from = report.DayOf(v.At)
			}
			b.Views = append(b.Views, v)
		}
		if _, err := l.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	to = report.DayOf(last) + 1
	if err := l.RollUp(t.Context(), to-1); err != nil {
		t.Fatal(err)
	}
	return l, from, to
}

// scanning returns the number of calls of package scan that run.
func scanning() int {
	b := make([]byte, 1<<22)
	return strings.Count(string(b[:runtime.Stack(b, true)]), reflect.TypeFor[scan.Query]().PkgPath()+".")
}

// TestReadsEnd checks that each read that is cut off, because its client left
// or because the database failed, ends with an error, leaves no goroutine
// behind, and works when it is repeated. It is cut off at each statement, and
// at random moments between.
func TestReadsEnd(t *testing.T) {
	for name, place := range map[string]string{"SQLite": sqltest.NewPlace(t), "PostgreSQL": ""} {
		t.Run(name, func(t *testing.T) {
			if place == "" {
				place = vitrinetest.PostgresDatabase(t)
			}
			l, from, to := readLog(t, place)
			r := rand.New(rand.NewPCG(vitrinetest.Seed(t), 0))
			seen := false
			for name, read := range reads(l, from, to) {
				statements := 0
				if err := read(t.Context()); err != nil { // what it remembers is not read again
					t.Fatalf("%s: %v", name, err)
				}
				count := func(string) error {
					statements++
					seen = seen || scanning() > 0
					return nil
				}
				if err := read(sqldb.WithHook(t.Context(), count)); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if statements == 0 {
					t.Errorf("%s: no statement was seen", name)
				}
				for n := range statements {
					fails := sqldb.WithHook(t.Context(), cutAt(n, func() error { return errCut }))
					if err := read(fails); !errors.Is(err, errCut) {
						t.Errorf("%s, statement %d fails: error %v", name, n, err)
					}
					ctx, cancel := context.WithCancel(t.Context())
					err := read(sqldb.WithHook(ctx, cutAt(n, func() error { cancel(); return nil })))
					if err != nil && !errors.Is(err, context.Canceled) {
						t.Errorf("%s, cancelled at statement %d: %v", name, n, err)
					}
				}
				for range 20 {
					ctx, cancel := context.WithCancel(t.Context())
					spins := r.IntN(1 << 12)
					go func() {
						for range spins {
							runtime.Gosched()
						}
						cancel()
					}()
					if err := read(ctx); err != nil && !errors.Is(err, context.Canceled) {
						t.Errorf("%s, cancelled: %v", name, err)
					}
				}
				if err := read(t.Context()); err != nil {
					t.Errorf("%s, repeated: %v", name, err)
				}
			}
			if !seen {
				t.Error("no scan was seen while it ran")
			}
			vitrinetest.WaitFor(t, vitrinetest.SeenWithin, "no goroutine of a scan is left",
				func() bool { return scanning() == 0 })
		})
	}
}

var errCut = errors.New("the connection was cut")

// cutAt returns a hook that calls cut at the statement with a number.
func cutAt(n int, cut func() error) func(string) error {
	at := 0
	return func(string) error {
		if at++; at == n+1 {
			return cut()
		}
		return nil
	}
}

// TestDamagedRecords checks that reads of damaged records answer 503 with an
// error that says so, and leave no goroutine behind.
func TestDamagedRecords(t *testing.T) {
	for what, damage := range map[string]string{
		"segments":           "UPDATE segments SET data = CAST(substr(data, 1, length(data) / 2) || x'ff00ff00ff' AS BLOB)",
		"segments of a type": "UPDATE segments SET data = 'text'",
		"views":              "UPDATE views SET record = substr(record, 1, 9)",
		"words":              "DELETE FROM words",
		"counts":             "UPDATE links SET views = 'many'",
		"sessions":           "UPDATE views SET session = x'01' WHERE session IS NOT NULL",
		"sessions of a type": "UPDATE views SET session = 'text' WHERE session IS NOT NULL",
	} {
		l, from, to := readLog(t, sqltest.NewPlace(t))
		tamper(t, l, damage)
		l.words = tables.NewDict(l.db, tables.FirstWords, tables.OtherWords, tables.WriteWords) // like another process without cached words
		found := 0
		for name, read := range reads(l, from, to) {
			for range 3 {
				err := read(t.Context())
				if err == nil {
					continue // it reads other tables
				}
				found++
				if vitrine.CodeOf(err) != vitrine.CodeUnavailable || !errors.Is(err, vitrine.ErrDamaged) {
					t.Errorf("%s, %s: error %v, want 503 because of damage", what, name, err)
				}
			}
		}
		if found == 0 {
			t.Errorf("%s: no read fails", what)
		}
		vitrinetest.WaitFor(t, vitrinetest.SeenWithin, "no goroutine of a scan is left after "+what,
			func() bool { return scanning() == 0 })
	}
}

// TestLargeScansTakeTurns checks that what scans a large account waits for its
// turn, and that nothing else does.
func TestLargeScansTakeTurns(t *testing.T) {
	l, from, to := readLog(t, sqltest.NewPlace(t))
	l.large = 1
	waits := []string{"filter", "cap", "filter of a link", "daily"}
	waiting := func() bool {
		b := make([]byte, 1<<20)
		for g := range strings.SplitSeq(string(b[:runtime.Stack(b, true)]), "\n\n") {
			if head, _, _ := strings.Cut(g, "\n"); strings.Contains(head, "[select") && strings.Contains(g, "throttle.(*Turns") {
				return true
			}
		}
		return false
	}
	for name, read := range reads(l, from, to) {
		if err := l.turns.Take(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		done, waited := make(chan error, 1), false
		go func() { done <- read(t.Context()) }()
		for !waited && len(done) == 0 {
			waited = waiting()
			runtime.Gosched()
		}
		l.turns.Release(1)
		if err := <-done; err != nil || waited != slices.Contains(waits, name) {
			t.Errorf("%s: %v; it waited: %v", name, err, waited)
		}
	}
}
