package viewer

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/filetype/text"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/markup"
)

// MaxTable is how much of a text file its table has, in bytes.
const MaxTable = 5 << 20

// maxInertRows is how many rows of a sheet are shown without scripts to
// moderators, and to those who waited for them.
const maxInertRows = 2000

// rowsPath is where the rows of a table are, below the link's content.
func rowsPath(table int) string { return "rows/" + strconv.Itoa(table) }

func fillTable(s *Viewers, r *http.Request, l *vitrine.Link, address func(string) string, c *Content) error {
	text, cut, err := s.Text(r, l)
	if err != nil {
		return err
	}
	rows := address(rowsPath(1))
	return s.LayOut(r, func() {
		if *c = arrange(l.Name, text, cut, rows); rows == "" || c.Document.First == "" {
			return
		}
		c.TextCut = false
		if l.Size > MaxTable {
			c.Document.Cut = true
			c.Document.Note = joined(c.Document.Note, "Only the first 5 MiB are shown.")
		}
	})
}

// comma returns the separator of a table's type, or 0 if it varies.
func comma(name string) rune {
	if t, _ := filetype.ByExt(name); t.Ext == "tsv" {
		return '\t'
	}
	return 0
}

// tableRows reads the rows from the file.
func tableRows(s *Viewers, r *http.Request, l *vitrine.Link, table int) (func(io.Writer) error, error) {
	if table != 1 {
		return nil, httpx.ErrNoPage
	}
	blob, err := s.Blob(r, l)
	if err != nil {
		return nil, err
	}
	return func(w io.Writer) error {
		defer blob.Close()
		open := func() (io.Reader, error) {
			_, err := blob.Seek(0, io.SeekStart)
			if err != nil {
				return nil, err
			}
			return text.Reader(io.LimitReader(blob, MaxTable), MaxText, min(blob.Size(), MaxTable))
		}
		to := encoder(w)
		cut, err := markup.EachRow(open, comma(l.Name), blob.Size() > MaxTable,
			func(row []string) error { return to.Encode(row) })
		if err != nil {
			return err
		}
		return to.Encode(rowsEnd{cut})
	}, nil
}

// rowsEnd follows the last row.
type rowsEnd struct {
	Cut bool `json:"cut"`
}

func encoder(w io.Writer) *json.Encoder {
	to := json.NewEncoder(w)
	to.SetEscapeHTML(false)
	return to
}

func fillSheets(s *Viewers, r *http.Request, l *vitrine.Link, address func(string) string, c *Content) error {
	blob, err := s.OpenPart(r, l, vitrine.PartSheets)
	if err != nil {
		return err
	}
	defer blob.Close()
	book, lines, err := workbook(blob)
	if err != nil {
		return err
	}
	if address(rowsPath(1)) == "" {
		if err := wholeSheets(blob, &book, lines); err != nil {
			return err
		}
		return s.LayOut(r, func() { c.Document = markup.Sheets(book, nil) })
	}
	return s.LayOut(r, func() {
		c.Document = markup.Sheets(book, func(i int) string { return address(rowsPath(i + 1)) })
	})
}

// workbook reads the first line of PartSheets, and returns where the others
// begin.
func workbook(blob vitrine.Blob) (book filetype.Workbook, lines int64, err error) {
	in := json.NewDecoder(blob)
	if err := in.Decode(&book); err != nil {
		return book, 0, vitrine.Unavailable(err)
	}
	return book, in.InputOffset() + 1, nil
}

// wholeSheets replaces the first rows of sheets by all, up to maxInertRows.
func wholeSheets(blob vitrine.Blob, book *filetype.Workbook, lines int64) error {
	for i := range book.Sheets {
		s := &book.Sheets[i]
		in := json.NewDecoder(io.NewSectionReader(blob, lines+s.At, s.Size))
		for s.Rows = nil; len(s.Rows) < maxInertRows; {
			var row []string
			if err := in.Decode(&row); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return vitrine.Unavailable(err)
			}
			s.Rows = append(s.Rows, row)
		}
		s.Cut = s.Cut || len(s.Rows) < s.Total
	}
	return nil
}

// sheetRows reads the rows of a sheet from the part.
func sheetRows(s *Viewers, r *http.Request, l *vitrine.Link, table int) (func(io.Writer) error, error) {
	blob, err := s.OpenPart(r, l, vitrine.PartSheets)
	if err != nil {
		return nil, err
	}
	book, lines, err := workbook(blob)
	if err == nil && (table < 1 || table > len(book.Sheets)) {
		err = httpx.ErrNoPage
	}
	if err != nil {
		return nil, errors.Join(err, blob.Close())
	}
	sheet := book.Sheets[table-1]
	return func(w io.Writer) error {
		defer blob.Close()
		if _, err := io.Copy(w, io.NewSectionReader(blob, lines+sheet.At, sheet.Size)); err != nil {
			return err
		}
		return encoder(w).Encode(rowsEnd{sheet.Cut})
	}, nil
}
