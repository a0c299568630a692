package sqldb

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// postgresVisit reads rows as they come off the connection, without a copy.
func postgresVisit(t *Tx, columns, from string, args []any, f func([]driver.Value) error) error {
	if err := t.ready(columns + from); err != nil {
		return err
	}
	options := append([]any{pgx.QueryExecModeCacheStatement, pgx.QueryResultFormats{pgx.BinaryFormatCode}},
		t.text(args)...)
	rows, err := t.Conn.Postgres.Query(context.Background(), "SELECT "+columns+from, options...)
	if err != nil {
		return t.Failed(err)
	}
	defer rows.Close()
	fields := rows.FieldDescriptions()
	row := make([]driver.Value, len(fields))
	for rows.Next() {
		for i, b := range rows.RawValues() {
			if row[i], err = decodeShared(fields[i].DataTypeOID, b); err != nil {
				return t.Failed(fmt.Errorf("column %s: %w", fields[i].Name, err))
			}
		}
		if err := f(row); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return t.Failed(err)
	}
	return nil
}

// decodeShared decodes a value in PostgreSQL's binary form. Strings and blobs
// share its memory.
func decodeShared(oid uint32, b []byte) (driver.Value, error) {
	switch {
	case b == nil:
		return nil, nil
	case oid == pgtype.ByteaOID:
		return b, nil
	case oid == pgtype.TextOID:
		return unsafe.String(unsafe.SliceData(b), len(b)), nil
	case oid == pgtype.Int8OID && len(b) == 8:
		return int64(binary.BigEndian.Uint64(b)), nil
	case oid == pgtype.BoolOID && len(b) == 1:
		return b[0] != 0, nil
	}
	return nil, fmt.Errorf("a value of type %d was read as another type", oid)
}
