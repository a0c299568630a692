package links

import (
	"slices"
	"strings"
	"unicode/utf8"

	"vitrine"
	"vitrine/internal/filetype"
)

// The bounds of labels: of a link, and of each in characters.
const MaxLabels, MaxLabel = 10, 40

// ParseLabels checks labels that a user typed, and removes repeated ones.
// Errors name the field labels.
func ParseLabels(list []string) (vitrine.Labels, error) {
	wrong := func(message string) (vitrine.Labels, error) {
		return "", &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "labels", Message: message}
	}
	var all []string
	for _, label := range list {
		if filetype.HasControl(label) || strings.Contains(label, ",") {
			return wrong("A label is one line without commas. Send each label by itself.")
		}
		label = filetype.OneLine(label)
		_, unseen := vitrine.ParseTitle(label)
		switch {
		case unseen != nil, utf8.RuneCountInString(label) > MaxLabel:
			return wrong("A label has 1 to 40 characters. Shorten it, or leave it out.")
		case !vitrine.Labels(strings.Join(all, "\n")).Has(label):
			all = append(all, label)
		}
	}
	if len(all) > MaxLabels {
		return wrong("A link has at most 10 labels. Leave some out.")
	}
	slices.SortFunc(all, func(a, b string) int {
		return strings.Compare(vitrine.LabelWord(a), vitrine.LabelWord(b))
	})
	return vitrine.Labels(strings.Join(all, "\n")), nil
}

// withoutLabel returns labels without one.
func withoutLabel(l vitrine.Labels, label string) vitrine.Labels {
	return vitrine.Labels(strings.Join(slices.DeleteFunc(l.All(), func(one string) bool {
		return vitrine.LabelWord(one) == vitrine.LabelWord(label)
	}), "\n"))
}
