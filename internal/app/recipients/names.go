package recipients

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// MaxNames bounds a table of labels, in bytes.
const MaxNames = 1 << 20

// ReadNames reads labels from a table: the first cell of each row. Cells are
// separated by commas, semicolons or tabs, as in the first row, and may be
// quoted. A first row with the word label or name is a heading; rows without a
// label are skipped. A text that is not UTF-8 is Windows-1252, as spreadsheets
// write it.
func ReadNames(r io.Reader) ([]string, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxNames+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > MaxNames:
		return nil, errors.New("the table is larger than 1 MiB: it needs only one column of names")
	case bytes.IndexByte(text, 0) >= 0:
		return nil, errors.New("the table is not text: save it as CSV in UTF-8")
	}
	if !utf8.Valid(text) {
		if text, err = charmap.Windows1252.NewDecoder().Bytes(text); err != nil {
			return nil, err
		}
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	table := csv.NewReader(bufio.NewReader(bytes.NewReader(text)))
	table.FieldsPerRecord, table.LazyQuotes, table.ReuseRecord = -1, true, true
	table.Comma = separator(text)
	var names []string
	for row := 0; ; row++ {
		cells, err := table.Read()
		if err == io.EOF {
			return names, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the table cannot be read: %w", err)
		}
		name := strings.TrimSpace(cells[0])
		heading := row == 0 && (strings.EqualFold(name, "label") || strings.EqualFold(name, "name"))
		if name != "" && !heading {
			names = append(names, strings.Clone(name))
		}
	}
}

// separator returns the separator that the first row has outside of quotes: a
// comma if there is none.
func separator(text []byte) rune {
	quoted := false
	for _, c := range text {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ';' || c == '\t' || c == ',':
			return rune(c)
		case c == '\n' || c == '\r':
			return ','
		}
	}
	return ','
}
