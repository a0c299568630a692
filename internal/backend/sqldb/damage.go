package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"vitrine"

	"modernc.org/sqlite/lib"
)

// damaged is the error of a damaged database file. It is a
// [vitrine.ErrDamaged].
type damaged struct{ error }

func (d damaged) Unwrap() []error { return []error{d.error, vitrine.ErrDamaged} }

// explainDamage adds a remedy to an error of a damaged database file. It
// returns other errors unchanged.
func explainDamage(path string, err error) error {
	code := sqliteCode(err) & 0xff
	if code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB || wrongValue(err) {
		return damaged{fmt.Errorf("the database %s is damaged (%w). Stop the server, keep a copy of the file, and restore the last backup: \"vitrine admin restore\"",
			path, err)}
	}
	return err
}

// explainWrongValue is explainDamage for a database of PostgreSQL, which
// refuses to read damaged pages itself. Only a column or value that something
// else has changed does not fit.
func explainWrongValue(path string, err error) error {
	if wrongValue(err) {
		return damaged{fmt.Errorf("the database %s has a value that does not fit (%w). Look for changes that were not made by Vitrine, and undo them, or restore a backup with the tools of PostgreSQL",
			path, err)}
	}
	return err
}

// wrongValue reports whether err says that a stored value does not have the
// type of its column. SQLite reads such values from a damaged page without an
// error. Package sql has no type for it.
func wrongValue(err error) bool {
	return err != nil && strings.Contains(err.Error(), "sql: Scan error on column ")
}

// Unavailable returns the error of an operation that failed because of a
// database or of what is stored there.
func Unavailable(err error) error {
	e := vitrine.Unavailable(err)
	if errors.Is(err, vitrine.ErrDamaged) {
		e.Message = "Part of what is stored is damaged. The log of the server says what to do."
	}
	return e
}

// mostDamage bounds what CheckFile returns.
const mostDamage = 10

// CheckFile reads a whole database file and returns what SQLite finds damaged:
// pages, trees, and indexes that do not agree with their tables. It finds no
// change of a value that another value could have. Other processes may use the
// file.
func CheckFile(ctx context.Context, path string) (damage []string, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	if st, err := os.Stat(path); err != nil || st.Size() == 0 { // opening an empty file writes to it
		return nil, err
	}
	handle := sql.OpenDB(SqliteFile(SqliteName(path, ReaderCache, "query_only(1)")))
	defer handle.Close()
	rows, err := handle.QueryContext(ctx, fmt.Sprintf("PRAGMA integrity_check(%d)", mostDamage))
	if err == nil {
		defer rows.Close()
		for rows.Next() {
			var found string
			if err = rows.Scan(&found); err != nil {
				break
			}
			if found != "ok" {
				damage = append(damage, strings.ReplaceAll(found, "\n", " "))
			}
		}
		err = errors.Join(err, rows.Err())
	}
	if explained := explainDamage(path, err); errors.Is(explained, vitrine.ErrDamaged) {
		return append(damage, err.Error()), nil
	}
	return damage, err
}

// NeedWhole returns a [vitrine.ErrDamaged] if SQLite finds a database file
// damaged.
func NeedWhole(ctx context.Context, path string) error {
	damage, err := CheckFile(ctx, path)
	if err == nil && len(damage) > 0 {
		err = damaged{fmt.Errorf("%s is damaged: %s", filepath.Base(path), strings.Join(damage, "; "))}
	}
	return err
}
