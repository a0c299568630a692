package sqldb

import (
	"database/sql"
	"errors"
	"testing"

	"vitrine"
)

// TestWrongValues checks that a value that does not have the type of its column
// is damage, as SQLite reads such values from a damaged page.
func TestWrongValues(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for value, into := range map[string]any{"NULL": new(string), "'x'": new(int64), "x'ff'": new(bool)} {
		err := db.QueryRowContext(t.Context(), "SELECT "+value).Scan(into)
		if err == nil || !errors.Is(explainDamage("vitrine.db", err), vitrine.ErrDamaged) {
			t.Errorf("%s read as %T = %v", value, into, err)
		}
	}
	if err := db.QueryRowContext(t.Context(), "SELECT 1 WHERE false").Scan(new(string)); errors.Is(explainDamage("vitrine.db", err), vitrine.ErrDamaged) {
		t.Errorf("no row = %v", err)
	}
}
