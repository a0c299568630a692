package markup

import (
	"bytes"
	"errors"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

var errHeavy = errors.New("too heavy to show")

// Limits of parser work. Each corresponds to about 0.1 s and is far above real
// documents.
const (
	maxFootnotes  = 2_000       // footnote references; each is compared with each definition
	maxFilled     = 50_000      // table cells, including added ones
	maxScanned    = 50 << 20    // bytes after link destinations, each scanned to the end of the line
	maxBrackets   = 500_000_000 // opening brackets of a paragraph × its bytes
	maxEmphasis   = 10_000_000  // emphasis marks of a paragraph, squared
	maxAddresses  = 100_000_000 // at signs of a line × its bytes
	maxRendered   = 2 << 20     // bytes of HTML
	maxFormatting = 6           // nested formatting elements, which an HTML parser repeats in each paragraph
)

// Patterns of text that parsers handle slowly and that real documents do not
// contain: nested block marks, and tables.
var (
	nested    = regexp.MustCompile(`^(?:[ \t]*(?:[>*+-]|\d{1,9}[.)]|\[\^[^\]]+\]:)){16}`)
	delimiter = regexp.MustCompile(`^[ \t>]*\|?(?:[ \t]*:?-+:?[ \t]*\|?)+$`)
	begins    = regexp.MustCompile(`^ {0,3}(?:[*+-] +[^ \t]|#{1,6} )`) // starts a block and ends a paragraph
)

// isHeavy reports whether parsing the Markdown would take more than linear
// time, because a paragraph, table or line has too many marks.
func isHeavy(src string) bool {
	if strings.Count(src, "[^") > maxFootnotes {
		return true
	}
	var fence fences
	var part paragraph
	columns, cells, scanned, brackets, emphasis, addresses := 0, 0, 0, 0, 0, 0
	for raw := range strings.Lines(src) {
		if fence.skip(raw) {
			continue
		}
		line := strings.TrimSpace(raw)
		if line == "" || begins.MatchString(raw) {
			brackets, emphasis = brackets+part.brackets*part.bytes, emphasis+part.emphasis*part.emphasis
			part = paragraph{}
		}
		if line == "" {
			columns = 0
			continue
		}
		part.add(line)
		if delimiter.MatchString(line) {
			columns = max(columns, strings.Count(line, "|"))
		}
		cells += columns
		scanned += strings.Count(line, "](") * len(line)
		addresses += strings.Count(line, "@") * len(line)
		rule := strings.Trim(line, line[:1]+" \t") == "" && !strings.Contains("+>", line[:1])
		if cells > maxFilled || scanned > maxScanned || addresses > maxAddresses || !rule && nested.MatchString(line) {
			return true
		}
	}
	return brackets+part.brackets*part.bytes > maxBrackets || emphasis+part.emphasis*part.emphasis > maxEmphasis
}

// paragraph counts the marks in lines that may form a paragraph.
type paragraph struct{ bytes, brackets, emphasis int }

func (p *paragraph) add(line string) {
	p.bytes += len(line)
	last := byte(0)
	for _, c := range []byte(line) {
		switch c {
		case '[':
			p.brackets++
		case '*', '_', '~':
			if c != last {
				p.emphasis++
			}
		}
		last = c
	}
}

// fences detects lines of fenced code, in which marks have no meaning. In
// unclear cases, such as inside HTML or another block, it reports a line as not
// fenced.
type fences struct {
	mark   string // that closes the code; "" outside
	html   bool   // HTML since the last blank line
	unsure bool   // from here on
}

func (f *fences) skip(raw string) bool {
	line := strings.TrimSpace(raw)
	if f.mark != "" {
		if strings.HasPrefix(line, f.mark) && strings.Trim(line, f.mark[:1]) == "" &&
			strings.IndexByte(raw, f.mark[0]) < 4 && !strings.HasPrefix(raw, "\t") {
			f.mark = ""
		}
		return true
	}
	if f.unsure {
		return false
	}
	if line == "" {
		f.html = false
	}
	f.html = f.html || strings.Contains(line, "<")
	for _, endless := range []string{"<!", "<?", "<pre", "<script", "<style", "<textarea"} {
		f.unsure = f.unsure || f.html && strings.Contains(strings.ToLower(line),
			endless) // HTML that blank lines do not end
	}
	bare := strings.TrimLeft(line, "> \t*+-.)0123456789")
	if f.unsure || !strings.HasPrefix(bare, "```") && !strings.HasPrefix(bare, "~~~") {
		return false
	}
	run := bare[:len(bare)-len(strings.TrimLeft(bare, bare[:1]))]
	if f.html || !strings.HasPrefix(raw, run) {
		f.unsure = true
		return false
	}
	if bare[0] == '`' && strings.Contains(bare[len(run):], "`") {
		return false // code within a line
	}
	f.mark = run
	return true
}

// formatting are the elements that a parser opens anew in each block until they
// are closed.
var formatting = map[atom.Atom]bool{atom.A: true, atom.B: true, atom.Code: true, atom.Em: true, atom.I: true,
	atom.S: true, atom.Small: true, atom.Strong: true, atom.U: true}

// optional are the elements whose end may be left out.
var optional = map[atom.Atom]bool{atom.P: true, atom.Li: true, atom.Dt: true, atom.Dd: true, atom.Td: true,
	atom.Th: true, atom.Tr: true, atom.Thead: true, atom.Tbody: true, atom.Tfoot: true, atom.Rt: true, atom.Rp: true}

// closeElements returns HTML in which each element ends together with its
// parent, so that the parser does not reopen elements and multiply them. It
// returns errHeavy if too many elements are open.
func closeElements(src *bytes.Buffer) (*bytes.Buffer, error) {
	var out bytes.Buffer
	var open []string
	depth, at := 0, map[string]int{}
	pop := func(ended bool) {
		name := open[len(open)-1]
		open = open[:len(open)-1]
		at[name]--
		kind := atom.Lookup([]byte(name))
		if formatting[kind] {
			depth--
		}
		if !ended && !optional[kind] {
			out.WriteString("</" + name + ">")
		}
	}
	for z := html.NewTokenizer(src); ; {
		kind := z.Next()
		raw := string(z.Raw())
		if kind == html.ErrorToken {
			break
		}
		tag, _ := z.TagName()
		name := string(tag)
		switch {
		case kind == html.StartTagToken && !void[atom.Lookup(tag)]:
			open = append(open, name)
			at[name]++
			if formatting[atom.Lookup(tag)] {
				depth++
			}
			if depth > maxFormatting || len(open) > 10_000 {
				return nil, errHeavy
			}
		case kind == html.EndTagToken && at[name] > 0:
			for open[len(open)-1] != name {
				pop(false)
			}
			pop(true)
		case kind == html.EndTagToken:
			continue // ends nothing
		}
		out.WriteString(raw)
	}
	for len(open) > 0 {
		pop(false)
	}
	return &out, nil
}

var void = map[atom.Atom]bool{atom.Br: true, atom.Hr: true, atom.Img: true, atom.Input: true}
