package viewer

import (
	"io"
	"net/http"
	"strings"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/filetype/text"
	"vitrine/internal/web/markup"
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
	return text.Decode(b, cut), cut, nil
}

// arranged lists the kinds of text with a reading form, except tables.
var arranged = []string{"md", "json", "xml", "yaml"}

func fillText(s *Viewers, r *http.Request, l *vitrine.Link, _ func(string) string, c *Content) error {
	text, cut, err := s.Text(r, l)
	if err != nil {
		return err
	}
	return s.LayOut(r, func() { *c = Arrange(l.Name, text, cut) })
}

// Arrange returns a text in the reading form of its extension. cut reports
// whether there is more of it.
func Arrange(name, text string, cut bool) Content { return arrange(name, text, cut, "") }

// arrange is Arrange, with the address of all rows of a table.
func arrange(name, text string, cut bool, rows string) Content {
	t, _ := filetype.ByExt(name)
	c := Content{TextCut: cut, Lines: t.Ext != "md", Wrap: t.Ext == "txt" || t.Ext == "log"}
	switch t.Ext {
	case "md":
		c.Document = markup.Markdown(text)
	case "csv", "tsv":
		c.Document, c.Lines = markup.Table(text, comma(name), cut, rows), false
	case "json", "xml", "yaml":
		c.Document = markup.Code(text, t.Ext, cut)
	default:
		c.Document = markup.Text(text)
	}
	return c
}

// Note returns a remark to show below the content, or "".
func (c Content) Note() string {
	if c.TextCut {
		return joined(c.Document.Note, "Only the first 1 MiB is shown.")
	}
	return c.Document.Note
}

// joined adds a sentence to a note.
func joined(note, sentence string) string { return strings.TrimSpace(note + " " + sentence) }
