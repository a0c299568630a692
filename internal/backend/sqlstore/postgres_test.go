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
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/test/sqltest"
	"vitrine/internal/test/storetest"
	"vitrine/internal/test/vitrinetest"
)

func TestPostgresStore(t *testing.T) {
	sqltest.InPostgres(t)
	storetest.Run(t, func(t *testing.T) vitrine.Store { return openTestStore(t, sqltest.NewPlace(t)) })
	storetest.RunShared(t, vitrinetest.SeenWithin, func(t *testing.T) (one, other vitrine.Store) {
		place := sqltest.NewPlace(t)
		return openTestStore(t, place), openTestStore(t, place)
	})
}

// TestPostgresToo repeats the tests of a database file with PostgreSQL.
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
		{"Lock", TestLock},
	} {
		t.Run(test.name, test.run)
	}
}

// TestPostgresOpenFails checks that a wrong address is a clear error without
// the password.
func TestPostgresOpenFails(t *testing.T) {
	for _, c := range []struct{ place, want string }{
		{"postgres://ann:secret@127.0.0.1:1/vitrine", "127.0.0.1:1"},
		{"postgres://ann:secret@127.0.0.1:none/vitrine", "HOST:PORT"},
		{"postgresql://ann:secret@127.0.0.1:1/vitrine?pool_max_conns=1", "pool_max_conns"},
	} {
		s, err := Open(c.place)
		if err == nil {
			_ = s.Close()
			t.Fatalf("Open(%s) succeeds, want an error", c.place)
		}
		if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want an error with %q", c.place, err, c.want)
		}
	}
}

// TestPostgresConnections checks that as many readers as the address allows run
// at once, and no more.
func TestPostgresConnections(t *testing.T) {
	const n = 6
	s := openTestStore(t, sqltest.WithParameter(t, vitrinetest.PostgresDatabase(t), "pool_max_conns", fmt.Sprint(n)))
	readers := cap(s.DB.Readers.Idle)
	if readers+cap(s.DB.Writer.Idle) != n {
		t.Errorf("%d readers and %d writers, want %d in total", readers, cap(s.DB.Writer.Idle), n)
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
		t.Errorf("one more Read = %v, want context.Canceled", err)
	}
	close(all)
	done.Wait()
}

// TestPostgresText checks that characters that PostgreSQL cannot store become
// U+FFFD, and that searching for them finds nothing.
func TestPostgresText(t *testing.T) {
	s := openTestStore(t, vitrinetest.PostgresDatabase(t))
	a := &vitrine.Account{Email: "ann@example.org", CreatedAt: vitrinetest.Epoch}
	const odd, kept = "a\x00b\xff", "a\ufffdb\ufffd"
	l := &vitrine.Link{Slug: "slug", Title: odd, File: vitrine.File{Name: odd}, Detail: odd,
		CreatedAt: vitrinetest.Epoch}
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
			t.Errorf("%q is stored as %q", odd, got.Title)
		}
		_, err1 := tx.AccountByEmail("ann\x00@example.org")
		_, err2 := tx.LinkBySlug("slug\x00")
		if !errors.Is(err1, vitrine.ErrNotFound) || !errors.Is(err2, vitrine.ErrNotFound) {
			t.Errorf("lookups of impossible texts = %v, %v, want ErrNotFound", err1, err2)
		}
		ids, err3 := tx.LinkIDs(vitrine.LinkQuery{Words: []string{"\x00"}})
		if len(ids) != 1 {
			t.Errorf("%d links have the character, want 1", len(ids))
		}
		return errors.Join(err, err3)
	})
	if err != nil {
		t.Error(err)
	}
}

// TestPostgresVersionWithoutNews checks that a store whose listening connection
// is cut or stalls still sees the changes of others, and then listens again.
func TestPostgresVersionWithoutNews(t *testing.T) {
	place := vitrinetest.PostgresDatabase(t)
	one, other := openStoreWith(t, place, sqltest.Hasty), openStoreWith(t, place, sqltest.Hasty)
	other.DB.Changes.Close() // so that only one listens
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
		before := sqltest.Stable(t, one, one.DB)
		process := sqltest.Listening(t, one.DB)
		fail(process)
		change()
		changed := time.Now()
		for ticker := time.NewTicker(time.Millisecond); sqltest.VersionOf(t, one) == before; <-ticker.C {
			if time.Since(changed) > vitrinetest.SeenWithin {
				t.Fatalf("%s: a change is not seen after %v", name, time.Since(changed))
			}
		}
		t.Logf("%s: seen after %v", name, time.Since(changed))
		rest := sqltest.Stable(t, one, one.DB)
		if after := sqltest.Listening(t, one.DB); after == process && name == "cut" {
			t.Errorf("%s: the same connection listens", name)
		}
		change()
		for changed, ticker := time.Now(), time.NewTicker(time.Millisecond); sqltest.VersionOf(t,
			one) == rest; <-ticker.C {
			if time.Since(changed) > vitrinetest.SeenWithin {
				t.Fatalf("%s: a later change is not seen", name)
			}
		}
	}
}

// TestPostgresVersionStays checks that the version of a store in PostgreSQL
// does not change without writes, and that transactions without writes send no
// notification.
func TestPostgresVersionStays(t *testing.T) {
	s := openStoreWith(t, vitrinetest.PostgresDatabase(t), sqltest.Hasty)
	version := sqltest.Stable(t, s, s.DB)
	for range 3 {
		if err := s.Read(t.Context(), func(tx vitrine.Tx) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	<-time.NewTimer(2 * sqltest.Hasty.Beat).C // it must stay for several beats
	if v := sqltest.VersionOf(t, s); v != version {
		t.Errorf("version %d became %d without a write", version, v)
	}
}

// TestPostgresPlans checks that every query of the store uses an index in
// PostgreSQL, too.
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
					t.Errorf("%s scans whole tables:\n%s\n%s", name, query, plan)
				}
			}
			return tx.Err
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// noted records the queries of visits, for which no prepared statements are
// kept.
type noted struct{ visits []string }

func (n *noted) of(d *sqldb.Dialect) *sqldb.Dialect {
	c := *d
	c.Visit = func(t *sqldb.Tx, columns, from string, args []any, f func([]driver.Value) error) error {
		n.visits = append(n.visits, "SELECT "+columns+from)
		return d.Visit(t, columns, from, args, f)
	}
	return &c
}
