package importer

import (
	"hash/maphash"
	"strconv"
	"unicode/utf8"
)

// openParser reads lines into importedOpens.
//
// The plain form that programs write is read here: the members of the format,
// none null, strings without escapes, numbers without sign and exponent. That
// takes a fourth of the time of json.Unmarshal; reading the tokens alone with
// jsontext takes longer. Every other line, so also every wrong one, goes to
// json.Unmarshal: its language and its errors hold for all.
type openParser struct {
	open    importedOpen // the last line's; its pointers lead to what follows
	session importedSession
	pages   []importedPage

	engaged, present        int64
	played, reached, scroll float64

	line  []byte
	at    int // the place in it up to which it is read
	words *wordCache
}

// parse reads a line. What it returns is good until the next call, but for its
// strings, which are nobody else's.
func (p *openParser) parse(b []byte) (*importedOpen, error) {
	if p.plain(b) {
		return &p.open, nil
	}
	p.open = importedOpen{}
	return &p.open, decodeLine(b, &p.open)
}

// plain reports whether it could read the line.
func (p *openParser) plain(b []byte) bool {
	p.line, p.at, p.open = b, 0, importedOpen{}
	if !p.object((*openParser).openMember) {
		return false
	}
	p.blank()
	return p.at == len(p.line)
}

// object reads an object. member reads the value of a member by its name and
// returns a bit of its own, 0 if it could not: no member may stand twice.
func (p *openParser) object(member func(p *openParser, name []byte) uint) bool {
	if !p.take('{') {
		return false
	}
	if p.take('}') {
		return true
	}
	var seen uint
	for {
		name, ok := p.quoted()
		if !ok || !p.take(':') {
			return false
		}
		bit := member(p, name)
		if bit == 0 || seen&bit != 0 {
			return false
		}
		seen |= bit
		if !p.take(',') {
			return p.take('}')
		}
	}
}

func (p *openParser) openMember(name []byte) uint {
	var bit uint
	var ok bool
	o := &p.open
	switch string(name) {
	case "slug":
		bit, ok = 1<<0, p.word(&o.Slug)
	case "at":
		bit, ok = 1<<1, p.text(&o.At)
	case "viewer":
		bit, ok = 1<<2, p.text(&o.Viewer)
	case "country":
		bit, ok = 1<<3, p.word(&o.Country)
	case "city":
		bit, ok = 1<<4, p.word(&o.City)
	case "referrer":
		bit, ok = 1<<5, p.word(&o.Referrer)
	case "source":
		bit, ok = 1<<6, p.word(&o.Source)
	case "device":
		bit, ok = 1<<7, p.word(&o.Device)
	case "browser":
		bit, ok = 1<<8, p.word(&o.Browser)
	case "os":
		bit, ok = 1<<9, p.word(&o.OS)
	case "bot":
		bit, ok = 1<<10, p.truth(&o.Bot)
	case "qr":
		bit, ok = 1<<11, p.truth(&o.QR)
	case "returning":
		bit, ok = 1<<12, p.truth(&o.Returning)
	case "session":
		p.session = importedSession{}
		o.Session = &p.session
		bit, ok = 1<<13, p.object((*openParser).sessionMember)
	}
	if !ok {
		return 0
	}
	return bit
}

func (p *openParser) sessionMember(name []byte) uint {
	var bit uint
	var ok bool
	s := &p.session
	switch string(name) {
	case "engagedMs":
		s.EngagedMs = &p.engaged
		bit, ok = 1<<0, p.whole(s.EngagedMs)
	case "presentMs":
		s.PresentMs = &p.present
		bit, ok = 1<<1, p.whole(s.PresentMs)
	case "screen":
		bit, ok = 1<<2, p.word(&s.Screen)
	case "downloaded":
		bit, ok = 1<<3, p.truth(&s.Downloaded)
	case "pages":
		bit, ok = 1<<4, p.pageList()
	case "playedPct":
		s.PlayedPct = &p.played
		bit, ok = 1<<5, p.number(s.PlayedPct)
	case "reachedPct":
		s.ReachedPct = &p.reached
		bit, ok = 1<<6, p.number(s.ReachedPct)
	case "scrollPct":
		s.ScrollPct = &p.scroll
		bit, ok = 1<<7, p.number(s.ScrollPct)
	}
	if !ok {
		return 0
	}
	return bit
}

func (p *openParser) pageList() bool {
	p.pages = p.pages[:0]
	if !p.take('[') {
		return false
	}
	for more := !p.take(']'); more; {
		p.pages = append(p.pages, importedPage{})
		if !p.object((*openParser).pageMember) {
			return false
		}
		if more = p.take(','); !more && !p.take(']') {
			return false
		}
	}
	p.session.Pages = p.pages
	return true
}

func (p *openParser) pageMember(name []byte) uint {
	page := &p.pages[len(p.pages)-1]
	switch string(name) {
	case "page":
		var n int64
		if p.whole(&n) {
			page.Page = int(n)
			return 1
		}
	case "ms":
		if p.whole(&page.Ms) {
			return 2
		}
	}
	return 0
}

// blank passes over white space.
func (p *openParser) blank() {
	for p.at < len(p.line) && (p.line[p.at] == ' ' || p.line[p.at] == '\t' || p.line[p.at] == '\r' || p.line[p.at] == '\n') {
		p.at++
	}
}

// take passes over white space and then c, if it is there.
func (p *openParser) take(c byte) bool {
	if p.next() != c {
		p.blank()
		if p.next() != c {
			return false
		}
	}
	p.at++
	return true
}

// next is the byte at p.at; 0, which is in no plain line, at the end.
func (p *openParser) next() byte {
	if p.at < len(p.line) {
		return p.line[p.at]
	}
	return 0
}

// quoted reads a string without escapes.
func (p *openParser) quoted() ([]byte, bool) {
	if !p.take('"') {
		return nil, false
	}
	rest := p.line[p.at:]
	ascii := true
	for i, c := range rest {
		if stringBytes[c] == inString {
			continue
		}
		switch stringBytes[c] {
		case endsString:
			p.at += i + 1
			return rest[:i], ascii || utf8.Valid(rest[:i])
		case notASCII:
			ascii = false
		default:
			return nil, false
		}
	}
	return nil, false
}

// What a byte is to a string without escapes.
const (
	inString = iota
	endsString
	notASCII
	notPlain
)

var stringBytes = func() (t [256]byte) {
	for c := range t {
		switch {
		case c == '"':
			t[c] = endsString
		case c < ' ' || c == '\\':
			t[c] = notPlain
		case c >= utf8.RuneSelf:
			t[c] = notASCII
		}
	}
	return t
}()

func (p *openParser) text(to *string) bool {
	s, ok := p.quoted()
	*to = string(s)
	return ok
}

// word reads a string that other lines have as well.
func (p *openParser) word(to *string) bool {
	s, ok := p.quoted()
	if ok {
		*to = p.words.of(s)
	}
	return ok
}

func (p *openParser) truth(to *bool) bool {
	p.blank()
	rest := p.line[p.at:]
	switch {
	case len(rest) >= 4 && string(rest[:4]) == "true":
		*to = true
		p.at += 4
		return true
	case len(rest) >= 5 && string(rest[:5]) == "false":
		p.at += 5
		return true
	}
	return false
}

// whole reads an integer of at most 18 digits. Anyone who calls it sees that a
// comma or the object's end follows.
func (p *openParser) whole(to *int64) bool {
	p.blank()
	from := p.at
	var n int64
	for ; p.at < len(p.line) && '0' <= p.line[p.at] && p.line[p.at] <= '9'; p.at++ {
		n = n*10 + int64(p.line[p.at]-'0')
	}
	*to = n
	size := p.at - from
	return size > 0 && size <= 18 && (size == 1 || p.line[from] != '0')
}

// number reads a number without an exponent.
func (p *openParser) number(to *float64) bool {
	p.blank()
	from := p.at
	var n int64
	if !p.whole(&n) {
		return false
	}
	*to = float64(n)
	if p.next() != '.' {
		return true
	}
	point := p.at
	for p.at++; '0' <= p.next() && p.next() <= '9'; p.at++ {
	}
	if p.at == point+1 {
		return false
	}
	var err error
	*to, err = strconv.ParseFloat(string(p.line[from:p.at]), 64)
	return err == nil
}

// wordCache makes strings of bytes, and for bytes that it met lately none anew.
type wordCache struct {
	seed  maphash.Seed
	words [4096]string
}

func newWordCache() *wordCache { return &wordCache{seed: maphash.MakeSeed()} }

func (c *wordCache) of(b []byte) string {
	if len(b) == 0 || len(b) > 255 {
		return string(b)
	}
	w := &c.words[maphash.Bytes(c.seed, b)%uint64(len(c.words))]
	if *w != string(b) {
		*w = string(b)
	}
	return *w
}
