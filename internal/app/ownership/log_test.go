package ownership_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"vitrine"
	"vitrine/internal/app/ownership"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// logs are the backends of a view log. Each opens a new log.
var logs = map[string]func(t *testing.T) vitrine.ViewLog{
	"SQLite": func(t *testing.T) vitrine.ViewLog { return openLog(t, filepath.Join(t.TempDir(), "views.db")) },
	"PostgreSQL": func(t *testing.T) vitrine.ViewLog {
		return openLog(t, vitrinetest.PostgresDatabase(t))
	},
}

func openLog(t *testing.T, place string) vitrine.ViewLog {
	t.Helper()
	l, err := viewlog.Open(place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func openStore(t *testing.T) vitrine.Store {
	t.Helper()
	s, err := sqlstore.Open(filepath.Join(t.TempDir(), "vitrine.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

var views int64

// add stores n views, each as a separate change.
func add(t *testing.T, l vitrine.ViewLog, n int) {
	t.Helper()
	for range n {
		views++
		v := vitrine.ViewRecord{Account: 1, View: report.View{Link: 1, ID: (1_800_000_000_000 + views) << 21,
			Viewer: 7}}
		if _, err := l.Append(t.Context(), vitrine.Batch{Views: []vitrine.ViewRecord{v}}); err != nil {
			t.Fatal(err)
		}
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refused checks that an error reports the loss of views, of the given kind.
func refused(t *testing.T, err error, kind string) {
	t.Helper()
	if !errors.Is(err, ownership.ErrLoss) {
		t.Errorf("%s log: %v, want ErrLoss", kind, err)
	}
}

func TestPair(t *testing.T) {
	for name, open := range logs {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			store, log := openStore(t), open(t)
			p := ownership.Pair{Store: store, Log: log}
			if known, err := ownership.HasLog(ctx, store); known || err != nil {
				t.Errorf("HasLog of a new store = %v, %v, want false", known, err)
			}
			add(t, log, 2) // an instance from before positions were recorded
			ok(t, p.Check(ctx))
			if known, err := ownership.HasLog(ctx, store); !known || err != nil {
				t.Errorf("HasLog = %v, %v, want true", known, err)
			}
			empty := open(t)
			refused(t, ownership.Pair{Store: store, Log: empty}.Check(ctx), "empty")
			other := open(t)
			ok(t, ownership.Pair{Store: openStore(t), Log: other}.Check(ctx))
			add(t, other, 5)
			refused(t, ownership.Pair{Store: store, Log: other}.Check(ctx), "another's")
			refused(t, ownership.Pair{Store: store, Log: other}.Record(ctx), "another's")

			// A log is older if more was recorded than it has. A store that is
			// behind its log is fine.
			position, err := log.Position(ctx)
			ok(t, err)
			older := open(t)
			ok(t, older.SetMark(ctx, 0, position.Mark))
			add(t, log, 10)
			ok(t, p.Check(ctx))
			ok(t, p.Record(ctx))
			ok(t, p.Check(ctx))
			refused(t, ownership.Pair{Store: store, Log: older}.Check(ctx), "older")
			ok(t, ownership.Pair{Store: store, Log: older}.Record(ctx)) // never less than before
			refused(t, ownership.Pair{Store: store, Log: older}.Check(ctx), "older")

			// If both were copied, the copy of the store may be the newer one.
			ok(t, ownership.Pair{Store: store, Log: other}.Rewind(ctx))
			refused(t, ownership.Pair{Store: store, Log: other}.Check(ctx), "another's")
			ok(t, ownership.Pair{Store: store, Log: older}.Rewind(ctx))
			ok(t, ownership.Pair{Store: store, Log: older}.Check(ctx))
			ok(t, p.Check(ctx))

			// Any log can be accepted. The one that it replaces is then
			// refused.
			ok(t, ownership.Pair{Store: store, Log: empty}.Accept(ctx))
			ok(t, ownership.Pair{Store: store, Log: empty}.Check(ctx))
			refused(t, p.Check(ctx), "replaced")
		})
	}
}

// TestPairFaults fails each operation, before or after its effect. The store's
// own log is never refused, and any other is.
func TestPairFaults(t *testing.T) {
	steps := map[string]func(context.Context, ownership.Pair) error{
		"check": func(ctx context.Context, p ownership.Pair) error { return p.Check(ctx) },
		"record": func(ctx context.Context, p ownership.Pair) error {
			if err := p.Check(ctx); err != nil {
				return err
			}
			return p.Record(ctx)
		},
		"accept": func(ctx context.Context, p ownership.Pair) error { return p.Accept(ctx) },
	}
	for name, step := range steps {
		for _, after := range []bool{false, true} {
			for n := int64(1); ; n++ {
				store, log := openStore(t), logs["SQLite"](t)
				add(t, log, 3)
				own := ownership.Pair{Store: store, Log: log}
				f := &fixture.Injector{N: n, After: after}
				err := step(t.Context(), ownership.Pair{Store: f.Store(store), Log: f.ViewLog(log)})
				if !f.Hit() {
					ok(t, err)
					break
				}
				if err == nil {
					t.Errorf("%s, operation %d: no error", name, n)
				}
				if err := own.Check(t.Context()); err != nil && name != "accept" {
					t.Errorf("%s, operation %d (after: %v): the log is refused: %v", name, n, after, err)
				}
				ok(t, own.Accept(t.Context()))
				ok(t, own.Check(t.Context()))
				refused(t, ownership.Pair{Store: store, Log: logs["SQLite"](t)}.Check(t.Context()), "empty")
			}
		}
	}
}

// TestPairAtOnce checks that processes which start at once, and record while
// views arrive, agree.
func TestPairAtOnce(t *testing.T) {
	store, log := openStore(t), logs["SQLite"](t)
	p := ownership.Pair{Store: store, Log: log}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				if err := errors.Join(p.Check(t.Context()), p.Record(t.Context())); err != nil {
					t.Error(err)
				}
			}
		})
	}
	add(t, log, 50)
	all.Wait()
	ok(t, p.Check(t.Context()))
}
