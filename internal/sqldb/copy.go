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

// What a copy takes from one database to another, whatever the two are: every row of these tables, in an order in which rows name only what
// was copied before them. A table that stands neither here nor in notCopied fails the copy.
var storeTables = []string{"accounts", "sessions", "one_time_tokens", "attempts", "keys", "uploads", "links", "old_slugs", "sites", "site_pages", "albums", "album_links",
	"changes", "abuse_reports", "letters", "secrets"}

// viewlogTables are the tables of a log.
var viewlogTables = []string{"accounts", "links", "words", "opens", "viewers", "packs", "runs", "visits", "tallies", "times", "daily_views", "downloads",
	"imports", logTable}

// logTable has one row, also in a database that has nothing else.
const logTable = "log"

// notCopied says why.
var notCopied = map[string]string{
	"logins":           "codes of programs that ask for a key: they expire within minutes",
	"leases":           "who does what at the moment: those who do it end before a copy is made",
	"turns":            "locks; it is empty",
	"goose_db_version": "the version of the schema, which each database has of its own",
}

// A batch of rows is copied in a transaction.
var (
	batchRows        = 4000
	batchBytes int64 = 4 << 20
)

// Copied tells how far a copy has come.
type Copied func(table string, rows, bytes int64)

// ErrOtherData says that a database has something in it that is not of the one that is copied.
var ErrOtherData = errors.New("it has other data in it")

// CopyTo copies everything to another store, in which there is nothing yet but what the same copy, cut off, has left: it goes on there.
// Nobody else may write to either. Errors: ErrOtherData.
func (s *Store) CopyTo(ctx context.Context, to *Store, told Copied) error {
	return copyDB(ctx, s.db, to.db, storeTables, told)
}

// Compare says what differs between a store and its copy; empty: nothing does.
func (s *Store) Compare(ctx context.Context, to *Store) ([]string, error) {
	return compareDB(ctx, s.db, to.db, storeTables)
}

// Fits reports whether CopyTo may fill another store: ErrOtherData where it has what this one has not.
func (s *Store) Fits(ctx context.Context, to *Store) error {
	_, _, err := fits(ctx, s.db, to.db, storeTables)
	return err
}

// Fits is Store's of a log.
func (l *ViewLog) Fits(ctx context.Context, to *ViewLog) error {
	_, _, err := fits(ctx, l.db, to.db, viewlogTables)
	return err
}

// CopyTo is Store's of a log.
func (l *ViewLog) CopyTo(ctx context.Context, to *ViewLog, told Copied) error {
	return copyDB(ctx, l.db, to.db, viewlogTables, told)
}

// Compare is Store's of a log.
func (l *ViewLog) Compare(ctx context.Context, to *ViewLog) ([]string, error) {
	return compareDB(ctx, l.db, to.db, viewlogTables)
}

// table is what is to be known of a table to copy it.
type table struct {
	name    string
	columns []string
	truth   []bool   // of columns: it is BOOLEAN, which SQLite has as a number
	key     []string // of its primary key, in order
}

func (t *table) list() string { return strings.Join(t.columns, ", ") }
func (t *table) byKey() string {
	return strings.Join(t.key, ", ")
}

// keyOf is the key of a row.
func (t *table) keyOf(row []any) (key []any) {
	for _, k := range t.key {
		key = append(key, row[slices.Index(t.columns, k)])
	}
	return key
}

// sameTables reads what tables both databases have, and sees to it that none is forgotten.
func sameTables(ctx context.Context, from, to *db, names []string) (all []*table, err error) {
	var theirs, ours map[string]*table
	if err = from.read(ctx, func(t *tx) error { ours, err = t.tables(); return err }); err != nil {
		return nil, err
	}
	if err = to.read(ctx, func(t *tx) error { theirs, err = t.tables(); return err }); err != nil {
		return nil, err
	}
	for _, name := range names {
		a, b := ours[name], theirs[name]
		if a == nil || b == nil || a.list() != b.list() || a.byKey() != b.byKey() {
			return nil, fmt.Errorf("the table %s is not the same in %s and %s", name, from.path, to.path)
		}
		all = append(all, a)
	}
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		if !slices.Contains(names, name) && notCopied[name] == "" {
			return nil, fmt.Errorf("the table %s of %s is not known to be copied", name, from.path)
		}
	}
	return all, nil
}

// fits tells for each table the key up to which it was copied before.
func fits(ctx context.Context, from, to *db, names []string) (tables []*table, last [][]any, err error) {
	if tables, err = sameTables(ctx, from, to, names); err != nil {
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

func copyDB(ctx context.Context, from, to *db, names []string, told Copied) error {
	tables, last, err := fits(ctx, from, to, names)
	if err != nil {
		return err
	}
	for i, t := range tables {
		if err := copyTable(ctx, from, to, t, last[i], told); err != nil {
			return fmt.Errorf("copy the table %s to %s: %w", t.name, to.path, err)
		}
	}
	var ids map[string]int64
	if err := from.read(ctx, func(t *tx) error { ids, err = t.lastIDs(tables); return err }); err != nil {
		return err
	}
	return to.update(ctx, func(t *tx) error { return t.setLastIDs(ids) })
}

// begun is the key up to which a table was copied before; nil: nothing was. What is in the target must be what the source has up to there.
func begun(ctx context.Context, from, to *db, t *table) ([]any, error) {
	if t.name == logTable {
		return nil, nil
	}
	var last []any
	var there int64
	err := to.read(ctx, func(x *tx) error {
		if err := x.get([]any{&there}, "SELECT count(*) FROM "+t.name); err != nil || there == 0 {
			return err
		}
		return x.rowsOf(t, " ORDER BY "+strings.Join(t.key, " DESC, ")+" DESC LIMIT 1", nil, func(row []any) error { last = row; return nil })
	})
	if err != nil || last == nil {
		return nil, err
	}
	key := t.keyOf(last)
	var same bool
	var up int64
	err = from.read(ctx, func(x *tx) error {
		where := " WHERE (" + t.byKey() + ") %s (" + placeholders(1, len(key)) + ")"
		if err := x.get([]any{&up}, "SELECT count(*) FROM "+t.name+fmt.Sprintf(where, "<="), key...); err != nil {
			return err
		}
		return x.rowsOf(t, fmt.Sprintf(where, "="), key, func(row []any) error {
			same = bytes.Equal(canonical(nil, to.held(row)), canonical(nil, last))
			return nil
		})
	})
	if err == nil && (!same || up != there) {
		err = fmt.Errorf("%s cannot be filled: %w (table %s)", to.path, ErrOtherData, t.name)
	}
	return key, err
}

// held is a row as a database can hold it.
func (d *db) held(row []any) []any {
	if d.dialect.text != nil {
		return d.dialect.text(row)
	}
	return row
}

// rowsOf calls f with rows of a table, which f may keep.
func (t *tx) rowsOf(of *table, rest string, args []any, f func([]any) error) error {
	return t.each(func(s scanner) error {
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

// copyTable copies the rows behind a key, in the order of keys, so that what is in the target is always a beginning of it.
func copyTable(ctx context.Context, from, to *db, t *table, after []any, told Copied) error {
	rest := " ORDER BY " + t.byKey()
	if after != nil {
		rest = " WHERE (" + t.byKey() + ") > (" + placeholders(1, len(after)) + ")" + rest
	}
	var batch [][]any
	var size int64
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		err := to.update(ctx, func(x *tx) error { return x.insert(t, batch) })
		if err == nil && t.name != logTable {
			told(t.name, int64(len(batch)), size)
		}
		batch, size = batch[:0], 0
		return err
	}
	err := from.read(ctx, func(x *tx) error {
		return x.rowsOf(t, rest, after, func(row []any) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			batch = append(batch, to.held(row))
			size += sizeOf(row)
			if len(batch) >= batchRows || size >= batchBytes {
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

// sizeOf is about how many bytes a row has.
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
func (t *tx) insert(of *table, rows [][]any) error {
	if of.name == logTable { // its row is there from the beginning
		if _, err := t.exec("DELETE FROM " + logTable); err != nil {
			return err
		}
	}
	if t.conn.postgres != nil {
		_, err := t.conn.postgres.CopyFrom(context.Background(), pgx.Identifier{of.name}, of.columns, pgx.CopyFromRows(rows))
		if err != nil {
			return t.fail(err)
		}
		return nil
	}
	query := "INSERT INTO " + of.name + " (" + of.list() + ") VALUES (" + placeholders(1, len(of.columns)) + ")"
	for _, row := range rows {
		if _, err := t.exec(query, row...); err != nil {
			return err
		}
	}
	return nil
}

// sum is what is compared of a table: how many rows it has, and the sum of their hashes, which is the same in whatever order they come.
type sum struct {
	rows   int64
	lo, hi uint64
}

func (d *db) sum(ctx context.Context, t *table, held func([]any) []any) (s sum, err error) {
	var b []byte
	err = d.read(ctx, func(x *tx) error {
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

// canonical writes a row in a form that is the same of every database.
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

func compareDB(ctx context.Context, from, to *db, names []string) (differences []string, err error) {
	tables, err := sameTables(ctx, from, to, names)
	if err != nil {
		return nil, err
	}
	for _, t := range tables {
		var ours, theirs sum
		var err1, err2 error
		done := make(chan struct{})
		go func() { ours, err1 = from.sum(ctx, t, to.held); close(done) }()
		theirs, err2 = to.sum(ctx, t, to.held)
		<-done
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		switch {
		case ours.rows != theirs.rows:
			differences = append(differences, fmt.Sprintf("%s: the table %s has %d rows, its copy %d", from.path, t.name, ours.rows, theirs.rows))
		case ours != theirs:
			differences = append(differences, fmt.Sprintf("%s: rows of the table %s are others than in its copy", from.path, t.name))
		}
	}
	return differences, nil
}

// tables reads what tables the database has.
func (t *tx) tables() (map[string]*table, error) {
	all := map[string]*table{}
	type column struct {
		table, name string
		place       int64 // in the primary key, from 1; 0: it is not in it
		truth       bool
	}
	query := `SELECT m.name, c.name, c.pk, c.type = 'BOOLEAN' FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY m.name, c.cid`
	if t.conn.postgres != nil {
		query = `SELECT r.relname::text, a.attname::text, coalesce(array_position(i.indkey::int2[], a.attnum), -1)::bigint + 1, a.atttypid = 'boolean'::regtype
			FROM pg_class r JOIN pg_attribute a ON a.attrelid = r.oid LEFT JOIN pg_index i ON i.indrelid = r.oid AND i.indisprimary
			WHERE r.relnamespace = current_schema()::regnamespace AND r.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped ORDER BY r.relname, a.attnum`
	}
	keys := map[string]map[int64]string{}
	err := t.each(func(s scanner) error {
		var c column
		if err := s.Scan(&c.table, &c.name, &c.place, &c.truth); err != nil {
			return err
		}
		if all[c.table] == nil {
			all[c.table], keys[c.table] = &table{name: c.table}, map[int64]string{}
		}
		all[c.table].columns, all[c.table].truth = append(all[c.table].columns, c.name), append(all[c.table].truth, c.truth)
		if c.place > 0 {
			keys[c.table][c.place] = c.name
		}
		return nil
	}, query)
	for name, places := range keys {
		for _, place := range slices.Sorted(maps.Keys(places)) {
			all[name].key = append(all[name].key, places[place])
		}
	}
	return all, err
}

// lastIDs are the last IDs that were given in tables that give some, to rows that are there or not any more.
func (t *tx) lastIDs(tables []*table) (map[string]int64, error) {
	ids := map[string]int64{}
	add := func(s scanner) error {
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
	if t.conn.postgres != nil {
		// The value of a sequence that was never asked is none.
		return ids, t.each(add, `SELECT r.relname::text, q.last_value FROM pg_class r JOIN pg_attribute a ON a.attrelid = r.oid
			JOIN pg_sequences q ON format('%I.%I', q.schemaname, q.sequencename) = pg_get_serial_sequence(format('%I.%I', current_schema(), r.relname), a.attname)
			WHERE r.relnamespace = current_schema()::regnamespace AND r.relkind = 'r' AND a.attidentity <> ''`)
	}
	if err := t.each(add, "SELECT name, seq FROM sqlite_sequence"); err != nil {
		return nil, err
	}
	// Of words no row ever goes, and so SQLite keeps no count of them.
	for _, each := range tables {
		if each.name == "words" {
			return ids, t.each(add, "SELECT 'words', max(id) FROM words")
		}
	}
	return ids, nil
}

// setLastIDs has the next IDs follow those.
func (t *tx) setLastIDs(ids map[string]int64) error {
	for _, name := range slices.Sorted(maps.Keys(ids)) {
		if t.conn.postgres != nil {
			var last int64
			err := t.get([]any{&last}, "SELECT setval(pg_get_serial_sequence(format('%I.%I', current_schema(), $1::text), 'id'), $2)", name, max(ids[name], 1))
			if err != nil {
				return err
			}
			continue
		}
		if name == "words" {
			continue
		}
		if _, err := t.exec("DELETE FROM sqlite_sequence WHERE name = $1", name); err != nil {
			return err
		}
		if _, err := t.exec("INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)", name, ids[name]); err != nil {
			return err
		}
	}
	return nil
}
