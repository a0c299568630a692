package report

import (
	"cmp"
	"strings"
)

// textBreak separates a program and the parts of a text that it read, in the
// product of a view.
const textBreak = ", parts "

// unnamed is the program of a text read whose sender has no name.
const unnamed = "unknown"

// ProductOfText returns the product of a view in which a program read parts of
// the text of a file, such as "ChatGPT-User, parts 3-5".
func ProductOfText(program, parts string) string { return cmp.Or(program, unnamed) + textBreak + parts }

// TextRead returns the program of a product and the parts of a text that it
// read, or "" if it loaded the page.
func TextRead(product string) (program, parts string) {
	program, parts, _ = strings.Cut(product, textBreak)
	return program, parts
}
