package markup

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// Table renders comma-separated values. comma is the separator, such as '\t'
// for TSV, or 0 to detect it in the first lines. The first row becomes a header
// if it looks like one. Text with one column is rendered as text. If cut is
// set, totals are omitted.
//
// address is that of all rows, as [EachRow] has them, for a script that fetches
// them; the table then has only the first ones. "": there is no script.
func Table(src string, comma rune, cut bool, address string) Document {
	src, comma = dialect(clean(src), comma)
	rows, total, wide := records(src, comma)
	if wide < 2 {
		return Code(src, "txt", cut)
	}
	var p page
	var d Document
	g := grid{rows: rows, header: header(rows)}
	if first := firstRows(len(rows), wide); address != "" && (cut || total > first) {
		g.address, d.First = address, firstOf(first, total, cut)+" rows."
	}
	d.Cut = p.grid(g, "Table", maxCells)
	if g.address == "" && total > len(rows) {
		d.Cut = true
		d.Note = firstOf(len(rows), total, cut) + " rows."
	}
	if wide > maxColumns {
		d.Cut = true
		d.Note = strings.TrimSpace(d.Note + " " + firstOf(maxColumns, wide, cut) + " columns.")
	}
	if d.Cut && d.Note == "" {
		d.Note = "Long cells are shortened."
	}
	d.HTML = p.html()
	return d
}

// firstRows returns how many rows are in the HTML if a script fetches the
// others.
func firstRows(rows, wide int) int {
	return min(rows, maxFirst, max(maxFirstCells/max(1, min(wide, maxColumns)), 10))
}

// dialect returns the rows of a text, and their separator.
func dialect(src string, comma rune) (string, rune) {
	if named, rest, ok := strings.Cut(src, "\n"); ok && len(named) == 5 && strings.HasPrefix(named, "sep=") {
		return rest, rune(named[4]) // the separator line that Excel writes
	}
	if comma == 0 {
		comma = separator(src)
	}
	return src, comma
}

// firstOf returns a label such as "First 500 of 2,000". Without a complete
// count it omits the total.
func firstOf(shown, total int, cut bool) string {
	s := "First " + humanize.Comma(int64(shown))
	if cut {
		return s
	}
	return s + " of " + humanize.Comma(int64(total))
}

func newReader(src io.Reader, comma rune) *csv.Reader {
	r := csv.NewReader(src)
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = comma, true, -1
	return r
}

// records parses rows. It returns at most maxRows rows, the number of all rows,
// and the largest number of fields. If a quoted cell has too many lines, its
// quotation mark is literal, as in 5", and all rows are parsed without quotes.
func records(src string, comma rune) (rows [][]string, total, wide int) {
	r := newReader(strings.NewReader(src), comma)
	for {
		row, err := r.Read()
		if err != nil {
			return rows, total, wide // end of the text, or invalid CSV
		}
		if slices.ContainsFunc(row, runaway) {
			return unquoted(src, comma)
		}
		r.ReuseRecord = total >= maxRows
		if total < maxRows {
			rows = append(rows, row)
		}
		wide = max(wide, len(row))
		total++
	}
}

// runaway reports whether a cell has so many lines that its quotation mark is
// not one.
func runaway(cell string) bool { return strings.Count(cell, "\n") >= maxCellLines }

// unquoted parses rows without quotes, one per line. It returns at most maxRows
// rows, the number of all rows, and the largest number of fields.
func unquoted(src string, comma rune) (rows [][]string, total, wide int) {
	for line := range strings.Lines(src) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			continue
		}
		wide = max(wide, strings.Count(line, string(comma))+1)
		if total++; total <= maxRows {
			rows = append(rows, strings.Split(line, string(comma)))
		}
	}
	return rows, total, wide
}

// separator returns the separator for which the first lines have the most
// similar number of fields.
func separator(src string) rune {
	src = src[:min(len(src), 64<<10)]
	if end := strings.LastIndexByte(src, '\n'); end > 0 {
		src = src[:end]
	}
	best, most := ',', 0.0
	for _, comma := range []rune{',', ';', '\t', '|'} {
		widths, n := map[int]int{}, 0
		for r := newReader(strings.NewReader(src), comma); n < 30; n++ {
			row, err := r.Read()
			if err != nil {
				break
			}
			widths[len(row)]++
		}
		score := 0.0
		for width, rows := range widths {
			score = max(score, float64(rows)/float64(n)*(1-1/float64(width)))
		}
		if score > most {
			best, most = comma, score
		}
	}
	return best
}

// header reports whether the first row contains column names: short, distinct
// cells that are not numbers.
func header(rows [][]string) bool {
	if len(rows) < 2 || len(rows[0]) < 2 {
		return false
	}
	seen, named := map[string]bool{}, 0
	for _, cell := range rows[0] {
		cell = strings.TrimSpace(cell)
		if cell == "" {
			continue
		}
		if seen[cell] || number(cell) || len(cell) > 80 || strings.Contains(cell, "\n\n") {
			return false
		}
		seen[cell] = true
		named++
	}
	return 2*named > len(rows[0])
}

// number reports whether a text is a number: digits with signs, separators, a
// currency sign or percent.
func number(s string) bool {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > 40 {
		return false
	}
	digits := 0
	for i, r := range s {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case strings.ContainsRune(".,'’ \u00a0\u202f", r), strings.ContainsRune("+-−($€£¥", r) && digits == 0:
		case strings.ContainsRune("%)€$£¥", r) && digits > 0:
		case (r == 'e' || r == 'E') && digits > 0 && i+1 < len(s):
		case (r == '-' || r == '+') && digits > 0 && (s[i-1] == 'e' || s[i-1] == 'E'):
		default:
			return false
		}
	}
	return digits > 0
}

// fewColumns is the number of columns that fit into a window with wrapped text.
const fewColumns = 8

// grid is a table to show.
type grid struct {
	rows    [][]string
	header  bool   // the first row has column names
	letters bool   // columns have letters, as in a spreadsheet
	address string // of all rows, of which only the first are written; "" if there is no script that fetches them
}

// grid writes a table with row numbers and at most the given number of cells.
// It reports whether something was omitted.
func (p *page) grid(g grid, label string, cells int) (cut bool) {
	rows := g.rows
	if len(rows) > maxRows {
		rows, cut = rows[:maxRows], true
	}
	if g.address != "" {
		cut = false
	}
	wide := widest(rows)
	if wide > maxColumns {
		wide, cut = maxColumns, true
	}
	if wide == 0 {
		p.tags(`<p class="none">Empty</p>`)
		return cut
	}
	if most := max(cells/wide, 1); len(rows) > most && g.address == "" {
		rows, cut = rows[:most], true
	}
	numeric := numericColumns(rows, wide, g.header)
	if g.address != "" {
		rows = rows[:firstRows(len(rows), wide)]
	}
	p.tags(`<div class="scroll grid`, textIf(wide <= fewColumns, " few"), `" role="region" tabindex="0"`)
	if g.address != "" {
		p.tags(` data-rows="`)
		p.text(g.address)
		p.tags(`"`)
	}
	p.tags(` data-numeric="`)
	for i, n := range numeric {
		p.tags(textIf(n, strconv.Itoa(i)+" "))
	}
	p.tags(`" aria-label="`)
	p.text(label)
	p.tags(`"><table>`)
	cut = p.head(g, numeric) || cut
	body, first := rows, 1
	if g.header {
		body, first = rows[1:], 2
	}
	cut = p.body(body, numeric, first) || cut
	p.tags("</table></div>")
	return cut
}

func widest(rows [][]string) (wide int) {
	for _, row := range rows {
		wide = max(wide, len(row))
	}
	return wide
}

// head writes the letters and the names of columns. It reports whether a name
// was shortened.
func (p *page) head(g grid, numeric []bool) (cut bool) {
	if !g.letters && !g.header {
		return false
	}
	p.tags("<thead>")
	if g.letters {
		p.tags(`<tr class="letters"><td></td>`)
		for i := range numeric {
			p.tags(`<th scope="col">`, columnName(i), "</th>")
		}
		p.tags("</tr>")
	}
	if g.header {
		p.tags("<tr>", textIf(g.letters, `<th scope="row">1</th>`), textIf(!g.letters, "<td></td>"))
		for i, n := range numeric {
			p.tags(`<th scope="col"`, textIf(n, ` class="n"`), ">")
			if i < len(g.rows[0]) {
				cut = p.cell(g.rows[0][i]) || cut
			}
			p.tags("</th>")
		}
		p.tags("</tr>")
	}
	p.tags("</thead>")
	return cut
}

// body writes rows. first is the number of the first row. It reports whether a
// cell was shortened.
func (p *page) body(rows [][]string, numeric []bool, first int) (cut bool) {
	wide := len(numeric)
	p.tags("<tbody>")
	for i, row := range rows {
		p.tags(`<tr><th scope="row">`, strconv.Itoa(first+i), "</th>")
		for j := range min(len(row), wide) {
			p.tags("<td", textIf(numeric[j], ` class="n"`), ">")
			cut = p.cell(row[j]) || cut
			p.tags("</td>")
		}
		if missing := wide - len(row); missing > 0 {
			p.tags(`<td colspan="`, strconv.Itoa(missing), `"></td>`)
		}
		p.tags("</tr>")
	}
	p.tags("</tbody>")
	return cut
}

func (p *page) cell(s string) (cut bool) {
	s, cut = shorten(clean(s), maxCell)
	p.text(s)
	return cut
}

// numericColumns reports which columns contain numbers, with few exceptions.
func numericColumns(rows [][]string, wide int, header bool) []bool {
	filled, numbers := make([]int, wide), make([]int, wide)
	if header {
		rows = rows[1:]
	}
	for _, row := range rows {
		for i, cell := range row[:min(len(row), wide)] {
			if cell == "" {
				continue
			}
			filled[i]++
			if number(cell) {
				numbers[i]++
			}
		}
	}
	numeric := make([]bool, wide)
	for i := range numeric {
		numeric[i] = filled[i] > 0 && numbers[i]*5 >= filled[i]*4
	}
	return numeric
}

// columnName returns the letters of column i, counted from 0: A to Z, AA and so
// on.
func columnName(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return columnName(i/26-1) + string(rune('A'+i%26))
}

func textIf(is bool, s string) string {
	if is {
		return s
	}
	return ""
}
