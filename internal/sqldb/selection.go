package sqldb

import "fmt"

// selection is the conditions of a query that are put together at run time, and their arguments.
type selection struct {
	text string
	args []any
}

// where adds a condition, in which each $%d is the place of one value.
func (s *selection) where(condition string, values ...any) {
	if s.text == "" {
		s.text = " WHERE "
	} else {
		s.text += " AND "
	}
	s.text += s.place(condition, values...)
}

func (s *selection) place(text string, values ...any) string {
	numbers := make([]any, len(values))
	for i := range values {
		numbers[i] = len(s.args) + i + 1
	}
	s.args = append(s.args, values...)
	return fmt.Sprintf(text, numbers...)
}

// end is the conditions, an order and at most limit rows; 0: all.
func (s *selection) end(order string, limit int) string {
	if limit > 0 {
		order += s.place(" LIMIT $%d", limit)
	}
	return s.text + order
}
