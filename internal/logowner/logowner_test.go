package logowner_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"vitrine"
	"vitrine/internal/clickhouse"
	"vitrine/internal/logowner"
	"vitrine/internal/sqlstore"
	"vitrine/internal/viewdb"
	"vitrine/internal/vitrinetest"
	"vitrine/internal/vitrinetest/fault"
	"vitrine/report"
)

// logs are the backends of a view log: each opens a new log.
var logs = map[string]func(t *testing.T) vitrine.ViewLog{
	"SQLite": func(t *testing.T) vitrine.ViewLog { return openLog(t, filepath.Join(t.TempDir(), "views.db")) },
	"PostgreSQL": func(t *testing.T) vitrine.ViewLog {
		return openLog(t, vitrinetest.PostgresDatabase(t))
	},
	"ClickHouse": func(t *testing.T) vitrine.ViewLog {
		l, err := clickhouse.Open(t.Context(), vitrinetest.ClickHouseDatabase(t), clickhouse.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		return l
	},
}

func openLog(t *testing.T, place string) vitrine.ViewLog {
	t.Helper()
	l, err := viewdb.Open(place)
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

// add stores views, each a change of its own.
func add(t *testing.T, l vitrine.ViewLog, n int) {
	t.Helper()
	for range n {
		views++
		o := vitrine.ViewRecord{Account: 1, View: report.View{Link: 1, ID: (1_800_000_000_000 + views) << 21,
			Viewer: 7}}
		if _, err := l.Append(t.Context(), vitrine.Batch{Views: []vitrine.ViewRecord{o}}); err != nil {
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

// refused expects the loss of views, of a kind.
func refused(t *testing.T, err error, kind string) {
	t.Helper()
	if !errors.Is(err, logowner.ErrLoss) {
		t.Errorf("a log that is %s: %v", kind, err)
	}
}

func TestPair(t *testing.T) {
	for name, open := range logs {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			store, log := openStore(t), open(t)
			p := logowner.Pair{Store: store, Log: log}
			if known, err := logowner.HasLog(ctx, store); known || err != nil {
				t.Errorf("a new store has a log: %v, %v", known, err)
			}
			add(t, log, 2) // an instance from before there were marks
			ok(t, p.Check(ctx))
			if known, err := logowner.HasLog(ctx, store); !known || err != nil {
				t.Errorf("a store has no log: %v, %v", known, err)
			}
			empty := open(t)
			refused(t, logowner.Pair{Store: store, Log: empty}.Check(ctx), "empty")
			other := open(t)
			ok(t, logowner.Pair{Store: openStore(t), Log: other}.Check(ctx))
			add(t, other, 5)
			refused(t, logowner.Pair{Store: store, Log: other}.Check(ctx), "another's")
			refused(t, logowner.Pair{Store: store, Log: other}.Record(ctx), "another's")

			// A log is older once more was recorded than it has. A store that
			// is behind its log is fine.
			position, err := log.Position(ctx)
			ok(t, err)
			older := open(t)
			ok(t, older.SetMark(ctx, 0, position.Mark))
			add(t, log, 10)
			ok(t, p.Check(ctx))
			ok(t, p.Record(ctx))
			ok(t, p.Check(ctx))
			refused(t, logowner.Pair{Store: store, Log: older}.Check(ctx), "older")
			ok(t, logowner.Pair{Store: store, Log: older}.Record(ctx)) // never less than before
			refused(t, logowner.Pair{Store: store, Log: older}.Check(ctx), "older")

			// Of copies of both, the store's may be the later one.
			ok(t, logowner.Pair{Store: store, Log: other}.Rewind(ctx))
			refused(t, logowner.Pair{Store: store, Log: other}.Check(ctx), "another's")
			ok(t, logowner.Pair{Store: store, Log: older}.Rewind(ctx))
			ok(t, logowner.Pair{Store: store, Log: older}.Check(ctx))
			ok(t, p.Check(ctx))

			// Accepted by a person, whatever it is. The one that it replaces is
			// refused from then on.
			ok(t, logowner.Pair{Store: store, Log: empty}.Accept(ctx))
			ok(t, logowner.Pair{Store: store, Log: empty}.Check(ctx))
			refused(t, p.Check(ctx), "replaced")
		})
	}
}

// Whichever step fails, before or after it takes effect: what is the store's
// own log is never refused, and what is not is.
func TestPairFaults(t *testing.T) {
	steps := map[string]func(context.Context, logowner.Pair) error{
		"check": func(ctx context.Context, p logowner.Pair) error { return p.Check(ctx) },
		"record": func(ctx context.Context, p logowner.Pair) error {
			if err := p.Check(ctx); err != nil {
				return err
			}
			return p.Record(ctx)
		},
		"accept": func(ctx context.Context, p logowner.Pair) error { return p.Accept(ctx) },
	}
	for name, step := range steps {
		for _, after := range []bool{false, true} {
			for n := int64(1); ; n++ {
				store, log := openStore(t), logs["SQLite"](t)
				add(t, log, 3)
				own := logowner.Pair{Store: store, Log: log}
				f := &fault.Injector{N: n, After: after}
				err := step(t.Context(), logowner.Pair{Store: f.Store(store), Log: f.ViewLog(log)})
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
				refused(t, logowner.Pair{Store: store, Log: logs["SQLite"](t)}.Check(t.Context()), "empty")
			}
		}
	}
}

// Processes that start at once, and record while views come in, agree.
func TestPairAtOnce(t *testing.T) {
	store, log := openStore(t), logs["SQLite"](t)
	p := logowner.Pair{Store: store, Log: log}
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

// A log that was moved to ClickHouse goes on where the old one ended. The old
// one is older once the new one has gone on.
func TestMovedLog(t *testing.T) {
	store, from, to := openStore(t), logs["SQLite"](t), logs["ClickHouse"](t).(*clickhouse.ViewLog)
	add(t, from, 20)
	before := logowner.Pair{Store: store, Log: from}
	ok(t, before.Check(t.Context()))
	ok(t, before.Record(t.Context()))
	position, err := from.Position(t.Context())
	ok(t, err)
	after := logowner.Pair{Store: store, Log: to}
	refused(t, after.Check(t.Context()), "empty")
	for range 2 { // a migration may be repeated
		ok(t, to.Continue(t.Context(), position))
		ok(t, after.Check(t.Context()))
		ok(t, before.Check(t.Context()))
	}
	add(t, to, 3)
	ok(t, after.Record(t.Context()))
	ok(t, after.Check(t.Context()))
	refused(t, before.Check(t.Context()), "older")
}
