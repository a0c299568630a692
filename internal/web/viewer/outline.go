package viewer

import (
	"cmp"
	"io"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/text"
	"vitrine/internal/web/markup"
	"vitrine/report"
)

// Outline returns the parts of a file of a type, as its page shows it: the
// sections of Markdown, and the fifths of other text. Other files have no parts
// here. The pages of a PDF need no outline.
func Outline(t filetype.Type, file *io.SectionReader) (report.Outline, error) {
	if t.Kind != filetype.Text || t.Ext == "csv" || t.Ext == "tsv" {
		return "", nil
	}
	b, err := io.ReadAll(io.LimitReader(file, MaxText))
	if err != nil {
		return "", err
	}
	shown := text.Decode(b, file.Size() > int64(len(b)))
	var sections report.Outline
	if t.Ext == "md" {
		sections = markup.Markdown(shown).Outline
	}
	return cmp.Or(sections, markup.Fifths(shown)), nil
}
