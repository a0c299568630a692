package analytics

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vitrine"
	"vitrine/internal/base/notation"
	"vitrine/internal/filetype"
	"vitrine/internal/visitor"
	"vitrine/report"
	"vitrine/report/country"
)

// checkValues returns an error for a condition with a value that views cannot
// have, such as the name of a country instead of its code. A value that some
// view of the scope has is valid, whatever it is: imported views may have any.
func (s *Service) checkValues(ctx context.Context, of vitrine.Scope, f report.Filter) error {
	for _, c := range f {
		advice := advice(c)
		if advice == "" {
			continue
		}
		occurs, err := s.occurs(ctx, of, c)
		if err != nil {
			return err
		}
		if !occurs {
			return wrong(paramFilter, "No view has the %s %q. %s", c.Dimension, notation.Shorten(c.Value, maxShown),
				advice)
		}
	}
	return nil
}

// occurs reports whether any view of a scope has the value of a condition.
// Kinds are not in the log: a link cannot have an unknown one.
func (s *Service) occurs(ctx context.Context, of vitrine.Scope, c report.Condition) (bool, error) {
	if c.Dimension == report.OnKind {
		return false, nil
	}
	c.Not = false
	// A tally skips segments without the value. To look for the newest view
	// with it would read each view by itself.
	t, _, err := s.Log.Tally(ctx, vitrine.TallyQuery{Scope: of, To: report.DayOf(s.Now().UnixMilli()) + 1,
		Lens: report.Lens{Filter: report.Filter{c}}, Brief: true})
	return err == nil && t.Views() > 0, err
}

// advice returns how to write the value of a condition, or "" if views can have
// the value.
func advice(c report.Condition) string {
	if c.Value == "" { // unknown
		return ""
	}
	switch c.Dimension {
	case report.OnCountry:
		switch code := country.Code(c.Value); code {
		case c.Value:
		case "":
			return "A country is its ISO 3166-1 code, such as DE for Germany."
		default:
			return fmt.Sprintf("Write %s for %s.", code, country.Name(code))
		}
	case report.OnCity:
		code := c.Value[strings.LastIndexByte(c.Value, ' ')+1:]
		if !strings.HasSuffix(c.Value, ", "+code) || country.Code(code) != code {
			return "A city is written with the code of its country, such as Berlin, DE."
		}
	case report.OnSource:
		if name := visitor.SourceOf(c.Value); name != c.Value && name != "" {
			return fmt.Sprintf("Write %q.", name)
		}
	case report.OnCampaign, report.OnMedium, report.OnContent, report.OnTerm:
		if label := visitor.CampaignOf(c.Value); label != c.Value && label != "" {
			return fmt.Sprintf("Write %q.", label)
		}
	case report.OnDevice:
		return oneOf(c, visitor.Devices())
	case report.OnScreen:
		return oneOf(c, visitor.ScreenRanges())
	case report.OnBrowser:
		return oneOf(c, visitor.Browsers())
	case report.OnOS:
		return oneOf(c, visitor.Systems())
	case report.OnKind:
		var kinds []string
		for _, k := range filetype.Kinds() {
			kinds = append(kinds, string(k))
		}
		return oneOf(c, kinds)
	}
	return ""
}

// fewValues is the most values that a message lists.
const fewValues = 10

// oneOf returns how to write a value that is not in a list, or "" if it is.
func oneOf(c report.Condition, values []string) string {
	if slices.Contains(values, c.Value) {
		return ""
	}
	for _, v := range values {
		if plain.Replace(strings.ToLower(v)) == plain.Replace(strings.ToLower(c.Value)) {
			return fmt.Sprintf("Write %q.", v)
		}
	}
	if len(values) > fewValues {
		return "Reports name those that occur."
	}
	return "It is one of " + strings.Join(values, ", ") + "."
}

// plain removes what people leave out of names.
var plain = strings.NewReplacer(" ", "", "-", "", "px", "")

// maxShown is the most characters of a value that a message repeats.
const maxShown = 40
