package app

import (
	"time"

	"vitrine"
	"vitrine/internal/web/ui"
)

// lifetimes are times after which something that a form makes can expire.
type lifetimes []struct {
	Value, Name string
	Span        time.Duration
}

// AllLifetimes are those that forms offer, the shortest first.
var AllLifetimes = lifetimes{{"1d", "1 day", 24 * time.Hour}, {"7d", "7 days", 7 * 24 * time.Hour},
	{"30d", "30 days", 30 * 24 * time.Hour}, {"90d", "90 days", 90 * 24 * time.Hour},
	{"365d", "1 year", 365 * 24 * time.Hour}}

// Options returns the options of a select, "Never" first.
func (l lifetimes) Options(chosen string) []ui.Option {
	list := []ui.Option{{Name: "Never", Chosen: chosen == ""}}
	for _, t := range l {
		list = append(list, ui.Option{Value: t.Value, Name: "After " + t.Name, Chosen: t.Value == chosen})
	}
	return list
}

// Parse returns the span of the value of a field: 0 for "never".
func (l lifetimes) Parse(field, value string) (time.Duration, error) {
	if value == "" {
		return 0, nil
	}
	for _, t := range l {
		if t.Value == value {
			return t.Span, nil
		}
	}
	return 0, &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: field,
		Message: "Choose one of the times in the list."}
}
