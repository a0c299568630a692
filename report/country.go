package report

import (
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// CountryName returns the English name of a country by its ISO 3166-1 alpha-2
// code. It returns what is no such code, or has no name, as it is.
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
