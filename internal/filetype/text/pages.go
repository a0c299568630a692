package text

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Pages is the text of a document, page by page. Its stored form is a line of
// JSON and the pages.
type Pages struct {
	Unit  string  `json:"unit"`          // what a page is called
	Sizes []int64 `json:"sizes"`         // of the pages, in bytes
	Cut   bool    `json:"cut,omitempty"` // the document has more text
	start int64   // of the first page
}

// WritePages writes the stored form of pages.
func WritePages(w io.Writer, unit string, pages []string, cut bool) error {
	p := Pages{Unit: unit, Cut: cut, Sizes: make([]int64, len(pages))}
	for i, page := range pages {
		p.Sizes[i] = int64(len(page))
	}
	if err := json.NewEncoder(w).Encode(p); err != nil {
		return err
	}
	for _, page := range pages {
		if _, err := io.WriteString(w, page); err != nil {
			return err
		}
	}
	return nil
}

// ReadPages reads the first line of the stored form.
func ReadPages(r io.Reader) (p Pages, err error) {
	in := json.NewDecoder(r)
	if err := in.Decode(&p); err != nil {
		return p, fmt.Errorf("read the sizes of pages: %w", err)
	}
	p.start = in.InputOffset() + 1
	return p, nil
}

// Page returns the text of the i-th page, from 0, of the stored form.
func (p Pages) Page(stored io.ReaderAt, i int) io.Reader {
	at := p.start
	for _, size := range p.Sizes[:i] {
		at += size
	}
	return io.NewSectionReader(stored, at, p.Sizes[i])
}

const (
	maxSections = 100
	sectionSize = 32 << 10 // bytes
)

// Sections divides a text into at most maxSections: Markdown before its
// headings, other text after lines, about sectionSize each.
func Sections(text string, markdown bool) []string {
	var list []string
	size := max(sectionSize, len(text)/maxSections+1)
	begin, at, fence, some := 0, 0, "", false
	for line := range strings.Lines(text) {
		due := at-begin >= size
		if markdown {
			trimmed := strings.TrimSpace(line)
			fence = fenced(fence, trimmed)
			due = some && fence == "" && isHeading(line)
			some = some || trimmed != ""
		}
		if due && len(list) < maxSections-1 {
			list, begin = append(list, text[begin:at]), at
		}
		at += len(line)
	}
	return append(list, text[begin:])
}

// fenced returns the fence of the block of code that a line of Markdown is in,
// after that of the line before; "" for none.
func fenced(fence, line string) string {
	for _, c := range []string{"`", "~"} {
		marks := line[:len(line)-len(strings.TrimLeft(line, c))]
		switch {
		case len(marks) < 3:
		case fence == "":
			return marks
		case strings.HasPrefix(marks, fence) && len(marks) == len(line):
			return ""
		}
	}
	return fence
}

// isHeading reports whether a line of Markdown is a heading with number signs.
func isHeading(line string) bool {
	rest := strings.TrimLeft(line, "#")
	return rest != "" && rest != line && len(line)-len(rest) <= 6 && (rest[0] == ' ' || rest[0] == '\t')
}
