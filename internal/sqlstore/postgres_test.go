package sqlstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/sqldb"
	"vitrine/internal/vitrinetest"
	"vitrine/internal/vitrinetest/sqltest"
	"vitrine/internal/vitrinetest/storetest"
)

func TestPostgresStore(t *testing.T) {
	sqltest.InPostgres(t)
	storetest.Run(t, func(t *testing.T) vitrine.Store { return openTestStore(t, sqltest.NewPlace(t)) })
	storetest.RunShared(t, vitrinetest.SeenWithin, func(t *testing.T) (one, other vitrine.Store) {
		place := sqltest.NewPlace(t)
		return openTestStore(t, place), openTestStore(t, place)
	})
}

// What is tested of a database in a file holds in PostgreSQL, too.
func TestPostgresToo(t *testing.T) {
	sqltest.InPostgres(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"OverlookedFailure", TestOverlookedFailure},
		{"ReadChangesNothing", TestReadChangesNothing},
		{"TwoProcesses", TestTwoProcesses},
		{"FieldsAtTheirEdges", TestFieldsAtTheirEdges},
		{"VersionOfClosedStore", TestVersionOfClosedStore},
		{"Exclusive", TestExclusive},
	} {
		t.Run(test.name, test.run)
	}
}

// An address that leads nowhere is an error that says so, and keeps the
// password to itself.
func TestPostgresOpenFails(t *testing.T) {
	for _, c := range []struct{ place, want string }{
		{"postgres://ann:secret@127.0.0.1:1/vitrine", "127.0.0.1:1"},
		{"postgres://ann:secret@127.0.0.1:none/vitrine", "HOST:PORT"},
		{"postgresql://ann:secret@127.0.0.1:1/vitrine?pool_max_conns=1", "pool_max_conns"},
	} {
		s, err := Open(c.place)
		if err == nil {
			_ = s.Close()
			t.Fatalf("%s is opened", c.place)
		}
		if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want something of %q", c.place, err, c.want)
		}
	}
}

// As many as the address allows read at once, and no more.
func TestPostgresConnections(t *testing.T) {
	const n = 6
	s := openTestStore(t, sqltest.WithParameter(t, vitrinetest.PostgresDatabase(t), "pool_max_conns", fmt.Sprint(n)))
	readers := cap(s.DB.Readers.Idle)
	if readers+cap(s.DB.Writer.Idle) != n {
		t.Errorf("%d read and %d write, want %d in all", readers, cap(s.DB.Writer.Idle), n)
	}
	inside, all := make(chan bool, n), make(chan bool)
	var done sync.WaitGroup
	for range readers {
		done.Go(func() {
			err := s.Read(context.Background(), func(vitrine.Tx) error { inside <- true; <-all; return nil })
			if err != nil {
				t.Error(err)
			}
		})
	}
	for range readers {
		<-inside
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Read(ctx, func(vitrine.Tx) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("one more: %v", err)
	}
	close(all)
	done.Wait()
}

// What no text in PostgreSQL can be is in it as U+FFFD, and asking for it finds
// nothing.
func TestPostgresText(t *testing.T) {
	s := openTestStore(t, vitrinetest.PostgresDatabase(t))
	a := &vitrine.Account{Email: "ann@example.org", CreatedAt: vitrinetest.Epoch}
	const odd, kept = "a\x00b\xff", "a\ufffdb\ufffd"
	l := &vitrine.Link{Slug: "slug", Title: odd, Name: odd, Detail: odd, CreatedAt: vitrinetest.Epoch}
	err := s.Update(t.Context(), func(tx vitrine.Tx) error {
		if err := tx.AddAccount(a); err != nil {
			return err
		}
		l.Account = a.ID
		return tx.AddLink(l)
	})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Read(t.Context(), func(tx vitrine.Tx) error {
		got, err := tx.Link(l.ID)
		if err == nil && (got.Title != kept || got.Name != kept || got.Detail != kept) {
			t.Errorf("%q is kept as %q", odd, got.Title)
		}
		_, err1 := tx.AccountByEmail("ann\x00@example.org")
		_, err2 := tx.LinkBySlug("slug\x00")
		if !errors.Is(err1, vitrine.ErrNotFound) || !errors.Is(err2, vitrine.ErrNotFound) {
			t.Errorf("what cannot be there: %v, %v", err1, err2)
		}
		ids, err3 := tx.LinkIDs(vitrine.LinkQuery{Words: []string{"\x00"}})
		if len(ids) != 1 {
			t.Errorf("%d links have the odd character, want 1", len(ids))
		}
		return errors.Join(err, err3)
	})
	if err != nil {
		t.Error(err)
	}
}

// A store whose connection for news is cut, or stalls, tells of what another
// changes all the same, and comes to rest again.
func TestPostgresVersionWithoutNews(t *testing.T) {
	sqltest.HastyPostgres(t)
	place := vitrinetest.PostgresDatabase(t)
	one, other := openTestStore(t, place), openTestStore(t, place)
	other.DB.Changes.Close() // so that one listens
	change := func() {
		t.Helper()
		err := other.Update(t.Context(), func(tx vitrine.Tx) error {
			return tx.PutSecret("s",
				[]byte(time.Now().String()))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, fail := range map[string]func(process int){
		"cut": func(process int) {
			err := other.DB.Read(t.Context(), func(tx *sqldb.Tx) error {
				var ok bool
				return tx.Get([]any{&ok}, "SELECT pg_terminate_backend($1)", process)
			})
			if err != nil {
				t.Error(err)
			}
		},
		"stalled": func(process int) {
			if err := syscall.Kill(process, syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = syscall.Kill(process, syscall.SIGCONT) })
		},
	} {
		before := sqltest.Steady(t, one, one.DB)
		process := sqltest.Listening(t, one.DB)
		fail(process)
		change()
		changed := time.Now()
		for ticker := time.NewTicker(time.Millisecond); sqltest.VersionOf(t, one) == before; <-ticker.C {
			if time.Since(changed) > vitrinetest.SeenWithin {
				t.Fatalf("%s: a change is not told of after %v", name, time.Since(changed))
			}
		}
		t.Logf("%s: told of after %v", name, time.Since(changed))
		rest := sqltest.Steady(t, one, one.DB)
		if after := sqltest.Listening(t, one.DB); after == process && name == "cut" {
			t.Errorf("%s: the same connection listens", name)
		}
		change()
		for changed, ticker := time.Now(), time.NewTicker(time.Millisecond); sqltest.VersionOf(t,
			one) == rest; <-ticker.C {
			if time.Since(changed) > vitrinetest.SeenWithin {
				t.Fatalf("%s: a change after it is not told of", name)
			}
		}
	}
}

// The version of a store in PostgreSQL stays while nothing is written, and
// transactions that write nothing say nothing.
func TestPostgresVersionStays(t *testing.T) {
	sqltest.HastyPostgres(t)
	s := openTestStore(t, vitrinetest.PostgresDatabase(t))
	version := sqltest.Steady(t, s, s.DB)
	for range 3 {
		if err := s.Read(t.Context(), func(tx vitrine.Tx) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	<-time.NewTimer(2 * sqldb.PostgresWaits.Beat).C // it has to stay over some
	if v := sqltest.VersionOf(t, s); v != version {
		t.Errorf("version %d became %d, and nothing was written", version, v)
	}
}

// Every query of the store follows an index in PostgreSQL, too.
func TestPostgresPlans(t *testing.T) {
	s := openTestStore(t, vitrinetest.PostgresDatabase(t))
	for name, run := range queries() {
		err := s.DB.Read(t.Context(), func(tx *sqldb.Tx) error {
			clear(tx.Conn.Statements)
			seen := &noted{}
			tx.Dialect = seen.of(tx.Dialect)
			run(Tx{tx})
			for _, query := range append(slices.Collect(maps.Keys(tx.Conn.Statements)), seen.visits...) {
				plan, err := sqltest.PlanOf(tx, query)
				if err != nil {
					return fmt.Errorf("%s: %w", query, err)
				}
				if strings.Contains(plan, "Seq Scan") {
					t.Errorf("%s goes through whole tables:\n%s\n%s", name, query, plan)
				}
			}
			return tx.Err
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// noted notes what is asked by visits, which keep no statement.
type noted struct{ visits []string }

func (n *noted) of(d *sqldb.Dialect) *sqldb.Dialect {
	c := *d
	c.Visit = func(t *sqldb.Tx, columns, from string, args []any, f func([]driver.Value) error) error {
		n.visits = append(n.visits, "SELECT "+columns+from)
		return d.Visit(t, columns, from, args, f)
	}
	return &c
}
