package markup

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"
)

// EachRow calls use for each row of comma-separated values, read as [Table]
// reads them. open returns the text, valid and from its beginning; it may be
// called twice. With cut, the text is the beginning of a longer one, and its
// last row is omitted, because it may be incomplete. EachRow reports whether
// rows were omitted. Errors are those of reading and of use. It holds some rows
// in memory, not the text.
func EachRow(open func() (io.Reader, error), comma rune, cut bool,
	use func(row []string) error) (more bool, err error) {
	in, err := lines(open)
	if err != nil {
		return false, err
	}
	head, err := in.Peek(maxDialect)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	rest, comma := dialect(string(head), comma)
	skip := len(head) - len(rest)
	literal, err := quotesAreLiteral(in, skip, comma)
	if err != nil {
		return false, err
	}
	if in, err = lines(open); err != nil {
		return false, err
	}
	if _, err := in.Discard(skip); err != nil {
		return false, err
	}
	next := newReader(in, comma).Read
	if literal {
		next = func() ([]string, error) { return split(in, comma) }
	}
	var last []string
	for n := 0; ; n++ {
		row, err := next()
		switch {
		case errors.Is(err, io.EOF):
			if last != nil && !cut {
				err = use(last)
			} else {
				err = nil
			}
			return cut, err
		case err != nil:
			return false, err
		}
		if n == maxEach {
			return true, use(last)
		}
		if last != nil {
			if err := use(last); err != nil {
				return false, err
			}
		}
		if len(row) > maxColumns {
			row = row[:maxColumns]
		}
		for i, cell := range row {
			row[i] = clean(cell)
		}
		last = row
	}
}

// maxDialect is how much of a text tells how it separates values.
const maxDialect = 64 << 10

// lines returns the text with line feeds only, and without a byte order mark.
func lines(open func() (io.Reader, error)) (*bufio.Reader, error) {
	text, err := open()
	if err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(&lineFeeder{in: text}, maxDialect)
	if mark, err := in.Peek(3); err == nil && string(mark) == "\ufeff" {
		_, err = in.Discard(3)
		return in, err
	}
	return in, nil
}

// quotesAreLiteral reports whether some cell has so many lines that quotation
// marks are taken literally. It reads the text to its end.
func quotesAreLiteral(in *bufio.Reader, skip int, comma rune) (bool, error) {
	if _, err := in.Discard(skip); err != nil {
		return false, err
	}
	r := newReader(in, comma)
	r.ReuseRecord = true
	for {
		row, err := r.Read()
		switch {
		case errors.Is(err, io.EOF):
			return false, nil
		case err != nil:
			return false, err
		case slices.ContainsFunc(row, runaway):
			return true, nil
		}
	}
}

// split reads a row without quotes, which is a line that is not empty.
func split(in *bufio.Reader, comma rune) ([]string, error) {
	for {
		line, err := in.ReadString('\n')
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			return strings.Split(line, string(comma)), nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// lineFeeder replaces the ends of lines of other systems, as lineFeeds does.
type lineFeeder struct {
	in io.Reader
	cr bool // the last byte was a carriage return
}

func (f *lineFeeder) Read(p []byte) (int, error) {
	for {
		n, err := f.in.Read(p)
		kept := p[:0]
		for _, b := range p[:n] {
			after := f.cr
			f.cr = b == '\r'
			switch {
			case b == '\n' && after:
				continue // its carriage return became a line feed
			case f.cr:
				b = '\n'
			}
			kept = append(kept, b)
		}
		if len(kept) > 0 || err != nil || len(p) == 0 {
			return len(kept), err
		}
	}
}
