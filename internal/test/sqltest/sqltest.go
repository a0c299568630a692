//go:build unix

// Package sqltest has what tests of sqldb, sqlstore and viewlog share:
// databases on SQLite and PostgreSQL, and plans of queries.
package sqltest

import (
	"context"
	"path/filepath"
	"testing"

	"vitrine/internal/backend/sqldb"
	"vitrine/internal/test/vitrinetest"
)

// NewTraffic returns views of some links, a million a year.
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
				t.Errorf("integrity check: %s", found)
			}
			return nil
		}, "PRAGMA integrity_check")
	})
	if err != nil {
		t.Error(err)
	}
}

// NewPlace returns the address of a new database: a file, unless the test is
// repeated with PostgreSQL.
var NewPlace = func(tb testing.TB) string { return filepath.Join(tb.TempDir(), "vitrine.db") }

// onPostgres reports whether a test is repeated with PostgreSQL.
var onPostgres bool

// Repeated returns share if a test is repeated with PostgreSQL, and 1
// otherwise, because random tests run in full on only one backend.
func Repeated(share int) int {
	if onPostgres {
		return share
	}
	return 1
}
