package sqlstore

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"reflect"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

// field is a column and where its value is in a row: a pointer to a text, a
// number or a boolean, or a Valuer that is a Scanner.
type field struct {
	column string
	at     any
}

// table makes the statements of a table from the fields of a row, whose first
// one is its ID.
type table[T any] struct {
	fields  func(*T) []field
	columns string // that are read
	selects string // SELECT … FROM …
	insert  string // with the ID
	adds    string // without the ID
	update  string
}

func newTable[T any](name string, fields func(*T) []field) *table[T] {
	var read, written, set []string
	for i, f := range fields(new(T)) {
		if _, only := f.at.(onlyWritten); !only {
			read = append(read, f.column)
		}
		if written = append(written, f.column); i > 0 {
			set = append(set, fmt.Sprintf("%s = $%d", f.column, i))
		}
	}
	b := &table[T]{fields: fields, columns: strings.Join(read, ", ")}
	values := func(columns []string) string {
		return "INSERT INTO " + name + " (" + strings.Join(columns, ", ") + ") VALUES (" +
			sqldb.Placeholders(1, len(columns)) + ")"
	}
	b.selects = "SELECT " + b.columns + " FROM " + name
	b.insert, b.adds = values(written), values(written[1:])
	b.update = fmt.Sprintf("UPDATE %s SET %s WHERE %s = $%d", name, strings.Join(set, ", "), written[0], len(written))
	return b
}

// add inserts a row and sets its ID.
func (b *table[T]) add(t Tx, row *T) error {
	fields := b.fields(row)
	return t.add(fields[0].at, b.adds, stored(fields[1:])...)
}

// put changes the row with an ID.
func (b *table[T]) put(t Tx, row *T) error {
	fields := b.fields(row)
	return t.Put(b.update, stored(append(fields[1:], fields[0]))...)
}

// one reads the row that a condition selects.
func (b *table[T]) one(t Tx, condition string, args ...any) (*T, error) {
	return sqldb.One(t.Tx, b.read, b.selects+" WHERE "+condition, args...)
}

// list reads rows. rest is what follows the name of the table.
func (b *table[T]) list(t Tx, rest string, args ...any) ([]*T, error) {
	return sqldb.List(t.Tx, b.read, b.selects+rest, args...)
}

func (b *table[T]) read(s sqldb.Scanner) (*T, error) {
	row := new(T)
	fields := b.fields(row)
	to := make([]any, 0, len(fields))
	for _, f := range fields {
		if _, only := f.at.(onlyWritten); !only {
			to = append(to, f.at)
		}
	}
	return row, s.Scan(to...)
}

// stored returns the values of fields as the database stores them.
func stored(fields []field) []any {
	values := make([]any, len(fields))
	for i, f := range fields {
		switch v := f.at.(type) {
		case driver.Valuer:
			values[i] = v
			continue
		case onlyWritten:
			values[i] = string(v)
			continue
		}
		switch v := reflect.ValueOf(f.at).Elem(); v.Kind() {
		case reflect.String:
			values[i] = v.String()
		case reflect.Bool:
			values[i] = v.Bool()
		case reflect.Slice:
			values[i] = v.Bytes()
		default:
			values[i] = v.Int()
		}
	}
	return values
}

// onlyWritten is the value of a column that is only written.
type onlyWritten string

// moment and timeOrNone store a time as sqldb.Ms and sqldb.MsOrNull do.
type (
	moment     struct{ sqldb.Instant }
	timeOrNone struct{ sqldb.Instant }
)

func at(t *time.Time) moment         { return moment{sqldb.Instant{Time: t}} }
func orNone(t *time.Time) timeOrNone { return timeOrNone{sqldb.Instant{Time: t}} }

func (m moment) Value() (driver.Value, error)     { return sqldb.Ms(*m.Time), nil }
func (m timeOrNone) Value() (driver.Value, error) { return sqldb.MsOrNull(*m.Time), nil }

// accessText stores an access as text.
type accessText struct{ *vitrine.Access }

func (a accessText) Value() (driver.Value, error) { return a.String(), nil }

// millis stores a duration in milliseconds.
type millis struct{ *time.Duration }

func (m millis) Value() (driver.Value, error) { return m.Milliseconds(), nil }

func (m millis) Scan(v any) error {
	n, ok := v.(int64)
	if !ok {
		return fmt.Errorf("a duration has the stored type %T", v)
	}
	*m.Duration = time.Duration(n) * time.Millisecond
	return nil
}

// digest stores a hash, which has the length of the slice.
type digest []byte

func (d digest) Value() (driver.Value, error) { return []byte(d), nil }

func (d digest) Scan(v any) error {
	b, ok := v.([]byte)
	if !ok || len(b) != len(d) {
		return fmt.Errorf("a hash of %d bytes is stored as %T of %d", len(d), v, len(b))
	}
	copy(d, b)
	return nil
}

var _, _, _ sql.Scanner = moment{}, millis{}, digest{}
