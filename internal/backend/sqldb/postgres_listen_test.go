package sqldb

import (
	"net"
	"testing"
	"time"

	"vitrine/internal/test/vitrinetest"

	"github.com/jackc/pgx/v5"
)

// TestPostgresPoolerFound checks that a listener behind a transaction pooler
// returns a new version on every call.
func TestPostgresPoolerFound(t *testing.T) {
	ctx := t.Context()
	pooled := vitrinetest.PgBouncer(t, vitrinetest.PostgresDatabase(t), "transaction")
	config, err := pgx.ParseConfig(pooled)
	if err != nil {
		t.Fatal(err)
	}
	l := newListener(config, ChangesChannel, newLines(&net.Dialer{}, UsualWaits().Silence), UsualWaits())
	defer l.Close()
	heard := func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return !l.validFrom.IsZero()
	}
	vitrinetest.WaitFor(t, time.Minute, "it listens", heard)
	c, err := pgx.Connect(ctx, pooled) // uses the server connection that was last used
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
	vitrinetest.WaitFor(t, time.Minute, "it is found", func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.shared
	})
	vitrinetest.WaitFor(t, time.Minute, "it listens again", heard)
	for range 3 {
		if before := number(); number() == before {
			t.Error("the version does not change")
		}
	}
}
