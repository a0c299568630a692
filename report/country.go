package report

import (
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// CountryName returns the English name of a country by its ISO 3166-1 alpha-2
// code. A string that is not such a code, or has no name, is returned
// unchanged.
func CountryName(code string) string {
	region, err := language.ParseRegion(code)
	if err != nil || len(code) != 2 {
		return code
	}
	if name := display.English.Regions().Name(region); name != "" {
		return name
	}
	return code
}
