package viewlog

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/test/sqltest"
	"vitrine/internal/test/vitrinetest"
)

// TestDiskFull checks a log on a full disk: acknowledged views are stored,
// refused ones are not, and the log continues when there is space again.
func TestDiskFull(t *testing.T) {
	dir := vitrinetest.SmallFileSystem(t, "2m")
	untilFull(t, filepath.Join(dir, "views.db"), dir, "32m")
}

// TestPostgresDiskFull checks the same for a PostgreSQL server without space.
func TestPostgresDiskFull(t *testing.T) {
	server := vitrinetest.Postgres(t)
	dir := vitrinetest.SmallFileSystem(t, "14m")
	place := server.NewDatabaseIn(t, dir)
	untilFull(t, place, dir, "96m")
}

// untilFull writes to a log until its file system, in dir, is full, and then
// enlarges it.
func untilFull(t *testing.T, place, dir, larger string) {
	l, err := Open(place)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	g := sqltest.NewTraffic(3)
	stored := map[vitrine.LinkID]int64{}
	add := func() error {
		var b vitrine.Batch
		for range 200 {
			v := g.Open()
			v.Bot = ""
			b.Views = append(b.Views, v)
		}
		outcome, err := l.Append(context.Background(), b)
		for i, v := range b.Views {
			if err == nil && (outcome.Refused == nil || outcome.Refused[i] == nil) {
				stored[vitrine.LinkID(v.Link)]++
			}
		}
		return err
	}
	check := func() {
		t.Helper()
		counts, err := l.Counts(t.Context(), []vitrine.LinkID{1, 2, 3})
		if err != nil {
			t.Fatal(err)
		}
		for link, n := range stored {
			if counts[link].Views != n {
				t.Errorf("link %d has %d views, want %d", link, counts[link].Views, n)
			}
		}
		if err := l.Audit(t.Context(), true, func(fault string, _ bool) { t.Error(fault) }); err != nil {
			t.Error(err)
		}
		if l.db.Dialect == sqldb.SqliteDialect {
			sqltest.CheckIntegrity(t, l.db)
		}
	}
	failures := 0
	for range 500 {
		if err := add(); err != nil {
			if vitrine.CodeOf(err) != vitrine.CodeUnavailable || errors.Is(err, context.Canceled) {
				t.Fatalf("Append on a full disk = %v, want unavailable", err)
			}
			if failures++; failures == 5 {
				break
			}
		}
	}
	if failures < 5 {
		t.Fatal("the disk did not fill up")
	}
	check()
	vitrinetest.Resize(t, dir, larger)
	for range 20 {
		if err := add(); err != nil {
			t.Fatalf("Append with space again = %v, want nil", err)
		}
	}
	check()
}
