package inspect

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"vitrine/internal/filetype"
)

// TestReasonTable checks that every code is in the table once, that every code
// of the table is used, and that the table can be shown.
func TestReasonTable(t *testing.T) {
	declared, used := codesInSource(t)
	listed := map[string]bool{}
	for _, r := range filetype.Reasons {
		if listed[r.Code] {
			t.Errorf("%s is listed twice", r.Code)
		}
		listed[r.Code] = true
		if !regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`).MatchString(r.Code) || !strings.HasSuffix(r.Meaning, ".") ||
			len(r.Meaning) > 200 {
			t.Errorf("code %q, meaning %q", r.Code, r.Meaning)
		}
		if found, ok := filetype.ReasonOf(r.Code); !ok || found != r {
			t.Errorf("ReasonOf(%s) does not find it", r.Code)
		}
	}
	for name, code := range declared {
		if !listed[code] {
			t.Errorf("%s (%q) is not in the table", name, code)
		}
		if !used[name] {
			t.Errorf("%s is never used", name)
		}
		if r, _ := filetype.ReasonOf(code); r.Holds != strings.HasPrefix(name, "Hold") {
			t.Errorf("%s: Holds = %v", name, r.Holds)
		}
	}
	if len(declared) != len(filetype.Reasons) {
		t.Errorf("%d codes, but %d in the table", len(declared), len(filetype.Reasons))
	}
	if _, ok := filetype.ReasonOf("rubbish"); ok {
		t.Error("an unknown code has a meaning")
	}
}

// codesInSource returns the constants of codes, and those that the package uses
// outside their table.
func codesInSource(t *testing.T) (declared map[string]string, used map[string]bool) {
	declared, used = map[string]string{}, map[string]bool{}
	files, err := filepath.Glob("../*.go")
	if err == nil {
		var families []string
		families, err = filepath.Glob("../*/*.go")
		files = append(files, families...)
	}
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile(`^(Reason|Hold)[A-Z]`)
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				if lit, ok := firstValue(n).(*ast.BasicLit); ok && code.MatchString(n.Names[0].Name) {
					declared[n.Names[0].Name] = strings.Trim(lit.Value, `"`)
				}
			case *ast.Ident:
				if !strings.HasPrefix(filepath.Base(f), "reasons") && code.MatchString(n.Name) {
					used[n.Name] = true
				}
			}
			return true
		})
	}
	delete(used, "ReasonOf")
	return declared, used
}

func firstValue(v *ast.ValueSpec) ast.Expr {
	if len(v.Values) == 0 {
		return nil
	}
	return v.Values[0]
}

// TestReasonsGiven checks that every refusal or hold has a fitting code of the
// table, and a detail that can be stored.
func TestReasonsGiven(t *testing.T) {
	given := map[string]bool{}
	for _, f := range append(append(heldFiles(), badFiles()...), judgedFiles()...) {
		facts, err := inspected(t, f.sample)
		got, about := ruling(facts, err)
		word, code, _ := strings.Cut(got, " ")
		given[code] = true
		if f.want == "live" {
			continue
		}
		if r, ok := filetype.ReasonOf(code); !ok || r.Holds != (word == "held") {
			t.Errorf("%s (%s): unknown code %s", f.what, f.ext, got)
		}
		if len(about) > filetype.MaxDetail || !utf8.ValidString(about) ||
			strings.ContainsFunc(about, filetype.IsUnprintable) {
			t.Errorf("%s (%s): detail %q", f.what, f.ext, about)
		}
	}
	for _, r := range filetype.Reasons {
		if by := givenElsewhere[r.Code]; given[r.Code] == (by != "") {
			t.Errorf("%s: a sample gives it = %v, left to another test = %q", r.Code, given[r.Code], by)
		}
	}
}

// givenElsewhere are the reasons that no sample here gives, with the tests that
// cover them.
var givenElsewhere = map[string]string{
	filetype.ReasonBadName: "TestCheckName", filetype.ReasonUnlistedType: "TestByName",
	filetype.ReasonDeclaredType: "TestByName",
	filetype.ReasonEmpty:        "TestSiteWhole", filetype.ReasonNoIndex: "TestSiteWhole",
	filetype.ReasonEncryptedSite: "TestSiteWhole",
	filetype.ReasonSiteTooLarge:  "TestSiteTooLarge", "malware": "TestClamd",
}

func TestDetail(t *testing.T) {
	long := strings.Repeat("é", 300)
	for _, c := range []struct{ in, want string }{
		{"a/b.exe", "a/b.exe"},
		{"a\x00\xffb\u202e\n", "a\ufffd\ufffdb\ufffd\ufffd"},
		{strings.Repeat("é", 100), strings.Repeat("é", 100)},
		{long, long[:196] + "…"},
		{strings.Repeat("\xff\x00", 500), strings.Repeat("\ufffd", 65) + "…"},
	} {
		if got := filetype.SafeDetail(c.in); got != c.want || len(got) > filetype.MaxDetail {
			t.Errorf("SafeDetail(%q) = %q (%d bytes), want %q", c.in, got, len(got), c.want)
		}
	}
}
