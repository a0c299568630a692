package collections

import (
	"errors"

	"vitrine"
)

// parseTitle parses a title with the rules of [vitrine.ParseTitle]. Its errors
// name the field.
func parseTitle(title string) (string, error) {
	title, err := vitrine.ParseTitle(title)
	var e *vitrine.Error
	if errors.As(err, &e) {
		in := *e
		in.Field = "title"
		return "", &in
	}
	return title, err
}
