package text

import (
	"bytes"
	"html"

	"vitrine/internal/filetype"
)

// decoded returns the readings of lower-case page text after undoing other
// spellings, if it uses any: character references, URL and script escapes, and
// the marks with which Japanese encodings switch alphabets, which browsers
// ignore within a word.
func decoded(text []byte) (others [][]byte) {
	if bytes.Contains(text, []byte("&#")) {
		others = append(others, []byte(html.UnescapeString(string(text))))
	}
	if plain, escaped := unescaped(text); escaped {
		others = append(others, plain)
	}
	if bytes.IndexByte(text, 0x1b) >= 0 {
		others = append(others, removeShifts(text))
	}
	return others
}

// removeShifts removes the marks that switch alphabets: ESC, a bracket or
// dollar sign, and a letter.
func removeShifts(text []byte) []byte {
	plain := make([]byte, 0, len(text))
	for {
		i := bytes.IndexByte(text, 0x1b)
		if i < 0 {
			return append(plain, text...)
		}
		plain = append(plain, text[:i]...)
		if text = text[i:]; len(text) >= 3 && (text[1] == '(' || text[1] == '$') && '@' <= text[2] && text[2] <= 'z' {
			text = text[3:]
			continue
		}
		plain, text = append(plain, text[0]), text[1:]
	}
}

// unescaped decodes escapes of URLs (%70, and %2570 for a nested one) and of
// scripts (\x70, \u0070, \u{70}).
func unescaped(text []byte) (plain []byte, escaped bool) {
	for i := 0; i < len(text); {
		c, n := escapeAt(text[i:])
		if n > 0 && plain == nil {
			plain, escaped = append(make([]byte, 0, len(text)), text[:i]...), true
		}
		if n == 0 {
			c, n = text[i], 1
		}
		if plain != nil {
			plain = append(plain, c)
		}
		i += n
	}
	return plain, escaped
}

// escapeAt decodes an escape of an ASCII character and returns its length, or 0
// if none.
func escapeAt(p []byte) (c byte, n int) {
	switch {
	case p[0] == '%':
		n = 1
		for n+2 < len(p) && p[n] == '2' && p[n+1] == '5' {
			n += 2
		}
	case p[0] == '\\' && len(p) > 4 && p[1] == 'x':
		n = 2
	case p[0] == '\\' && len(p) > 5 && string(p[1:4]) == "u00":
		n = 4
	case p[0] == '\\' && len(p) > 5 && string(p[1:3]) == "u{" && p[5] == '}':
		hi, lo := filetype.HexDigit(p[3]), filetype.HexDigit(p[4])
		if hi >= 2 && hi <= 7 && lo >= 0 {
			return byte(hi<<4 | lo), 6
		}
		return 0, 0
	default:
		return 0, 0
	}
	if len(p) < n+2 {
		return 0, 0
	}
	hi, lo := filetype.HexDigit(p[n]), filetype.HexDigit(p[n+1])
	if hi < 2 || hi > 7 || lo < 0 {
		return 0, 0
	}
	return byte(hi<<4 | lo), n + 2
}

// encodedPrograms are beginnings of programs and shortcuts in Base64, in
// hexadecimal and as lists of numbers. They are long enough not to occur by
// chance.
var encodedPrograms = [][]byte{
	[]byte("TVqQAAMAAAAEAAAA"), []byte("TVpQAAIAAAAEAA8A"), []byte("TVqAAAEAAAAEABAA"), []byte("AAAAEAAAAMAAQqVT"),
	// reversed
	[]byte("4d5a90000300000004000000ff"), []byte("4D5A90000300000004000000FF"),
	[]byte("77,90,144,0,3,0,0,0,4,0,0,0,255"), []byte("77, 90, 144, 0, 3, 0, 0, 0, 4, 0, 0, 0, 255"),
	[]byte("0x4d,0x5a,0x90,0x00,0x03,0x00"), []byte("0x4D,0x5A,0x90,0x00,0x03,0x00"),
	[]byte("0x4D, 0x5A, 0x90, 0x00, 0x03, 0x00"),
	[]byte(`\x4d\x5a\x90\x00\x03\x00`), []byte(`\x4D\x5A\x90\x00\x03\x00`),
	[]byte("TAAAAAEUAgAAAAAAwAAAAAAAAEY"),
}

// encodedArchives are beginnings of archives, installers and disk images in
// Base64. A disk image is recognizable 32 KiB in.
var encodedArchives = [][]byte{
	[]byte("UmFyIRoHA"), []byte("UmFyIRoHAQ"), []byte("N3q8ryccAA"), []byte("AAABQ0QwMDEB"), []byte("TVNDRgAAAA"),
	[]byte("0M8R4KGxGuEAAAAA"),
	[]byte("dmhkeGZpbGU"), []byte("Y29uZWN0aXg"),
}

// encoded searches for files and forms in Base64, where case matters.
func (w *MarkupWatch) encoded(text []byte) {
	for _, p := range encodedPrograms {
		w.program = w.program || bytes.Contains(text, p)
	}
	for _, p := range encodedArchives {
		w.archive = w.archive || bytes.Contains(text, p)
	}
	if !w.Password {
		for _, p := range encodedFields {
			w.Password = w.Password || bytes.Contains(text, p)
		}
	}
}

// encodedFields are password fields in Base64, for each offset within a group
// of three bytes.
var encodedFields = func() (all [][]byte) {
	for _, field := range []string{`type="password`, `type='password`, `type=password`} {
		for lead := range 3 {
			all = append(all, insideBase64(field, lead))
		}
	}
	return all
}()

// insideBase64 returns the Base64 of text that follows lead other bytes,
// without the characters that depend on what precedes or follows.
func insideBase64(text string, lead int) []byte {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	bits := 8 * lead
	var out []byte
	for at := (bits + 5) / 6 * 6; at+6 <= bits+8*len(text); at += 6 {
		v := 0
		for k := range 6 {
			i := at + k - bits
			v = v<<1 | int(text[i/8]>>(7-i%8)&1)
		}
		out = append(out, alphabet[v])
	}
	return out
}

// A ZIP in a page is common: reports and notebooks store their data that way.
// One with a password or a program is not.
const (
	packedZIP = "UEsDB"

	// maxPackedZIP is how much of each ZIP is decoded.
	maxPackedZIP = 4 * filetype.MiB
)

// packedWatch decodes ZIPs in Base64 and checks the names in them.
type packedWatch struct {
	tail       []byte // the last bytes, where a ZIP may have begun
	inside     bool
	quad       []byte
	data       []byte
	total      int
	suspicious bool
}

func (w *packedWatch) feed(chunk []byte) {
	if w.suspicious || w.total > filetype.MaxTextScan {
		return
	}
	for len(chunk) > 0 {
		if w.inside {
			n := w.decode(chunk)
			chunk = chunk[n:]
			continue
		}
		if len(w.tail) > 0 {
			chunk, w.tail = append(w.tail, chunk...), nil
		}
		i := bytes.Index(chunk, []byte(packedZIP))
		if i < 0 {
			w.tail = bytes.Clone(chunk[max(0, len(chunk)-len(packedZIP)+1):])
			return
		}
		w.inside, w.quad, w.data = true, w.quad[:0], w.data[:0]
		chunk = chunk[i:]
	}
}

// decode decodes Base64 at the start of p and returns its length.
func (w *packedWatch) decode(p []byte) (n int) {
	for n < len(p) && w.inside {
		c := p[n]
		n++
		if c == '\n' || c == '\r' || c == '\\' {
			continue
		}
		v := sextet(c)
		if v < 0 || len(w.data) >= maxPackedZIP {
			w.end()
			return n
		}
		if w.quad = append(w.quad, byte(v)); len(w.quad) == 4 {
			q := w.quad
			w.data = append(w.data, q[0]<<2|q[1]>>4, q[1]<<4|q[2]>>2, q[2]<<6|q[3])
			w.quad = q[:0]
			w.total += 3
		}
	}
	return n
}

func sextet(c byte) int {
	switch {
	case 'A' <= c && c <= 'Z':
		return int(c - 'A')
	case 'a' <= c && c <= 'z':
		return int(c-'a') + 26
	case '0' <= c && c <= '9':
		return int(c-'0') + 52
	case c == '+':
		return 62
	case c == '/':
		return 63
	}
	return -1
}

// carriers are extensions of what pages are known to smuggle in a ZIP. Web
// scripts, which reports contain, are not among them.
var carriers = filetype.ExtensionSet(`exe scr pif dll cpl bat cmd ps1 vbs vbe jse wsf wsh hta lnk msi msix appx iso img vhd vhdx jar reg chm one`)

// end checks the local headers in the decoded bytes.
func (w *packedWatch) end() {
	w.inside = false
	for p := w.data; ; {
		i := bytes.Index(p, []byte(filetype.ZipLocal))
		if i < 0 || len(p) < i+30 {
			return
		}
		h := p[i:]
		end := min(len(h), 30+int(filetype.LittleEndian.Uint16(h[26:])))
		ext := h[30:end]
		ext = ext[bytes.LastIndexByte(ext[max(0, len(ext)-64):], '.')+1+max(0, len(ext)-64):]
		if filetype.LittleEndian.Uint16(h[6:])&1 != 0 || len(ext) <= 32 && carriers[filetype.FoldExt(string(ext))] {
			w.suspicious = true
			return
		}
		p = h[4:]
	}
}
