package sqldb

import (
	"errors"
	"strings"
	"syscall"
	"testing"
)

// TestNothingListens checks that the error of a server that does not run is one
// sentence, with the cause for programs.
func TestNothingListens(t *testing.T) {
	const place = "postgres://x@localhost:1/y"
	_, looked := LookAt(t.Context(), place, StoreSchema)
	_, opened := OpenPostgres(place, StoreSchema, PostgresStore, 1, UsualWaits())
	for what, err := range map[string]error{"LookAt": looked, "OpenPostgres": opened} {
		if !errors.Is(err, syscall.ECONNREFUSED) || !strings.HasSuffix(err.Error(), "nothing listens at localhost:1") {
			t.Errorf("%s = %v, want that nothing listens", what, err)
		}
	}
}
