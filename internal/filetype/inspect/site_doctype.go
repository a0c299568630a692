package inspect

import (
	"bytes"
	"errors"
	"io"
	"regexp"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/text"
)

// doctype holds an XML page whose DOCTYPE declares what the text does not show:
// an entity that expands to a password field, or an attribute with a default
// value. Entities for namespaces, which drawing programs declare, are allowed.
func (z *inspection) doctype(s *filetype.Source) {
	text := text.TextReader(s)
	head := make([]byte, filetype.MaxProlog)
	n, err := io.ReadFull(text, head)
	all := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if checkProlog(head[:n], all) {
		z.facts.HoldAbout(filetype.HoldNotFullyInspected, "DOCTYPE")
	}
}

// namespaceEntity matches an entity that stands for an address.
var namespaceEntity = regexp.MustCompile(`^<!ENTITY\s+[\w.-]+\s+(?:"https?://[^"<&%]*"|'https?://[^'<&%]*')\s*>`)

// checkProlog checks what precedes the root element. If it cannot follow the
// text to the root and all is false, it assumes a declaration.
func checkProlog(text []byte, all bool) bool {
	if bytes.ContainsAny(text, "\x00\x1b") {
		return true // words can be written in other ways in this encoding
	}
	for {
		text = bytes.TrimLeft(text, " \t\r\n")
		switch {
		case bytes.HasPrefix(text, []byte("<?")):
			text = textAfter(text, "?>")
		case bytes.HasPrefix(text, []byte("<!--")):
			text = textAfter(text[4:], "-->")
		case bytes.HasPrefix(text, []byte("<!DOCTYPE")):
			subset, ok := subsetOf(text)
			if !ok {
				return !all
			}
			return declaresMore(subset, all)
		default:
			return !all && len(text) < len("<!DOCTYPE")
		}
	}
}

// textAfter returns what follows the first occurrence of mark, or nil.
func textAfter(text []byte, mark string) []byte {
	_, after, _ := bytes.Cut(text, []byte(mark))
	return after
}

// subsetOf returns a DOCTYPE from after its opening bracket, or its end if it
// has none. It reports false if it has neither.
func subsetOf(text []byte) (subset []byte, ok bool) {
	quote := byte(0)
	for i, c := range text {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"', c == '\'':
			quote = c
		case c == '[':
			return text[i+1:], true
		case c == '>':
			return []byte("]"), true
		}
	}
	return nil, false
}

// declaresMore reports whether the internal subset of a DOCTYPE declares
// anything but entities for addresses.
func declaresMore(subset []byte, all bool) bool {
	for {
		subset = bytes.TrimLeft(subset, " \t\r\n")
		harmless := namespaceEntity.Find(subset)
		switch {
		case harmless != nil:
			subset = subset[len(harmless):]
		case bytes.HasPrefix(subset, []byte("<!--")):
			subset = textAfter(subset[4:], "-->")
		case bytes.HasPrefix(subset, []byte("]")):
			return false
		default:
			return len(subset) > 0 || !all
		}
	}
}
