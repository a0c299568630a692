package ui

import "fmt"

// Tab is a page beside others ("tabs").
type Tab struct {
	Name, Address string
	Count         int64  // of what waits there; 0 is not told
	Key           string // opens it
	Current       bool
}

// Option is a choice of a select.
type Option struct {
	Value, Name string
	Chosen      bool
}

// Values are the values of a component: names and values in turn. A component
// asks by name, and takes what is not given as nothing.
func Values(pairs ...any) (map[string]any, error) {
	if len(pairs)%2 != 0 {
		return nil, fmt.Errorf("a value is missing after %v", pairs[len(pairs)-1])
	}
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("%v is no name", pairs[i])
		}
		m[name] = pairs[i+1]
	}
	return m, nil
}
