package front

import (
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/web/httpx"
)

// declaredCodes returns the constants of type vitrine.Code.
func declaredCodes(t *testing.T) (codes []vitrine.Code) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "../../../error.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); !ok || name.Name != "Code" {
			return true
		}
		for _, v := range spec.Values {
			code, err := strconv.Unquote(v.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			codes = append(codes, vitrine.Code(code))
		}
		return true
	})
	if len(codes) == 0 {
		t.Fatal("no constants of type Code in error.go")
	}
	return codes
}

// contractStatuses returns the statuses of codes in the contract's error table.
func contractStatuses(t *testing.T) map[vitrine.Code]int {
	t.Helper()
	text, err := os.ReadFile("../../../docs/specification/contract.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Errors\n")
	section, _, _ = strings.Cut(section, "\n### ")
	row := regexp.MustCompile("(?m)^\\| (\\d{3}) \\| (`[a-z_`, ]+`) \\|")
	statuses := map[vitrine.Code]int{}
	for _, m := range row.FindAllStringSubmatch(section, -1) {
		status, _ := strconv.Atoi(m[1])
		for code := range strings.SplitSeq(m[2], ", ") {
			statuses[vitrine.Code(strings.Trim(code, "`"))] = status
		}
	}
	return statuses
}

// notForPrograms lists codes that only occur on pages, which explain them.
var notForPrograms = []vitrine.Code{vitrine.CodeNotAvailable, vitrine.CodeDisabled, vitrine.CodeAccessRequired,
	vitrine.CodeCrossOrigin}

// TestCodes checks that each code has a status, and that each code for programs
// has the same status in the contract's error table.
func TestCodes(t *testing.T) {
	codes, contract := declaredCodes(t), contractStatuses(t)
	for _, code := range codes {
		status := httpx.StatusOf[code]
		if status < http.StatusBadRequest {
			t.Errorf("%s has no status in httpx.StatusOf", code)
		}
		switch {
		case slices.Contains(notForPrograms, code):
			if contract[code] != 0 {
				t.Errorf("%s is in the contract, but is not for programs", code)
			}
		case contract[code] != status:
			t.Errorf("status of %s = %d, want %d as in the contract's error table", code, status, contract[code])
		}
	}
	for code := range contract {
		if !slices.Contains(codes, code) {
			t.Errorf("%s is in the contract, but not in error.go", code)
		}
	}
}
