package markup

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
)

const (
	longLine  = 400 // bytes; JSON with longer lines is indented
	onlyLine  = 80  // bytes; so is JSON of one longer line
	jsonSpace = "  "
)

// showJSON indents minified JSON. For invalid JSON it returns a note with the
// position of the error.
func showJSON(src string, cut bool) (shown, note string) {
	var whole json.RawMessage
	err := json.Unmarshal([]byte(src), &whole)
	var syntax *json.SyntaxError
	ended := errors.As(err, &syntax) && syntax.Offset >= int64(len(src)) &&
		strings.Contains(syntax.Error(), "unexpected end")
	switch {
	case err == nil:
	case ended && cut:
	case ended:
		note = "The JSON ends before it is complete."
	case syntax != nil:
		line, column := position(src, int(syntax.Offset)-1)
		return src, fmt.Sprintf("Not valid JSON: line %s, column %s.", humanize.Comma(line), humanize.Comma(column))
	default:
		return src, "Not valid JSON."
	}
	most := longLine
	if !strings.Contains(strings.TrimSpace(src), "\n") {
		most = onlyLine
	}
	for line := range strings.Lines(src) {
		if len(line) > most {
			return indentJSON(src), note
		}
	}
	return src, note
}

// position returns the line and column of a byte offset, from 1. Columns count
// characters.
func position(src string, offset int) (line, column int64) {
	before := src[:min(max(offset, 0), len(src))]
	start := strings.LastIndexByte(before, '\n') + 1
	return int64(strings.Count(before, "\n")) + 1, int64(len([]rune(before[start:]))) + 1
}

// indentJSON puts each member and element on its own line. It does not change
// tokens. It returns JSON that is nested too deeply unchanged, to limit the
// size of the indentation.
func indentJSON(src string) string {
	var b strings.Builder
	most, depth, opened := 8*len(src)+64<<10, 0, false
	newline := func() {
		b.WriteByte('\n')
		for range depth {
			b.WriteString(jsonSpace)
		}
	}
	tooLarge := false
	lexJSON(src, func(_, text string) {
		if text[0] == '"' {
			if opened {
				newline()
				opened = false
			}
			b.WriteString(text)
			return
		}
		for i := 0; i < len(text) && !tooLarge; i++ {
			c := text[i]
			if space(c) {
				continue
			}
			if opened && c != ']' && c != '}' {
				newline()
			}
			switch c {
			case '{', '[':
				depth++
			case '}', ']':
				depth = max(depth-1, 0)
				if !opened {
					newline()
				}
			}
			opened = c == '{' || c == '['
			b.WriteByte(c)
			switch c {
			case ',':
				newline()
			case ':':
				b.WriteByte(' ')
			}
			tooLarge = b.Len() > most || depth > 1000
		}
	})
	if tooLarge {
		return src
	}
	return b.String()
}

func lexJSON(src string, token func(class, text string)) {
	s := scanner{src: src, token: token}
	for s.at < len(src) {
		switch c := src[s.at]; {
		case c == '"':
			end := s.quoted('"', false)
			class, after := classString, end
			for after < len(src) && space(src[after]) {
				after++
			}
			if after < len(src) && src[after] == ':' {
				class = classKey
			}
			s.emit(class, end)
			s.at = after // scan white space only once
		case c == '-' || c == '+' || wordByte(c):
			s.emit(classNumber, s.run(func(c byte) bool { return c == '-' || c == '+' || wordByte(c) }))
		case c == '/' && strings.HasPrefix(src[s.at:], "//"):
			s.emit(classComment, s.lineEnd())
		case c == '/' && strings.HasPrefix(src[s.at:], "/*"):
			s.emit(classComment, s.behind("*/", 2))
		default:
			s.at++
		}
	}
	s.flush()
}
