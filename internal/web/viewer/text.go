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

// maxText is how much of a text file its page shows.
const maxText = 1 << 20

// Text reads the beginning of a text file as UTF-8, and tells whether there is
// more of it.
func (s *Viewers) Text(r *http.Request, l *vitrine.Link) (string, bool, error) {
	blob, err := s.Blob(r, l)
	if err != nil {
		return "", false, err
	}
	defer blob.Close()
	b, err := io.ReadAll(io.LimitReader(blob, maxText))
	if err != nil {
		return "", false, vitrine.Unavailable(err)
	}
	cut := blob.Size() > int64(len(b))
	return DecodeText(b, cut), cut, nil
}

// arranged are the kinds of text that have a form for reading, tables apart.
var arranged = []string{"md", "json", "xml", "yaml", "yml"}

func fillText(s *Viewers, r *http.Request, l *vitrine.Link, _ func(string) string, c *Content) (err error) {
	c.Text, c.TextCut, err = s.Text(r, l)
	t, _ := filetype.ByExt(l.Name)
	c.Wrap = t.Ext == "txt" || t.Ext == "log"
	switch t.Ext {
	case "md":
		c.Document = markup.Markdown(c.Text)
	case "csv":
		c.Document = markup.Table(c.Text, 0, c.TextCut)
	case "tsv":
		c.Document = markup.Table(c.Text, '\t', c.TextCut)
	case "json", "xml", "yaml", "yml":
		c.Document, c.Lines = markup.Code(c.Text, t.Ext, c.TextCut), true
	}
	return err
}

// Note is what has to be said below the content; "" for nothing.
func (c Content) Note() string {
	if c.TextCut {
		return strings.TrimSpace(c.Document.Note + " This is the first mebibyte of the file.")
	}
	return c.Document.Note
}

// DecodeText turns text into valid UTF-8: by its byte order mark from UTF-16,
// otherwise from UTF-8 with what is invalid replaced. A character that was cut
// in two at the end is left out.
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
