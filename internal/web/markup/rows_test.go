package markup

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// eachRow reads all rows of a text, a byte at a time.
func eachRow(t testing.TB, src string, comma rune, cut bool) (rows [][]string, more bool) {
	t.Helper()
	open := func() (io.Reader, error) { return iotest.OneByteReader(strings.NewReader(src)), nil }
	more, err := EachRow(open, comma, cut, func(row []string) error {
		rows = append(rows, row)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows, more
}

// TestEachRow checks that rows are read one by one as a table has them.
func TestEachRow(t *testing.T) {
	for _, src := range append(vectors, "a,b\n1,2\n", "\ufeffa;b\r\n1,5;2\r\n", "a|b\r1|2\r", "a\tb\n1\t2",
		"sep=;\na;b\nx;y\n", "a,b\n\"x \"\"y\"\" z\",<b>\n", "a,b\n\"one\ntwo, three\",c\n", "a,b\n\x00,\"\r\n\"\n",
		"a,b\n\n\n1,2\n", "size,what\n\"5 inch,pipe\n"+strings.Repeat("7,tap\n", 200), "") {
		text, comma := dialect(clean(src), 0)
		want, _, _ := records(text, comma)
		got, more := eachRow(t, clean(src), 0, false)
		if more || fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Errorf("%.80q: rows = %.200q, want %.200q", src, got, want)
		}
		if raw, _ := eachRow(t, strings.ToValidUTF8(src, "\ufffd"), 0, false); !reflect.DeepEqual(raw, got) {
			t.Errorf("%.80q: with its own ends of lines, rows = %.200q, want %.200q", src, raw, got)
		}
	}
	if rows, more := eachRow(t, "a,b\n1,2\n3,", 0, true); !more || len(rows) != 2 {
		t.Errorf("the beginning of a text has the rows %q, %t", rows, more)
	}
	if rows, _ := eachRow(t, strings.Repeat("1,", 300)+"\n", 0, false); len(rows[0]) != maxColumns {
		t.Errorf("a wide row has %d columns", len(rows[0]))
	}
}

// TestEachRowHoldsNoText checks that memory does not grow with the text, and
// that the number of rows is limited.
func TestEachRowHoldsNoText(t *testing.T) {
	line := "1,2\n"
	open := func() (io.Reader, error) {
		return io.LimitReader(endless(line), int64(len(line))*(maxEach+10)), nil
	}
	n := 0
	more, err := EachRow(open, 0, false, func([]string) error { n++; return nil })
	if err != nil || !more || n != maxEach {
		t.Errorf("%d rows, more: %t, %v", n, more, err)
	}
}

// endless is a text without end.
type endless string

func (s endless) Read(p []byte) (n int, err error) {
	for n+len(s) <= len(p) {
		n += copy(p[n:], s)
	}
	return n, nil
}
