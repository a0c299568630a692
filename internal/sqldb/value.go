package sqldb

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"
)

// ms is a time as it is stored: milliseconds since 1970, UTC.
func ms(t time.Time) int64 { return t.UnixMilli() }

// msOrNull is a time that may be none, stored as NULL.
func msOrNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// instant reads a time that was stored with ms or msOrNull.
type instant struct{ *time.Time }

var _ sql.Scanner = instant{}

func (i instant) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*i.Time = time.Time{}
	case int64:
		*i.Time = time.UnixMilli(v).UTC()
	default:
		return fmt.Errorf("a time is stored as %T", v)
	}
	return nil
}

// inJSON stores a value as JSON, a nil pointer as NULL.
type inJSON[T any] struct{ V **T }

var (
	_ sql.Scanner   = inJSON[int]{}
	_ driver.Valuer = inJSON[int]{}
)

func (j inJSON[T]) Value() (driver.Value, error) {
	if *j.V == nil {
		return nil, nil
	}
	b, err := json.Marshal(*j.V)
	return string(b), err
}

func (j inJSON[T]) Scan(v any) error {
	*j.V = nil
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		return json.Unmarshal([]byte(v), j.V)
	case []byte:
		return json.Unmarshal(v, j.V)
	}
	return fmt.Errorf("JSON is stored as %T", v)
}
