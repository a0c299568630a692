package web

import (
	"errors"
	"net/http"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/markup"
)

// How a public page shows its content.
const (
	showPDF    = "pdf"
	showImage  = "image"
	showVideo  = "video"
	showAudio  = "audio"
	showText   = "text"
	showHTML   = "html"
	showDocx   = "docx"   // a Word document, built in the browser
	showSheets = "sheets" // cells of a spreadsheet
	showTree   = "tree"   // what is in an archive
	showSoon   = "soon"   // what it will be is being made
	showCard   = "card"   // what a browser does not show: name, size, download
)

// showOf tells how a link's content is shown, as its file is and as what was
// made of it allows.
func (s *viewerH) showOf(l *vitrine.Link) string {
	if !l.HasBytes {
		return showCard
	}
	switch l.Kind {
	case filetype.PDF:
		return showPDF
	case filetype.Image:
		if !l.Parts.Has(vitrine.PartImage) && s.Previews.Expects(l, vitrine.PartImage) {
			return showSoon
		}
		return showImage
	case filetype.Video:
		return showVideo
	case filetype.Audio:
		return showAudio
	case filetype.Text:
		return showText
	case filetype.HTML:
		return showHTML
	}
	switch {
	case l.Parts.Has(vitrine.PartPages):
		return showPDF
	case l.Parts.Has(vitrine.PartSheets):
		return showSheets
	case l.Parts.Has(vitrine.PartEntries):
		return showTree
	case s.Previews.Expects(l, vitrine.PartPages), s.Previews.Expects(l, vitrine.PartSheets), s.Previews.Expects(l, vitrine.PartEntries):
		return showSoon
	case docxShown(l):
		return showDocx
	default:
		return showCard
	}
}

// fill adds to a page what its way of showing needs.
func (s *publicH) fill(p *linkPage, r *http.Request, l *vitrine.Link) (err error) {
	frame := ""
	if p.Form == embedded {
		frame = embedQuery
	}
	switch p.Show {
	case showPDF:
		p.File, p.Sandbox = s.contentAddress(l, "view")+frame, pdfSandbox
	case showHTML:
		p.File, p.Sandbox = s.contentAddress(l, "frame")+frame, frameSandbox
	case showDocx:
		p.File, p.Sandbox = s.contentAddress(l, "docx")+frame, docxSandbox
	case showSoon:
		p.File, p.Sandbox, p.Passing = s.contentAddress(l, "preview")+frame, pdfSandbox, true // what it becomes is a viewer
	case showImage:
		p.File = s.contentAddress(l, imageOf(l))
	case showVideo, showAudio:
		p.File, p.Tracks = s.contentAddress(l, "file"), s.tracks(l)
	case showSheets, showTree:
		if p.Document, err = s.derived(r, l, p.Show); errors.Is(err, errNoPage) {
			p.Show, p.Passing, err = showCard, true, nil
		}
	case showText:
		p.Text, p.TextCut, err = s.text(r, l)
		t, _ := filetype.ByExt(l.Name)
		p.Wrap = t.Ext == "txt" || t.Ext == "log"
		p.Document, p.Lines = arranged(p.Text, t.Ext, p.TextCut)
	}
	return err
}

// imageOf names what an image's page shows: the file, or where browsers cannot
// read that, what was made of it.
func imageOf(l *vitrine.Link) string {
	if l.Parts.Has(vitrine.PartImage) {
		return "part/" + string(vitrine.PartImage)
	}
	return "file"
}

// arranged is a text in a form that is made for reading; the zero Document is
// none, for plain text. It also tells whether it is lines of code.
func arranged(text, ext string, cut bool) (d markup.Document, lines bool) {
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

// Layout is which of the page's layouts content of this kind takes.
func (p *linkPage) Layout() string {
	switch p.Show {
	case showDocx, showSoon:
		return showPDF // a viewer that fills what is under the label
	case showSheets, showTree:
		return showText
	}
	return p.Show
}

// Reader reports whether the page itself holds a document: text, a table, a
// tree.
func (p *linkPage) Reader() bool { return p.Layout() == showText }

// Framed reports whether a viewer in a frame shows the content.
func (p *linkPage) Framed() bool { return p.Layout() == showPDF }
