package httpx

import (
	"path"
	"strings"
	"unicode"
)

// Disposition is a Content-Disposition with a file's name: in ASCII for old
// programs, and whole (RFC 6266). What could end the header, a quoted string or
// a path, or turn the direction of text, is in neither.
func Disposition(kind, name string) string {
	var ascii, full strings.Builder
	for _, r := range strings.ToValidUTF8(path.Base(name), "_") {
		if hidden(r) || strings.ContainsRune(`"\/:*?<>|`, r) {
			r = '_'
		}
		if r < 0x7f && r != '%' && r != ';' {
			ascii.WriteRune(r)
		} else {
			ascii.WriteByte('_')
		}
		for _, c := range []byte(string(r)) {
			if attrChar(c) {
				full.WriteByte(c)
			} else {
				full.WriteByte('%')
				full.WriteByte("0123456789ABCDEF"[c>>4])
				full.WriteByte("0123456789ABCDEF"[c&15])
			}
		}
	}
	return kind + `; filename="` + ascii.String() + `"; filename*=UTF-8''` + full.String()
}

// hidden tells control characters, separators of lines, and what overrides the
// direction of text. The mere marks of direction stay: Arabic and Hebrew names
// need them.
func hidden(r rune) bool {
	return unicode.IsControl(r) || r >= '\u2028' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' || r == '\ufeff'
}

// attrChar is the set of RFC 8187 that is literal.
func attrChar(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' ||
		strings.IndexByte("!#$&+-.^_`|~", c) >= 0
}
