package sqldb

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"
)

// Ms returns a time in the stored format: milliseconds since 1970, UTC.
func Ms(t time.Time) int64 { return t.UnixMilli() }

// MsOrNull returns a time that may be zero; zero is stored as NULL.
func MsOrNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// Instant reads a time that was stored with Ms or MsOrNull.
type Instant struct{ *time.Time }

var _ sql.Scanner = Instant{}

func (i Instant) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*i.Time = time.Time{}
	case int64:
		*i.Time = time.UnixMilli(v).UTC()
	default:
		return fmt.Errorf("a time has the stored type %T", v)
	}
	return nil
}

// InJSON stores a value as JSON, a nil pointer as NULL.
type InJSON[T any] struct{ V **T }

var (
	_ sql.Scanner   = InJSON[int]{}
	_ driver.Valuer = InJSON[int]{}
)

func (j InJSON[T]) Value() (driver.Value, error) {
	if *j.V == nil {
		return nil, nil
	}
	b, err := json.Marshal(*j.V)
	return string(b), err
}

func (j InJSON[T]) Scan(v any) error {
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
