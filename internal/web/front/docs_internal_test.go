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

// Every code has its line in the documentation, or is one that only people
// meet; and the reference is complete.
func TestDocErrors(t *testing.T) {
	documented := map[vitrine.Code]bool{}
	for _, e := range docErrors {
		if documented[e.Code] {
			t.Errorf("%s is there twice", e.Code)
		}
		documented[e.Code] = true
		if httpx.StatusOf[e.Code] == 0 || e.When == "" || e.Then == "" || e.Beside == "" && len(e.Ops) == 0 {
			t.Errorf("%+v", e)
		}
	}
	for code := range httpx.StatusOf {
		if documented[code] == slices.Contains(notForPrograms, code) {
			t.Errorf("%s is for programs or for people alone", code)
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
			t.Errorf("%s is in openapi.json and not in the documentation", code)
		}
	}
	known := map[string]*apiOp{}
	for _, g := range theReference().Groups {
		for i := range g.Ops {
			known[g.Ops[i].ID] = &g.Ops[i]
		}
	}
	for _, e := range docErrors {
		for _, op := range e.Ops {
			o := known[op]
			if o == nil {
				t.Errorf("%s: there is no operation %s", e.Code, op)
				continue
			}
			if !slices.ContainsFunc(o.Answers, func(a apiAnswer) bool { return a.Status == strconv.Itoa(e.Status()) }) {
				t.Errorf("%s answers with %s, and openapi.json has no %d there", op, e.Code, e.Status())
			}
			if !slices.Contains(codes, e.Code) {
				t.Errorf("%s answers with %s, which is not in openapi.json", op, e.Code)
			}
		}
	}
	for id, o := range known {
		for _, a := range o.Answers {
			if a.Status[0] >= '4' && len(a.Errors) == 0 {
				t.Errorf("%s: no code is told of %s", id, a.Status)
			}
		}
	}
}

// The reference is made of the description that is served, all of it, in its
// order.
func TestReference(t *testing.T) {
	var d struct {
		Paths      map[string]map[string]struct{ OperationID string }
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := json.Unmarshal(api.OpenAPI, &d); err != nil {
		t.Fatal(err)
	}
	ref := theReference()
	n := 0
	for _, g := range ref.Groups {
		for _, op := range g.Ops {
			n++
			if got := d.Paths[op.Path][strings.ToLower(op.Method)].OperationID; got != op.ID {
				t.Errorf("%s %s is %s", op.Method, op.Path, got)
			}
			if op.Example == "" && op.Method != "DELETE" && op.ID != "getFile" || // which answers with a file
				op.BodyType == "application/json" && op.Request == "" {
				t.Errorf("%s has no example", op.ID)
			}
			for _, text := range []string{op.Example, op.Request} {
				if text != "" && !json.Valid([]byte(text)) {
					t.Errorf("%s: no JSON:\n%s", op.ID, text)
				}
			}
		}
	}
	for _, methods := range d.Paths {
		n -= len(methods)
	}
	if n != 0 || len(ref.Schemas) != len(d.Components.Schemas) {
		t.Errorf("%d operations too many, %d schemas of %d", n, len(ref.Schemas), len(d.Components.Schemas))
	}
	if ref.Groups[0].Ops[0].ID != "createUpload" || ref.Groups[0].Ops[0].Body[0].Name != "name" {
		t.Error("not in the order of the description")
	}
	for _, s := range ref.Schemas {
		if s.Name == "Content" && !slices.ContainsFunc(s.Fields,
			func(f apiField) bool { return f.Name == "pages.pages[].reachPct" && f.Required }) {
			t.Errorf("members of members: %+v", s.Fields)
		}
	}
}

// What fits into a line is in one, and nothing is lost.
func TestPrettyJSON(t *testing.T) {
	got := prettyJSON(map[string]any{"a": []int{1, 2, 3}, "b": map[string]any{"c": "x", "d": nil},
		"e": []any{map[string]any{"f": strings.Repeat("y", 200)}}})
	want := "{\n  \"a\": [1, 2, 3],\n  \"b\": {\"c\": \"x\", \"d\": null},\n  \"e\": [\n    {\n      \"f\": \"" +
		strings.Repeat("y", 200) + "\"\n    }\n  ]\n}"
	if got != want {
		t.Errorf("%s", got)
	}
}
