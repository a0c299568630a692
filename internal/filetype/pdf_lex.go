package filetype

import (
	"strings"
	"unicode/utf16"
)

// pdfKind is the kind of a PDF token.
type pdfKind byte

const (
	pdfEnd pdfKind = iota // of the data
	pdfName
	pdfInt
	pdfString
	pdfOpen  // << or [
	pdfClose // >> or ]
	pdfWord  // a keyword, a real number, anything else
)

type pdfToken struct {
	kind pdfKind
	text string // a name decoded, a string's bytes, a word; "<<", "[" and their ends
	n    int64
}

// pdfLexer reads PDF tokens from memory. It never fails: rubbish becomes words.
type pdfLexer struct {
	p    []byte
	i    int
	keep int // bytes of a string that are kept; 0 stands for maxPDFWord
}

// kept is how many bytes of a string are kept.
func (l *pdfLexer) kept() int {
	if l.keep > 0 {
		return l.keep
	}
	return maxPDFWord
}

func pdfSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func pdfDelimiter(c byte) bool { return strings.IndexByte("()<>[]{}/%", c) >= 0 }

func (l *pdfLexer) skipSpace() {
	for ; l.i < len(l.p); l.i++ {
		switch c := l.p[l.i]; {
		case pdfSpace(c):
		case c == '%':
			for l.i+1 < len(l.p) && l.p[l.i+1] != '\n' && l.p[l.i+1] != '\r' {
				l.i++
			}
		default:
			return
		}
	}
}

func (l *pdfLexer) next() pdfToken {
	l.skipSpace()
	if l.i >= len(l.p) {
		return pdfToken{kind: pdfEnd}
	}
	c := l.p[l.i]
	l.i++
	switch c {
	case '/':
		return pdfToken{kind: pdfName, text: l.name()}
	case '(':
		return pdfToken{kind: pdfString, text: l.literal()}
	case '[':
		return pdfToken{kind: pdfOpen, text: "["}
	case ']':
		return pdfToken{kind: pdfClose, text: "]"}
	case '<', '>':
		if l.i < len(l.p) && l.p[l.i] == c {
			l.i++
			if c == '<' {
				return pdfToken{kind: pdfOpen, text: "<<"}
			}
			return pdfToken{kind: pdfClose, text: ">>"}
		}
		if c == '<' {
			return pdfToken{kind: pdfString, text: l.hex()}
		}
		return pdfToken{kind: pdfWord, text: ">"}
	case ')', '{', '}':
		return pdfToken{kind: pdfWord, text: string(c)}
	}
	l.i--
	return l.word()
}

// word reads a keyword or number.
func (l *pdfLexer) word() pdfToken {
	start := l.i
	for l.i < len(l.p) && !pdfSpace(l.p[l.i]) && !pdfDelimiter(l.p[l.i]) {
		l.i++
	}
	p := l.p[start:min(l.i, start+maxPDFWord)]
	if n, ok := pdfInteger(p); ok {
		return pdfToken{kind: pdfInt, n: n}
	}
	return pdfToken{kind: pdfWord, text: string(p)}
}

func pdfInteger(p []byte) (n int64, ok bool) {
	negative := len(p) > 0 && p[0] == '-'
	if negative || len(p) > 0 && p[0] == '+' {
		p = p[1:]
	}
	for _, c := range p {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if negative {
		n = -n
	}
	return n, 0 < len(p) && len(p) <= 18
}

// maxPDFWord bounds the names, keywords and strings that are kept: longer ones mean nothing here.
const maxPDFWord = 1024

// name reads a name behind its slash, with #xx decoded.
func (l *pdfLexer) name() string {
	var name []byte
	for ; l.i < len(l.p) && !pdfSpace(l.p[l.i]) && !pdfDelimiter(l.p[l.i]); l.i++ {
		c := l.p[l.i]
		if c == '#' && l.i+2 < len(l.p) {
			if hi, lo := hexDigit(l.p[l.i+1]), hexDigit(l.p[l.i+2]); hi >= 0 && lo >= 0 {
				c = byte(hi<<4 | lo)
				l.i += 2
			}
		}
		if len(name) < maxPDFWord {
			name = append(name, c)
		}
	}
	return string(name)
}

// literal reads a string behind its parenthesis.
func (l *pdfLexer) literal() string {
	var s []byte
	depth := 1
	for ; l.i < len(l.p); l.i++ {
		c := l.p[l.i]
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				l.i++
				return string(s)
			}
		case '\\':
			var keep bool
			if c, keep = l.escape(); !keep {
				continue
			}
		}
		if len(s) < l.kept() {
			s = append(s, c)
		}
	}
	return string(s)
}

// escape reads what follows a backslash at l.i and stays on its last byte; keep is false for an escaped end of line.
func (l *pdfLexer) escape() (c byte, keep bool) {
	if l.i+1 >= len(l.p) {
		return 0, false
	}
	l.i++
	switch c := l.p[l.i]; c {
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	case '\r':
		if l.i+1 < len(l.p) && l.p[l.i+1] == '\n' {
			l.i++
		}
		return 0, false
	case '\n':
		return 0, false
	case '0', '1', '2', '3', '4', '5', '6', '7':
		v := int(c - '0')
		for range 2 {
			if l.i+1 < len(l.p) && '0' <= l.p[l.i+1] && l.p[l.i+1] <= '7' {
				l.i++
				v = v<<3 | int(l.p[l.i]-'0')
			}
		}
		return byte(v), true
	default:
		return c, true
	}
}

// hex reads a string behind its angle bracket.
func (l *pdfLexer) hex() string {
	var s []byte
	high := -1
	for ; l.i < len(l.p); l.i++ {
		c := l.p[l.i]
		if c == '>' {
			l.i++
			break
		}
		d := hexDigit(c)
		switch {
		case d < 0:
		case high < 0:
			high = d
		default:
			if len(s) < l.kept() {
				s = append(s, byte(high<<4|d))
			}
			high = -1
		}
	}
	if high >= 0 {
		s = append(s, byte(high<<4))
	}
	return string(s)
}

func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// pdfText decodes a text string: UTF-16 with a byte order mark, or bytes, of which the ASCII part matters here.
func pdfText(s string) string {
	if order := orderOf([]byte(s)); order != nil {
		var units []uint16
		for p := []byte(s[2:]); len(p) >= 2; p = p[2:] {
			units = append(units, order(p))
		}
		return string(utf16.Decode(units))
	}
	return strings.TrimPrefix(s, "\xef\xbb\xbf")
}
