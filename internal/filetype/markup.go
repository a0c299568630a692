package filetype

import (
	"bufio"
	"bytes"
	"html"
	"io"
	"strings"
)

// markup reads XML tag by tag, in constant memory and whatever its size. It is no parser: it does not check what is well-formed, and
// reads on where a parser would stop, since programs differ in what they forgive. Names lose their prefix.
type markup struct {
	r    *bufio.Reader
	text []byte // of a text token, or what is kept of a directive
	tag  markupTag
	room int // bytes that names and values of the tag at hand may still take
}

// markupTag is one element's start or end. Its slices are valid until the next token.
type markupTag struct {
	name  string
	attrs []markupAttr
	empty bool // ends itself
}

type markupAttr struct{ name, value string }

type markupKind byte

const (
	markupEnd markupKind = iota // of the data, or of what may be read
	markupText
	markupOpen
	markupClose
	markupDirective   // <!DOCTYPE with all that it defines
	markupInstruction // <?xml-stylesheet
)

const (
	// maxMarkupText is how much of a text is given at once, and kept of a directive or instruction.
	maxMarkupText = 32 * kib

	// maxMarkupValue is how much of the value of an attribute is kept, and maxMarkupTag of all of one tag. Longer ones are paths of
	// drawings and pictures within the text.
	maxMarkupValue = 4 * kib
	maxMarkupTag   = 256 * kib
)

// newMarkup reads XML in UTF-8, in UTF-16 with or without a byte order mark, or in an encoding whose markup is ASCII.
func newMarkup(r io.Reader) *markup {
	b := bufio.NewReaderSize(r, maxMarkupText)
	head, _ := b.Peek(4)
	order := orderOf(head)
	switch {
	case order != nil:
		b.Discard(2)
	case bytes.HasPrefix(head, []byte("<\x00")):
		order = littleEndian
	case bytes.HasPrefix(head, []byte("\x00<")):
		order = bigEndian
	}
	if order != nil {
		b = bufio.NewReaderSize(&utf16Reader{r: b, order: order}, maxMarkupText)
	}
	return &markup{r: b}
}

// next reads one token: its kind tells whether m.text or m.tag holds it.
func (m *markup) next() markupKind {
	for {
		text, err := m.r.ReadSlice('<')
		if n := len(text); n > 0 && text[n-1] == '<' {
			text = text[:n-1]
			m.r.UnreadByte()
		}
		if len(text) > 0 {
			m.text = append(m.text[:0], text...)
			return markupText
		}
		if err != nil {
			return markupEnd
		}
		m.r.ReadByte()
		if kind := m.angle(); kind != markupText {
			return kind
		} else if len(m.text) > 0 {
			return kind
		}
	}
}

// angle reads what follows "<"; an empty text stands for what is passed over.
func (m *markup) angle() markupKind {
	m.text = m.text[:0]
	head, _ := m.r.Peek(8)
	switch {
	case len(head) == 0:
		return markupEnd
	case bytes.HasPrefix(head, []byte("!--")):
		return m.passed(m.until("-->", 0))
	case string(head) == "![CDATA[":
		m.r.Discard(8)
		return m.passed(m.until("]]>", maxMarkupText))
	case head[0] == '!':
		return m.directive()
	case head[0] == '?':
		m.until("?>", maxMarkupText)
		return markupInstruction
	case head[0] == '/':
		m.r.ReadByte()
		m.element()
		return markupClose
	}
	m.element()
	return markupOpen
}

func (m *markup) passed(ended bool) markupKind {
	if !ended && len(m.text) == 0 {
		return markupEnd
	}
	return markupText
}

// until reads to the end mark and keeps up to keep bytes before it in m.text.
func (m *markup) until(mark string, keep int) (ended bool) {
	last := mark[len(mark)-1]
	tail := make([]byte, 0, 8)
	for {
		p, err := m.r.ReadSlice(last)
		m.text = append(m.text, p[:min(len(p), max(0, keep-len(m.text)))]...)
		tail = append(tail, p[max(0, len(p)-len(mark)):]...)
		tail = tail[max(0, len(tail)-len(mark)):]
		if string(tail) == mark {
			m.text = bytes.TrimSuffix(m.text, []byte(mark))
			return true
		}
		if err != nil && err != bufio.ErrBufferFull {
			return false
		}
	}
}

// directive reads <!...> with an internal subset in brackets.
func (m *markup) directive() markupKind {
	depth, quote := 0, byte(0)
	for {
		c, err := m.r.ReadByte()
		if err != nil {
			return markupDirective
		}
		if len(m.text) < maxMarkupText {
			m.text = append(m.text, c)
		}
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == '<':
			if p, _ := m.r.Peek(3); string(p) == "!--" {
				kept := m.text
				m.until("-->", 0)
				m.text = kept
			}
		case c == '>' && depth <= 0:
			return markupDirective
		}
	}
}

// element reads a tag from its name on.
func (m *markup) element() {
	m.room = maxMarkupTag
	m.tag = markupTag{attrs: m.tag.attrs[:0]}
	m.tag.name = m.name()
	for {
		c, ok := m.blank()
		switch {
		case !ok:
			return
		case c == '>':
			m.r.ReadByte()
			return
		case c == '<': // a tag that does not end
			return
		case c == '/':
			m.r.ReadByte()
			m.tag.empty = true
			continue
		case c == '=' || c == '"' || c == '\'':
			m.r.ReadByte()
			continue
		}
		m.tag.empty = false
		m.attribute()
	}
}

func (m *markup) attribute() {
	name, value := m.name(), ""
	if c, ok := m.blank(); ok && c == '=' {
		m.r.ReadByte()
		m.blank()
		value = m.value()
	}
	if m.room > 0 {
		m.tag.attrs = append(m.tag.attrs, markupAttr{name, value})
	}
	m.room -= len(name) + len(value) + 32
}

// blank skips white space and control characters, and peeks at what follows.
func (m *markup) blank() (c byte, ok bool) {
	for {
		c, err := m.r.ReadByte()
		if err != nil {
			return 0, false
		}
		if c > ' ' {
			m.r.UnreadByte()
			return c, true
		}
	}
}

// name reads a name and cuts off its prefix.
func (m *markup) name() string {
	var buf [64]byte
	name := buf[:0]
	for {
		c, err := m.r.ReadByte()
		if err != nil {
			break
		}
		if c <= ' ' || c == '=' || c == '>' || c == '/' || c == '<' || c == '"' || c == '\'' {
			m.r.UnreadByte()
			break
		}
		if c == ':' {
			name = name[:0]
		} else if len(name) < cap(buf[:]) {
			name = append(name, c)
		}
	}
	return string(name)
}

// value reads an attribute's value, with its references resolved.
func (m *markup) value() string {
	quote, err := m.r.ReadByte()
	if err != nil {
		return ""
	}
	if quote != '"' && quote != '\'' {
		m.r.UnreadByte()
		quote = 0
	}
	value := m.text[:0]
	for {
		c, err := m.r.ReadByte()
		if err != nil || c == quote {
			break
		}
		if quote == 0 && (c <= ' ' || c == '>') {
			m.r.UnreadByte()
			break
		}
		if len(value) < min(maxMarkupValue, m.room) {
			value = append(value, c)
		}
	}
	m.text = value[:0]
	if bytes.IndexByte(value, '&') >= 0 {
		return html.UnescapeString(string(value))
	}
	return string(value)
}

// attr is the value of an attribute by its name without a prefix; "" where there is none.
func (t *markupTag) attr(name string) string {
	for _, a := range t.attrs {
		if strings.EqualFold(a.name, name) {
			return a.value
		}
	}
	return ""
}

func unescape(s string) string { return html.UnescapeString(s) }

// entities tells a DOCTYPE that defines entities.
func entities(directive []byte) bool {
	return bytes.Contains(bytes.ToUpper(directive), []byte("<!ENTITY"))
}

// unfolding tells entities made of many others, or of others again and again, which double and double when they are replaced. Books and
// manuals define some that stand for a character or a file.
func unfolding(directive []byte) bool {
	nested := 0
	for _, entity := range bytes.Split(bytes.ToUpper(directive), []byte("<!ENTITY"))[1:] {
		references := min(bytes.Count(entity, []byte("&"))+bytes.Count(entity, []byte("%")), bytes.Count(entity, []byte(";")))
		if references >= 2 {
			nested++
		}
		if references > maxEntityReferences || nested > maxEntityReferences {
			return true
		}
	}
	return false
}

// maxEntityReferences is how many references the value of one entity may have, and how many entities may have more than one.
const maxEntityReferences = 8
