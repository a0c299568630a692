package inspect

import (
	"bytes"
	"errors"
	"io"
	"regexp"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/text"
)

// doctype holds a page of XML whose DOCTYPE declares what its text does not
// show: an entity that unfolds to a field for a password, or an attribute that
// elements have unasked. Names of namespaces, which drawing programs declare,
// are nothing of the kind.
func (z *inspection) doctype(s *filetype.Source) {
	text, _ := text.TextReader(s)
	head := make([]byte, filetype.MaxProlog)
	n, err := io.ReadFull(text, head)
	all := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if declares(head[:n], all) {
		z.facts.HoldAbout(filetype.HoldNotFullyInspected, "DOCTYPE")
	}
}

// namespaceEntity declares a name for an address.
var namespaceEntity = regexp.MustCompile(`^<!ENTITY\s+[\w.-]+\s+(?:"https?://[^"<&%]*"|'https?://[^'<&%]*')\s*>`)

// declares reads what comes before the root element. Whatever it cannot follow
// to the root, when there is more than it was given, counts as a declaration.
func declares(text []byte, all bool) bool {
	if bytes.ContainsAny(text, "\x00\x1b") {
		return true // an encoding in which a word can be written in other ways
	}
	for {
		text = bytes.TrimLeft(text, " \t\r\n")
		switch {
		case bytes.HasPrefix(text, []byte("<?")):
			text = beyond(text, "?>")
		case bytes.HasPrefix(text, []byte("<!--")):
			text = beyond(text[4:], "-->")
		case bytes.HasPrefix(text, []byte("<!DOCTYPE")):
			subset, ok := subsetOf(text)
			if !ok {
				return !all
			}
			return declaring(subset, all)
		default:
			return !all && len(text) < len("<!DOCTYPE")
		}
	}
}

// beyond is what follows the first of a mark; nothing, where there is none.
func beyond(text []byte, mark string) []byte {
	_, after, _ := bytes.Cut(text, []byte(mark))
	return after
}

// subsetOf is a DOCTYPE from behind its opening bracket on, or its end when it
// has none. ok is false when it has neither.
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

// declaring reports whether the inner part of a DOCTYPE declares anything but
// names for addresses.
func declaring(subset []byte, all bool) bool {
	for {
		subset = bytes.TrimLeft(subset, " \t\r\n")
		harmless := namespaceEntity.Find(subset)
		switch {
		case harmless != nil:
			subset = subset[len(harmless):]
		case bytes.HasPrefix(subset, []byte("<!--")):
			subset = beyond(subset[4:], "-->")
		case bytes.HasPrefix(subset, []byte("]")):
			return false
		default:
			return len(subset) > 0 || !all
		}
	}
}
