package markup

import "strings"

// lexYAML colors line by line. Of multi-line values it recognizes only block
// scalars.
func lexYAML(src string, token func(class, text string)) {
	block := -1 // lines with more indentation belong to a block scalar
	for line := range strings.Lines(src) {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		blank := strings.TrimSpace(line) == ""
		if block >= 0 && (blank || indent > block) {
			token(classString, line)
			continue
		}
		block = -1
		s := scanner{src: line, token: token}
		if s.yamlLine() {
			block = indent
		}
	}
}

// yamlLine scans a line and reports whether it starts a block scalar.
func (s *scanner) yamlLine() (block bool) {
	if strings.HasPrefix(s.src, "---") || strings.HasPrefix(s.src, "...") || s.src[0] == '%' {
		s.emit(classTag, s.lineEnd())
		s.at = len(s.src)
		s.flush()
		return false
	}
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case c == '#' && (s.at == 0 || space(s.src[s.at-1])):
			s.emit(classComment, s.lineEnd())
		case c == '"' || c == '\'':
			end := s.yamlQuoted(c)
			s.emit(yamlClass(s.src, end, classString), end)
		case (c == '&' || c == '*' || c == '!') && (s.at == 0 || !wordByte(s.src[s.at-1])):
			s.emit(classTag, s.run(func(c byte) bool {
				return c == '&' || c == '*' || c == '!' || c == '/' || nameByte(c)
			}))
		case c == '|' || c == '>':
			rest := strings.TrimSpace(s.src[s.at+1 : min(s.at+80, len(s.src))])
			if i := strings.IndexByte(rest, '#'); i >= 0 {
				rest = strings.TrimSpace(rest[:i])
			}
			block = strings.Trim(rest, "+-0123456789") == ""
			s.at++
			if !block {
				s.plain()
			}
		case wordByte(c) || c == '-' && s.at+1 < len(s.src) && !space(s.src[s.at+1]) ||
			strings.IndexByte("+/<=~$@", c) >= 0:
			s.plain()
		default:
			s.at++
		}
	}
	s.flush()
	return block
}

// plain scans an unquoted scalar.
func (s *scanner) plain() {
	end := s.at
	for end < len(s.src) && s.src[end] != '\n' {
		c := s.src[end]
		next := byte('\n')
		if end+1 < len(s.src) {
			next = s.src[end+1]
		}
		if c == ':' && space(next) || space(c) && next == '#' || strings.IndexByte(",[]{}", c) >= 0 {
			break
		}
		end++
	}
	text := strings.TrimSpace(s.src[s.at:end])
	class := ""
	switch {
	case len(text) > 0 && strings.Trim(text, "0123456789._+-xabcdefABCDEF:") == "" &&
		strings.ContainsAny(text, "0123456789"):
		class = classNumber
	case yamlWord[strings.ToLower(text)]:
		class = classNumber
	}
	if class = yamlClass(s.src, end, class); class == "" {
		s.at = end
		return
	}
	s.emit(class, end)
}

var yamlWord = map[string]bool{"true": true, "false": true, "yes": true, "no": true, "on": true, "off": true,
	"null": true, "~": true}

// yamlClass returns the class of a scalar that ends at an offset. It is a key
// if a colon follows.
func yamlClass(line string, end int, class string) string {
	if end+1 < len(line) && line[end] == ':' && space(line[end+1]) || end+1 == len(line) && line[end] == ':' {
		return classKey
	}
	return class
}

// yamlQuoted returns the offset after a quoted text. Double quotes use
// backslash escapes. Single quotes are escaped by doubling.
func (s *scanner) yamlQuoted(quote byte) int {
	if quote == '"' {
		return s.quoted(quote, true)
	}
	if i := strings.IndexByte(s.src[s.at+1:], quote); i >= 0 {
		return s.at + 1 + i + 1
	}
	return len(s.src)
}
