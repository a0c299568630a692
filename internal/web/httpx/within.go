package httpx

import (
	"encoding/json"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
)

// Within reads an object that may be missing, in which null also means missing.
// Its fields are named after it: "access.password". It returns nil if the
// object is missing.
func (f *Fields) Within(name string) *Fields {
	o := f.member(name)
	if o == nil {
		return nil
	}
	within := &Fields{Object: Object{}, At: f.At}
	for member, v := range o {
		if v.Kind() != 'n' {
			within.Object[name+"."+member] = v
		}
	}
	return within
}

// member reads an optional object. Any other value is wrong.
func (f *Fields) member(name string) (o Object) {
	v, ok := f.Object[name]
	if ok && (v.Kind() != '{' || jsonv2.Unmarshal(v, &o) != nil) {
		f.Wrong(name, "The field \""+name+"\" must be an object.")
		return nil
	}
	return o
}

// Only records an error for a field that is not one of names, and returns the
// fields' first error.
func (f *Fields) Only(names ...string) error {
	for name := range f.Object {
		found := false
		for _, known := range names {
			found = found || name == known
		}
		if !found {
			f.Wrong(name, "There is no field \""+name+"\". These can be sent: "+strings.Join(names, ", ")+".")
		}
	}
	return f.Err
}

// CountOrFalse reads a whole number from 1 to most, or false, which removes
// what the number would set: 0.
func (f *Fields) CountOrFalse(name string, most int64) *int {
	v := f.Object[name]
	switch {
	case v == nil:
		return nil
	case v.Kind() == 'f':
		return new(int)
	case v.Kind() == '0':
		if n, exact := parseInteger(string(v)); exact && n >= 1 && n <= most {
			return new(int(n))
		}
	}
	f.Wrong(name, "The field \""+name+"\" must be a whole number from 1 to "+strconv.FormatInt(most, 10)+
		", or false, which removes it.")
	return nil
}

// TextOrFalse reads a string or false, which removes what the string would set:
// "". An empty string is an error.
func (f *Fields) TextOrFalse(name string) *string {
	switch v := f.Object[name]; {
	case v == nil:
		return nil
	case v.Kind() == 'f':
		return new(string)
	case v.Kind() == '"' && string(v) != `""`:
		return f.OptionalText(name)
	}
	f.Wrong(name, "The field \""+name+"\" must be a text that is not empty, or false, which removes it.")
	return nil
}

// Texts reads a list of strings that may be missing.
func (f *Fields) Texts(name string) (list []string) {
	v, ok := f.Object[name]
	if ok && json.Unmarshal(v, &list) != nil {
		f.Wrong(name, "The field \""+name+"\" must be a list of texts.")
	}
	return list
}
