package sqlstore

import (
	"context"

	"vitrine/internal/sqldb"
)

// Tables are the tables that a copy takes, in an order in which rows name only
// what was copied before them. A table that is neither here nor in
// [sqldb.NotCopied] fails the copy.
var Tables = []string{"accounts", "sessions", "one_time_tokens", "attempts", "keys", "uploads", "links", "old_slugs",
	"sites", "site_pages", "albums", "album_links", "shared_reports",
	"changes", "abuse_reports", "letters", "secrets"}

// CopyTo copies everything to another store, in which there is nothing yet but
// what the same copy, cut off, has left: it goes on there. Nobody else may
// write to either. Errors: ErrOtherData.
func (s *Store) CopyTo(ctx context.Context, to *Store, told sqldb.Copied) error {
	return sqldb.CopyDB(ctx, s.DB, to.DB, Tables, told)
}

// Compare says what differs between a store and its copy; empty: nothing does.
func (s *Store) Compare(ctx context.Context, to *Store) ([]string, error) {
	return sqldb.CompareDB(ctx, s.DB, to.DB, Tables)
}

// Fits reports whether CopyTo may fill another store: ErrOtherData where it has
// what this one has not.
func (s *Store) Fits(ctx context.Context, to *Store) error {
	_, _, err := sqldb.Fits(ctx, s.DB, to.DB, Tables)
	return err
}
