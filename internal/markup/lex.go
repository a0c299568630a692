package markup

import "strings"

// lexer splits source into tokens of a class, one behind the other: together
// they are the source. It reads on from each byte once, so that its time is
// linear whatever the source is; a quote or comment that nothing closes lasts
// to the end.
type lexer func(src string, token func(class, text string))

// Classes of tokens; "" is what has no color.
const (
	classKey     = "t-key" // names of members, attributes
	classString  = "t-string"
	classNumber  = "t-number" // and what else is a value by itself: true, null
	classComment = "t-comment"
	classTag     = "t-tag" // elements, anchors, directives
)

// lexers by extension or name of a language, lower case.
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

// lexLoose colors what most languages share: quotes, numbers, comments.
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

// scanner walks source. What is passed without being emitted is plain.
type scanner struct {
	src   string
	from  int // where what is not emitted yet begins
	at    int
	token func(class, text string)
}

func (s *scanner) flush() {
	if s.from < s.at {
		s.token("", s.src[s.from:s.at])
	}
	s.from = s.at
}

// emit makes a token of what is between here and an offset.
func (s *scanner) emit(class string, end int) {
	s.flush()
	if end > s.at {
		s.token(class, s.src[s.at:end])
	}
	s.from, s.at = end, end
}

// behind returns the offset behind the next occurrence of text, sought some
// bytes from here; the end if there is none.
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

// quoted returns the offset behind a quoted text that begins here, in which a
// backslash takes away the meaning of what follows.
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

// run returns the offset behind the bytes from here on that are of a kind.
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
