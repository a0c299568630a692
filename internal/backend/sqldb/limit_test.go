package sqldb

import (
	"database/sql"
	"path/filepath"
	"testing"

	"modernc.org/sqlite/vtab"
)

// TestLimitsCompileOnce checks that a statement with a limit is compiled once,
// whatever its limits are. A virtual table is asked for its best index each
// time that a statement with it is compiled.
func TestLimitsCompileOnce(t *testing.T) {
	m := new(counted)
	db := sql.OpenDB(SqliteFile(filepath.Join(t.TempDir(), "a.db")))
	defer db.Close()
	if err := vtab.RegisterModule(db, "counted", m); err != nil {
		t.Fatal(err)
	}
	own, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	c := &conn{Conn: own, Statements: map[string]*sql.Stmt{}}
	if err := c.exec("CREATE VIRTUAL TABLE n USING counted"); err != nil {
		t.Fatal(err)
	}
	s, err := c.prepare("SELECT x FROM n WHERE x >= $1 ORDER BY x LIMIT $2")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	compiled := m.asked
	for limit := range 5 {
		rows, err := s.Query(0, limit)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for rows.Next() {
			n++
		}
		if err := rows.Err(); err != nil || n != min(limit, 3) {
			t.Errorf("with limit %d there are %d rows, %v", limit, n, err)
		}
		rows.Close()
	}
	if m.asked != compiled || compiled == 0 {
		t.Errorf("the statement was planned %d times when it was prepared and %d times later", compiled, m.asked-compiled)
	}
}

// counted is a virtual table with the rows 0, 1 and 2. It counts how often a
// statement with it is compiled.
type counted struct{ asked int }

func (m *counted) Create(ctx vtab.Context, _ []string) (vtab.Table, error) {
	return m, ctx.Declare("CREATE TABLE n (x INTEGER)")
}
func (m *counted) Connect(ctx vtab.Context, args []string) (vtab.Table, error) {
	return m.Create(ctx, args)
}
func (m *counted) BestIndex(*vtab.IndexInfo) error { m.asked++; return nil }
func (m *counted) Open() (vtab.Cursor, error)      { return new(countedRow), nil }
func (m *counted) Disconnect() error               { return nil }
func (m *counted) Destroy() error                  { return nil }

type countedRow int64

func (c *countedRow) Filter(int, string, []vtab.Value) error { *c = 0; return nil }
func (c *countedRow) Next() error                            { *c++; return nil }

//lint:ignore ST1003 the interface names it so
func (c *countedRow) Eof() bool                      { return *c > 2 }
func (c *countedRow) Column(int) (vtab.Value, error) { return int64(*c), nil }
func (c *countedRow) Rowid() (int64, error)          { return int64(*c), nil }
func (c *countedRow) Close() error                   { return nil }
