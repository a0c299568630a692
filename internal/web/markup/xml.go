package markup

import "strings"

func lexXML(src string, token func(class, text string)) {
	s := scanner{src: src, token: token}
	for s.at < len(src) {
		rest := src[s.at:]
		switch {
		case strings.HasPrefix(rest, "<!--"):
			s.emit(classComment, s.behind("-->", 4))
		case strings.HasPrefix(rest, "<![CDATA["):
			s.emit(classString, s.behind("]]>", 9))
		case strings.HasPrefix(rest, "<?"):
			s.emit(classTag, s.behind("?>", 2))
		case strings.HasPrefix(rest, "<!"):
			s.emit(classTag, s.behind(">", 2))
		case rest[0] == '<' && len(rest) > 1 && (rest[1] == '/' || nameByte(rest[1])):
			s.element()
		case rest[0] == '&':
			s.at++
			if end := s.run(func(c byte) bool { return c == '#' || nameByte(c) }); end < len(src) && src[end] == ';' &&
				end > s.at {
				s.at--
				s.emit(classNumber, end+1)
			}
		default:
			s.at++
		}
	}
	s.flush()
}

// element scans a tag with its attributes.
func (s *scanner) element() {
	start := s.at
	s.at += 2
	end := s.run(nameByte)
	s.at = start
	s.emit(classTag, end)
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case c == '>':
			s.emit(classTag, s.at+1)
			return
		case c == '<':
			return
		case c == '/' && s.at+1 < len(s.src) && s.src[s.at+1] == '>':
			s.emit(classTag, s.at+2)
			return
		case c == '"' || c == '\'':
			s.emit(classString, s.behind(string(c), 1))
		case nameByte(c):
			s.emit(classKey, s.run(nameByte))
		default:
			s.at++
		}
	}
}

func nameByte(c byte) bool { return wordByte(c) || c == ':' || c == '-' }
