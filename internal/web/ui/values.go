package ui

import "fmt"

// Tab is a page beside others ("tabs").
type Tab struct {
	Name, Address string
	Count         int64  // number of waiting items; 0 if not shown
	Key           string // opens it
	Current       bool
}

// Option is a choice of a select.
type Option struct {
	Value, Name string
	Chosen      bool
}

// Values returns the values of a component, from names and values in turn.
// Missing values are empty.
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
