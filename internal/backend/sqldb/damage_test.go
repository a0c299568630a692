package sqldb

import (
	"database/sql"
	"errors"
	"strings"
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
		for dialect, restores := range map[*Dialect]bool{SqliteDialect: true, PostgresStore: false} {
			told := (&DB{Dialect: dialect, path: "vitrine"}).wrapError("query", err)
			if !errors.Is(told, vitrine.ErrDamaged) || restores != strings.Contains(errors.Unwrap(told).Error(), "admin restore") {
				t.Errorf("the advice is %v", errors.Unwrap(told))
			}
		}
	}
	if err := db.QueryRowContext(t.Context(), "SELECT 1 WHERE false").Scan(new(string)); errors.Is(explainDamage("vitrine.db", err), vitrine.ErrDamaged) {
		t.Errorf("no row = %v", err)
	}
}
