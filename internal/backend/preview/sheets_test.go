package preview

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"vitrine"
	"vitrine/internal/filetype"

	"github.com/xuri/excelize/v2"
)

func must(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func accounts(t testing.TB) []byte {
	return workbookOf(t, func(f *excelize.File) {
		day, err := f.NewStyle(&excelize.Style{NumFmt: 14})
		must(t, err)
		money, err := f.NewStyle(&excelize.Style{NumFmt: 4})
		must(t, err)
		share, err := f.NewStyle(&excelize.Style{NumFmt: 9})
		must(t, err)
		must(t, f.SetSheetName("Sheet1", "Ausgaben"),
			f.SetSheetRow("Ausgaben", "A1", &[]any{"Tag", "Betrag", "Anteil", "Grüße", ""}),
			f.SetSheetRow("Ausgaben", "A2", &[]any{time.Date(2026, 3, 14, 0, 0, 0, 0, time.UTC), 1234567.5, 0.25,
				true}),
			f.SetCellValue("Ausgaben", "B4", 0.1), f.SetCellValue("Ausgaben", "C4", "behind a gap"),
			f.SetCellStyle("Ausgaben", "A2", "A2", day), f.SetCellStyle("Ausgaben", "B2", "B2", money),
			f.SetCellStyle("Ausgaben", "C2", "C2", share),
			f.SetCellValue("Ausgaben", "A5", "hidden row"), f.SetRowVisible("Ausgaben", 5, false))
		for _, name := range []string{"Hidden", "Empty", "Wide"} {
			_, err := f.NewSheet(name)
			must(t, err)
		}
		must(t, f.SetCellValue("Hidden", "A1", "secret"), f.SetSheetVisible("Hidden", false),
			f.SetCellValue("Wide", "CV1", "hundredth"),
			f.SetCellValue("Wide", "CW1", "beyond"))
	})
}

// TestSheets checks that cells have their displayed text, and that hidden
// sheets stay hidden.
func TestSheets(t *testing.T) {
	m, _ := newMaker(t, Options{})
	got := mustPreview(t, m, "accounts.xlsx", accounts(t)).book(t)
	wide := make([]string, maxColumns)
	wide[maxColumns-1] = "hundredth"
	want := filetype.Workbook{Sheets: []filetype.Sheet{
		{Name: "Ausgaben", Rows: [][]string{{"Tag", "Betrag", "Anteil", "Grüße"},
			{"2026-03-14", "1,234,567.50", "25%", "TRUE"}, {}, {"", "0.1", "behind a gap"}}},
		{Name: "Empty", Rows: [][]string{}},
		{Name: "Wide", Rows: [][]string{wide}, Cut: true},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("workbook = %+v\nwant %+v", got, want)
	}
}

// TestHiddenColumns checks that hidden columns are left out of their sheet and
// that those behind them move up, also in a sheet too large for memory.
func TestHiddenColumns(t *testing.T) {
	b := workbookOf(t, func(f *excelize.File) {
		for _, name := range []string{"Other", "Large"} {
			_, err := f.NewSheet(name)
			must(t, err)
		}
		for _, name := range []string{"Sheet1", "Other"} {
			must(t, f.SetSheetRow(name, "A1", &[]any{"Name", "Salary", "Bonus", "Room", "Note"}),
				f.SetSheetRow(name, "A2", &[]any{"Ann", 1, 2, "7", "none"}),
				f.SetSheetRow(name, "A3", &[]any{"", 3}))
		}
		must(t, f.SetColVisible("Sheet1", "B:C", false), f.SetColVisible("Sheet1", "E:XFD", false),
			f.SetColVisible("Other", "A", false))
		w, err := f.NewStreamWriter("Large")
		must(t, err)
		must(t, w.SetColVisible(2, 2, false))
		for i := range 600_000 {
			must(t, w.SetRow(fmt.Sprint("A", i+1), []any{i, "secret"}))
		}
		must(t, w.Flush())
	})
	book, err := workbook(bytes.NewReader(b), int64(len(b)), t.TempDir())
	must(t, err)
	for i, want := range [][][]string{
		{{"Name", "Room"}, {"Ann", "7"}},
		{{"Salary", "Bonus", "Room", "Note"}, {"1", "2", "7", "none"}, {"3"}},
	} {
		if got := book.Sheets[i].Rows; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: rows = %q, want %q", book.Sheets[i].Name, got, want)
		}
	}
	large := book.Sheets[2].Rows
	if len(large) != maxRows || !reflect.DeepEqual(large[7], []string{"7"}) {
		t.Errorf("%d rows, row 7 = %q", len(large), large[7])
	}
}

// TestTarget checks the kinds of paths by which workbooks name their sheets.
func TestTarget(t *testing.T) {
	for _, c := range [][3]string{
		{"", "xl/workbook.xml", "xl/workbook.xml"}, {"", "/xl/workbook.xml", "xl/workbook.xml"},
		{"xl", "worksheets/sheet1.xml", "xl/worksheets/sheet1.xml"},
		{"xl", "/xl/worksheets/sheet1.xml", "xl/worksheets/sheet1.xml"}, {".", "sheet1.xml", "sheet1.xml"},
		{"xl", "../a.xml", "a.xml"},
		{"xl", "../../a.xml", "a.xml"}, {"xl", `worksheets\sheet1.xml`, "xl/worksheets/sheet1.xml"},
	} {
		if got := target(c[0], c[1]); got != c[2] {
			t.Errorf("target of %q in %q = %q, want %q", c[1], c[0], got, c[2])
		}
	}
}

// book returns the workbook of PartSheets with all rows.
func (p made) book(t *testing.T) (book filetype.Workbook) {
	t.Helper()
	in := json.NewDecoder(bytes.NewReader(p[vitrine.PartSheets]))
	must(t, in.Decode(&book))
	lines := p[vitrine.PartSheets][in.InputOffset()+1:]
	for i := range book.Sheets {
		s := &book.Sheets[i]
		first := s.Rows
		s.Rows = [][]string{}
		for rows := json.NewDecoder(bytes.NewReader(lines[s.At : s.At+s.Size])); rows.More(); {
			var row []string
			must(t, rows.Decode(&row))
			s.Rows = append(s.Rows, row)
		}
		if len(s.Rows) != s.Total || len(first) != min(headRows, s.Total) ||
			len(first) > 0 && !reflect.DeepEqual(first, s.Rows[:len(first)]) {
			t.Errorf("%s has %d rows, want %d; the first ones are %.200q", s.Name, len(s.Rows), s.Total, first)
		}
		s.Total, s.At, s.Size = 0, 0, 0
	}
	return book
}

// TestSheetsLines checks the part of a workbook with many rows.
func TestSheetsLines(t *testing.T) {
	m, _ := newMaker(t, Options{})
	content := workbookOf(t, func(f *excelize.File) {
		_, err := f.NewSheet("Second")
		must(t, err)
		for i := range 3000 {
			must(t, f.SetSheetRow("Sheet1", fmt.Sprint("A", i+1), &[]any{i, "<&>"}), f.SetSheetRow("Second", fmt.Sprint("A", i+1), &[]any{-i}))
		}
	})
	book := mustPreview(t, m, "a.xlsx", content).book(t)
	if len(book.Sheets) != 2 || len(book.Sheets[0].Rows) != 3000 || !reflect.DeepEqual(book.Sheets[0].Rows[2999], []string{"2999", "<&>"}) ||
		!reflect.DeepEqual(book.Sheets[1].Rows[2999], []string{"-2999"}) {
		t.Errorf("workbook = %.300q", fmt.Sprint(book))
	}
}

// TestSheetsCut checks the limits, and that the result says what was left out.
func TestSheetsCut(t *testing.T) {
	many := workbookOf(t, func(f *excelize.File) {
		for i := range maxSheets + 1 {
			_, err := f.NewSheet(fmt.Sprint("S", i))
			must(t, err)
		}
	})
	rows := func(n int, text string) []byte {
		return workbookOf(t, func(f *excelize.File) {
			w, err := f.NewStreamWriter("Sheet1")
			must(t, err)
			for i := range n {
				must(t, w.SetRow(fmt.Sprint("A", i+1), []any{text}))
			}
			must(t, w.Flush())
		})
	}
	for _, c := range []struct {
		what             string
		content          []byte
		sheets, rows     int
		bookCut, rowsCut bool
	}{
		{"many sheets", many, maxSheets, 0, true, false},
		{"all rows", rows(maxRows, "x"), 1, maxRows, false, false},
		{"a row more", rows(maxRows+1, "x"), 1, maxRows, false, true},
		{"long text", rows(600, strings.Repeat("x", 30_000)), 1, maxCellsText / 30_001, false, true},
	} {
		book, err := workbook(bytes.NewReader(c.content), int64(len(c.content)), t.TempDir())
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		s := book.Sheets[0]
		if len(book.Sheets) != c.sheets || book.Cut != c.bookCut || len(s.Rows) != c.rows || s.Cut != c.rowsCut {
			t.Errorf("%s: %d sheets, Cut = %v; %d rows, Cut = %v", c.what, len(book.Sheets), book.Cut, len(s.Rows),
				s.Cut)
		}
	}
}

func FuzzSheets(f *testing.F) {
	f.Add(accounts(f))
	f.Add([]byte("PK\x05\x06rubbish"))
	f.Fuzz(func(t *testing.T, p []byte) {
		book, err := workbook(bytes.NewReader(p), int64(len(p)), t.TempDir())
		if err != nil {
			return
		}
		text := 0
		for _, s := range book.Sheets {
			if len(s.Rows) > maxRows || !utf8.ValidString(s.Name) {
				t.Errorf("%d rows of %q, or invalid text", len(s.Rows), s.Name)
			}
			for _, r := range s.Rows {
				if len(r) > maxColumns {
					t.Errorf("%d columns, want at most the maximum", len(r))
				}
				text += len(strings.Join(r, ""))
			}
		}
		if len(book.Sheets) > maxSheets || text > 3*maxCellsText { // invalid bytes become three bytes each
			t.Errorf("%d sheets, %d bytes of text", len(book.Sheets), text)
		}
	})
}
