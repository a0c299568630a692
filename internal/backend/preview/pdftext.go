package preview

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"vitrine"
	"vitrine/internal/filetype/text"

	"github.com/klippa-app/go-pdfium/requests"
)

// text makes the part with the text of the first pages, within the limits of
// PartText. A document without text, such as a scan, has none.
func (j *job) text(d document) error {
	count, err := d.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: d.ref})
	if err != nil {
		return fmt.Errorf("count the pages: %w", err)
	}
	var pages []string
	size, until := 0, ownTime()+textTime
	for i := 0; i < min(count.PageCount, maxTextPages) && ownTime() < until; i++ {
		page := "" // also of one that fails
		if got, err := d.GetPageText(&requests.GetPageText{Page: d.page(i)}); err == nil {
			page = cleanPage(got.Text)
		}
		if size+len(page) > maxText {
			break
		}
		size += len(page)
		pages = append(pages, page)
	}
	if size == 0 {
		return nil
	}
	unit := "page"
	if isSlides(j.Ext) {
		unit = "slide"
	}
	return j.put(vitrine.PartText, func(w io.Writer) error {
		return text.WritePages(w, unit, pages, len(pages) < count.PageCount)
	})
}

// cleanPage returns the text of a page as PDFium has it, with plain line breaks
// and hyphens, and without other control characters.
func cleanPage(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\x02' || r == '\ufffe': // PDFium's marks of a hyphen at the end of a line
			return '-'
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, clean(s))
	return strings.TrimSpace(s)
}
