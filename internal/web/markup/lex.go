package markup

import "strings"

// lexer splits source into tokens with a class. The concatenated tokens equal
// the source. It runs in linear time for any source. An unclosed quote or
// comment extends to the end.
type lexer func(src string, token func(class, text string))

// Classes of tokens. "" means no color.
const (
	classKey     = "t-key" // names of members and attributes
	classString  = "t-string"
	classNumber  = "t-number" // also true, null and other plain values
	classComment = "t-comment"
	classTag     = "t-tag" // elements, anchors, directives
)

// lexers are by lower-case extension or language name.
var lexers = lexersByName(map[string]lexer{
	"json jsonc json5":     lexJSON,
	"xml html svg htm xsl": lexXML,
	"yaml yml":             lexYAML,
	"go c h cpp cc c++ cs csharp java js javascript jsx ts typescript tsx rust rs swift kotlin kt scala dart php css": lexLoose("//", true),
	"sh bash zsh shell console python py ruby rb toml ini make makefile dockerfile r perl nix hcl terraform":          lexLoose("#", false),
	"sql lua haskell hs": lexLoose("--", false),
})

func lexersByName(byNames map[string]lexer) map[string]lexer {
	byName := map[string]lexer{}
	for names, lex := range byNames {
		for name := range strings.FieldsSeq(names) {
			byName[name] = lex
		}
	}
	return byName
}

// lexLoose colors elements that most languages share: quotes, numbers,
// comments.
func lexLoose(comment string, blocks bool) lexer {
	return func(src string, token func(class, text string)) {
		s := scanner{src: src, token: token}
		for s.at < len(src) {
			c := src[s.at]
			switch {
			case strings.HasPrefix(src[s.at:], comment) && (comment != "#" || s.at == 0 || space(src[s.at-1])):
				s.emit(classComment, s.lineEnd())
			case blocks && strings.HasPrefix(src[s.at:], "/*"):
				s.emit(classComment, s.behind("*/", 2))
			case c == '"' || c == '`' && blocks:
				s.emit(classString, s.quoted(c, c == '`'))
			case c == '\'':
				s.emit(classString, s.quoted(c, false))
			case digit(c):
				s.emit(classNumber, s.run(wordByte))
			case wordByte(c):
				s.at = s.run(wordByte)
			default:
				s.at++
			}
		}
		s.flush()
	}
}

// scanner scans source. Text that is passed without emit is plain.
type scanner struct {
	src   string
	from  int // start of the text not emitted yet
	at    int
	token func(class, text string)
}

func (s *scanner) flush() {
	if s.from < s.at {
		s.token("", s.src[s.from:s.at])
	}
	s.from = s.at
}

// emit emits the text up to an offset as a token.
func (s *scanner) emit(class string, end int) {
	s.flush()
	if end > s.at {
		s.token(class, s.src[s.at:end])
	}
	s.from, s.at = end, end
}

// behind returns the offset after the next occurrence of text, or the end of
// the source. The search starts from bytes after the current position.
func (s *scanner) behind(text string, from int) int {
	from = min(s.at+from, len(s.src))
	if i := strings.Index(s.src[from:], text); i >= 0 {
		return from + i + len(text)
	}
	return len(s.src)
}

func (s *scanner) lineEnd() int {
	if i := strings.IndexByte(s.src[s.at:], '\n'); i >= 0 {
		return s.at + i
	}
	return len(s.src)
}

// quoted returns the offset after the quoted text at the current position. A
// backslash escapes the next character. If lines is false, the text ends at the
// line end.
func (s *scanner) quoted(quote byte, lines bool) int {
	for i := s.at + 1; i < len(s.src); i++ {
		switch s.src[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		case '\n':
			if !lines {
				return i
			}
		}
	}
	return len(s.src)
}

// run returns the offset after the bytes that match of.
func (s *scanner) run(of func(byte) bool) int {
	i := s.at
	for i < len(s.src) && of(s.src[i]) {
		i++
	}
	return i
}

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }
func digit(c byte) bool { return c >= '0' && c <= '9' }

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || digit(c) || c == '_' || c == '.' || c >= 0x80
}
