package pdf

import (
	"strings"
	"unicode/utf16"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/text"
)

// pdfKind is the kind of a token.
type pdfKind byte

const (
	PdfEnd pdfKind = iota // of the data
	pdfName
	PdfInt
	pdfString
	pdfOpen  // << or [
	pdfClose // >> or ]
	pdfWord  // a keyword, a real number, anything else
)

type pdfToken struct {
	Kind pdfKind
	Text string // a name decoded, a string's bytes, a word; "<<", "[" and their ends
	N    int64
}

// Lexer reads PDF tokens from memory. It never fails: anything unknown becomes
// a word.
type Lexer struct {
	P    []byte
	I    int
	keep int // longest stored string in bytes; 0 means maxPDFWord
}

// kept returns the longest stored string in bytes.
func (l *Lexer) kept() int {
	if l.keep > 0 {
		return l.keep
	}
	return maxPDFWord
}

func pdfSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func pdfDelimiter(c byte) bool { return strings.IndexByte("()<>[]{}/%", c) >= 0 }

func (l *Lexer) skipSpace() {
	for ; l.I < len(l.P); l.I++ {
		switch c := l.P[l.I]; {
		case pdfSpace(c):
		case c == '%':
			for l.I+1 < len(l.P) && l.P[l.I+1] != '\n' && l.P[l.I+1] != '\r' {
				l.I++
			}
		default:
			return
		}
	}
}

// Next returns the next token of the text.
func (l *Lexer) Next() pdfToken {
	l.skipSpace()
	if l.I >= len(l.P) {
		return pdfToken{Kind: PdfEnd}
	}
	c := l.P[l.I]
	l.I++
	switch c {
	case '/':
		return pdfToken{Kind: pdfName, Text: l.name()}
	case '(':
		return pdfToken{Kind: pdfString, Text: l.literal()}
	case '[':
		return pdfToken{Kind: pdfOpen, Text: "["}
	case ']':
		return pdfToken{Kind: pdfClose, Text: "]"}
	case '<', '>':
		if l.I < len(l.P) && l.P[l.I] == c {
			l.I++
			if c == '<' {
				return pdfToken{Kind: pdfOpen, Text: "<<"}
			}
			return pdfToken{Kind: pdfClose, Text: ">>"}
		}
		if c == '<' {
			return pdfToken{Kind: pdfString, Text: l.hex()}
		}
		return pdfToken{Kind: pdfWord, Text: ">"}
	case ')', '{', '}':
		return pdfToken{Kind: pdfWord, Text: string(c)}
	}
	l.I--
	return l.word()
}

// word reads a keyword or number.
func (l *Lexer) word() pdfToken {
	start := l.I
	for l.I < len(l.P) && !pdfSpace(l.P[l.I]) && !pdfDelimiter(l.P[l.I]) {
		l.I++
	}
	p := l.P[start:min(l.I, start+maxPDFWord)]
	if n, ok := filetype.PdfInteger(p); ok {
		return pdfToken{Kind: PdfInt, N: n}
	}
	return pdfToken{Kind: pdfWord, Text: string(p)}
}

// maxPDFWord bounds the stored names, keywords and strings. Longer ones are
// irrelevant.
const maxPDFWord = 1024

// name reads a name after its slash and decodes #xx.
func (l *Lexer) name() string {
	var name []byte
	for ; l.I < len(l.P) && !pdfSpace(l.P[l.I]) && !pdfDelimiter(l.P[l.I]); l.I++ {
		c := l.P[l.I]
		if c == '#' && l.I+2 < len(l.P) {
			if hi, lo := filetype.HexDigit(l.P[l.I+1]), filetype.HexDigit(l.P[l.I+2]); hi >= 0 && lo >= 0 {
				c = byte(hi<<4 | lo)
				l.I += 2
			}
		}
		if len(name) < maxPDFWord {
			name = append(name, c)
		}
	}
	return string(name)
}

// literal reads a string after its parenthesis.
func (l *Lexer) literal() string {
	var s []byte
	depth := 1
	for ; l.I < len(l.P); l.I++ {
		c := l.P[l.I]
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				l.I++
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

// escape reads what follows a backslash at l.i and stops at its last byte. keep
// is false for an escaped end of line.
func (l *Lexer) escape() (c byte, keep bool) {
	if l.I+1 >= len(l.P) {
		return 0, false
	}
	l.I++
	switch c := l.P[l.I]; c {
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
		if l.I+1 < len(l.P) && l.P[l.I+1] == '\n' {
			l.I++
		}
		return 0, false
	case '\n':
		return 0, false
	case '0', '1', '2', '3', '4', '5', '6', '7':
		v := int(c - '0')
		for range 2 {
			if l.I+1 < len(l.P) && '0' <= l.P[l.I+1] && l.P[l.I+1] <= '7' {
				l.I++
				v = v<<3 | int(l.P[l.I]-'0')
			}
		}
		return byte(v), true
	default:
		return c, true
	}
}

// hex reads a string after its angle bracket.
func (l *Lexer) hex() string {
	var s []byte
	high := -1
	for ; l.I < len(l.P); l.I++ {
		c := l.P[l.I]
		if c == '>' {
			l.I++
			break
		}
		d := filetype.HexDigit(c)
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

// pdfText decodes a text string: UTF-16 with a byte order mark, or bytes. Only
// ASCII bytes matter here.
func pdfText(s string) string {
	if order := text.OrderOf([]byte(s)); order != nil {
		var units []uint16
		for p := []byte(s[2:]); len(p) >= 2; p = p[2:] {
			units = append(units, order(p))
		}
		return string(utf16.Decode(units))
	}
	return strings.TrimPrefix(s, "\xef\xbb\xbf")
}
