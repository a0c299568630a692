package viewer

import (
	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/markup"
)

// How a public page shows its content.
const (
	ShowPDF    = "pdf"
	ShowImage  = "image"
	ShowVideo  = "video"
	ShowAudio  = "audio"
	ShowText   = "text"
	ShowHTML   = "html"
	ShowDocx   = "docx"   // a Word document, built in the browser
	ShowSheets = "sheets" // cells of a spreadsheet
	ShowTree   = "tree"   // what is in an archive
	ShowSoon   = "soon"   // what it will be is being made
	ShowCard   = "card"   // what a browser does not show: name, size, download
)

// ShowOf tells how a link's content is shown, as its file is and as what was
// made of it allows.
func (s *Viewer) ShowOf(l *vitrine.Link) string {
	if !l.HasBytes {
		return ShowCard
	}
	switch l.Kind {
	case filetype.PDF:
		return ShowPDF
	case filetype.Image:
		if !l.Parts.Has(vitrine.PartImage) && s.Previews.Expects(l, vitrine.PartImage) {
			return ShowSoon
		}
		return ShowImage
	case filetype.Video:
		return ShowVideo
	case filetype.Audio:
		return ShowAudio
	case filetype.Text:
		return ShowText
	case filetype.HTML:
		return ShowHTML
	}
	switch {
	case l.Parts.Has(vitrine.PartPages):
		return ShowPDF
	case l.Parts.Has(vitrine.PartSheets):
		return ShowSheets
	case l.Parts.Has(vitrine.PartEntries):
		return ShowTree
	case s.Previews.Expects(l, vitrine.PartPages), s.Previews.Expects(l, vitrine.PartSheets), s.Previews.Expects(l, vitrine.PartEntries):
		return ShowSoon
	case DocxShown(l):
		return ShowDocx
	default:
		return ShowCard
	}
}

// ImageOf names what an image's page shows: the file, or where browsers cannot
// read that, what was made of it.
func ImageOf(l *vitrine.Link) string {
	if l.Parts.Has(vitrine.PartImage) {
		return "part/" + string(vitrine.PartImage)
	}
	return "file"
}

// Arranged is a text in a form that is made for reading; the zero Document is
// none, for plain text. It also tells whether it is lines of code.
func Arranged(text, ext string, cut bool) (d markup.Document, lines bool) {
	switch ext {
	case "md":
		return markup.Markdown(text), false
	case "csv":
		return markup.Table(text, 0, cut), false
	case "tsv":
		return markup.Table(text, '\t', cut), false
	case "json", "xml", "yaml", "yml":
		return markup.Code(text, ext, cut), true
	}
	return d, false
}

// FrameSandbox is what a user's HTML may do. Neither our origin nor the page
// around it is ever among it.
const FrameSandbox = "allow-scripts allow-forms allow-popups allow-modals allow-downloads"

// DocxSandbox is what the viewer of Word documents may do, as that of PDF: run,
// and open the web links of a document in a tab of their own.
const DocxSandbox = "allow-scripts allow-popups allow-popups-to-escape-sandbox"

// DocxShown reports whether a link's file is one that docxFrame reads.
func DocxShown(l *vitrine.Link) bool {
	t, ok := filetype.ByExt(l.Name)
	return ok && t.Ext == "docx" && l.HasBytes
}

// ExaminedMediaSandbox is what the frame of a video or sound may do: some
// browsers run their own controls as scripts of the page. The frame has none of
// its own, and its policy admits none.
const ExaminedMediaSandbox = "allow-scripts"

// HasSource reports whether a file is text, whatever it looks like.
func HasSource(l *vitrine.Link) bool {
	t, _ := filetype.ByExt(l.Name)
	return l.Kind == filetype.HTML || l.Kind == filetype.Text || t.Ext == "svg"
}

// Track is captions of a video or sound, WebVTT.
type Track struct {
	Language string // a BCP 47 tag
	Label    string // the language's name
	Address  string
}

// Unshown is what is in the place of content: always for a card, otherwise
// where a browser cannot show it.
func Unshown(show string, l *vitrine.Link) string {
	switch {
	case !l.HasBytes:
		return "Only the history of this link is kept here, not its file."
	case show == ShowCard && !l.AllowDownload:
		return "A browser cannot show this kind of file, and its owner has turned downloads off."
	case show == ShowCard:
		return "A browser cannot show this kind of file. Download it to open it."
	case !l.AllowDownload && show == ShowPDF:
		return "Reading this document here needs JavaScript. Its owner has turned downloads off."
	case show == ShowPDF:
		return "Reading this document here needs JavaScript. Without it, download the file."
	case !l.AllowDownload:
		return "This browser cannot show this file, and its owner has turned downloads off."
	default:
		return "This browser cannot show this file. Download it to open it."
	}
}

// PdfSandbox is what the PDF viewer may do: run, and open the web links of a
// document in a tab of their own.
const PdfSandbox = "allow-scripts allow-popups allow-popups-to-escape-sandbox"

// ExaminedHTML is how much of a web page is parsed for a moderator, in bytes.
const ExaminedHTML = 4 << 20
