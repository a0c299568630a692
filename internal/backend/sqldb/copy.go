package sqldb

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// LogTable has one row, even in an otherwise empty database.
const LogTable = "log"

// NotCopied has the reason for each table that is not copied.
var NotCopied = map[string]string{
	"logins":           "codes of programs that ask for a key: they expire within minutes",
	"leases":           "who does what at the moment: those who do it end before a copy is made",
	"turns":            "locks; it is empty",
	"goose_db_version": "the version of the schema, which each database has of its own",
}

// A batch of rows is copied in a transaction.
var (
	BatchRows        = 4000
	BatchBytes int64 = 4 << 20
)

// Copied reports the progress of a copy.
type Copied func(table string, rows, bytes int64)

// ErrOtherData means that the target has data that the source does not have.
var ErrOtherData = errors.New("it contains other data")

// table describes a table to copy.
type table struct {
	name    string
	columns []string
	truth   []bool   // of columns: it is BOOLEAN, which SQLite has as a number
	Key     []string // of its primary key, in order
}

func (t *table) list() string { return strings.Join(t.columns, ", ") }
func (t *table) byKey() string {
	return strings.Join(t.Key, ", ")
}

// keyOf returns the key of a row.
func (t *table) keyOf(row []any) (key []any) {
	for _, k := range t.Key {
		key = append(key, row[slices.Index(t.columns, k)])
	}
	return key
}

// SameTables returns the named tables. It fails if a table differs between the
// databases, or if names and NotCopied lack a table of from.
func SameTables(ctx context.Context, from, to *DB, names []string) (all []*table, err error) {
	var theirs, ours map[string]*table
	if err = from.Read(ctx, func(t *Tx) error { ours, err = t.Tables(); return err }); err != nil {
		return nil, err
	}
	if err = to.Read(ctx, func(t *Tx) error { theirs, err = t.Tables(); return err }); err != nil {
		return nil, err
	}
	for _, name := range names {
		a, b := ours[name], theirs[name]
		if a == nil || b == nil || a.list() != b.list() || a.byKey() != b.byKey() {
			return nil, fmt.Errorf("the table %s differs between %s and %s", name, from.path, to.path)
		}
		all = append(all, a)
	}
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		if !slices.Contains(names, name) && NotCopied[name] == "" {
			return nil, fmt.Errorf("the table %s of %s is not known to be copied", name, from.path)
		}
	}
	return all, nil
}

// Fits returns the tables, and for each the key up to which it was copied
// before.
func Fits(ctx context.Context, from, to *DB, names []string) (tables []*table, last [][]any, err error) {
	if tables, err = SameTables(ctx, from, to, names); err != nil {
		return nil, nil, err
	}
	last = make([][]any, len(tables))
	for i, t := range tables {
		if last[i], err = begun(ctx, from, to, t); err != nil {
			return nil, nil, err
		}
	}
	return tables, last, nil
}

// CopyDB copies tables into empty ones of another database, and then the last
// IDs. A copy that was cut goes on.
func CopyDB(ctx context.Context, from, to *DB, names []string, progress Copied) error {
	tables, last, err := Fits(ctx, from, to, names)
	if err != nil {
		return err
	}
	for i, t := range tables {
		if err := copyTable(ctx, from, to, t, last[i], progress); err != nil {
			return fmt.Errorf("copy the table %s to %s: %w", t.name, to.path, err)
		}
	}
	var ids map[string]int64
	if err := from.Read(ctx, func(t *Tx) error { ids, err = t.lastIDs(tables); return err }); err != nil {
		return err
	}
	return to.Update(ctx, func(t *Tx) error { return t.SetLastIDs(ids) })
}

// begun returns the key up to which a table was copied before, or nil if
// nothing was copied. Up to this key the rows of the target must equal those of
// the source.
func begun(ctx context.Context, from, to *DB, t *table) ([]any, error) {
	if t.name == LogTable {
		return nil, nil
	}
	var last []any
	var there int64
	err := to.Read(ctx, func(x *Tx) error {
		if err := x.Get([]any{&there}, "SELECT count(*) FROM "+t.name); err != nil || there == 0 {
			return err
		}
		return x.rowsOf(t, " ORDER BY "+strings.Join(t.Key, " DESC, ")+" DESC LIMIT 1", nil,
			func(row []any) error { last = row; return nil })
	})
	if err != nil || last == nil {
		return nil, err
	}
	key := t.keyOf(last)
	var same bool
	var up int64
	err = from.Read(ctx, func(x *Tx) error {
		where := " WHERE (" + t.byKey() + ") %s (" + Placeholders(1, len(key)) + ")"
		if err := x.Get([]any{&up}, "SELECT count(*) FROM "+t.name+fmt.Sprintf(where, "<="), key...); err != nil {
			return err
		}
		return x.rowsOf(t, fmt.Sprintf(where, "="), key, func(row []any) error {
			same = bytes.Equal(canonical(nil, to.stored(row)), canonical(nil, last))
			return nil
		})
	})
	if err == nil && (!same || up != there) {
		err = fmt.Errorf("%s cannot be filled: %w (table %s)", to.path, ErrOtherData, t.name)
	}
	return key, err
}

// stored returns a row as the database can store it.
func (d *DB) stored(row []any) []any {
	if d.Dialect.text != nil {
		return d.Dialect.text(row)
	}
	return row
}

// rowsOf calls f with rows of a table, which f may keep.
func (t *Tx) rowsOf(of *table, rest string, args []any, f func([]any) error) error {
	return t.Each(func(s Scanner) error {
		row, into := make([]any, len(of.columns)), make([]any, len(of.columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := s.Scan(into...); err != nil {
			return err
		}
		for i, v := range row {
			if n, ok := v.(int64); ok && of.truth[i] {
				row[i] = n != 0
			}
		}
		return f(row)
	}, "SELECT "+of.list()+" FROM "+of.name+rest, args...)
}

// copyTable copies the rows after a key, in key order, so that the target
// always has a prefix of the table.
func copyTable(ctx context.Context, from, to *DB, t *table, after []any, progress Copied) error {
	rest := " ORDER BY " + t.byKey()
	if after != nil {
		rest = " WHERE (" + t.byKey() + ") > (" + Placeholders(1, len(after)) + ")" + rest
	}
	var batch [][]any
	var size int64
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		err := to.Update(ctx, func(x *Tx) error { return x.insert(t, batch) })
		if err == nil && t.name != LogTable {
			progress(t.name, int64(len(batch)), size)
		}
		batch, size = batch[:0], 0
		return err
	}
	err := from.Read(ctx, func(x *Tx) error {
		return x.rowsOf(t, rest, after, func(row []any) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			batch = append(batch, to.stored(row))
			size += sizeOf(row)
			if len(batch) >= BatchRows || size >= BatchBytes {
				return flush()
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	return flush()
}

// sizeOf returns about how many bytes a row has.
func sizeOf(row []any) (n int64) {
	for _, v := range row {
		switch v := v.(type) {
		case []byte:
			n += int64(len(v))
		case string:
			n += int64(len(v))
		default:
			n += 8
		}
	}
	return n
}

// insert adds rows.
func (t *Tx) insert(of *table, rows [][]any) error {
	if of.name == LogTable { // its row exists from the beginning
		if _, err := t.Exec("DELETE FROM " + LogTable); err != nil {
			return err
		}
	}
	if t.Conn.Postgres != nil {
		_, err := t.Conn.Postgres.CopyFrom(context.Background(), pgx.Identifier{of.name}, of.columns,
			pgx.CopyFromRows(rows))
		if err != nil {
			return t.Failed(err)
		}
		return nil
	}
	query := "INSERT INTO " + of.name + " (" + of.list() + ") VALUES (" + Placeholders(1, len(of.columns)) + ")"
	for _, row := range rows {
		if _, err := t.Exec(query, row...); err != nil {
			return err
		}
	}
	return nil
}

// sum is the number of rows of a table and the sum of their hashes, in any
// order. It is used to compare a copy.
type sum struct {
	rows   int64
	lo, hi uint64
}

func (d *DB) sum(ctx context.Context, t *table, held func([]any) []any) (s sum, err error) {
	var b []byte
	err = d.Read(ctx, func(x *Tx) error {
		return x.rowsOf(t, "", nil, func(row []any) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			b = canonical(b[:0], held(row))
			h := sha256.Sum256(b)
			s.rows++
			lo := s.lo + binary.LittleEndian.Uint64(h[:8])
			if lo < s.lo {
				s.hi++
			}
			s.lo = lo
			s.hi += binary.LittleEndian.Uint64(h[8:16])
			return nil
		})
	})
	return s, err
}

// canonical appends a row in a form that does not depend on the database.
func canonical(b []byte, row []any) []byte {
	for _, v := range row {
		switch v := v.(type) {
		case nil:
			b = append(b, 'n')
		case bool:
			n := int64(0)
			if v {
				n = 1
			}
			b = binary.AppendVarint(append(b, 'i'), n)
		case int64:
			b = binary.AppendVarint(append(b, 'i'), v)
		case []byte:
			b = append(binary.AppendUvarint(append(b, 's'), uint64(len(v))), v...)
		case string:
			b = append(binary.AppendUvarint(append(b, 's'), uint64(len(v))), v...)
		default:
			b = fmt.Appendf(append(b, '?'), "%T %v", v, v)
		}
	}
	return b
}

// CompareDB compares the rows of tables by checksums, and returns a sentence
// for each table that differs.
func CompareDB(ctx context.Context, from, to *DB, names []string) (differences []string, err error) {
	tables, err := SameTables(ctx, from, to, names)
	if err != nil {
		return nil, err
	}
	for _, t := range tables {
		var ours, theirs sum
		var err1, err2 error
		done := make(chan struct{})
		go func() { ours, err1 = from.sum(ctx, t, to.stored); close(done) }()
		theirs, err2 = to.sum(ctx, t, to.stored)
		<-done
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		switch {
		case ours.rows != theirs.rows:
			differences = append(differences, fmt.Sprintf("%s: the table %s has %d rows, its copy %d", from.path,
				t.name, ours.rows, theirs.rows))
		case ours != theirs:
			differences = append(differences, fmt.Sprintf("%s: rows of the table %s differ from the copy",
				from.path, t.name))
		}
	}
	return differences, nil
}

// Tables returns the tables of the database.
func (t *Tx) Tables() (map[string]*table, error) {
	all := map[string]*table{}
	type column struct {
		table, name string
		place       int64 // position in the primary key, from 1; 0 if not part of the key
		truth       bool
	}
	query := `SELECT m.name, c.name, c.pk, c.type = 'BOOLEAN' FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY m.name, c.cid`
	if t.Conn.Postgres != nil {
		query = `SELECT r.relname::text, a.attname::text, coalesce(array_position(i.indkey::int2[], a.attnum), -1)::bigint + 1, a.atttypid = 'boolean'::regtype
			FROM pg_class r JOIN pg_attribute a ON a.attrelid = r.oid LEFT JOIN pg_index i ON i.indrelid = r.oid AND i.indisprimary
			WHERE r.relnamespace = current_schema()::regnamespace AND r.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped ORDER BY r.relname, a.attnum`
	}
	keys := map[string]map[int64]string{}
	err := t.Each(func(s Scanner) error {
		var c column
		if err := s.Scan(&c.table, &c.name, &c.place, &c.truth); err != nil {
			return err
		}
		if all[c.table] == nil {
			all[c.table], keys[c.table] = &table{name: c.table}, map[int64]string{}
		}
		all[c.table].columns, all[c.table].truth = append(all[c.table].columns, c.name),
			append(all[c.table].truth, c.truth)
		if c.place > 0 {
			keys[c.table][c.place] = c.name
		}
		return nil
	}, query)
	for name, places := range keys {
		for _, place := range slices.Sorted(maps.Keys(places)) {
			all[name].Key = append(all[name].Key, places[place])
		}
	}
	return all, err
}

// lastIDs returns the last ID that each table with generated IDs has assigned,
// including IDs of deleted rows.
func (t *Tx) lastIDs(tables []*table) (map[string]int64, error) {
	ids := map[string]int64{}
	add := func(s Scanner) error {
		var name string
		var last *int64
		if err := s.Scan(&name, &last); err != nil {
			return err
		}
		if last != nil {
			ids[name] = max(ids[name], *last)
		}
		return nil
	}
	if t.Conn.Postgres != nil {
		// A sequence that was never used has no value.
		return ids, t.Each(add, `SELECT r.relname::text, q.last_value FROM pg_class r JOIN pg_attribute a ON a.attrelid = r.oid
			JOIN pg_sequences q ON format('%I.%I', q.schemaname, q.sequencename) = pg_get_serial_sequence(format('%I.%I', current_schema(), r.relname), a.attname)
			WHERE r.relnamespace = current_schema()::regnamespace AND r.relkind = 'r' AND a.attidentity <> ''`)
	}
	if err := t.Each(add, "SELECT name, seq FROM sqlite_sequence"); err != nil {
		return nil, err
	}
	// Rows of words are never deleted, so SQLite keeps no count of them.
	for _, each := range tables {
		if each.name == "words" {
			return ids, t.Each(add, "SELECT 'words', max(id) FROM words")
		}
	}
	return ids, nil
}

// SetLastIDs makes new rows continue after the given IDs.
func (t *Tx) SetLastIDs(ids map[string]int64) error {
	for _, name := range slices.Sorted(maps.Keys(ids)) {
		if t.Conn.Postgres != nil {
			var last int64
			err := t.Get([]any{&last}, "SELECT setval(pg_get_serial_sequence(format('%I.%I', current_schema(), $1::text), 'id'), $2)", name, max(ids[name], 1))
			if err != nil {
				return err
			}
			continue
		}
		if name == "words" {
			continue
		}
		if _, err := t.Exec("DELETE FROM sqlite_sequence WHERE name = $1", name); err != nil {
			return err
		}
		if _, err := t.Exec("INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)", name, ids[name]); err != nil {
			return err
		}
	}
	return nil
}
