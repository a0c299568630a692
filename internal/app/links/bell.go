package links

import "vitrine"

// bells are the names of bells in the API and in forms.
var bells = map[string]vitrine.Bell{"first": vitrine.BellFirst, "daily": vitrine.BellDaily, "off": vitrine.BellOff}

// BellName returns the name of a bell.
func BellName(b vitrine.Bell) string {
	if b == vitrine.BellFirst {
		return "first"
	}
	return string(b)
}

// ParseBell returns the bell with a name. Errors: CodeInvalidRequest.
func ParseBell(name string) (vitrine.Bell, error) {
	b, ok := bells[name]
	if !ok {
		return b, &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "notify",
			Message: `notify is "first", "daily" or "off".`}
	}
	return b, nil
}
