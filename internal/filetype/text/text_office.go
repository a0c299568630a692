package text

import (
	"bytes"
	"strings"

	"vitrine/internal/filetype"
)

// Some text opens in an office program, because of its extension or a
// declaration, and can do there what a document can.

// textWatch searches a text chunk by chunk for what its program would run.
type textWatch struct {
	facts   *filetype.Facts
	ext     string
	office  bool // XML that names its office program
	seen    int
	window  []byte
	problem *filetype.Problem
}

// scanFunc returns the function for the chunks of a text, or nil if no program
// runs any of it.
func (w *textWatch) scanFunc(head []byte) func(chunk []byte) {
	switch w.ext {
	case "csv", "tsv":
		return w.table
	case "xml":
		w.office = strings.Contains(TextHead(head), "<?mso-application")
		return w.markup
	}
	return nil
}

// appendOverlap appends a chunk to the end of the previous one.
func (w *textWatch) appendOverlap(chunk []byte) []byte {
	keep := w.window[max(0, len(w.window)-overlap):]
	w.window = append(append(w.window[:0], keep...), chunk...)
	return w.window
}

// commandServices are the programs that such a cell names before its bar.
var commandServices = filetype.ExtensionSet(`cmd powershell pwsh mshta wscript cscript rundll32 regsvr32 certutil msiexec explorer msexcel excel wmic calc`)

// command finds a cell with which a spreadsheet starts a program: a formula
// that names a program, a bar, and a cell. It determines the borders of cells
// once, however many bars there are.
func command(text []byte) []byte {
	looked, start, mark := 0, -1, -1
	for i := 0; ; i++ {
		bar := bytes.IndexByte(text[i:], '|')
		if bar < 0 {
			return nil
		}
		i += bar
		if !commandService(text, i) {
			continue
		}
		for ; looked < i; looked++ {
			switch c := text[looked]; {
			case c == '\n' || c == '\r':
				start = -1
			case formulaStart(text, looked):
				start = looked
			}
		}
		if start < 0 || i-start > 120 {
			continue
		}
		if mark < i {
			mark = i + bytes.IndexAny(text[i:], "!\r\n")
			if mark < i {
				return nil
			}
		}
		if text[mark] == '!' && mark-i < overlap {
			return text[start : mark+1]
		}
	}
}

// commandService reports whether a program is named before the bar at an
// offset.
func commandService(text []byte, bar int) bool {
	before := bytes.TrimRight(text[max(0, bar-24):bar], " ")
	if len(before) == 0 || !filetype.RtfLetter(before[len(before)-1]) && before[len(before)-1] != '2' {
		return false
	}
	if n := len(before) - len(".exe"); n > 0 && bytes.EqualFold(before[n:], []byte(".exe")) {
		before = before[:n]
	}
	start := len(before)
	for start > 0 && (filetype.RtfLetter(before[start-1]) || '0' <= before[start-1] && before[start-1] <= '9') {
		start--
	}
	word := before[start:]
	return len(word) >= len("cmd") && commandServices[strings.ToLower(string(word))]
}

// formulaStart reports whether a cell at an offset begins like a formula.
func formulaStart(text []byte, i int) bool {
	switch text[i] {
	case '=', '+', '-', '@':
		before := bytes.TrimRight(text[max(0, i-8):i], " ")
		return len(before) == 0 || bytes.IndexByte([]byte("\r\n,;\t\"'|"), before[len(before)-1]) >= 0
	}
	return false
}

// symbolicLink matches what runs macros in a table of the old format that Excel
// recognizes by its first letters.
var symbolicLink = pattern(`(?i)[\r\n](NN;NAuto_(open|close)|O;[^\r\n]*\bE\b[^\r\n]*[\r\n])`)

func (w *textWatch) table(chunk []byte) {
	first := w.seen == 0
	w.seen += len(chunk)
	text := w.appendOverlap(chunk)
	if cell := command(text); cell != nil {
		w.facts.HoldAbout(filetype.HoldCommandFormula, strings.TrimSpace(string(cell)))
	}
	if first && bytes.HasPrefix(text, []byte("ID;P")) && symbolicLink().Match(text) {
		w.problem = filetype.MacroProblem()
	}
}

// officeMacros are marks of macros and officeObjects of embedded objects in
// documents of one XML file, in lower case.
var (
	officeMacros = [][]byte{[]byte(`macrospresent="yes`), []byte(`macrospresent='yes`), []byte("editdata.mso"),
		[]byte("vbaproject"), []byte("docsuppdata"), []byte("qwn0axzltwltzq")}
	officeObjects = [][]byte{[]byte("docoledata"), []byte("oledata.mso"), []byte(`ocxpresent="yes`),
		[]byte(`ocxpresent='yes`)}
)

func (w *textWatch) markup(chunk []byte) {
	first := w.seen == 0
	w.seen += len(chunk)
	if first && IsEntityBomb(prolog(chunk)) {
		w.problem = filetype.UnsafeFile(filetype.ReasonEntities,
			"The XML defines entities that unfold to gigabytes. Save it without a DOCTYPE.")
	}
	if !w.office || w.problem != nil {
		return
	}
	text := Lower(bytes.Clone(w.appendOverlap(chunk)))
	switch {
	case ContainsAny(text, officeMacros):
		w.problem = filetype.MacroProblem()
	case ContainsAny(text, officeObjects):
		w.facts.HoldFor(filetype.HoldEmbeddedObject)
	}
}

// prolog returns the DOCTYPE of XML, or nil.
func prolog(text []byte) []byte {
	i := bytes.Index(Lower(bytes.Clone(text)), []byte("<!doctype"))
	if i < 0 {
		return nil
	}
	m := NewMarkup(bytes.NewReader(text[i:]))
	if m.Next() != MarkupDirective {
		return nil
	}
	return m.Text
}
