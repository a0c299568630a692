package sqldb

import (
	"errors"
	"fmt"

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
	switch sqliteCode(err) & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return damaged{fmt.Errorf("the database %s is damaged (%w). Stop the server, keep a copy of the file, and restore the last backup: \"vitrine restore\"",
			path, err)}
	}
	return err
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
