// Package country knows the names of countries.
package country

import (
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// Name returns the English name of a country by its ISO 3166-1 alpha-2
// code. A string that is not such a code, or has no name, is returned
// unchanged.
func Name(code string) string {
	region, err := language.ParseRegion(code)
	if err != nil || len(code) != 2 {
		return code
	}
	if name := display.English.Regions().Name(region); name != "" {
		return name
	}
	return code
}

// Code returns the ISO 3166-1 alpha-2 code of a country by its code of
// two or three letters or its English name, in upper or lower case. It returns
// "" if there is no such country.
func Code(name string) string {
	if r, err := language.ParseRegion(name); err == nil && r.IsCountry() {
		return r.Canonicalize().String()
	}
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			code := string([]rune{a, b})
			r, err := language.ParseRegion(code)
			if err == nil && r.IsCountry() && r.Canonicalize() == r && strings.EqualFold(Name(code), name) {
				return code
			}
		}
	}
	return ""
}
