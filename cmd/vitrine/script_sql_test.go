package main

import (
	"database/sql"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	_ "modernc.org/sqlite"
)

// cmdSQL runs "sql FILE STATEMENT", which changes rows of a database without
// the program's knowledge. It fails if the statement changes none.
func cmdSQL(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: sql FILE STATEMENT")
	}
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	defer func() { ts.Check(db.Close()) }()
	done, err := db.Exec(strings.Join(args[1:], " "))
	ts.Check(err)
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		ts.Fatalf("%d rows changed, %v", n, err)
	}
}
