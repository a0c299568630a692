package text

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Decode returns a text as valid UTF-8, without a byte order mark, for pages;
// the bytes of its file stay as they are. With cut, it is the beginning of a
// longer one, and an incomplete last character is removed.
func Decode(b []byte, cut bool) string {
	e := CharsetOf(b, cut)
	if e != unicode.UTF8 {
		if decoded, err := e.NewDecoder().Bytes(b); err == nil {
			b = decoded
		}
	}
	text := strings.TrimPrefix(strings.ToValidUTF8(string(b), "\ufffd"), "\ufeff")
	if cut {
		text = strings.TrimRight(text, "\ufffd")
	}
	return text
}

// Reader returns a text as UTF-8, in the encoding that Decode finds in its
// first bytes, head in number. size is that of all of it.
func Reader(in io.Reader, head int, size int64) (io.Reader, error) {
	b := bufio.NewReaderSize(in, int(min(int64(head), max(size, 1))))
	first, err := b.Peek(b.Size())
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return transform.NewReader(b, CharsetOf(first[:min(len(first), head)], size > int64(head)).NewDecoder()), nil
}

// CharsetOf returns the encoding of a text: by its byte order mark; UTF-8 if it
// is valid, or nearly so; by its own declaration; otherwise the one in which it
// reads best. With cut, the text may end within a character.
//
// Most texts are UTF-8. What Excel writes as CSV, and what old programs write,
// is not, and rarely says what it is.
func CharsetOf(b []byte, cut bool) encoding.Encoding {
	switch e := marked(b); {
	case e != nil:
		return e
	case bytes.Contains(b, []byte("\x1b$B")), bytes.Contains(b, []byte("\x1b$@")):
		return japanese.ISO2022JP
	}
	if e := WideOf(b).encoding(); e != nil {
		return e
	}
	valid, invalid := count(b, cut)
	if invalid == 0 || valid > invalid { // damaged, or several texts in one file
		return unicode.UTF8
	}
	if e := declared(b); e != nil && e != unicode.UTF8 {
		return e
	}
	return guess(b)
}

// marked returns the encoding of a byte order mark, or nil.
func marked(b []byte) encoding.Encoding {
	if bytes.HasPrefix(b, []byte("\xef\xbb\xbf")) {
		return unicode.UTF8
	}
	return markOf(b).encoding()
}

// count counts the characters of UTF-8 beyond ASCII, and the bytes that are
// none.
func count(b []byte, cut bool) (valid, invalid int) {
	for len(b) > 0 {
		if b[0] < utf8.RuneSelf {
			b = b[1:]
			continue
		}
		r, n := utf8.DecodeRune(b)
		switch {
		case r != utf8.RuneError || n > 1:
			valid++
		case cut && !utf8.FullRune(b):
			return valid, invalid
		default:
			invalid++
		}
		b = b[n:]
	}
	return valid, invalid
}

// declaration matches what XML, HTML, CSS and some sources say of their
// encoding.
var declaration = pattern(`(?i)^\s*<\?xml[^>]{0,200}\sencoding\s*=\s*["']([a-z0-9_:.-]{2,40})["']|` +
	`<meta[^>]{0,200}charset\s*=\s*["']?\s*([a-z0-9][a-z0-9_:.-]{1,39})|^@charset "([a-z0-9_:.-]{2,40})"`)

// declared returns the encoding that a text declares, or nil. One that was read
// as ASCII up to there is not UTF-16.
func declared(b []byte) encoding.Encoding {
	m := declaration().FindSubmatch(b[:min(len(b), 4<<10)])
	for _, name := range m[min(1, len(m)):] {
		if len(name) == 0 {
			continue
		}
		e, err := htmlindex.Get(string(name))
		label, _ := htmlindex.Name(e)
		if err != nil || strings.HasPrefix(label, "utf-16") || label == "replacement" {
			return nil
		}
		return e
	}
	return nil
}

// maxHead is how much of a web page is examined for its encoding.
const maxHead = 16 << 10

// PageCharset returns the encoding of a web page from its beginning, as
// browsers do: its declaration applies, also to what is UTF-8. label is its
// name for browsers.
func PageCharset(head []byte) (e encoding.Encoding, label string) {
	e = marked(head)
	if e == nil {
		e = declared(head)
	}
	if e == nil || e == unicode.UTF8 {
		e = CharsetOf(head, true)
	}
	label, err := htmlindex.Name(e)
	if err != nil { // no browser reads it
		return charmap.Windows1252, "windows-1252"
	}
	return e, label
}

// PageReader returns the text of a web page as UTF-8.
func PageReader(in io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(in, maxHead)
	head, err := b.Peek(maxHead)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	e, _ := PageCharset(head)
	return transform.NewReader(b, e.NewDecoder()), nil
}
