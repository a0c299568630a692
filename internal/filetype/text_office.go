package filetype

import (
	"bytes"
	"regexp"
	"strings"
)

// Some text opens in an office program, by its extension or by what it says of itself, and does there what a document can do.

// textWatch looks through a text chunk by chunk for what its program would run.
type textWatch struct {
	facts   *Facts
	ext     string
	office  bool // XML that says which office program it is for
	seen    int
	window  []byte
	problem *Problem
}

// watcher is what sees the chunks of a text; nil where no program runs any of it.
func (w *textWatch) watcher(head []byte) func(chunk []byte) {
	switch w.ext {
	case "csv", "tsv":
		return w.table
	case "xml":
		w.office = strings.Contains(textHead(head), "<?mso-application")
		return w.markup
	}
	return nil
}

// slide adds a chunk behind the end of the last one.
func (w *textWatch) slide(chunk []byte) []byte {
	keep := w.window[max(0, len(w.window)-overlap):]
	w.window = append(append(w.window[:0], keep...), chunk...)
	return w.window
}

// commandServices are the programs that such a cell names before its bar.
var commandServices = extensionSet(`cmd powershell pwsh mshta wscript cscript rundll32 regsvr32 certutil msiexec explorer msexcel excel wmic calc`)

// command finds a cell by which a spreadsheet starts a program.
func command(text []byte) []byte {
	for i := 0; ; i++ {
		bar := bytes.IndexByte(text[i:], '|')
		if bar < 0 {
			return nil
		}
		i += bar
		if start := bytes.TrimRight(text[:i], " "); len(start) == 0 || !rtfLetter(start[len(start)-1]) && start[len(start)-1] != '2' {
			continue
		}
		before := bytes.TrimRight(lower(bytes.Clone(text[max(0, i-24):i])), " ")
		before = bytes.TrimSuffix(before, []byte(".exe"))
		word := before[bytes.LastIndexFunc(before, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })+1:]
		if commandServices[string(word)] {
			if cell := commandCell(text, i); cell != nil {
				return cell
			}
		}
	}
}

// commandCell is the cell with a bar at an offset when it begins as a formula does and refers to a cell behind the bar.
func commandCell(text []byte, bar int) []byte {
	start := bar
	for start > 0 && bar-start < 120 && text[start-1] != '\n' && text[start-1] != '\r' {
		start--
		if bytes.IndexByte([]byte("=+-@"), text[start]) < 0 {
			continue
		}
		before := bytes.TrimRight(text[max(0, start-8):start], " ")
		if len(before) > 0 && bytes.IndexByte([]byte("\r\n,;\t\"'|"), before[len(before)-1]) < 0 {
			continue
		}
		rest := text[bar:min(len(text), bar+overlap)]
		if end := bytes.IndexAny(rest, "\r\n"); end >= 0 {
			rest = rest[:end]
		}
		if mark := bytes.IndexByte(rest, '!'); mark >= 0 {
			return text[start : bar+mark+1]
		}
		return nil
	}
	return nil
}

// symbolicLink is what makes a table, in the old format that Excel knows by its first letters, run macros.
var symbolicLink = regexp.MustCompile(`(?i)[\r\n](NN;NAuto_(open|close)|O;[^\r\n]*\bE\b[^\r\n]*[\r\n])`)

func (w *textWatch) table(chunk []byte) {
	first := w.seen == 0
	w.seen += len(chunk)
	text := w.slide(chunk)
	if cell := command(text); cell != nil {
		w.facts.holdAbout(HoldCommandFormula, strings.TrimSpace(string(cell)))
	}
	if first && bytes.HasPrefix(text, []byte("ID;P")) && symbolicLink.Match(text) {
		w.problem = macroProblem()
	}
}

// officeMacros are the marks of macros, and officeObjects those of embedded objects, in documents that are one XML file; in lower case.
var (
	officeMacros  = [][]byte{[]byte(`macrospresent="yes`), []byte(`macrospresent='yes`), []byte("editdata.mso"), []byte("vbaproject"), []byte("docsuppdata"), []byte("qwn0axzltwltzq")}
	officeObjects = [][]byte{[]byte("docoledata"), []byte("oledata.mso"), []byte(`ocxpresent="yes`), []byte(`ocxpresent='yes`)}
)

func (w *textWatch) markup(chunk []byte) {
	first := w.seen == 0
	w.seen += len(chunk)
	if first && unfolding(prolog(chunk)) {
		w.problem = unsafeFile(ReasonEntities, "The XML defines entities that unfold to gigabytes. Save it without a DOCTYPE.")
	}
	if !w.office || w.problem != nil {
		return
	}
	text := lower(bytes.Clone(w.slide(chunk)))
	switch {
	case containsAny(text, officeMacros):
		w.problem = macroProblem()
	case containsAny(text, officeObjects):
		w.facts.hold(HoldEmbeddedObject)
	}
}

// prolog is the DOCTYPE of XML; nothing without one.
func prolog(text []byte) []byte {
	i := bytes.Index(lower(bytes.Clone(text)), []byte("<!doctype"))
	if i < 0 {
		return nil
	}
	m := newMarkup(bytes.NewReader(text[i:]))
	if m.next() != markupDirective {
		return nil
	}
	return m.text
}
