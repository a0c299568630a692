package viewer

import (
	"errors"
	"io"
	"strings"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/text"
	"vitrine/internal/web/markup"
	"vitrine/report/part"
)

// Outline returns the parts of a file of a type, as its page shows it: the
// sections of Markdown and of web pages, and the fifths of other text. Other
// files have no parts here. The pages of a PDF need no outline.
func Outline(t filetype.Type, file *io.SectionReader) (part.Outline, error) {
	if t.Kind == filetype.HTML {
		return pageOutline(file)
	}
	if t.Kind != filetype.Text || t.Ext == "csv" || t.Ext == "tsv" {
		return "", nil
	}
	b, err := io.ReadAll(io.LimitReader(file, MaxText))
	if err != nil {
		return "", err
	}
	cut := file.Size() > int64(len(b))
	return Arrange("file."+t.Ext, text.Decode(b, cut), cut).Document.Outline, nil
}

// pageOutline returns the parts of a web page. One in an encoding in which
// ASCII has another meaning has none.
func pageOutline(file *io.SectionReader) (part.Outline, error) {
	head := make([]byte, min(HTMLHead, file.Size()))
	if _, err := file.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	e, label := text.PageCharset(head)
	if strings.HasPrefix(label, "utf-16") || label == "iso-2022-jp" || label == "replacement" {
		return "", nil
	}
	page := &failing{Reader: file}
	outline := markup.Page(page, func(raw []byte) string {
		if label == "utf-8" {
			return string(raw)
		}
		b, _ := e.NewDecoder().Bytes(raw)
		return string(b)
	})
	return outline, page.err
}

// failing keeps the error of a reader, other than io.EOF.
type failing struct {
	io.Reader
	err error
}

func (f *failing) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		f.err = err
	}
	return n, err
}

// HTMLHead is how much of an HTML file is examined for its encoding and
// beginning.
const HTMLHead = 16 << 10
