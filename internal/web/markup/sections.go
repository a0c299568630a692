package markup

import (
	"bytes"
	"html/template"
	"strconv"
	"strings"

	"vitrine/internal/filetype/text"
	"vitrine/report"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// beginning is the label of the text before the first heading.
const beginning = "Beginning"

// section is a part of a document: from the element that it begins with to the
// next section.
type section struct {
	report.Part
	from *html.Node
}

// sections finds the sections of a rewritten document, by its headings, and
// gives the element that each begins with its number. A document without
// headings has none. A heading without text below it is part of the section of
// the next heading. Headings of the lower levels are left out if all would be
// more than report.MaxSections.
func sections(nodes []*html.Node) (parts []report.Part) {
	s := outliner{level: lowest(nodes)}
	for _, n := range nodes {
		s.walk(n)
	}
	list := s.list
	if len(list) < 2 {
		return nil
	}
	for i, found := range list[:min(len(list), report.MaxSections)] {
		set(found.from, "data-part", strconv.Itoa(i+1))
		parts = append(parts, found.Part)
	}
	for _, rest := range list[len(parts):] {
		parts[len(parts)-1].Words += rest.Words
	}
	return parts
}

// outliner collects sections.
type outliner struct {
	level byte // the lowest level of headings that begin a section
	list  []section
}

func (s *outliner) walk(n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		s.words(n, text.Words(n.Data))
	case levelOf(n) != 0 && levelOf(n) <= s.level:
		part := section{report.Part{Label: strings.TrimSpace(textOf(n))}, n}
		if last := len(s.list) - 1; last >= 0 && s.list[last].Words == 0 {
			part.from = s.list[last].from
			s.list[last] = part
			return
		}
		s.list = append(s.list, part)
	default:
		for c := range n.ChildNodes() {
			s.walk(c)
		}
	}
}

// words counts words of the current section. The first ones begin a section
// without a heading.
func (s *outliner) words(n *html.Node, words int) {
	if words == 0 {
		return
	}
	if len(s.list) == 0 {
		from := n
		for from.Parent != nil {
			from = from.Parent
		}
		if from.Type != html.ElementNode {
			return
		}
		s.list = append(s.list, section{report.Part{Label: beginning}, from})
	}
	s.list[len(s.list)-1].Words += words
}

// levelOf returns the level of a heading that may begin a section, or 0.
func levelOf(n *html.Node) byte {
	switch n.DataAtom {
	case atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if within(n, atom.Details) || within(n, atom.Table) || within(n, atom.Blockquote) || within(n, atom.Li) {
			return 0
		}
		return n.Data[1] - '0'
	}
	return 0
}

// lowest returns the lowest level down to which headings begin sections: as
// many levels as fit into an outline, and at least one.
func lowest(nodes []*html.Node) byte {
	var count [7]int
	for _, n := range nodes {
		count[levelOf(n)]++
		for c := range n.Descendants() {
			count[levelOf(c)]++
		}
	}
	all, low := 0, byte(0)
	for level := byte(2); level <= 6; level++ {
		if count[level] == 0 {
			continue
		}
		if all += count[level]; low != 0 && all >= report.MaxSections {
			break
		}
		low = level
	}
	return low
}

// Fifths returns the outline of a text without headings: its fifths. A text of
// few words has none.
func Fifths(whole string) report.Outline {
	const fewest = 200
	words := text.Words(whole)
	if words < fewest {
		return ""
	}
	var parts []report.Part
	for i, label := range []string{"First fifth", "Second fifth", "Third fifth", "Fourth fifth", "Last fifth"} {
		parts = append(parts, report.Part{Label: label, Words: words*(i+1)/5 - words*i/5})
	}
	return report.NewOutline(report.PartSection, parts)
}

// Divide renders Markdown as [Markdown] does, each section of its outline by
// itself. A section that begins within an element of another one is "", and
// part of that. It returns nil for a document without sections.
func Divide(src string) []template.HTML {
	src = clean(src)
	if len(src) > maxMarkdown || strings.Count(src, "\n") > maxWritten {
		return nil
	}
	_, body := frontMatter(src)
	nodes, err := parse(body)
	if err != nil {
		return nil
	}
	divided, at := make([]page, len(sections(nodes))), 0
	if len(divided) == 0 {
		return nil
	}
	for _, n := range nodes {
		if first := firstPart(n); first > 0 {
			at = first - 1
		}
		var b bytes.Buffer
		if err := html.Render(&b, n); err != nil {
			return nil
		}
		divided[at].WriteString(b.String())
	}
	list := make([]template.HTML, len(divided))
	for i := range divided {
		list[i] = divided[i].html()
	}
	return list
}

// firstPart returns the first section that begins in an element, or 0.
func firstPart(n *html.Node) int {
	if part, err := strconv.Atoi(attr(n, "data-part")); err == nil {
		return part
	}
	for c := range n.Descendants() {
		if part, err := strconv.Atoi(attr(c, "data-part")); err == nil {
			return part
		}
	}
	return 0
}
