package clickhouse

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/viewdb"
	"vitrine/internal/vitrinetest"
	"vitrine/internal/vitrinetest/viewlogtest"
	"vitrine/report"
)

// smallFills makes Fill write batches of few rows.
func smallFills(t *testing.T, rows int) {
	before := fillRows
	fillRows = rows
	t.Cleanup(func() { fillRows = before })
}

func fileLog(t *testing.T) *viewdb.ViewLog {
	t.Helper()
	l, err := viewdb.Open(filepath.Join(t.TempDir(), "views.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func untold(int64, int64) {}

// TestFill copies a history from PostgreSQL, crashed at requests again and
// again (the program's own test copies one from SQLite, without crashes). The
// new log must have the same reports and continue in the same way.
func TestFill(t *testing.T) {
	address := vitrinetest.ClickHouseDatabase(t)
	from, err := viewdb.Open(vitrinetest.PostgresDatabase(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { from.Close() })
	viewlogtest.Moved(t, share(), from, true, func() vitrine.ViewLog {
		smallFills(t, 60)
		killedFill(t, address, from)
		l := openTestLog(t, address)
		again := func(int64, int64) { t.Error("a batch was copied again") }
		if err := l.Fill(ctx, from, again); err != nil {
			t.Errorf("second Fill = %v, want nil", err)
		}
		return l
	})
}

// killedFill runs fills that each crash some requests later than the one
// before, until one completes.
func killedFill(t *testing.T, address string, from vitrine.LogExporter) {
	t.Helper()
	deaths := 0
	for n := 3; ; n += 2 {
		l := openTestLog(t, address)
		d := &dying{RoundTripper: l.c.http.Transport, n: n}
		l.c.http.Transport = d
		err := l.Fill(ctx, from, untold)
		if err == nil {
			break
		}
		if !d.dead || vitrine.CodeOf(err) != vitrine.CodeUnavailable {
			t.Fatalf("crash after request %d: %v", n, err)
		}
		deaths++
	}
	t.Logf("%d crashes", deaths)
	if deaths < 5 {
		t.Errorf("only %d crashes, want at least 5", deaths)
	}
}

// TestFillOther checks that logs with other data are refused.
func TestFillOther(t *testing.T) {
	smallFills(t, 3)
	from := fileLog(t)
	open := func(n int) vitrine.Batch {
		return vitrine.Batch{Views: []vitrine.ViewRecord{view(1, vitrinetest.Epoch, n, uint64(n))}}
	}
	put := func(l vitrine.ViewLog, b vitrine.Batch) {
		t.Helper()
		if _, err := l.Append(ctx, b); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 10 {
		put(from, open(n))
	}
	refused := func(what string, l *ViewLog) {
		t.Helper()
		if err := l.Fill(ctx, from, func(int64, int64) { t.Errorf("%s: something was copied", what) }); !errors.Is(err,
			ErrOtherData) {
			t.Errorf("%s: %v, want ErrOtherData", what, err)
		}
	}
	other := openTestLog(t, vitrinetest.ClickHouseDatabase(t))
	put(other, open(0))
	refused("a log of its own", other)
	if err := other.Fillable(ctx); !errors.Is(err, ErrOtherData) {
		t.Errorf("Fillable of a log with its own data = %v, want ErrOtherData", err)
	}

	half := openTestLog(t, vitrinetest.ClickHouseDatabase(t))
	stopped, stop := context.WithCancel(ctx)
	if err := half.Fill(stopped, from, func(int64, int64) { stop() }); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := half.Fillable(ctx); err != nil {
		t.Errorf("Fillable after an interrupted Fill = %v, want nil", err)
	}
	whole := openTestLog(t, vitrinetest.ClickHouseDatabase(t))
	if err := whole.Fill(ctx, from, untold); err != nil {
		t.Fatal(err)
	}
	// The source changes, so the target is not a prefix of it any more.
	at := vitrinetest.Epoch.AddDate(0, 0, -1)
	put(from, vitrine.Batch{Views: []vitrine.ViewRecord{view(1, at, 0, 99)}})
	refused("a beginning of what it was", half)
	refused("what it was", whole)
	put(whole, open(50))
	refused("gone on", whole)
}

// TestFillBehind checks that an account whose views are kept longer than those
// of others is refused with the reason.
func TestFillBehind(t *testing.T) {
	from := fileLog(t)
	day := report.DayOf(vitrinetest.Epoch.UnixMilli())
	if _, err := from.Append(ctx, vitrine.Batch{Views: []vitrine.ViewRecord{view(1, vitrinetest.Epoch, 0,
		10)}}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(from.RollUp(ctx, day+200), from.Expire(ctx, day+200)); err != nil {
		t.Fatal(err)
	}
	late := view(2, vitrinetest.Epoch, 0, 10)
	late.Account = 2
	if _, err := from.Append(ctx, vitrine.Batch{Views: []vitrine.ViewRecord{late}}); err != nil {
		t.Fatal(err)
	}
	l := openTestLog(t, vitrinetest.ClickHouseDatabase(t))
	const want = "account 2 still has views of days before"
	if err := l.Fill(ctx, from, untold); err == nil || !strings.Contains(err.Error(), want) {
		t.Fatalf("Fill = %v, want %s", err, want)
	}
	if err := errors.Join(from.RollUp(ctx, day+200), from.Expire(ctx, day+200)); err != nil {
		t.Fatal(err)
	}
	if err := l.Fill(ctx, from, untold); err != nil {
		t.Fatal(err)
	}
	audit(t, l, "filled")
}
