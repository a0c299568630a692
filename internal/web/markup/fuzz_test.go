package markup

import (
	"strings"
	"testing"

	"vitrine/internal/filetype"
)

func seed(f *testing.F, more ...string) {
	for _, s := range append(vectors, more...) {
		f.Add(s)
	}
}

func FuzzMarkdown(f *testing.F) {
	seed(f, "# a\n\n[b](#a) ![c](http://d) <e@f.g>\n\n- [x] h\n\n|i|\n|-|\n|j|\n\n[^k]\n\n[^k]: l\n",
		"---\na: b\n---\nc")
	f.Fuzz(func(t *testing.T, src string) { lawful(t, Markdown(src)) })
}

func FuzzTable(f *testing.F) {
	seed(f, "a,b\n1,2\n", "sep=;\na;b\n", "\"a\nb\",c")
	f.Fuzz(func(t *testing.T, src string) {
		for _, comma := range []rune{0, ',', '\t'} {
			lawful(t, Table(src, comma, len(src)%2 == 1, ""))
		}
	})
}

// FuzzCode checks that the text of code does not change. JSON may be indented,
// which only changes white space outside strings.
func FuzzCode(f *testing.F) {
	seed(f, "a: |\n  b\n# c\n", `{"a": [1, "\"", {}]}`, "<a b='c'>&d;</a>",
		`{"a":1,"b":"`+strings.Repeat("long ", 100)+`"}`)
	f.Fuzz(func(t *testing.T, src string) {
		want := clean(src)
		for _, ext := range []string{"xml", "yaml", "log", "txt", "go", "sh", "sql"} {
			if got := lawful(t, Code(src, ext, false)); got != want {
				t.Fatalf("%s: %q became %q", ext, want, got)
			}
		}
		if got := lawful(t, Code(src, "json", len(src)%2 == 1)); bare(got) != bare(want) {
			t.Fatalf("json: %q became %q", want, got)
		}
	})
}

// bare removes white space outside strings from JSON.
func bare(src string) string {
	var b strings.Builder
	in, escaped := false, false
	for _, c := range []byte(src) {
		switch {
		case in && escaped:
			escaped = false
		case in && c == '\\':
			escaped = true
		case c == '"':
			in = !in
		case !in && space(c):
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

func FuzzTree(f *testing.F) {
	seed(f, "a/b/c\n../d\n/e\n\\f\n", "a/\na\n./\n\n.")
	f.Fuzz(func(t *testing.T, src string) {
		var l filetype.Listing
		for i, path := range strings.Split(src, "\n") {
			l.Entries = append(l.Entries, filetype.Entry{Name: path, Size: int64(i) << 55,
				Dir: strings.HasSuffix(path, "/")})
		}
		lawful(t, Tree(l, nil))
	})
}

func FuzzSheets(f *testing.F) {
	seed(f, "a\tb\nc\fd")
	f.Fuzz(func(t *testing.T, src string) {
		var w filetype.Workbook
		for sheet := range strings.SplitSeq(src, "\f") {
			s := filetype.Sheet{Name: sheet}
			for row := range strings.SplitSeq(sheet, "\n") {
				s.Rows = append(s.Rows, strings.Split(row, "\t"))
			}
			w.Sheets = append(w.Sheets, s)
		}
		lawful(t, Sheets(w, nil))
	})
}
