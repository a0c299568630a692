package collections

import (
	"errors"

	"vitrine"
)

// parseTitle is [vitrine.ParseTitle] for a form.
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
