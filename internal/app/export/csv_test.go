package export_test

import (
	"bytes"
	"encoding/csv"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/app/export"
)

func written(t testing.TB, rows [][]string) string {
	var b bytes.Buffer
	c := export.NewCSV(&b)
	for _, row := range rows {
		if err := c.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestCSVCells checks single cells: formulas get an apostrophe, and other cells
// do not change.
func TestCSVCells(t *testing.T) {
	for cell, want := range map[string]string{"": "", "7": "7", "a=1": "a=1", "=1": "'=1", "+1": "'+1", "-1": "'-1",
		"@A": "'@A", "\tx": " x", "a\r\nb": "a  b", "\n=1": "' =1", "a\t=1": "a =1",
		"＝1+1": "'＝1+1", "＋1": "'＋1", "－1": "'－1", "＠SUM(1)": "'＠SUM(1)", "﹦1": "'﹦1", "é": "é",
		"x;=1": "x;'=1", "x; @A;-1;b": "x;' @A;'-1;b", "a;b=1": "a;b=1", ";＝1": ";'＝1", `x;"=1;y`: `x;'"=1;y`,
		"x;\u200b=1": "x;'\u200b=1", "\u00a0=1": "'\u00a0=1", `"=1`: `'"=1`, "a; b": "a; b", `say "x-y"`: `say "x-y"`,
		"Sprint 3; 4": "Sprint 3; 4"} {
		rows, err := csv.NewReader(strings.NewReader(written(t, [][]string{{cell, "end"}}))).ReadAll()
		if err != nil || len(rows) != 1 || rows[0][0] != want || rows[0][1] != "end" {
			t.Errorf("%q is read as %q (%v), want %q", cell, rows, err, want)
		}
	}
}

// dialect is how a program reads a table.
type dialect struct {
	separators string
	// toggle says that a quote changes the state anywhere, not only at the
	// start of a cell.
	toggle bool
	// quotes says that quotes enclose cells at all.
	quotes bool
}

// read returns all cells of a table, as programs do that take every input.
func (d dialect) read(text string) (cells []string) {
	var cell strings.Builder
	start, quoted := true, false
	end := func() {
		cells = append(cells, cell.String())
		cell.Reset()
		start = true
	}
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		c := runes[i]
		switch {
		case quoted && c == '"' && i+1 < len(runes) && runes[i+1] == '"':
			cell.WriteRune('"')
			i++
		case quoted && c == '"':
			quoted = false
		case !quoted && c == '"' && d.quotes && (start || d.toggle):
			quoted, start = true, false
		case !quoted && (strings.ContainsRune(d.separators, c) || c == '\n' || c == '\r'):
			end()
		default:
			cell.WriteRune(c)
			start = false
		}
	}
	end()
	return cells
}

func dialects() (all []dialect) {
	for _, separators := range []string{",", ";", "\t", ";\t", ",;\t"} {
		for _, toggle := range []bool{false, true} {
			all = append(all, dialect{separators, toggle, true})
		}
	}
	return append(all, dialect{";", false, false}, dialect{"\t", false, false}, dialect{";\t", false, false})
}

// begins reports whether a cell begins a formula, after what a program may
// leave out.
func begins(cell string) bool {
	cell = strings.TrimLeft(cell, " \t\r\n\v\f\"\u00a0\u200b\u200e\ufeff\u2028\x00")
	return strings.IndexAny(cell, "=+-@＝＋－＠﹦﹢﹣﹫") == 0
}

// pieces make up hostile cells.
var pieces = []string{"=", "+", "-", "@", "＝", "－", "﹦", ";", ",", "\t", "\r", "\n", "\r\n", "\u2028", `"`, `""`, `'`, " ",
	"\u00a0", "\u200b", "\ufeff", "\x00", "|", `\`, "x", "1+1", "cmd|'/c calc'!A0", `HYPERLINK(A1;B1)`, "", "é"}

func hostile(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(9) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// check checks that no dialect finds a formula in a table, and that programs
// that follow RFC 4180 find its cells.
func check(t *testing.T, rows [][]string) {
	t.Helper()
	before := make([][]string, len(rows))
	for i, row := range rows {
		before[i] = slices.Clone(row)
	}
	text := written(t, rows)
	for _, d := range dialects() {
		if i := slices.IndexFunc(d.read(text), begins); i >= 0 {
			t.Fatalf("%q is written as %q: separated by %q (%+v), a cell is %q", rows, text, d.separators, d, d.read(text)[i])
		}
	}
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord = -1
	got, err := r.ReadAll()
	if err != nil || len(got) != len(rows) {
		t.Fatalf("%q is read as %q, %v", rows, got, err)
	}
	plain := strings.NewReplacer("'", "", "\t", " ", "\r", " ", "\n", " ", "\v", " ", "\f", " ", "\u0085", " ", "\u2028", " ",
		"\u2029", " ")
	for i, row := range rows {
		if !slices.Equal(row, before[i]) {
			t.Fatalf("%q became %q", before[i], row)
		}
		for j, cell := range row {
			if plain.Replace(got[i][j]) != plain.Replace(cell) {
				t.Fatalf("%q is read as %q", cell, got[i][j])
			}
		}
	}
}

// TestCSVHostile writes tables of hostile cells and reads them back with each
// separator.
func TestCSVHostile(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 4))
	for range 20_000 {
		rows := make([][]string, 1+r.IntN(3))
		for i := range rows {
			rows[i] = []string{"2026-11-01", "id"}[:r.IntN(3)]
			for range 1 + r.IntN(3) {
				rows[i] = append(slices.Clone(rows[i]), hostile(r))
			}
		}
		if len(rows[0]) == 1 && rows[0][0] == "" {
			continue // an empty line is no row
		}
		check(t, slices.DeleteFunc(rows, func(row []string) bool { return len(row) == 1 && row[0] == "" }))
	}
}

func FuzzCSV(f *testing.F) {
	for _, s := range []string{`x;"=HYPERLINK(A1;B1);y`, "=1", "a\n=1", ` x;`, `";"`, "\u200b@x", "x;\"\u00a0-1"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) { check(t, [][]string{{"2026-11-01", a, b}, {a, b}, {b, a, "end"}}) })
}

// TestOneCSVWriter checks that no other package writes tables.
func TestOneCSVWriter(t *testing.T) {
	root, found := "../../..", 0
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || d.Name() == ".git"):
			return fs.SkipDir
		case !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		b, err := os.ReadFile(file)
		if !bytes.Contains(b, []byte("csv.NewWriter")) {
			return err
		}
		if found++; file != filepath.Join(root, "internal/app/export/csv.go") {
			t.Errorf("%s writes a CSV file: use export.NewCSV", file)
		}
		return nil
	})
	if err != nil || found == 0 {
		t.Fatal(found, err)
	}
}
