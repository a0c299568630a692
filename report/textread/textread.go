// Package textread writes and reads the products of views in which programs
// read the text of a file.
package textread

import (
	"cmp"
	"strings"
)

// textBreak separates a program and the parts of a text that it read, in the
// product of a view.
const textBreak = ", parts "

// unnamed is the program of a text read whose sender has no name.
const unnamed = "unknown"

// Product returns the product of a view in which a program read parts of
// the text of a file, such as "ChatGPT-User, parts 3-5".
func Product(program, parts string) string { return cmp.Or(program, unnamed) + textBreak + parts }

// Parts returns the program of a product and the parts of a text that it
// read, or "" if it loaded the page.
func Parts(product string) (program, parts string) {
	program, parts, _ = strings.Cut(product, textBreak)
	return program, parts
}
