package markup

import (
	"strconv"
	"strings"

	"vitrine/internal/filetype/text"
	"vitrine/report/part"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// beginning is the label of the text before the first heading.
const beginning = "Beginning"

// section is what begins with a heading and ends at the next one.
type section struct {
	part.Part
	level byte       // of the heading; 0 for the text before the first one
	title int        // words of the heading
	from  *html.Node // the element that it begins with; nil of a file that is not rewritten
}

// sections finds the sections of a rewritten document, by its headings, and
// gives the element that each begins with its number. A document without
// headings has none.
func sections(nodes []*html.Node) (parts []part.Part) {
	var s outliner
	for _, n := range nodes {
		s.walk(n)
	}
	for i, found := range chosen(s.list) {
		set(found.from, "data-part", strconv.Itoa(i+1))
		parts = append(parts, found.Part)
	}
	return parts
}

// chosen returns the sections that are measured, at most part.MaxSections, or
// none if there is only one. A heading without text below it is part of the
// section of the next heading. Headings of the lower levels begin no sections
// if all would be too many.
func chosen(all []section) (list []section) {
	low := lowest(all)
	for _, s := range all {
		last := len(list) - 1
		switch {
		case s.level <= low && last >= 0 && list[last].Words == 0:
			list[last].Label, list[last].Words = s.Label, s.Words
		case s.level <= low:
			list = append(list, s)
		case last >= 0:
			list[last].Words += s.title + s.Words
		case s.title+s.Words > 0:
			list = append(list, section{Part: part.Part{Label: beginning, Words: s.title + s.Words},
				from: topOf(s.from)})
		}
	}
	if len(list) < 2 {
		return nil
	}
	rest := list[min(len(list), part.MaxSections):]
	list = list[:len(list)-len(rest)]
	for _, s := range rest {
		list[len(list)-1].Words += s.Words
	}
	return list
}

// outliner collects sections, one for each heading.
type outliner struct{ list []section }

func (s *outliner) walk(n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		if words := text.Words(n.Data); words > 0 && (len(s.list) > 0 || topOf(n).Type == html.ElementNode) {
			s.words(words, topOf(n))
		}
	case levelOf(n) != 0:
		title := strings.TrimSpace(textOf(n))
		s.list = append(s.list, section{part.Part{Label: title}, levelOf(n), text.Words(title), n})
	default:
		for c := range n.ChildNodes() {
			s.walk(c)
		}
	}
}

// words counts words of the current section. The first ones begin a section
// without a heading.
func (s *outliner) words(words int, from *html.Node) {
	if len(s.list) == 0 {
		s.list = append(s.list, section{Part: part.Part{Label: beginning}, from: from})
	}
	s.list[len(s.list)-1].Words += words
}

// topOf returns the node of the highest level that has n.
func topOf(n *html.Node) *html.Node {
	for n != nil && n.Parent != nil {
		n = n.Parent
	}
	return n
}

// levelOf returns the level of a heading that may begin a section, or 0.
func levelOf(n *html.Node) byte {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if within(n, atom.Details) || within(n, atom.Table) || within(n, atom.Blockquote) || within(n, atom.Li) {
			return 0
		}
		return n.Data[1] - '0'
	}
	return 0
}

// lowest returns the lowest level down to which headings begin sections: as
// many levels as fit into an outline, and at least one.
func lowest(all []section) byte {
	var count [7]int
	for _, s := range all {
		count[s.level]++
	}
	sum, low := 0, byte(0)
	for level := byte(1); level <= 6; level++ {
		if count[level] == 0 {
			continue
		}
		if sum += count[level]; low != 0 && sum >= part.MaxSections {
			break
		}
		low = level
	}
	return low
}
