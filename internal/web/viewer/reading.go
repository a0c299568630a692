package viewer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/filetype/text"
)

// Reading is the text of a link for programs, in parts.
type Reading struct {
	Unit  string  // what a part is: page, slide, sheet or section
	Sizes []int64 // of the parts, in bytes; of a sheet, as it is stored
	Cut   bool    // the file has more text
	// Write writes a part as Markdown, the i-th from 0.
	Write func(w io.Writer, i int) error

	close func() error
}

// Close releases what the reading has open.
func (d *Reading) Close() error {
	if d.close == nil {
		return nil
	}
	return d.close()
}

// HasReading reports whether anybody may have the text of a link: it has one,
// may be downloaded, and asks nothing of its readers.
func HasReading(l *vitrine.Link) bool {
	return l.HasBytes && l.AllowDownload && !l.Access.Gated() &&
		(l.Kind == filetype.Text || l.Parts.Has(vitrine.PartText) || l.Parts.Has(vitrine.PartSheets))
}

// Reading returns the text of a link that has one.
func (s *Viewers) Reading(r *http.Request, l *vitrine.Link) (*Reading, error) {
	switch {
	case l.Kind == filetype.Text:
		return s.textReading(r, l)
	case l.Parts.Has(vitrine.PartSheets):
		return s.sheetReading(r, l)
	}
	blob, err := s.OpenPart(r, l, vitrine.PartText)
	if err != nil {
		return nil, err
	}
	pages, err := text.ReadPages(blob)
	if err != nil {
		return nil, errors.Join(vitrine.Unavailable(err), blob.Close())
	}
	return &Reading{Unit: pages.Unit, Sizes: pages.Sizes, Cut: pages.Cut, close: blob.Close,
		Write: func(w io.Writer, i int) error {
			_, err := io.Copy(w, pages.Page(blob, i))
			return err
		}}, nil
}

// textReading returns the text of a text file: what its page shows of it.
func (s *Viewers) textReading(r *http.Request, l *vitrine.Link) (*Reading, error) {
	whole, cut, err := s.Text(r, l)
	if err != nil {
		return nil, err
	}
	t, _ := filetype.ByExt(l.Name)
	sections := text.Sections(whole, t.Ext == "md")
	d := &Reading{Unit: "section", Cut: cut, Write: func(w io.Writer, i int) error {
		if plainText(t.Ext) {
			_, err := io.WriteString(w, sections[i])
			return err
		}
		fence := fenceOf(sections[i])
		_, err := fmt.Fprintf(w, "%s%s\n%s\n%s", fence, t.Ext, strings.TrimSuffix(sections[i], "\n"), fence)
		return err
	}}
	for _, section := range sections {
		d.Sizes = append(d.Sizes, int64(len(section)))
	}
	return d, nil
}

// plainText reports whether text files with an extension are read as they are,
// and not as code.
func plainText(ext string) bool { return slices.Contains([]string{"md", "txt", "log"}, ext) }

// fenceOf returns marks for a block of code that its text does not have.
func fenceOf(code string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence
}

// sheetReading returns the sheets of a workbook as tables.
func (s *Viewers) sheetReading(r *http.Request, l *vitrine.Link) (*Reading, error) {
	blob, err := s.OpenPart(r, l, vitrine.PartSheets)
	if err != nil {
		return nil, err
	}
	book, lines, err := workbook(blob)
	if err != nil {
		return nil, errors.Join(err, blob.Close())
	}
	d := &Reading{Unit: "sheet", Cut: book.Cut, close: blob.Close, Write: func(w io.Writer, i int) error {
		sheet := book.Sheets[i]
		if _, err := fmt.Fprintf(w, "## %s\n\n", oneLine.Replace(sheet.Name)); err != nil {
			return err
		}
		return writeTable(w, io.NewSectionReader(blob, lines+sheet.At, sheet.Size))
	}}
	for _, sheet := range book.Sheets {
		d.Sizes, d.Cut = append(d.Sizes, sheet.Size), d.Cut || sheet.Cut
	}
	return d, nil
}

// oneLine makes text for one line, and cell for a cell of a table.
var (
	oneLine = strings.NewReplacer("\n", " ", "\r", " ")
	cell    = strings.NewReplacer("\n", " ", "\r", " ", "|", `\|`)
)

// writeTable writes rows, one a line of JSON, as a table. The first row is its
// head.
func writeTable(w io.Writer, rows io.Reader) error {
	in := json.NewDecoder(rows)
	for n := 0; ; n++ {
		var row []string
		if err := in.Decode(&row); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		for i := range row {
			row[i] = cell.Replace(row[i])
		}
		line := "| " + strings.Join(row, " | ") + " |\n"
		if n == 0 {
			line += "|" + strings.Repeat(" --- |", max(len(row), 1)) + "\n"
		}
		if _, err := io.WriteString(w, line); err != nil {
			return err
		}
	}
}
