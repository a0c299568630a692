package sqldb

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine"
	"vitrine/internal/vitrinetest"
)

// A pooler in session mode is as good as none. One that gives connections by transactions is refused with what to do, by the doctor, too.
func TestPostgresPooler(t *testing.T) {
	place := vitrinetest.PostgresDatabase(t)
	direct := openTestStore(t, place)
	pooled := vitrinetest.PgBouncer(t, place, "session")
	one := openTestStore(t, pooled)
	before := steady(t, one, one.db)
	if err := direct.Update(t.Context(), func(tx vitrine.Tx) error { return tx.PutSecret("s", nil) }); err != nil {
		t.Fatal(err)
	}
	polls(t, seenWithin, "a change by another", func() bool { return versionOf(t, one) != before })
	if l, err := LookAt(t.Context(), pooled, StoreSchema); err != nil || len(l.Wrong) > 0 {
		t.Errorf("session mode: %v, %v", l, err)
	}

	pooled = vitrinetest.PgBouncer(t, place, "transaction")
	for range 3 {
		s, err := OpenStore(pooled)
		if err == nil {
			_ = s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "pool_mode = session") {
			t.Fatalf("transaction mode: %v", err)
		}
		l, err := LookAt(t.Context(), pooled, StoreSchema)
		if err != nil || len(l.Wrong) != 1 || !strings.Contains(l.Wrong[0], "pool_mode = session") {
			t.Errorf("transaction mode: %v, %v", l, err)
		}
	}
}

// A listener that finds itself behind such a pooler after all has another number as often as it is asked.
func TestPostgresPoolerFound(t *testing.T) {
	ctx := t.Context()
	pooled := vitrinetest.PgBouncer(t, vitrinetest.PostgresDatabase(t), "transaction")
	config, err := pgx.ParseConfig(pooled)
	if err != nil {
		t.Fatal(err)
	}
	l := newListener(config, changesChannel, newLines(&net.Dialer{}))
	defer l.Close()
	heard := func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return !l.heard.IsZero()
	}
	polls(t, time.Minute, "it listens", heard)
	c, err := pgx.Connect(ctx, pooled) // takes the connection to the server that was last used
	if err == nil {
		defer c.Close(ctx)
		_, err = c.Exec(ctx, "BEGIN", pgx.QueryExecModeSimpleProtocol)
	}
	if err != nil {
		t.Fatal(err)
	}
	number := func() int64 {
		n, err := l.version()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	polls(t, time.Minute, "it is found", func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.shared
	})
	polls(t, time.Minute, "it listens again", heard)
	for range 3 {
		if before := number(); number() == before {
			t.Error("the number stays")
		}
	}
}
