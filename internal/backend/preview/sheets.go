package preview

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/filetype"

	"github.com/xuri/excelize/v2"
)

// sheets makes the part with the cells of an xlsx workbook.
func (j *job) sheets(r *io.SectionReader) error {
	book, err := workbook(r, r.Size(), j.work(""))
	if err != nil {
		return err
	}
	return j.put(vitrine.PartSheets, func(w io.Writer) error { return writeSheets(w, book) })
}

// writeSheets writes PartSheets.
func writeSheets(w io.Writer, book filetype.Workbook) error {
	var lines bytes.Buffer
	to := json.NewEncoder(&lines)
	to.SetEscapeHTML(false)
	room := maxHeads
	for i := range book.Sheets {
		s := &book.Sheets[i]
		s.Total, s.At = len(s.Rows), int64(lines.Len())
		heads := 0
		for n, row := range s.Rows {
			at := lines.Len()
			if err := to.Encode(row); err != nil {
				return err
			}
			if size := lines.Len() - at; heads == n && n < headRows && size <= room {
				heads, room = n+1, room-size
			}
		}
		s.Size = int64(lines.Len()) - s.At
		s.Rows = s.Rows[:heads]
	}
	if err := json.NewEncoder(w).Encode(book); err != nil {
		return err
	}
	_, err := lines.WriteTo(w)
	return err
}

// workbook returns the visible sheets row by row. temporary is the directory
// for data that does not fit into memory.
func workbook(r io.ReaderAt, size int64, temporary string) (book filetype.Workbook, err error) {
	f, err := excelize.OpenReader(io.NewSectionReader(r, 0, size), excelize.Options{
		UnzipSizeLimit: maxUnzipped, UnzipXMLSizeLimit: maxUnzippedHeld, TmpDir: temporary,
		ShortDatePattern: "yyyy-mm-dd", LongDatePattern: "d mmmm yyyy", LongTimePattern: "hh:mm:ss",
	})
	if err != nil {
		return book, fmt.Errorf("open the workbook: %w", err)
	}
	defer f.Close()
	columns, err := columnsOf(f, r, size)
	if err != nil {
		return book, fmt.Errorf("find the sheets of the workbook: %w", err)
	}
	book.Sheets = []filetype.Sheet{}
	room, until := maxCellsText, ownTime()+sheetTime
	for _, name := range f.GetSheetList() {
		if shown, err := f.GetSheetVisible(name); err != nil || !shown {
			continue
		}
		if len(book.Sheets) == maxSheets {
			book.Cut = true
			break
		}
		hidden, err := columns.hidden(name)
		if err != nil {
			continue
		}
		if sheet, ok := readSheet(f, name, hidden, &room, until); ok {
			book.Sheets = append(book.Sheets, sheet)
		}
	}
	return book, nil
}

// readSheet reads the visible columns and rows of a sheet within the limits.
// room is the remaining space for text, until the CPU time at which reading
// ends. ok is false for a sheet without cells,
// such as a chart.
func readSheet(f *excelize.File, name string, hidden []bool, room *int,
	until time.Duration) (sheet filetype.Sheet, ok bool) {
	rows, err := f.Rows(name)
	if err != nil {
		return sheet, false
	}
	defer rows.Close()
	sheet = filetype.Sheet{Name: clean(name), Rows: [][]string{}}
	filled := 0 // number of rows up to the last non-empty one
	for rows.Next() {
		cells, err := rows.Columns()
		if err != nil {
			sheet.Cut = true
			break
		}
		if rows.GetRowOpts().Hidden {
			continue
		}
		cells, cut := readRow(visible(cells, hidden))
		sheet.Cut = sheet.Cut || cut
		if len(cells) > 0 && len(sheet.Rows) >= maxRows {
			sheet.Cut = true
			break
		}
		if len(sheet.Rows) >= maxRows {
			continue // trailing empty rows are not counted as cut
		}
		for _, c := range cells {
			*room -= len(c) + 1
		}
		if len(sheet.Rows)%1000 == 999 && ownTime() > until {
			*room = -1
		}
		if *room < 0 {
			*room, sheet.Cut = 0, true
			break
		}
		sheet.Rows = append(sheet.Rows, cells)
		if len(cells) > 0 {
			filled = len(sheet.Rows)
		}
	}
	sheet.Cut = sheet.Cut || rows.Error() != nil
	sheet.Rows = sheet.Rows[:filled]
	return sheet, true
}

// readRow returns a row without trailing empty cells and without cells beyond
// the limit, and whether it was cut.
func readRow(cells []string) (row []string, cut bool) {
	for len(cells) > 0 && cells[len(cells)-1] == "" {
		cells = cells[:len(cells)-1]
	}
	if len(cells) > maxColumns {
		cells, cut = cells[:maxColumns], true
	}
	row = make([]string, len(cells))
	for i, c := range cells {
		row[i] = clean(c)
	}
	return row, cut
}

func clean(s string) string { return strings.ToValidUTF8(s, "\ufffd") }
