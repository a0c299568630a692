package agent

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"vitrine/client"
	"vitrine/internal/base/notation"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
)

// Bounds of text arguments, in characters. The content of a file has its own,
// in bytes (maxInline).
const (
	maxText  = 500
	maxQuery = 200
	maxPath  = 4096
)

// mayBeEmpty are texts that are left out if they are empty, as in the API. No
// other text may be empty.
var mayBeEmpty = []string{"title", "slug", "new_slug", "query", "kind", "status", "cursor"}

// argumentsOf returns the schema of a tool's arguments, with bounds for each
// text. An argument that is null counts as left out.
func argumentsOf[In any](tool string) *jsonschema.Schema {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(err) // the types are constant
	}
	for name, p := range schema.Properties {
		if p.Types != nil { // of a pointer: null or the type
			p.Type, p.Types = p.Types[len(p.Types)-1], nil
		}
		optional := !slices.Contains(schema.Required, name) && (name != "title" || tool != "update_link")
		if p.Type == "string" && !(name == "content" || optional && slices.Contains(mayBeEmpty, name)) {
			p.MinLength = new(int)
			*p.MinLength = 1
		}
		if p.Type == "string" && name != "content" {
			limit := maxText
			switch name {
			case "query":
				limit = maxQuery
			case "path":
				limit = maxPath
			}
			p.MaxLength = &limit
		}
	}
	return schema
}

// argumentError returns the error of an argument, in the form of the API's.
func argumentError(name, format string, args ...any) error {
	return &client.Error{Code: "invalid_request", Field: name, Message: fmt.Sprintf(format, args...)}
}

// readArguments reads the arguments of a call by their schema.
func readArguments[In any](tool string, schema *jsonschema.Schema, raw json.RawMessage, in *In) error {
	var given map[string]jsontext.Value
	if len(raw) > 0 && jsontext.Value(raw).Kind() == '{' {
		given = members(raw)
	}
	for name, v := range given {
		p := schema.Properties[name]
		switch {
		case p == nil:
			return argumentError("", "%s has no argument %q. It has: %s.", tool, notation.Shorten(name, maxLabelRunes),
				strings.Join(argumentNames(schema), ", "))
		case v.Kind() == 'n':
			delete(given, name)
		default:
			if err := checkArgument(name, p, v); err != nil {
				return err
			}
			given[name] = normal(p, v)
		}
	}
	for _, name := range schema.Required {
		if _, ok := given[name]; !ok {
			return argumentError(name, "The argument %q is missing.", name)
		}
	}
	b, err := jsonv2.Marshal(given)
	if err == nil {
		err = jsonv2.Unmarshal(b, in)
	}
	if err != nil {
		return argumentError("", "The arguments of %s could not be read. It has: %s.", tool,
			strings.Join(argumentNames(schema), ", "))
	}
	return nil
}

// checkArgument checks the type and length of an argument.
func checkArgument(name string, p *jsonschema.Schema, v jsontext.Value) error {
	switch kind := v.Kind(); p.Type {
	case "string":
		if kind != '"' {
			return argumentError(name, "The argument %q must be a string.", name)
		}
		if p.MinLength != nil && string(v) == `""` {
			return argumentError(name, "The argument %q must not be empty.", name)
		}
		if p.MaxLength != nil && utf8.RuneCountInString(unquoted(v)) > *p.MaxLength {
			return argumentError(name, "The argument %q is longer than %d characters.", name, *p.MaxLength)
		}
	case "array": // of texts
		var texts []any
		if kind != '[' || jsonv2.Unmarshal(v, &texts) != nil || slices.ContainsFunc(texts, notText) {
			return argumentError(name, "The argument %q must be a list of strings.", name)
		}
	case "boolean":
		if kind != 't' && kind != 'f' {
			return argumentError(name, "The argument %q must be true or false.", name)
		}
	case "integer":
		if kind != '0' || integer(v) == nil {
			return argumentError(name, "The argument %q must be an integer.", name)
		}
	}
	return nil
}

func notText(v any) bool {
	_, is := v.(string)
	return !is
}

// maxDigits bounds the text of an integer, so that 1e999999999 costs nothing.
const maxDigits = 30

// integer returns the integer that a number is, such as 5 or 5.0, or nil.
func integer(v jsontext.Value) *big.Int {
	if len(v) > maxDigits || strings.ContainsAny(string(v), "eE") {
		return nil
	}
	r, ok := new(big.Rat).SetString(string(v))
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return nil
	}
	return r.Num()
}

// normal returns an integer without its fraction of zeros, and any other value
// as it is.
func normal(p *jsonschema.Schema, v jsontext.Value) jsontext.Value {
	if p.Type == "integer" {
		return jsontext.Value(integer(v).String())
	}
	return v
}

func argumentNames(schema *jsonschema.Schema) []string {
	names := make([]string, 0, len(schema.Properties))
	for name := range schema.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
