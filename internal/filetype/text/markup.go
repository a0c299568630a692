package text

import (
	"bufio"
	"bytes"
	"html"
	"io"
	"strings"

	"vitrine/internal/filetype"
)

// Markup reads XML tag by tag in constant memory, regardless of its size. It is
// not a parser: it does not check well-formedness and continues where a parser
// would stop, because programs differ in what they tolerate. Names lose their
// prefix.
type Markup struct {
	r    *bufio.Reader
	Text []byte // of a text token; the stored part of a directive
	Tag  MarkupTag
	// Entities are texts by the names with which attribute values refer to
	// them.
	Entities map[string]string
	room     int // bytes that names and values of the current tag may still take
}

// MarkupTag is the start or end of an element. Its slices are valid until the
// next token.
type MarkupTag struct {
	Name  string
	Attrs []markupAttr
	Empty bool // an empty-element tag
}

type markupAttr struct{ name, Value string }

type markupKind byte

const (
	MarkupEnd markupKind = iota // end of the data, or of what may be read
	MarkupText
	MarkupOpen
	MarkupClose
	MarkupDirective   // <!DOCTYPE with its definitions
	markupInstruction // <?xml-stylesheet
)

const (
	// MaxMarkupText is how much text is returned at once, and stored of a
	// directive or instruction.
	MaxMarkupText = 32 * filetype.KiB

	// MaxMarkupValue is how much of an attribute value is stored, MaxMarkupTag
	// of a whole tag. Longer values are paths in drawings and inline pictures.
	MaxMarkupValue = 4 * filetype.KiB
	MaxMarkupTag   = 256 * filetype.KiB
)

// NewMarkup reads XML in UTF-8, in UTF-16 with or without a byte order mark, or
// in an ASCII-compatible encoding.
func NewMarkup(r io.Reader) *Markup {
	b := bufio.NewReaderSize(r, MaxMarkupText)
	head, _ := b.Peek(4)
	order := OrderOf(head)
	switch {
	case order != nil:
		b.Discard(2)
	case bytes.HasPrefix(head, []byte("<\x00")):
		order = littleEndian
	case bytes.HasPrefix(head, []byte("\x00<")):
		order = bigEndian
	}
	if order != nil {
		b = bufio.NewReaderSize(&utf16Reader{r: b, order: order}, MaxMarkupText)
	}
	return &Markup{r: b}
}

// Next reads a token. Its kind determines whether m.Text or m.Tag holds it.
func (m *Markup) Next() markupKind {
	for {
		text, err := m.r.ReadSlice('<')
		if n := len(text); n > 0 && text[n-1] == '<' {
			text = text[:n-1]
			m.r.UnreadByte()
		}
		if len(text) > 0 {
			m.Text = append(m.Text[:0], text...)
			return MarkupText
		}
		if err != nil {
			return MarkupEnd
		}
		m.r.ReadByte()
		if kind := m.angle(); kind != MarkupText {
			return kind
		} else if len(m.Text) > 0 {
			return kind
		}
	}
}

// angle reads what follows "<". It returns an empty text for what is skipped.
func (m *Markup) angle() markupKind {
	m.Text = m.Text[:0]
	head, _ := m.r.Peek(8)
	switch {
	case len(head) == 0:
		return MarkupEnd
	case bytes.HasPrefix(head, []byte("!--")):
		return m.passed(m.until("-->", 0))
	case string(head) == "![CDATA[":
		m.r.Discard(8)
		return m.passed(m.until("]]>", MaxMarkupText))
	case head[0] == '!':
		return m.directive()
	case head[0] == '?':
		m.until("?>", MaxMarkupText)
		return markupInstruction
	case head[0] == '/':
		m.r.ReadByte()
		m.element()
		return MarkupClose
	}
	m.element()
	return MarkupOpen
}

func (m *Markup) passed(ended bool) markupKind {
	if !ended && len(m.Text) == 0 {
		return MarkupEnd
	}
	return MarkupText
}

// until reads up to the end mark and stores up to keep bytes before it in
// m.Text.
func (m *Markup) until(mark string, keep int) (ended bool) {
	last := mark[len(mark)-1]
	tail := make([]byte, 0, 8)
	for {
		p, err := m.r.ReadSlice(last)
		m.Text = append(m.Text, p[:min(len(p), max(0, keep-len(m.Text)))]...)
		tail = append(tail, p[max(0, len(p)-len(mark)):]...)
		tail = tail[max(0, len(tail)-len(mark)):]
		if string(tail) == mark {
			m.Text = bytes.TrimSuffix(m.Text, []byte(mark))
			return true
		}
		if err != nil && err != bufio.ErrBufferFull {
			return false
		}
	}
}

// directive reads <!...> with an internal subset in brackets.
func (m *Markup) directive() markupKind {
	depth, quote := 0, byte(0)
	for {
		c, err := m.r.ReadByte()
		if err != nil {
			return MarkupDirective
		}
		if len(m.Text) < MaxMarkupText {
			m.Text = append(m.Text, c)
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
				kept := m.Text
				m.until("-->", 0)
				m.Text = kept
			}
		case c == '>' && depth <= 0:
			return MarkupDirective
		}
	}
}

// element reads a tag from its name on.
func (m *Markup) element() {
	m.room = MaxMarkupTag
	m.Tag = MarkupTag{Attrs: m.Tag.Attrs[:0]}
	m.Tag.Name = m.name()
	for {
		c, ok := m.blank()
		switch {
		case !ok:
			return
		case c == '>':
			m.r.ReadByte()
			return
		case c == '<': // an unterminated tag
			return
		case c == '/':
			m.r.ReadByte()
			m.Tag.Empty = true
			continue
		case c == '=' || c == '"' || c == '\'':
			m.r.ReadByte()
			continue
		}
		m.Tag.Empty = false
		m.attribute()
	}
}

func (m *Markup) attribute() {
	name, value := m.name(), ""
	if c, ok := m.blank(); ok && c == '=' {
		m.r.ReadByte()
		m.blank()
		value = m.value()
	}
	if m.room > 0 {
		m.Tag.Attrs = append(m.Tag.Attrs, markupAttr{name, value})
	}
	m.room -= len(name) + len(value) + 32
}

// blank skips white space and control characters, and returns the next
// character without reading it.
func (m *Markup) blank() (c byte, ok bool) {
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

// name reads a name and removes its prefix.
func (m *Markup) name() string {
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

// value reads an attribute value and resolves its references.
func (m *Markup) value() string {
	quote, err := m.r.ReadByte()
	if err != nil {
		return ""
	}
	if quote != '"' && quote != '\'' {
		m.r.UnreadByte()
		quote = 0
	}
	value := m.Text[:0]
	for {
		c, err := m.r.ReadByte()
		if err != nil || c == quote {
			break
		}
		if quote == 0 && (c <= ' ' || c == '>') {
			m.r.UnreadByte()
			break
		}
		if len(value) < min(MaxMarkupValue, m.room) {
			value = append(value, c)
		}
	}
	m.Text = value[:0]
	if bytes.IndexByte(value, '&') < 0 {
		return string(value)
	}
	return html.UnescapeString(m.resolve(string(value)))
}

// resolve replaces references to the entities of the document.
func (m *Markup) resolve(value string) string {
	if len(m.Entities) == 0 {
		return value
	}
	return reference().ReplaceAllStringFunc(value, func(name string) string {
		if text, ok := m.Entities[name[1:len(name)-1]]; ok {
			return text
		}
		return name
	})
}

var reference = pattern(`&[A-Za-z_][A-Za-z0-9_.-]*;`)

// Attr returns the value of an attribute by its name without a prefix, or "".
func (t *MarkupTag) Attr(name string) string {
	for _, a := range t.Attrs {
		if strings.EqualFold(a.name, name) {
			return a.Value
		}
	}
	return ""
}

// Unescape returns a text with its HTML character references resolved.
func Unescape(s string) string { return html.UnescapeString(s) }

// Entities reports whether a DOCTYPE defines entities.
func Entities(directive []byte) bool {
	return bytes.Contains(bytes.ToUpper(directive), []byte("<!ENTITY"))
}

// IsEntityBomb reports whether entities consist of many others, directly or
// repeatedly, so that they grow exponentially when they are replaced. Books and
// manuals define some that stand for a character or a file.
func IsEntityBomb(directive []byte) bool {
	nested := 0
	for _, entity := range bytes.Split(bytes.ToUpper(directive), []byte("<!ENTITY"))[1:] {
		references := min(bytes.Count(entity, []byte("&"))+bytes.Count(entity, []byte("%")),
			bytes.Count(entity, []byte(";")))
		if references >= 2 {
			nested++
		}
		if references > maxEntityReferences || nested > maxEntityReferences {
			return true
		}
	}
	return false
}

// maxEntityReferences is the most references in the value of an entity, and the
// most entities with more than one.
const maxEntityReferences = 8
