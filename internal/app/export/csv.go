package export

import (
	"encoding/csv"
	"io"
	"regexp"
	"strings"
)

// CSV writes a table (RFC 4180). Cells may be words of strangers: no
// spreadsheet takes one for a formula (promise 11), whether it separates cells
// by commas, semicolons or tabs.
type CSV struct{ rows *csv.Writer }

// NewCSV returns a writer of a table to w.
func NewCSV(w io.Writer) CSV {
	c := csv.NewWriter(w)
	c.UseCRLF = true
	return CSV{c}
}

// Write adds a row. It does not change cells.
func (c CSV) Write(cells []string) error {
	safe := make([]string, len(cells))
	for i, cell := range cells {
		safe[i] = noFormula(cell)
	}
	return c.rows.Write(safe)
}

// Flush writes what is buffered, and returns the first error of the table.
func (c CSV) Flush() error {
	c.rows.Flush()
	return c.rows.Error()
}

// noFormula returns a cell in which nothing begins a formula. Tabs and line
// breaks, where another cell or row could begin, become spaces. A semicolon is
// the separator in many countries, and then quotes are not those that enclose a
// cell. So an apostrophe begins each part that would begin a formula once
// quotes and invisible characters are skipped.
func noFormula(s string) string {
	return formula.ReplaceAllString(breaks.Replace(s), "$1'$2")
}

var breaks = strings.NewReplacer("\t", " ", "\r", " ", "\n", " ", "\v", " ", "\f", " ", "\u0085", " ", "\u2028", " ",
	"\u2029", " ")

// formula matches the start of a formula. The signs are also those of full
// width and small forms.
var formula = regexp.MustCompile(`(^|;)([\s"'\pZ\pC]*[=+@＝＋－＠﹦﹢﹣﹫-])`)
