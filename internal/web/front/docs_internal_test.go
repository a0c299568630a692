package front

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/web/api"
	"vitrine/internal/web/httpx"
)

// TestDocErrors checks that every code is documented or not for programs, and
// that the reference is complete.
func TestDocErrors(t *testing.T) {
	documented := map[vitrine.Code]bool{}
	for _, e := range docErrors {
		if documented[e.Code] {
			t.Errorf("%s is documented twice", e.Code)
		}
		documented[e.Code] = true
		if httpx.StatusOf[e.Code] == 0 || e.When == "" || e.Then == "" || e.Beside == "" && len(e.Ops) == 0 {
			t.Errorf("incomplete error: %+v", e)
		}
	}
	for code := range httpx.StatusOf {
		if documented[code] == slices.Contains(notForPrograms, code) {
			t.Errorf("%s must be either documented or listed in notForPrograms", code)
		}
	}
	var described struct {
		Components struct {
			Schemas struct {
				Error struct {
					Properties struct {
						Code struct{ Enum []vitrine.Code }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(api.OpenAPI, &described); err != nil {
		t.Fatal(err)
	}
	codes := described.Components.Schemas.Error.Properties.Code.Enum
	for _, code := range codes {
		if !documented[code] {
			t.Errorf("%s is in openapi.json, but not in the documentation", code)
		}
	}
	known := map[string]*apiOp{}
	for _, g := range loadReference().Groups {
		for i := range g.Ops {
			known[g.Ops[i].ID] = &g.Ops[i]
		}
	}
	for _, e := range docErrors {
		for _, op := range e.Ops {
			o := known[op]
			if o == nil {
				t.Errorf("%s: operation %s does not exist", e.Code, op)
				continue
			}
			if !slices.ContainsFunc(o.Answers, func(a apiAnswer) bool { return a.Status == strconv.Itoa(e.Status()) }) {
				t.Errorf("%s can answer %s, but openapi.json has no %d for it", op, e.Code, e.Status())
			}
			if !slices.Contains(codes, e.Code) {
				t.Errorf("%s can answer %s, which is not in openapi.json", op, e.Code)
			}
		}
	}
	for id, o := range known {
		if o.Method == "HEAD" {
			continue // its answers have no body, so no code
		}
		for _, a := range o.Answers {
			if a.Status[0] >= '4' && len(a.Errors) == 0 {
				t.Errorf("%s: no code is documented for %s", id, a.Status)
			}
		}
	}
}

// TestReference checks that the reference contains the whole served
// description, in its order.
func TestReference(t *testing.T) {
	var d struct {
		Paths      map[string]map[string]struct{ OperationID string }
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := json.Unmarshal(api.OpenAPI, &d); err != nil {
		t.Fatal(err)
	}
	ref := loadReference()
	n := 0
	for _, g := range ref.Groups {
		for _, op := range g.Ops {
			n++
			if got := d.Paths[op.Path][strings.ToLower(op.Method)].OperationID; got != op.ID {
				t.Errorf("operation of %s %s = %s, want %[4]s", op.Method, op.Path, got, op.ID)
			}
			empty := op.ID == "getFile" || op.Method == "HEAD" || // which return a file, and no body
				slices.ContainsFunc(op.Answers, func(a apiAnswer) bool { return a.Status == "204" })
			if op.Example == "" && !empty ||
				op.BodyType == "application/json" && op.Request == "" {
				t.Errorf("%s has no example", op.ID)
			}
			for _, text := range []string{op.Example, op.Request} {
				if text != "" && !json.Valid([]byte(text)) {
					t.Errorf("%s: example is not JSON:\n%s", op.ID, text)
				}
			}
		}
	}
	on := 0 // operations and schemas on the pages
	for _, d := range docPages() {
		if name, ok := d.apiPage(); ok && name != "" {
			on += len(ref.page(name).sections(name))
		}
	}
	if want := n + len(ref.Schemas); on != want {
		t.Errorf("%d operations and schemas are on the pages, want %d", on, want)
	}
	for _, methods := range d.Paths {
		n -= len(methods)
	}
	if n != 0 || len(ref.Schemas) != len(d.Components.Schemas) {
		t.Errorf("%d operations are missing, %d schemas, want %d", n, len(ref.Schemas), len(d.Components.Schemas))
	}
	if ref.Groups[0].Ops[0].ID != "createUpload" || ref.Groups[0].Ops[0].Body[0].Name != "name" {
		t.Error("the operations are not in the order of the description")
	}
	for _, s := range ref.Schemas {
		if s.Name == "Content" && !slices.ContainsFunc(s.Fields,
			func(f apiField) bool { return f.Name == "pages.pages[].reachPct" && f.Required }) {
			t.Errorf("nested fields = %+v", s.Fields)
		}
	}
}

// TestPrettyJSON checks that short values are on one line, and that nothing is
// lost.
func TestPrettyJSON(t *testing.T) {
	got := prettyJSON(map[string]any{"a": []int{1, 2, 3}, "b": map[string]any{"c": "x", "d": nil},
		"e": []any{map[string]any{"f": strings.Repeat("y", 200)}}})
	want := "{\n  \"a\": [1, 2, 3],\n  \"b\": {\"c\": \"x\", \"d\": null},\n  \"e\": [\n    {\n      \"f\": \"" +
		strings.Repeat("y", 200) + "\"\n    }\n  ]\n}"
	if got != want {
		t.Errorf("pretty JSON = %s, want %s", got, want)
	}
}

// TestOptionsInCode checks that each option in code is one word for the
// browser, and nothing else is.
func TestOptionsInCode(t *testing.T) {
	for source, want := range map[string]string{
		"`--password-stdin`":         `<code><span class="option">--password-stdin</span></code>`,
		"`edit a-b --readers <5> x`": `<code>edit a-b <span class="option">--readers</span> &lt;5&gt; x</code>`,
		"`head -c 5`\n`a\nb`":        "<code>head <span class=\"option\">-c</span> 5</code>\n<code>a b</code>",
	} {
		if got := string(newRendered(source).HTML); got != "<p>"+want+"</p>\n" {
			t.Errorf("%s is %s, want %s", source, got, want)
		}
	}
}
