package front_test

import (
	"fmt"
	"go/format"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"
)

// TestReferenceExamples checks the requests of the API reference: each is there
// in four languages, and is a program in its language. Those that need no file
// and no link of another name are run.
func TestReferenceExamples(t *testing.T) {
	node, python := vitrinetest.Program(t, "node"), vitrinetest.Program(t, "python3")
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	page := f.Reference()
	dir := t.TempDir()
	ops, functions := map[string]int{}, ""
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		f.Check(os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	run := func(op, program string, args ...string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), program, args...)
		c.Dir, c.Env = dir, append(os.Environ(), "VITRINE_API_KEY="+key, "no_proxy=*")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Errorf("%s with %s: %v\n%s", op, filepath.Base(program), err, out)
		}
		return string(out)
	}
	runs := map[string]string{"listLinks": "nextCursor", "getKey": "scope", "getAccountAnalytics": "totals",
		"createUpload": "signedUrl", "status": "version", "startLogin": "secret"}
	for _, m := range regexp.MustCompile(`(?s)<code id="(curl|js|python|go)-(\w+)">(.*?)</code>`).FindAllStringSubmatch(page, -1) {
		lang, op, text := m[1], m[2], html.UnescapeString(m[3])
		ops[op]++
		want := runs[op]
		switch lang {
		case "js":
			file := write(op+".mjs", text)
			if want == "" {
				run(op, node, "--check", file)
			} else if got := run(op, node, file); !strings.Contains(got, want) {
				t.Errorf("%s in JavaScript printed %s, want %s in it", op, got, want)
			}
		case "python":
			file := write(op+".py", text)
			if want == "" {
				run(op, python, "-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())", file)
			} else if got := run(op, python, file); !strings.Contains(got, want) {
				t.Errorf("%s in Python printed %s, want %s in it", op, got, want)
			}
		case "go":
			if formatted, err := format.Source([]byte(text)); err != nil || string(formatted) != text {
				t.Errorf("%s in Go: %v, gofmt would write\n%s", op, err, formatted)
			}
			functions += fmt.Sprintf("func %s(ctx context.Context) error {\n%s\n}\n\n", op, text)
		}
	}
	if len(ops) < 20 {
		t.Errorf("the reference has examples of %d operations, want at least 20", len(ops))
	}
	for op, n := range ops {
		if n != 4 {
			t.Errorf("%s has examples in %d languages, want 4", op, n)
		}
	}
	file := write("main.go",
		"package main\n\nimport (\n\"bytes\"\n\"context\"\n\"errors\"\n\"io\"\n\"net/http\"\n\"os\"\n\"strings\"\n)\n\n"+
			functions+"func main() {}\n")
	if out, err := exec.Command("go", "build", "-o", os.DevNull, file).CombinedOutput(); err != nil {
		t.Errorf("go build: %v\n%s", err, out)
	}
	// The overview has an entry for each part, under the anchor that it had
	// when all were on one page.
	overview := f.Parse(f.Status(f.Get("/docs/api"), 200).Text)
	for _, m := range regexp.MustCompile(`<h3 id="([^"]+)">`).FindAllStringSubmatch(page, -1) {
		if !slices.ContainsFunc(overview.Tags("li"), func(li webtest.Document) bool {
			return li.Attribute("id") == m[1] && strings.HasSuffix(li.Tags("a")[0].Attribute("href"), "#"+m[1])
		}) {
			t.Errorf("the overview has no entry for %s", m[1])
		}
	}
	// Programs that read the reference as Markdown get each request once.
	if text := f.Status(f.Get("/docs/api/links.md"), 200).Text; !strings.Contains(text, "curl -sS -X DELETE") ||
		strings.Contains(text, "urllib") {
		t.Error("the reference as Markdown lacks a request, or has it in each language")
	}
}
