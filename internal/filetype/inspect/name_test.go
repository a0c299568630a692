package inspect

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/filetype"
)

func codeOf(err error) string {
	var p *filetype.Problem
	if errors.As(err, &p) {
		return p.Code
	}
	return ""
}

func TestInvalidName(t *testing.T) {
	for name, ok := range map[string]bool{
		"a.pdf":                           true,
		"Bericht 2024 (final).pdf":        true,
		"日本語.txt":                         true,
		"تقرير\u200f.pdf":                 true, // a mark, not an override
		"a..b.pdf":                        true,
		"résumé.tar.gz":                   true,
		strings.Repeat("x", 251) + ".pdf": true,

		"":                                false,
		strings.Repeat("x", 252) + ".pdf": false,
		strings.Repeat("é", 126) + ".pdf": false, // the limit is in bytes, not characters
		"a/b.pdf":                         false,
		`a\b.pdf`:                         false,
		"a\x00.pdf":                       false,
		"a\n.pdf":                         false,
		"a\x7f.pdf":                       false,
		"a\u0085.pdf":                     false,
		"a\u2028.pdf":                     false,
		"invoice\u202efdp.exe":            false,
		"a\u2066.pdf":                     false,
		"a\xff.pdf":                       false,
		"README":                          false,
		".pdf":                            false,
		".":                               false,
		"..":                              false,
		"a.":                              false,
		"a.pdf.":                          false,
		"a.pdf ":                          false,
		" a.pdf":                          false,
		"\u00a0a.pdf":                     false,
		"a.pdf\u3000":                     false,
	} {
		_, err := filetype.ByName(name, filetype.Unknown)
		if got := codeOf(err); (got == filetype.CodeInvalidName) == ok {
			t.Errorf("ByName(%q) = %q", name, got)
		}
	}
}

func TestByName(t *testing.T) {
	const octets = "application/octet-stream"
	for _, c := range []struct{ name, declared, want string }{
		{"a.pdf", "application/pdf", "pdf"},
		{"A.PDF", "Application/PDF", "pdf"},
		{"a.pdf", octets, "pdf"},
		{"a.txt", "text/plain; charset=utf-8", "txt"},
		{"a.txt", " text/plain ;charset=\"x\"", "txt"},
		{"a.tar.gz", "application/x-gzip", "gz"},
		{"a.csv", "application/vnd.ms-excel", "csv"},
		{"a.yml", "application/x-yaml", "yaml"},
		{"a.jpeg", "image/jpg", "jpg"},
		{"scan.TIF", "image/tiff", "tiff"},
		{"example.com.pdf", octets, "pdf"},
		{"1.2.3.txt", octets, "txt"},
		{"Mr. Smith.docx", octets, "docx"},

		{"a.pdf", "image/png", filetype.CodeTypeMismatch},
		{"a.pdf", "", filetype.CodeTypeMismatch},
		{"a.pdf", "application/pdfx", filetype.CodeTypeMismatch},
		{"a.pdf", "application/pdf\r\nX: y", filetype.CodeTypeMismatch},
		{"a.pdf", "application/pdf;" + strings.Repeat("x", 300), filetype.CodeTypeMismatch},
		{"a.xls", "application/vnd.ms-excel.sheet.macroEnabled.12", filetype.CodeTypeMismatch},

		{"a.exe", octets, filetype.CodeUnsupportedType},
		{"a.xyz", octets, filetype.CodeUnsupportedType},
		{"a.com", octets, filetype.CodeUnsupportedType},
		{"Introduction to Node.js.pdf", "application/pdf", "pdf"},
		{"report.exe.pdf", "application/pdf", "pdf"},
		{"main.py.pdf", octets, "pdf"},
		{"a.ps1.txt", octets, "txt"},
		{"book.xlsb.csv", octets, "csv"},
		{"a.xlsm.xlsx", octets, "xlsx"},
		{"a.jar.zip", octets, "zip"},
		{"a.js.7z", octets, "7z"},
		{"report.pdf.exe", octets, filetype.CodeUnsupportedType},
		{"setup.bat.gz", octets, filetype.CodeUnsupportedType},
		{"setup.bat.gz.gz", octets, filetype.CodeUnsupportedType},
		{"a.pdf.exe.\u200b.gz", octets, filetype.CodeUnsupportedType},
		{"invoice.pdf.js", "application/pdf", filetype.CodeUnsupportedType},
		{"a.pdf.EXE\u200f", octets, filetype.CodeUnsupportedType},
		{"a.pdf.e\u200bxe", octets, filetype.CodeUnsupportedType},
		{"a.docm", "application/vnd.ms-word.document.macroEnabled.12", "docx"},
		{"A.XLSM", octets, "xlsx"},
		{"a.pptm", octets, "pptx"},
		{"a.xlsb", octets, filetype.CodeUnsupportedType},
		{"a.dotm", octets, filetype.CodeUnsupportedType},
		{"a.docm.gz", octets, filetype.CodeUnsupportedType},
		{"a.do\u200bcm", octets, filetype.CodeUnsupportedType},
		{"a.exe:b.docm", octets, filetype.CodeUnsupportedType},
		{"a.docm:b.exe:c.docm", octets, filetype.CodeUnsupportedType},
		{"a.exe:b.pdf", octets, filetype.CodeUnsupportedType},
		{"a. pdf", octets, filetype.CodeUnsupportedType},

		{".exe.pdf", octets, filetype.CodeInvalidName},
		{"a/b.pdf", "image/png", filetype.CodeInvalidName},
	} {
		typ, err := filetype.ByName(c.name, c.declared)
		got := typ.Ext
		if err != nil {
			got = codeOf(err)
		}
		if got != c.want {
			t.Errorf("ByName(%q, %q) = %q, want %q", c.name, c.declared, got, c.want)
		}
	}
}

// TestTable checks that the table has exactly the contract's list, with the
// spellings of each format, and that every entry is complete.
func TestTable(t *testing.T) {
	page, err := os.ReadFile("../../../docs/specification/contract.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z]+)` \\| ([^|`]+) \\| `[a-z]+` \\|$").FindAllSubmatch(page, -1) {
		for format := range strings.SplitSeq(string(row[2]), "; ") {
			exts := strings.Split(format, ", ")
			for _, ext := range exts {
				typ, ok := filetype.ByExt("a." + strings.ToUpper(ext))
				if !ok || typ.Ext != exts[0] || string(typ.Kind) != string(row[1]) || !slices.Equal(typ.Spellings(), exts) {
					t.Errorf("%s is %s of kind %s with the spellings %v; the contract says %s of kind %s with %v", ext,
						typ.Ext, typ.Kind, typ.Spellings(), exts[0], row[1], exts)
				}
			}
			listed = append(listed, exts...)
		}
	}
	slices.Sort(listed)
	if got := filetype.Extensions(); !slices.Equal(got, listed) {
		t.Errorf("extensions = %v, the contract lists %v", got, listed)
	}
	for _, ext := range filetype.Extensions() {
		if filetype.Programs[ext] || filetype.Macros[ext] && !slices.Contains([]string{"docm", "xlsm", "pptm"}, ext) {
			t.Errorf("%s is also a program", ext)
		}
	}
	for _, typ := range filetype.Supported {
		switch {
		case inspectorOf(typ.Ext) == nil:
			t.Errorf("%s is not inspected", typ.Ext)
		case !slices.Contains(filetype.Kinds(), typ.Kind):
			t.Errorf("%s has the unknown kind %q", typ.Ext, typ.Kind)
		case typ.MIME != typ.Accepts[0] || slices.Contains(typ.Accepts, filetype.Unknown) || typ.Label == "":
			t.Errorf("incomplete entry of %s: %+v", typ.Ext, typ)
		}
		for _, a := range typ.Accepts {
			if a != strings.ToLower(a) || strings.Contains(a, ";") {
				t.Errorf("%s accepts %q", typ.Ext, a)
			}
		}
	}
	if typ, _ := filetype.ByExt("a.pdf"); len(typ.Accepts) > 0 {
		typ.Accepts[0] = "changed"
	}
	if typ, _ := filetype.ByExt("a.pdf"); typ.Accepts[0] != "application/pdf" {
		t.Error("callers can change the table")
	}
}

// TestServing checks how bytes are served against the table of surfaces in
// security.md.
func TestServing(t *testing.T) {
	inline := map[string]bool{}
	for _, ext := range filetype.Extensions() {
		typ, _ := filetype.ByExt("." + ext)
		want, shown := typ.MIME, true
		switch typ.Kind {
		case filetype.Text:
			want = "text/plain; charset=utf-8"
		case filetype.HTML:
			want = "text/html; charset=utf-8"
		case filetype.Document, filetype.Archive:
			want, shown = "application/octet-stream", false
		}
		if ext == "svg" {
			want, shown = "image/svg+xml", false
		}
		if got := filetype.ContentType(typ); got != want {
			t.Errorf("Content-Type of %s = %q, want %q", ext, got, want)
		}
		if filetype.Inline(typ) != shown {
			t.Errorf("Inline(%s) = %v", ext, !shown)
		}
		inline[ext] = shown
	}
	if filetype.ContentType(filetype.Type{}) != "application/octet-stream" || filetype.Inline(filetype.Type{}) {
		t.Error("an unknown type is not served as application/octet-stream")
	}
	forged := filetype.Type{Ext: "zip", Kind: filetype.Image, MIME: "text/html"}
	if filetype.ContentType(forged) != "application/octet-stream" || filetype.Inline(forged) {
		t.Error("a type's fields are used instead of the table")
	}
}
