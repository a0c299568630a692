//go:build unix

// Package sqltest has what tests of sqldb, sqlstore and viewdb share: databases
// on SQLite and PostgreSQL, and plans of queries.
package sqltest

import (
	"context"
	"path/filepath"
	"testing"

	"vitrine/internal/sqldb"
	"vitrine/internal/vitrinetest"
)

// NewTraffic makes views of some links, a million a year.
func NewTraffic(links int) *vitrinetest.Traffic { return vitrinetest.NewTraffic(links, 31536) }

// CheckIntegrity runs SQLite's check for damage.
func CheckIntegrity(t *testing.T, d *sqldb.DB) {
	t.Helper()
	err := d.Read(context.Background(), func(tx *sqldb.Tx) error {
		return tx.Each(func(s sqldb.Scanner) error {
			var found string
			if err := s.Scan(&found); err != nil {
				return err
			}
			if found != "ok" {
				t.Errorf("integrity: %s", found)
			}
			return nil
		}, "PRAGMA integrity_check")
	})
	if err != nil {
		t.Error(err)
	}
}

// NewPlace is where a test has a database of its own: in a file, unless the
// test is run once more for PostgreSQL.
var NewPlace = func(tb testing.TB) string { return filepath.Join(tb.TempDir(), "vitrine.db") }

// onPostgres reports whether a test is run once more for PostgreSQL.
var onPostgres bool

// Repeated returns share where a test is run once more for PostgreSQL, and 1
// the first time: random repetitions are tried in full on one backend.
func Repeated(share int) int {
	if onPostgres {
		return share
	}
	return 1
}
