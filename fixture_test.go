package vitrine_test

import (
	"errors"
	"path/filepath"
	"testing"

	"vitrine/internal/sqldb"
	"vitrine/internal/vitrinetest"
)

// databases returns a new directory with an empty store, store.db, and an empty
// log, views.db. They are copies: to migrate them takes long.
func databases(t *testing.T) string {
	t.Helper()
	return vitrinetest.CopyOf(t, "databases", func(dir string) error {
		store, err := sqldb.OpenStore(filepath.Join(dir, "store.db"))
		if err != nil {
			return err
		}
		log, err := sqldb.OpenViewLog(filepath.Join(dir, "views.db"))
		if err != nil {
			return errors.Join(err, store.Close())
		}
		return errors.Join(store.Close(), log.Close())
	})
}
