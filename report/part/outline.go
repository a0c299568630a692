// Package part has the parts of a file, such as pages, slides and sections:
// which there are, how they were read, and the clicks on links in them.
package part

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Kind says what the parts of a file are.
type Kind string

// The kinds of parts. Those of a PDF are its pages.
const (
	Page    Kind = "page"
	Slide   Kind = "slide"
	Section Kind = "section"
)

// Limits of an outline.
const (
	MaxSections = 100
	maxLabel    = 80 // bytes of a label
)

// Part is what is known of a part of a file.
type Part struct {
	Label string // one line; "" for none
	Words int
	// At is where the tag of its heading has room for an attribute, in bytes of
	// a web page; 0 of others.
	At int64
}

// Outline says which parts a file has, whose reading is measured as that of the
// pages of a PDF. "" is one that is not known: nothing but the depth of the
// scroll is measured. Its text is the kind and the number of parts, and for
// each part with a label or words a line with both. The words of a section of a
// web page have its place behind them:
//
//	section 2
//	120 Introduction
//	840@5301 What changed
type Outline string

// NewOutline returns the outline of these parts. Of sections, the first
// MaxSections are kept.
func NewOutline(kind Kind, parts []Part) Outline {
	if kind == Section {
		parts = parts[:min(len(parts), MaxSections)]
	}
	if len(parts) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(string(kind) + " " + strconv.Itoa(len(parts)))
	for _, p := range parts {
		b.WriteString("\n" + strconv.Itoa(p.Words))
		if p.At > 0 {
			b.WriteString("@" + strconv.FormatInt(p.At, 10))
		}
		b.WriteString(" " + oneLine(p.Label))
	}
	return Outline(b.String())
}

// Unnamed returns the outline of n parts of which only the number is
// known, such as slides.
func Unnamed(kind Kind, n int) Outline {
	if n <= 0 {
		return ""
	}
	return Outline(string(kind) + " " + strconv.Itoa(n))
}

// oneLine returns a label without line breaks and of limited length.
func oneLine(label string) string {
	label = strings.Join(strings.Fields(strings.ToValidUTF8(label, "\ufffd")), " ")
	if len(label) <= maxLabel {
		return label
	}
	cut := maxLabel
	for !utf8.RuneStart(label[cut]) {
		cut--
	}
	return strings.TrimSpace(label[:cut]) + "…"
}

// head returns the kind and the number of the parts, and the lines of parts.
func (o Outline) head() (kind Kind, n int, lines string) {
	head, lines, _ := strings.Cut(string(o), "\n")
	name, count, _ := strings.Cut(head, " ")
	n, _ = strconv.Atoi(count)
	return Kind(name), max(n, 0), lines
}

// Kind returns what the parts are, or "".
func (o Outline) Kind() Kind {
	kind, _, _ := o.head()
	return kind
}

// Len returns the number of parts.
func (o Outline) Len() int {
	_, n, _ := o.head()
	return n
}

// Parts returns what is known of each part.
func (o Outline) Parts() []Part {
	_, n, lines := o.head()
	parts := make([]Part, n)
	for i := 0; i < n && lines != ""; i++ {
		var line string
		line, lines, _ = strings.Cut(lines, "\n")
		numbers, label, _ := strings.Cut(line, " ")
		words, at, _ := strings.Cut(numbers, "@")
		parts[i].Label = label
		parts[i].Words, _ = strconv.Atoi(words)
		parts[i].At, _ = strconv.ParseInt(at, 10, 64)
	}
	return parts
}
