package viewer

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/markup"
)

// MaxText is how much of a text file its page shows, in bytes.
const MaxText = 1 << 20

// Text reads the beginning of a text file as UTF-8 and reports whether there is
// more.
func (s *Viewers) Text(r *http.Request, l *vitrine.Link) (string, bool, error) {
	blob, err := s.Blob(r, l)
	if err != nil {
		return "", false, err
	}
	defer blob.Close()
	b, err := io.ReadAll(io.LimitReader(blob, MaxText))
	if err != nil {
		return "", false, vitrine.Unavailable(err)
	}
	cut := blob.Size() > int64(len(b))
	return DecodeText(b, cut), cut, nil
}

// arranged lists the kinds of text with a reading form, except tables.
var arranged = []string{"md", "json", "xml", "yaml"}

func fillText(s *Viewers, r *http.Request, l *vitrine.Link, _ func(string) string, c *Content) error {
	text, cut, err := s.Text(r, l)
	*c = Arrange(l.Name, text, cut)
	return err
}

// Arrange returns a text in the reading form of its extension. cut reports
// whether there is more of it.
func Arrange(name, text string, cut bool) Content {
	t, _ := filetype.ByExt(name)
	c := Content{Text: text, TextCut: cut, Wrap: t.Ext == "txt" || t.Ext == "log"}
	switch t.Ext {
	case "md":
		c.Document = markup.Markdown(text)
	case "csv":
		c.Document = markup.Table(text, 0, cut)
	case "tsv":
		c.Document = markup.Table(text, '\t', cut)
	case "json", "xml", "yaml":
		c.Document, c.Lines = markup.Code(text, t.Ext, cut), true
	}
	return c
}

// Note returns a remark to show below the content, or "".
func (c Content) Note() string {
	if c.TextCut {
		return strings.TrimSpace(c.Document.Note + " Only the first 1 MiB is shown.")
	}
	return c.Document.Note
}

// DecodeText converts text to valid UTF-8: from UTF-16 by its byte order mark,
// otherwise with invalid bytes replaced. With cut, an incomplete last character
// is removed.
func DecodeText(b []byte, cut bool) string {
	switch {
	case bytes.HasPrefix(b, []byte{0xff, 0xfe}):
		return decodeUTF16(b[2:], cut, func(b []byte) uint16 { return uint16(b[0]) | uint16(b[1])<<8 })
	case bytes.HasPrefix(b, []byte{0xfe, 0xff}):
		return decodeUTF16(b[2:], cut, func(b []byte) uint16 { return uint16(b[1]) | uint16(b[0])<<8 })
	}
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	if cut {
		for i := len(b) - 1; i >= max(0, len(b)-utf8.UTFMax); i-- {
			if utf8.RuneStart(b[i]) {
				if !utf8.FullRune(b[i:]) {
					b = b[:i]
				}
				break
			}
		}
	}
	return string(bytes.ToValidUTF8(b, []byte("\ufffd")))
}

func decodeUTF16(b []byte, cut bool, unit func([]byte) uint16) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = unit(b[2*i:])
	}
	if n := len(units); cut && n > 0 && units[n-1] >= 0xd800 && units[n-1] < 0xdc00 {
		units = units[:n-1]
	}
	return string(utf16.Decode(units))
}
