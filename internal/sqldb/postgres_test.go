package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine"
	"vitrine/internal/vitrinetest"
	"vitrine/internal/vitrinetest/tier"
)

// seenWithin bounds how long a test waits for what comes soon on an idle machine.
const seenWithin = time.Minute

// hastyPostgres has databases that a test opens wait for their server for less
// time. A busy machine must not make a server look frozen, so it is not much less.
func hastyPostgres(t *testing.T) {
	before := postgresWaits
	postgresWaits = waits{beat: 200 * time.Millisecond, answer: time.Second, heard: 1200 * time.Millisecond,
		again: 100 * time.Millisecond, open: 2 * time.Second, silence: 3 * time.Second}
	t.Cleanup(func() { postgresWaits = before })
}

func TestPostgresStore(t *testing.T) {
	inPostgres(t)
	vitrinetest.Store(t, func(t *testing.T) vitrine.Store { return openTestStore(t, newPlace(t)) })
	vitrinetest.SharedStore(t, seenWithin, func(t *testing.T) (one, other vitrine.Store) {
		place := newPlace(t)
		return openTestStore(t, place), openTestStore(t, place)
	})
}

func TestPostgresViewLog(t *testing.T) {
	inPostgres(t)
	vitrinetest.ViewLog(t, tier.Pick(5, 1), func(t *testing.T) vitrine.ViewLog { return openTestLog(t) })
}

// inPostgres has the databases of a test in PostgreSQL. One that a part of it has used is emptied for the next, which is quicker than another.
func inPostgres(t *testing.T) {
	tier.Need(t, tier.Test, "a PostgreSQL server")
	before := newPlace
	onPostgres = true
	var spare []string
	newPlace = func(tb testing.TB) (place string) {
		if n := len(spare); n > 0 {
			place, spare = spare[n-1], spare[:n-1]
		} else {
			place = vitrinetest.PostgresDatabase(t)
		}
		tb.Cleanup(func() {
			empty(tb, place)
			spare = append(spare, place)
		})
		return place
	}
	t.Cleanup(func() { newPlace, onPostgres = before, false })
}

// empty removes every row of the store and of the log.
func empty(tb testing.TB, place string) {
	tb.Helper()
	ctx := context.Background()
	c, err := pgx.Connect(ctx, place)
	if err == nil {
		_, err = c.Exec(ctx, `DO $$ DECLARE tables text; BEGIN
			SELECT string_agg(format('%I.%I', schemaname, tablename), ', ') INTO tables FROM pg_tables
				WHERE schemaname LIKE 'vitrine%' AND tablename NOT IN ('goose_db_version', 'log');
			IF tables IS NOT NULL THEN EXECUTE 'TRUNCATE ' || tables || ' RESTART IDENTITY'; END IF;
			IF to_regclass('vitrine_views.log') IS NOT NULL THEN UPDATE vitrine_views.log SET seq = 0, run = 0; END IF;
			END $$`, pgx.QueryExecModeSimpleProtocol)
		err = errors.Join(err, c.Close(ctx))
	}
	if err != nil {
		tb.Error(err)
	}
}

// What is tested of a database in a file holds in PostgreSQL, too.
func TestPostgresToo(t *testing.T) {
	inPostgres(t)
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

// What is tested of a database in a file holds in PostgreSQL, too.
func TestPostgresLogToo(t *testing.T) {
	inPostgres(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"EraseInSteps", TestEraseInSteps},
		{"VisitEnds", TestVisitEnds},
		{"EveryAnswerIsAFold", TestEveryAnswerIsAFold},
		{"LiveFollowsFromItsSnapshot", TestLiveFollowsFromItsSnapshot},
		{"LiveIsOfOneMoment", TestLiveIsOfOneMoment},
		{"LiveOfErased", TestLiveOfErased},
		{"AtOnce", TestAtOnce},
		{"ImportOfOneMillisecond", TestImportOfOneMillisecond},
		{"ImportGoesRound", TestImportGoesRound},
		{"PacksStayFew", TestPacksStayFew},
		{"RecentNone", TestRecentNone},
		{"EraseLeavesNothing", TestEraseLeavesNothing},
		{"SettleAndReturning", TestSettleAndReturning},
		{"LateOnSettledDays", TestLateOnSettledDays},
		{"ForgetDownloadsOnly", TestForgetDownloadsOnly},
		{"MergeAtOnce", TestMergeAtOnce},
		{"MergeDroppedByAnother", TestMergeDroppedByAnother},
		{"VisitsDamaged", TestVisitsDamaged},
		{"WordsOfTwoProcesses", TestWordsOfTwoProcesses},
		{"WordsOfFailedTransaction", TestWordsOfFailedTransaction},
		{"WordsWithinTransaction", TestWordsWithinTransaction},
		{"ManyWords", TestManyWords},
		{"SameReports", TestSameReports},
	} {
		t.Run(test.name, test.run)
	}
}

// Instances that start together on a new database all come up, whichever makes it.
func TestPostgresOpenTogether(t *testing.T) {
	place := vitrinetest.PostgresDatabase(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			s, err := OpenStore(place)
			if err != nil {
				t.Error(err)
				return
			}
			err = s.Update(context.Background(), func(tx vitrine.Tx) error { return tx.PutSecret("s", []byte("v")) })
			if err := errors.Join(err, s.Close()); err != nil {
				t.Error(err)
			}
		})
		all.Go(func() {
			l, err := OpenViewLog(place)
			if err != nil {
				t.Error(err)
				return
			}
			_, err = l.Append(context.Background(), vitrine.Batch{Opens: []vitrine.OpenRecord{from(1, "a")}})
			if err := errors.Join(err, l.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// An address that leads nowhere is an error that says so, and keeps the password to itself.
func TestPostgresOpenFails(t *testing.T) {
	for _, c := range []struct{ place, want string }{
		{"postgres://ann:secret@127.0.0.1:1/vitrine", "127.0.0.1:1"},
		{"postgres://ann:secret@127.0.0.1:none/vitrine", "HOST:PORT"},
		{"postgresql://ann:secret@127.0.0.1:1/vitrine?pool_max_conns=1", "pool_max_conns"},
	} {
		s, err := OpenStore(c.place)
		if err == nil {
			_ = s.Close()
			t.Fatalf("%s is opened", c.place)
		}
		if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want something of %q", c.place, err, c.want)
		}
	}
}

func withParameter(t *testing.T, place, name, value string) string {
	t.Helper()
	u, err := url.Parse(place)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// As many as the address allows read at once, and no more.
func TestPostgresConnections(t *testing.T) {
	const n = 6
	s := openTestStore(t, withParameter(t, vitrinetest.PostgresDatabase(t), "pool_max_conns", fmt.Sprint(n)))
	readers := cap(s.db.readers.idle)
	if readers+cap(s.db.writer.idle) != n {
		t.Errorf("%d read and %d write, want %d in all", readers, cap(s.db.writer.idle), n)
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

// What no text in PostgreSQL can be is in it as U+FFFD, and asking for it finds nothing.
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

// listening tells which process of the server listens for a store.
func listening(t *testing.T, d *db) (process int) {
	t.Helper()
	err := d.read(context.Background(), func(tx *tx) error {
		return tx.get([]any{&process}, `SELECT coalesce(max(pid), 0) FROM pg_stat_activity WHERE datname = current_database()
			AND pid <> pg_backend_pid() AND query IN ($1, 'LISTEN `+changesChannel+`') AND state = 'idle'`, heartbeatQuery)
	})
	if err != nil {
		t.Fatal(err)
	}
	return process
}

// steady waits until the version stays the same, and tells it.
func steady(t *testing.T, s versioned, d *db) (version int64) {
	t.Helper()
	until := time.Now().Add(30 * time.Second)
	for ticker := time.NewTicker(20 * time.Millisecond); ; <-ticker.C {
		version = versionOf(t, s)
		<-ticker.C
		if versionOf(t, s) == version && listening(t, d) != 0 {
			return version
		}
		if time.Now().After(until) {
			t.Fatal("the version does not stay, though nothing changes")
		}
	}
}

// versioned is a store.
type versioned interface {
	Version(context.Context) (int64, error)
}

func versionOf(t *testing.T, s versioned) int64 {
	t.Helper()
	v, err := s.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A store whose connection for news is cut, or stalls, tells of what another changes all the same, and comes to rest again.
func TestPostgresVersionWithoutNews(t *testing.T) {
	hastyPostgres(t)
	place := vitrinetest.PostgresDatabase(t)
	one, other := openTestStore(t, place), openTestStore(t, place)
	other.db.changes.Close() // so that one listens
	change := func() {
		t.Helper()
		err := other.Update(t.Context(), func(tx vitrine.Tx) error { return tx.PutSecret("s", []byte(time.Now().String())) })
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, fail := range map[string]func(process int){
		"cut": func(process int) {
			err := other.db.read(t.Context(), func(tx *tx) error {
				var ok bool
				return tx.get([]any{&ok}, "SELECT pg_terminate_backend($1)", process)
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
		before := steady(t, one, one.db)
		process := listening(t, one.db)
		fail(process)
		change()
		changed := time.Now()
		for ticker := time.NewTicker(time.Millisecond); versionOf(t, one) == before; <-ticker.C {
			if time.Since(changed) > seenWithin {
				t.Fatalf("%s: a change is not told of after %v", name, time.Since(changed))
			}
		}
		t.Logf("%s: told of after %v", name, time.Since(changed))
		rest := steady(t, one, one.db)
		if after := listening(t, one.db); after == process && name == "cut" {
			t.Errorf("%s: the same connection listens", name)
		}
		change()
		for changed, ticker := time.Now(), time.NewTicker(time.Millisecond); versionOf(t, one) == rest; <-ticker.C {
			if time.Since(changed) > seenWithin {
				t.Fatalf("%s: a change after it is not told of", name)
			}
		}
	}
}

// The version of a store in PostgreSQL stays while nothing is written, and transactions that write nothing say nothing.
func TestPostgresVersionStays(t *testing.T) {
	hastyPostgres(t)
	s := openTestStore(t, vitrinetest.PostgresDatabase(t))
	version := steady(t, s, s.db)
	for range 3 {
		if err := s.Read(t.Context(), func(tx vitrine.Tx) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	<-time.NewTimer(2 * postgresWaits.beat).C // it has to stay over some
	if v := versionOf(t, s); v != version {
		t.Errorf("version %d became %d, and nothing was written", version, v)
	}
}

// Every query of the store goes by an index in PostgreSQL, too.
func TestPostgresPlans(t *testing.T) {
	s := openTestStore(t, vitrinetest.PostgresDatabase(t))
	for name, run := range queries() {
		err := s.db.read(t.Context(), func(tx *tx) error {
			clear(tx.conn.statements)
			seen := &noted{}
			tx.dialect = seen.of(tx.dialect)
			run(storeTx{tx})
			for _, query := range append(slices.Collect(maps.Keys(tx.conn.statements)), seen.visits...) {
				plan, err := planOf(tx, query)
				if err != nil {
					return fmt.Errorf("%s: %w", query, err)
				}
				if strings.Contains(plan, "Seq Scan") {
					t.Errorf("%s goes through whole tables:\n%s\n%s", name, query, plan)
				}
			}
			return tx.err
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// noted notes what is asked by visits, which keep no statement.
type noted struct{ visits []string }

func (n *noted) of(d *dialect) *dialect {
	c := *d
	c.visit = func(t *tx, columns, from string, args []any, f func([]driver.Value) error) error {
		n.visits = append(n.visits, "SELECT "+columns+from)
		return d.visit(t, columns, from, args, f)
	}
	return &c
}

// planOf is the plan of a query whatever its arguments are.
func planOf(t *tx, query string) (plan string, err error) {
	n := 0
	for strings.Contains(query, fmt.Sprint("$", n+1)) {
		n++
	}
	execute := "EXPLAIN EXECUTE planned"
	if n > 0 {
		execute += "(NULL" + strings.Repeat(", NULL", n-1) + ")"
	}
	for _, statement := range []string{"SET LOCAL plan_cache_mode = force_generic_plan", "PREPARE planned AS " + query} {
		if err := postgresCommand(t.conn, statement); err != nil {
			return "", err
		}
	}
	rows, err := t.conn.postgres.Query(context.Background(), execute, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return "", err
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return "", err
	}
	return strings.Join(lines, "\n"), postgresCommand(t.conn, "DEALLOCATE planned")
}
