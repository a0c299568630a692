package web_test

import (
	"regexp"
)

// importedModule matches an import of another module.
var importedModule = regexp.MustCompile(`\bimport\b[^;"]*"(\.{1,2}/[^"]+)"`)
