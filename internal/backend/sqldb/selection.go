package sqldb

import "fmt"

// Selection collects the conditions of a query and their arguments.
type Selection struct {
	Text string
	Args []any
}

// Where adds a condition, in which each $%d is the placeholder of one value.
func (s *Selection) Where(condition string, values ...any) {
	if s.Text == "" {
		s.Text = " WHERE "
	} else {
		s.Text += " AND "
	}
	s.Text += s.Place(condition, values...)
}

// Place adds values. It returns text with each $%d replaced by the placeholder
// of the next value.
func (s *Selection) Place(text string, values ...any) string {
	numbers := make([]any, len(values))
	for i := range values {
		numbers[i] = len(s.Args) + i + 1
	}
	s.Args = append(s.Args, values...)
	return fmt.Sprintf(text, numbers...)
}

// End returns the conditions, an order and at most limit rows; 0 means all.
func (s *Selection) End(order string, limit int) string {
	if limit > 0 {
		order += s.Place(" LIMIT $%d", limit)
	}
	return s.Text + order
}
