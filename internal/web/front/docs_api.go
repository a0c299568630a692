package front

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"vitrine/internal/web/api"
	"vitrine/internal/web/ui"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// apiReference is openapi.json for display. It is read from the bytes that are
// served.
type apiReference struct {
	Title, Version string
	About          prose
	Groups         []apiGroup
	Schemas        []apiSchema
}

// apiGroup is a tag and its operations.
type apiGroup struct {
	Tag, Name string
	About     prose
	Ops       []apiOp
}

type apiOp struct {
	ID, Method, Path string
	Summary, About   prose
	Key              bool // it takes an API key
	Params           []apiParam
	BodyType         string // of the request; "" has none
	BodyTypes        []string
	BodyAbout        prose
	Body             []apiField
	Answers          []apiAnswer
	Request, Example string // JSON
	page             string // name of its page
}

type apiParam struct {
	Name, In, Type string
	Ref            schemaName // of its schema, if it has one
	Required       bool
	About          prose
}

// apiField is a field of an object.
type apiField struct {
	Name, Type string
	Ref        schemaName // of the schema that its type is
	Required   bool
	About      prose
	Bounds     prose
}

// apiAnswer is an answer: of success, or with an error status.
type apiAnswer struct {
	Status string
	About  prose
	Refs   []schemaName
	Errors []docError // that it may be
}

type apiSchema struct {
	Name   schemaName
	Type   string
	Ref    schemaName // of the schema of its entries
	About  prose
	Bounds prose
	Fields []apiField
	page   string // name of its page
}

// prose is text with code in backticks.
type prose string

type prosePart struct {
	Text string
	Code bool
}

// Parts returns text and code in order.
func (p prose) Parts() (parts []prosePart) {
	for i, text := range strings.Split(string(p), "`") {
		if text != "" {
			parts = append(parts, prosePart{text, i%2 == 1})
		}
	}
	return parts
}

// ordered is a JSON object whose members keep their order.
type ordered[T any] []member[T]

type member[T any] struct {
	Name  string
	Value T
}

func (o *ordered[T]) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		m := member[T]{Name: name.String()}
		if err := json.UnmarshalDecode(d, &m.Value); err != nil {
			return err
		}
		*o = append(*o, m)
	}
	_, err := d.ReadToken()
	return err
}

func (o ordered[T]) get(name string) (v T, ok bool) {
	for _, m := range o {
		if m.Name == name {
			return m.Value, true
		}
	}
	return v, false
}

// What is read of the description.
type (
	oaDocument struct {
		Info struct{ Title, Version, Description string }
		Tags []struct{ Name, Description string }
		// Paths by path and method.
		Paths      ordered[ordered[oaOperation]]
		Components struct {
			Parameters ordered[oaParameter]
			Responses  ordered[oaResponse]
			Schemas    ordered[*oaSchema]
		}
	}
	oaOperation struct {
		OperationID          string `json:"operationId"`
		Tags                 []string
		Summary, Description string
		Security             *[]any
		Parameters           []oaParameter
		RequestBody          *struct {
			Description string
			Content     ordered[oaMedia]
		} `json:"requestBody"`
		Responses ordered[oaResponse]
	}
	oaParameter struct {
		Ref                   string `json:"$ref"`
		Name, In, Description string
		Required              bool
		Schema                *oaSchema
	}
	oaResponse struct {
		Ref         string `json:"$ref"`
		Description string
		Content     ordered[oaMedia]
	}
	oaMedia struct {
		Schema  *oaSchema
		Example jsontext.Value
	}
	oaSchema struct {
		Ref                                                        string `json:"$ref"`
		Type, Const, Default                                       any
		Enum                                                       []any
		Format, Description, Pattern                               string
		Minimum, Maximum, MinLength, MaxLength, MinItems, MaxItems *float64
		Properties                                                 ordered[*oaSchema]
		Required                                                   []string
		Items                                                      *oaSchema
		OneOf                                                      []*oaSchema `json:"oneOf"`
	}
)

// caseless reads members that Go's names spell with another case.
var caseless = json.MatchCaseInsensitiveNames(true)

var loadReference = sync.OnceValue(func() *apiReference {
	var d oaDocument
	if err := json.Unmarshal(api.OpenAPI, &d, caseless); err != nil {
		panic(err) // it is part of the program
	}
	ref := &apiReference{Title: d.Info.Title, Version: d.Info.Version, About: prose(d.Info.Description)}
	for _, tag := range d.Tags {
		g := apiGroup{Tag: tag.Name, Name: ui.Capital(tag.Name), About: prose(tag.Description)}
		for _, path := range d.Paths {
			for _, m := range path.Value {
				if len(m.Value.Tags) > 0 && m.Value.Tags[0] == tag.Name {
					op := d.operation(path.Name, m.Name, &m.Value)
					op.page = tag.Name
					g.Ops = append(g.Ops, op)
				}
			}
		}
		ref.Groups = append(ref.Groups, g)
	}
	tags := d.tagsOf()
	for _, m := range d.Components.Schemas {
		s := m.Value
		of := apiSchema{Name: schemaName(m.Name), Type: s.name(), About: prose(s.Description),
			Bounds: prose(s.bounds()), Fields: d.fields(s, ""), page: schemaPage(tags[m.Name])}
		if s.Items != nil {
			of.Ref = schemaName(s.Items.ref())
		}
		ref.Schemas = append(ref.Schemas, of)
	}
	return ref
})

func (d *oaDocument) operation(path, method string, o *oaOperation) apiOp {
	op := apiOp{ID: o.OperationID, Method: strings.ToUpper(method), Path: path, Summary: prose(o.Summary),
		About: prose(o.Description), Key: o.Security == nil}
	for _, p := range o.Parameters {
		p = d.parameter(p)
		schema := d.resolve(p.Schema)
		about := strings.TrimSpace(p.Description + " " + schema.bounds())
		op.Params = append(op.Params, apiParam{Name: p.Name, In: p.In, Type: schema.name(),
			Ref: schemaName(p.Schema.ref()), Required: p.Required, About: prose(about)})
	}
	if o.RequestBody != nil {
		op.BodyAbout = prose(o.RequestBody.Description)
		for _, m := range o.RequestBody.Content {
			op.BodyTypes = append(op.BodyTypes, m.Name)
			if m.Name == "application/json" {
				op.Body, op.Request = d.fields(d.resolve(m.Value.Schema), ""), example(m.Value.Example)
			}
		}
		op.BodyType = op.BodyTypes[0]
	}
	for _, m := range o.Responses {
		r := d.response(m.Value)
		a := apiAnswer{Status: m.Name, About: prose(r.Description)}
		for _, c := range r.Content {
			a.Refs = c.Value.Schema.refs()
			if strings.HasPrefix(m.Name, "2") && op.Example == "" {
				op.Example = example(c.Value.Example)
			}
		}
		for _, e := range docErrors {
			if e.On(op.ID) && strconv.Itoa(e.Status()) == a.Status {
				a.Errors = append(a.Errors, e)
			}
		}
		op.Answers = append(op.Answers, a)
	}
	if text, ok := sampleAnswers()[op.ID]; ok {
		op.Example = text
	}
	return op
}

func (d *oaDocument) resolve(s *oaSchema) *oaSchema {
	if name := s.ref(); name != "" {
		if to, ok := d.Components.Schemas.get(name); ok {
			return to
		}
	}
	return s
}

// ref returns the name of the schema that s means; "" when it is one itself.
func (s *oaSchema) ref() string { return strings.TrimPrefix(s.Ref, "#/components/schemas/") }

// refs returns the named schemas that s is, or is a list or a choice of.
func (s *oaSchema) refs() (names []schemaName) {
	switch {
	case s == nil:
	case s.Ref != "":
		names = []schemaName{schemaName(s.ref())}
	case s.Items != nil:
		names = s.Items.refs()
	default:
		for _, one := range s.OneOf {
			names = append(names, one.refs()...)
		}
	}
	return names
}

// name returns the type of s in words.
func (s *oaSchema) name() string {
	switch t := s.Type.(type) {
	case string:
		switch {
		case t == "array" && s.Items != nil:
			if of := s.Items.name(); s.Items.Ref == "" {
				return "array of " + of
			}
			return "array of"
		case t == "string" && s.Format != "":
			return "string, " + s.Format
		}
		return t
	case []any:
		var names []string
		for _, one := range t {
			names = append(names, fmt.Sprint(one))
		}
		return strings.Join(names, " or ")
	}
	return ""
}

// fields returns the members of an object, and of objects in it that have no
// name, under the names that lead to them.
func (d *oaDocument) fields(s *oaSchema, under string) (fields []apiField) {
	required := map[string]bool{}
	for _, name := range s.Required {
		required[name] = true
	}
	for _, m := range s.Properties {
		v := m.Value
		f := apiField{Name: under + m.Name, Type: v.name(), Required: required[m.Name], About: prose(v.Description),
			Bounds: prose(v.bounds())}
		if refs := v.refs(); len(refs) == 1 {
			f.Ref = refs[0]
			if v.Ref != "" {
				to := d.resolve(v)
				f.Type, f.About, f.Bounds = strings.TrimSuffix(to.name(), " of"), prose(to.Description),
					prose(to.bounds())
			}
		}
		fields = append(fields, f)
		fields = append(fields, d.fields(v, f.Name+".")...)
		if v.Items != nil {
			fields = append(fields, d.fields(v.Items, f.Name+"[].")...)
		}
	}
	return fields
}

// bounds returns the limits of a value in words.
func (s *oaSchema) bounds() string {
	var parts []string
	if len(s.Enum) > 0 {
		var values []string
		for _, v := range s.Enum {
			values = append(values, "`"+literal(v)+"`")
		}
		parts = append(parts, "One of "+strings.Join(values, ", "))
	}
	if s.Const != nil {
		parts = append(parts, "Always `"+literal(s.Const)+"`")
	}
	between := func(low, high *float64, what string) {
		switch {
		case low != nil && high != nil && *low == *high:
			parts = append(parts, fmt.Sprintf("Exactly %v%s", *low, what))
		case low != nil && high != nil:
			parts = append(parts, fmt.Sprintf("%v to %v%s", *low, *high, what))
		case low != nil && (*low != 0 || what != ""):
			parts = append(parts, fmt.Sprintf("At least %v%s", *low, what))
		case high != nil:
			parts = append(parts, fmt.Sprintf("At most %v%s", *high, what))
		}
	}
	between(s.Minimum, s.Maximum, "")
	between(s.MinLength, s.MaxLength, " characters")
	between(s.MinItems, s.MaxItems, " entries")
	if s.Default != nil {
		parts = append(parts, "Default: `"+literal(s.Default)+"`")
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ". ") + "."
}

// literal returns a value as JSON writes it, but text without its quotes.
func literal(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	b, _ := stdjson.Marshal(v)
	return string(b)
}

// example returns a JSON value for people.
func example(v jsontext.Value) string {
	if len(v) == 0 {
		return ""
	}
	return prettyJSON(stdjson.RawMessage(v))
}

var (
	scalars = regexp.MustCompile(`\[[^\[\]{}]*\]`)
	smalls  = regexp.MustCompile(`\{[^{}\[\]]*\}`)
	gaps    = regexp.MustCompile(`\s*\n\s*`)
	closer  = strings.NewReplacer("[ ", "[", " ]", "]", "{ ", "{", " }", "}")
)

// prettyJSON returns a value for people: indented, but what fits into a line is
// in one.
func prettyJSON(v any) string {
	var b bytes.Buffer
	e := stdjson.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		panic(err) // examples are part of the program
	}
	line := func(most int) func(string) string {
		return func(s string) string {
			one := gaps.ReplaceAllString(s, " ")
			one = closer.Replace(one)
			if len(one) > most {
				return s
			}
			return one
		}
	}
	text := scalars.ReplaceAllStringFunc(strings.TrimSpace(b.String()), line(140))
	return smalls.ReplaceAllStringFunc(text, line(110))
}
