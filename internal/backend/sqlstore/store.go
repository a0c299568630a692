// Package sqlstore implements [vitrine.Store] on a SQL database (package
// sqldb).
package sqlstore

import (
	"context"
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

// Store implements [vitrine.Store].
type Store struct {
	// DB is the underlying database, for functions that Store does not offer.
	DB *sqldb.DB
}

var _ vitrine.Store = (*Store)(nil)

// Open opens the store in a SQLite file, or in a PostgreSQL database
// (postgres://…). It creates the schema or upgrades it. It returns an error if
// a newer version of the program has used the store. Several processes can use
// the same store.
func Open(place string) (*Store, error) { return OpenWith(place, sqldb.UsualWaits()) }

// OpenWith opens a store with other limits of time.
func OpenWith(place string, w sqldb.Waits) (*Store, error) {
	db, err := sqldb.Open(place, sqldb.StoreSchema, w)
	if err != nil {
		return nil, err
	}
	return &Store{DB: db}, nil
}

// Close waits for running transactions and closes the database.
func (s *Store) Close() error { return s.DB.Close() }

// Time returns the time by the clock of a database server. It reports false for
// SQLite, or if the server has not reported its time lately.
func (s *Store) Time() (now time.Time, known bool) {
	return s.DB.Time()
}

// Version implements [vitrine.Store]. Database failures are
// vitrine.Unavailable.
func (s *Store) Version(ctx context.Context) (number int64, err error) { return s.DB.ReadVersion(ctx) }

// Read implements [vitrine.Store]. Database failures are vitrine.Unavailable.
func (s *Store) Read(ctx context.Context, f func(vitrine.Tx) error) error {
	return s.DB.Read(ctx, func(t *sqldb.Tx) error { return f(Tx{t}) })
}

// Update implements [vitrine.Store]. Database failures are vitrine.Unavailable,
// even if f ignores them.
func (s *Store) Update(ctx context.Context, f func(vitrine.Tx) error) error {
	return s.DB.Update(ctx, func(t *sqldb.Tx) error { return f(Tx{t}) })
}

// Tx implements [vitrine.Tx].
type Tx struct{ *sqldb.Tx }

// add inserts a row and scans its new ID into id.
func (t Tx) add(id any, insert string, args ...any) error {
	err := t.Get([]any{id}, insert+" ON CONFLICT DO NOTHING RETURNING id", args...)
	if err == vitrine.ErrNotFound {
		return vitrine.ErrExists
	}
	return err
}

func (t Tx) Secret(name string) (value []byte, err error) {
	err = t.Get([]any{&value}, "SELECT value FROM secrets WHERE name = $1", name)
	return value, err
}

func (t Tx) PutSecret(name string, value []byte) error {
	_, err := t.Exec("INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
	return err
}

// ReadSnapshot calls f with a transaction over the snapshot of a store.
func ReadSnapshot(s *sqldb.Snapshot, f func(vitrine.Tx) error) error {
	return s.Read(func(t *sqldb.Tx) error { return f(Tx{t}) })
}
