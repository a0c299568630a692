package clickhouse

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"vitrine/report"
)

// rows encodes rows in RowBinary format. Numbers have a fixed width and are
// little-endian; strings and arrays follow their length.
type rows struct{ b []byte }

func (w *rows) int64(v int64)    { w.b = binary.LittleEndian.AppendUint64(w.b, uint64(v)) }
func (w *rows) uint64(v uint64)  { w.b = binary.LittleEndian.AppendUint64(w.b, v) }
func (w *rows) uint32(v uint32)  { w.b = binary.LittleEndian.AppendUint32(w.b, v) }
func (w *rows) length(n int)     { w.b = binary.AppendUvarint(w.b, uint64(n)) }
func (w *rows) string(s string)  { w.length(len(s)); w.b = append(w.b, s...) }
func (w *rows) bytes(s []byte)   { w.length(len(s)); w.b = append(w.b, s...) }
func (w *rows) fixed(s []byte)   { w.b = append(w.b, s...) }
func (w *rows) day(d report.Day) { w.b = binary.LittleEndian.AppendUint16(w.b, uint16(d)) }
func (w *rows) strings(s []string) {
	w.length(len(s))
	for _, v := range s {
		w.string(v)
	}
}

func (w *rows) bool(v bool) {
	if v {
		w.b = append(w.b, 1)
	} else {
		w.b = append(w.b, 0)
	}
}

// reader reads values from an answer. After a failure it returns zeros.
type reader struct {
	r   *bufio.Reader
	err error
	buf []byte
	// words caches strings. There are few different labels.
	words map[string]string
}

// The limits for values in an answer.
const (
	maxBytes = 1 << 30
	maxWords = 1 << 16
)

var errAnswer = errors.New("the response does not have the requested columns")

// more reports whether there is another row.
func (r *reader) more() bool {
	if r.err != nil {
		return false
	}
	if _, err := r.r.Peek(1); err != nil {
		if err != io.EOF {
			r.err = err
		}
		return false
	}
	return true
}

func (r *reader) fail(err error) {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if r.err == nil {
		r.err = err
	}
}

// take reads n bytes. They are valid until the next read.
func (r *reader) take(n int) []byte {
	if r.err == nil {
		if n <= r.r.Size() { // most values are in the buffer
			b, err := r.r.Peek(n)
			if err == nil {
				_, _ = r.r.Discard(n)
				return b
			}
			r.fail(err)
		} else {
			if cap(r.buf) < n {
				r.buf = make([]byte, n)
			}
			b := r.buf[:n]
			if _, err := io.ReadFull(r.r, b); err == nil {
				return b
			} else {
				r.fail(err)
			}
		}
	}
	if cap(r.buf) < min(n, 8) {
		r.buf = make([]byte, 8)
	}
	if n > 8 {
		return nil
	}
	clear(r.buf[:n])
	return r.buf[:n]
}

func (r *reader) uint64() uint64 { return binary.LittleEndian.Uint64(r.take(8)) }
func (r *reader) int64() int64   { return int64(r.uint64()) }
func (r *reader) int32() int32   { return int32(binary.LittleEndian.Uint32(r.take(4))) }
func (r *reader) bool() bool     { return r.take(1)[0] != 0 }

// length reads the length of a string or array.
func (r *reader) length() int {
	if r.err != nil {
		return 0
	}
	n, err := binary.ReadUvarint(r.r)
	if err == nil && n > maxBytes {
		err = errAnswer
	}
	if err != nil {
		r.fail(err)
		return 0
	}
	return int(n)
}

// bytes reads a string. It is valid until the next read.
func (r *reader) bytes() []byte { return r.take(r.length()) }

func (r *reader) string() string { return string(r.bytes()) }

func (r *reader) strings() (all []string) {
	for n := r.length(); n > 0 && r.err == nil; n-- {
		all = append(all, r.string())
	}
	return all
}

// word reads a string that is likely to be repeated.
func (r *reader) word() string {
	b := r.bytes()
	if len(b) == 0 {
		return ""
	}
	if s, ok := r.words[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(r.words) < maxWords {
		if r.words == nil {
			r.words = map[string]string{}
		}
		r.words[s] = s
	}
	return s
}
