package httpx

import (
	"path"
	"strings"

	"vitrine/internal/filetype"
)

// Disposition returns a Content-Disposition with a file's name, in ASCII for
// old programs and complete (RFC 6266). Neither form contains characters that
// could end the header, a quoted string or a path, or change the direction of
// text.
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

// hidden reports whether r cannot be seen in a name.
func hidden(r rune) bool {
	return filetype.IsUnprintable(r) || r == '\ufeff'
}

// attrChar reports whether RFC 8187 allows a character unescaped.
func attrChar(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' ||
		strings.IndexByte("!#$&+-.^_`|~", c) >= 0
}
