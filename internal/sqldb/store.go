package sqldb

import (
	"context"
	"time"

	"vitrine"
)

// Store is a vitrine.Store.
type Store struct {
	db *db
}

var _ vitrine.Store = (*Store)(nil)

// OpenStore opens the store in a SQLite file, or in the PostgreSQL database of an address (postgres://…), which it makes where there is
// none, and upgrades its schema. It refuses one that a newer version has used. Several processes may have the same one open.
func OpenStore(place string) (*Store, error) {
	if isPostgres(place) {
		db, err := openPostgres(place, "store", postgresStore, postgresWriters)
		if err != nil {
			return nil, err
		}
		return &Store{db: db}, nil
	}
	db, err := openSQLite(place, "store")
	if err != nil {
		return nil, err
	}
	return &Store{db: db}, nil
}

// Close waits for running transactions and closes the database.
func (s *Store) Close() error { return s.db.Close() }

// Time is what time it is by the clock of a database that other machines share; false: it has none of its own, or has not told it lately.
func (s *Store) Time() (now time.Time, known bool) {
	return s.db.time()
}

// Version implements [vitrine.Store]. A failure of the database is vitrine.Unavailable.
func (s *Store) Version(ctx context.Context) (number int64, err error) { return s.db.readVersion(ctx) }

// Read implements [vitrine.Store]. A failure of the database is vitrine.Unavailable.
func (s *Store) Read(ctx context.Context, f func(vitrine.Tx) error) error {
	return s.db.read(ctx, func(t *tx) error { return f(storeTx{t}) })
}

// Update implements [vitrine.Store]. A failure of the database is vitrine.Unavailable, also when f has overlooked it.
func (s *Store) Update(ctx context.Context, f func(vitrine.Tx) error) error {
	return s.db.update(ctx, func(t *tx) error { return f(storeTx{t}) })
}

// storeTx is a vitrine.Tx.
type storeTx struct{ *tx }

// add inserts a row and reads the ID that it is given.
func (t storeTx) add(id any, insert string, args ...any) error {
	err := t.get([]any{id}, insert+" ON CONFLICT DO NOTHING RETURNING id", args...)
	if err == vitrine.ErrNotFound {
		return vitrine.ErrExists
	}
	return err
}

func (t storeTx) Secret(name string) (value []byte, err error) {
	err = t.get([]any{&value}, "SELECT value FROM secrets WHERE name = $1", name)
	return value, err
}

func (t storeTx) PutSecret(name string, value []byte) error {
	_, err := t.exec("INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
	return err
}

// ReadSnapshot calls f with a transaction over the snapshot of a store.
func ReadSnapshot(s *Snapshot, f func(vitrine.Tx) error) error {
	return s.Read(func(t *tx) error { return f(storeTx{t}) })
}
