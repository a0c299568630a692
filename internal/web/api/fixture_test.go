package api_test

import (
	"testing"

	"vitrine/internal/test/vitrinetest"
)

// onEachStore runs a test with each kind of store.
func onEachStore(t *testing.T, f func(t *testing.T, store string)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) { f(t, "") })
	t.Run("PostgreSQL", func(t *testing.T) { f(t, vitrinetest.PostgresDatabase(t)) })
}
