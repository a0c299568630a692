package front

import (
	"slices"
	"strings"
)

// apiRoot is the path of the overview of the API. Each group of operations has
// a page below it, named like its tag, with the schemas that only it uses.
const apiRoot = docsRoot + "/api"

// The pages of schemas that are not on the page of a group: those of reports,
// which are long, and those that several groups use.
const (
	reportSchemas = "report-schemas"
	sharedSchemas = "schemas"
)

// schemaName is the name of a schema.
type schemaName string

// Address returns where the schema is described.
func (n schemaName) Address() string {
	for _, s := range loadReference().Schemas {
		if s.Name == n {
			return s.Address()
		}
	}
	return apiRoot
}

// Address returns where the operation is described.
func (op apiOp) Address() string { return apiRoot + "/" + op.page + "#" + op.ID }

// Address returns where the schema is described.
func (s apiSchema) Address() string { return apiRoot + "/" + s.page + "#schema-" + string(s.Name) }

// page returns what is on a page of the reference; "" is the overview, which
// lists everything.
func (ref *apiReference) page(name string) *apiReference {
	if name == "" {
		return ref
	}
	var of apiReference
	for _, g := range ref.Groups {
		if g.Tag == name {
			of.Groups = append(of.Groups, g)
		}
	}
	for _, s := range ref.Schemas {
		if s.page == name {
			of.Schemas = append(of.Schemas, s)
		}
	}
	return &of
}

// sections returns the headings of a page of the reference.
func (ref *apiReference) sections(name string) (list []docSection) {
	if name == "" {
		for _, g := range ref.Groups {
			list = append(list, docSection{"tag-" + g.Tag, g.Name})
		}
		return append(list, docSection{"schemas", "Schemas"})
	}
	for _, g := range ref.Groups {
		for _, op := range g.Ops {
			list = append(list, docSection{op.ID, op.Method + " " + op.Path})
		}
	}
	for _, s := range ref.Schemas {
		list = append(list, docSection{"schema-" + string(s.Name), string(s.Name)})
	}
	return list
}

// apiPage returns the name of a page of the reference.
func (d *docPage) apiPage() (name string, ok bool) {
	rest, ok := strings.CutPrefix(d.Path, apiRoot)
	return strings.TrimPrefix(rest, "/"), ok
}

// Below reports whether a page is a part of the reference.
func (d docPage) Below() bool { return strings.HasPrefix(d.Path, apiRoot+"/") }

// schemaPage returns the page of a schema that operations with these tags use.
func schemaPage(tags []string) string {
	switch {
	case len(tags) != 1:
		return sharedSchemas
	case tags[0] == "analytics":
		return reportSchemas
	default:
		return tags[0]
	}
}

// tagsOf returns the tags of the operations that use each schema.
func (d *oaDocument) tagsOf() map[string][]string {
	tags := map[string][]string{}
	var use func(tag string, s *oaSchema)
	use = func(tag string, s *oaSchema) {
		if s == nil {
			return
		}
		if name := s.ref(); name != "" {
			if slices.Contains(tags[name], tag) {
				return
			}
			tags[name] = append(tags[name], tag)
			s = d.resolve(s)
		}
		for _, m := range s.Properties {
			use(tag, m.Value)
		}
		use(tag, s.Items)
		for _, one := range s.OneOf {
			use(tag, one)
		}
	}
	for _, path := range d.Paths {
		for _, m := range path.Value {
			o := &m.Value
			for _, p := range o.Parameters {
				use(o.Tags[0], d.parameter(p).Schema)
			}
			if o.RequestBody != nil {
				for _, c := range o.RequestBody.Content {
					use(o.Tags[0], c.Value.Schema)
				}
			}
			for _, r := range o.Responses {
				for _, c := range d.response(r.Value).Content {
					use(o.Tags[0], c.Value.Schema)
				}
			}
		}
	}
	return tags
}

// parameter returns the parameter that p is or refers to.
func (d *oaDocument) parameter(p oaParameter) oaParameter {
	if name, ok := strings.CutPrefix(p.Ref, "#/components/parameters/"); ok {
		p, _ = d.Components.Parameters.get(name)
	}
	return p
}

// response returns the response that r is or refers to.
func (d *oaDocument) response(r oaResponse) oaResponse {
	if name, ok := strings.CutPrefix(r.Ref, "#/components/responses/"); ok {
		r, _ = d.Components.Responses.get(name)
	}
	return r
}
