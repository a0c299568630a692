package sqlstore

import (
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/test/sqltest"
	"vitrine/internal/test/vitrinetest"
)

// TestPostgresPooler checks that a pooler in session mode works, and that one
// in transaction mode is refused with the solution, by the doctor, too.
func TestPostgresPooler(t *testing.T) {
	place := vitrinetest.PostgresDatabase(t)
	direct := openTestStore(t, place)
	pooled := vitrinetest.PgBouncer(t, place, "session")
	one := openTestStore(t, pooled)
	before := sqltest.Stable(t, one, one.DB)
	if err := direct.Update(t.Context(), func(tx vitrine.Tx) error { return tx.PutSecret("s", nil) }); err != nil {
		t.Fatal(err)
	}
	vitrinetest.WaitFor(t, vitrinetest.SeenWithin, "a change by another",
		func() bool { return sqltest.VersionOf(t, one) != before })
	if l, err := sqldb.LookAt(t.Context(), pooled, sqldb.StoreSchema); err != nil || len(l.Wrong) > 0 {
		t.Errorf("session mode = %v, %v", l, err)
	}

	pooled = vitrinetest.PgBouncer(t, place, "transaction")
	for range 3 {
		s, err := Open(pooled)
		if err == nil {
			_ = s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "pool_mode = session") {
			t.Fatalf("transaction mode = %v", err)
		}
		l, err := sqldb.LookAt(t.Context(), pooled, sqldb.StoreSchema)
		if err != nil || len(l.Wrong) != 1 || !strings.Contains(l.Wrong[0], "pool_mode = session") {
			t.Errorf("transaction mode = %v, %v", l, err)
		}
	}
}
