package sqltest

import (
	"context"
	"errors"
	"net/url"
	"testing"
	"time"

	"vitrine/internal/backend/sqldb"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"

	"github.com/jackc/pgx/v5"
)

// Hasty are shorter limits for the time that the databases of a test wait for
// their server. They are only a little shorter, so that a busy server does not
// look frozen.
var Hasty = sqldb.Waits{Beat: 200 * time.Millisecond, Answer: time.Second, Heard: 1200 * time.Millisecond,
	Again: 100 * time.Millisecond, Open: 2 * time.Second, Silence: 3 * time.Second, Version: time.Millisecond}

// InPostgres puts the databases of a test into PostgreSQL. A used database is
// emptied for the next part of the test, which is faster than making a new one.
func InPostgres(t testing.TB) {
	tier.Need(t, tier.Test, "a PostgreSQL server")
	before := NewPlace
	onPostgres = true
	var spare []string
	NewPlace = func(tb testing.TB) (place string) {
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
	t.Cleanup(func() { NewPlace, onPostgres = before, false })
}

// empty deletes every row of the store and of the log.
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

func WithParameter(t *testing.T, place, name, value string) string {
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

// Listening returns the process ID of the server process that listens for a
// store.
func Listening(t *testing.T, d *sqldb.DB) (process int) {
	t.Helper()
	err := d.Read(context.Background(), func(tx *sqldb.Tx) error {
		return tx.Get([]any{&process}, `SELECT coalesce(max(pid), 0) FROM pg_stat_activity WHERE datname = current_database()
			AND pid <> pg_backend_pid() AND query IN ($1, 'LISTEN `+sqldb.ChangesChannel+`') AND state = 'idle'`, sqldb.HeartbeatQuery)
	})
	if err != nil {
		t.Fatal(err)
	}
	return process
}

// Stable waits until the version stays the same, and returns it.
func Stable(t *testing.T, s versioned, d *sqldb.DB) (version int64) {
	t.Helper()
	until := time.Now().Add(30 * time.Second)
	for ticker := time.NewTicker(20 * time.Millisecond); ; <-ticker.C {
		version = VersionOf(t, s)
		<-ticker.C
		if VersionOf(t, s) == version && Listening(t, d) != 0 {
			return version
		}
		if time.Now().After(until) {
			t.Fatal("the version changes without a change")
		}
	}
}

// versioned is a store.
type versioned interface {
	Version(context.Context) (int64, error)
}

func VersionOf(t *testing.T, s versioned) int64 {
	t.Helper()
	v, err := s.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v
}
