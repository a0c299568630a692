package clickhouse

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
)

// column is a column of numbers of one width in a block of Native format.
type column struct {
	width int // bytes of a number: 1, 4 or 8
	data  []byte
}

// at returns the number in a row.
func (c *column) at(row int) uint64 {
	switch c.width {
	case 1:
		return uint64(c.data[row])
	case 4:
		return uint64(binary.LittleEndian.Uint32(c.data[4*row:]))
	}
	return binary.LittleEndian.Uint64(c.data[8*row:])
}

// mostRows limits the rows of a block.
const mostRows = 1 << 22

// native runs a query for columns of numbers and calls each with blocks of
// rows, which are valid until it returns. Columns cost a fraction of what rows
// do. The server sends blocks as it has them, so an answer may end early
// without an error: the caller must have another way to tell.
func (c *client) native(ctx context.Context, sql string, columns int,
	each func(rows int, columns []column) error) error {
	limited, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	body, err := c.request(limited, sql+" FORMAT Native", nil, map[string]string{"wait_end_of_query": "0"})
	if err != nil {
		return failure(ctx, err)
	}
	defer body.Close()
	r := &reader{r: bufio.NewReaderSize(body, 1<<16)}
	block := make([]column, columns)
	for r.more() {
		rows := r.block(block)
		if r.err == nil {
			if err := each(rows, block); err != nil {
				r.fail(err)
			}
		}
	}
	if r.err != nil {
		return failure(ctx, fmt.Errorf("ClickHouse at %s: read an answer: %w", c.host, r.err))
	}
	return nil
}

// block reads a block of rows and reuses the memory of its columns.
func (r *reader) block(columns []column) (rows int) {
	n := r.length()
	rows = r.length()
	if r.err == nil && (n != len(columns) || rows > mostRows) {
		r.fail(errAnswer)
	}
	for i := range columns {
		if r.err != nil {
			return 0
		}
		c := &columns[i]
		_ = r.bytes() // the name
		switch string(r.bytes()) {
		case "UInt8":
			c.width = 1
		case "UInt32":
			c.width = 4
		case "Int64", "UInt64":
			c.width = 8
		default:
			r.fail(errAnswer)
			return 0
		}
		if cap(c.data) < rows*c.width {
			c.data = make([]byte, rows*c.width)
		}
		c.data = c.data[:rows*c.width]
		if _, err := io.ReadFull(r.r, c.data); err != nil {
			r.fail(err)
		}
	}
	return rows
}
