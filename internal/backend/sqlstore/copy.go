package sqlstore

import (
	"context"

	"vitrine/internal/backend/sqldb"
)

// Tables lists the tables to copy. Rows refer only to rows of earlier tables. A
// table that is neither here nor in [sqldb.NotCopied] fails the copy.
var Tables = []string{"accounts", "identities", "sessions", "one_time_tokens", "attempts", "keys", "uploads", "links",
	"link_counts", "old_slugs", "recipients", "sites", "site_pages", "excess_views", "places", "known_readers", "gates",
	"albums", "album_links", "shared_reports", "changes", "events", "ended_views",
	"event_ids", "webhooks", "deliveries", "abuse_reports", "letters", "secrets"}

// CopyTo copies everything to another store, which must be empty or contain
// what an interrupted copy of the same store left; CopyTo then continues.
// Nobody else may write to either store. Errors: ErrOtherData.
func (s *Store) CopyTo(ctx context.Context, to *Store, progress sqldb.Copied) error {
	return sqldb.CopyDB(ctx, s.DB, to.DB, Tables, progress)
}

// Compare returns the differences between a store and its copy, or nil if there
// are none.
func (s *Store) Compare(ctx context.Context, to *Store) ([]string, error) {
	return sqldb.CompareDB(ctx, s.DB, to.DB, Tables)
}

// Fits returns ErrOtherData if CopyTo cannot fill the other store, because it
// contains data that this one does not have.
func (s *Store) Fits(ctx context.Context, to *Store) error {
	_, _, err := sqldb.Fits(ctx, s.DB, to.DB, Tables)
	return err
}
