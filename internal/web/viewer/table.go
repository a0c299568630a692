package viewer

import (
	"net/http"
	"slices"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/web/httpx"
	"vitrine/report"
)

// Table lists all viewers. The first one that can show a link is used.
var Table = []*Viewer{
	{
		Name: "pdf", Layout: "pdf", Page: "pdf/page.html", Scripted: true, Full: true, Prints: true, Height: 720,
		Type:     "website",
		Progress: []report.ContentKind{report.ContentPages, report.ContentScroll},
		Shows: func(_ *Viewers, l *vitrine.Link) bool {
			return l.Kind == filetype.PDF || l.Parts.Has(vitrine.PartPages)
		},
		Frame: &Frame{
			Path: "view", Sandbox: FrameSandbox, Template: "pdf/frame.html", Policy: pdfPolicy, Library: "pdfjs/",
			Reads: pdfOf,
		},
		Examined: Examined{Path: "view", Sandbox: FrameSandbox},
		Entries:  &Entries{Shows: isNamed("pdf")},
	},
	{
		Name: "sheets", Layout: "text", Page: "table/page.html",
		Styles: []string{"viewer/table/table.css", "viewer/sheets/sheets.css"}, Script: "viewer/table/table.js",
		Full: true, Prints: true, Height: 480, Type: "website",
		Progress: []report.ContentKind{report.ContentScroll},
		Shows:    func(_ *Viewers, l *vitrine.Link) bool { return l.Parts.Has(vitrine.PartSheets) },
		Fill:     fillSheets, Rows: sheetRows, Inert: "text/inert.html",
	},
	{
		Name: "tree", Layout: "text", Page: "tree/page.html", Styles: []string{"viewer/tree/tree.css"},
		Script: "viewer/tree/tree.js",
		Full:   true, Height: 480, Type: "website",
		Shows: func(_ *Viewers, l *vitrine.Link) bool { return l.Parts.Has(vitrine.PartEntries) },
		Fill:  fillTree, Inert: "text/inert.html",
	},
	{
		Name: "image", Layout: "image", Page: "image/page.html", Styles: []string{"viewer/image/image.css"},
		Script: "viewer/image/image.js",
		Full:   true, Prints: true, Height: 480, Type: "website",
		Progress: []report.ContentKind{report.ContentScroll},
		Shows: func(s *Viewers, l *vitrine.Link) bool {
			return l.Kind == filetype.Image && !s.Awaits(l, vitrine.PartImage)
		},
		Fill: fillImage, Inert: "image/inert.html", Examined: Examined{Source: true},
		Entries: &Entries{Shows: isOf(filetype.Image)},
	},
	{
		Name: "video", Layout: "video", Page: "media/video.html", Styles: []string{"viewer/media/media.css"},
		Script: "viewer/media/media.js",
		Speeds: true, Height: 360, Wide: true, Type: "video.other",
		Progress: []report.ContentKind{report.ContentMedia},
		Shows:    func(_ *Viewers, l *vitrine.Link) bool { return l.Kind == filetype.Video },
		Fill:     fillMedia, Inert: "media/video_inert.html", Examined: Examined{Sandbox: mediaSandbox},
		Entries: &Entries{Shows: isOf(filetype.Video), Styles: []string{"viewer/media/media.css"}},
	},
	{
		Name: "audio", Layout: "audio", Page: "media/audio.html", Styles: []string{"viewer/media/media.css"},
		Script: "viewer/media/audio.js",
		Height: 88, Type: "music.song",
		Progress: []report.ContentKind{report.ContentMedia},
		Shows:    func(_ *Viewers, l *vitrine.Link) bool { return l.Kind == filetype.Audio },
		Fill:     fillSound, Inert: "media/audio_inert.html", Examined: Examined{Sandbox: mediaSandbox},
		Entries: &Entries{Shows: isOf(filetype.Audio), Styles: []string{"viewer/media/media.css"}},
	},
	{
		Name: "table", Layout: "text", Page: "table/page.html", Styles: []string{"viewer/table/table.css"},
		Script: "viewer/table/table.js",
		Full:   true, Prints: true, Height: 480, Type: "website",
		Progress: []report.ContentKind{report.ContentScroll},
		Shows: func(_ *Viewers, l *vitrine.Link) bool {
			t, _ := filetype.ByExt(l.Name)
			return l.Kind == filetype.Text && (t.Ext == "csv" || t.Ext == "tsv")
		},
		Fill: fillTable, Rows: tableRows, Inert: "text/inert.html",
	},
	{
		Name: "document", Layout: "text", Page: "text/page.html", Styles: []string{"viewer/text/text.css"}, Full: true,
		Prints: true, Height: 480, Type: "website",
		Progress: []report.ContentKind{report.ContentScroll},
		Shows: func(_ *Viewers, l *vitrine.Link) bool {
			t, _ := filetype.ByExt(l.Name)
			return l.Kind == filetype.Text && slices.Contains(arranged, t.Ext)
		},
		Fill: fillText, Inert: "text/inert.html",
	},
	{
		Name: "text", Layout: "text", Page: "text/page.html", Full: true, Prints: true, Height: 480, Type: "website",
		Progress: []report.ContentKind{report.ContentScroll},
		Shows:    func(_ *Viewers, l *vitrine.Link) bool { return l.Kind == filetype.Text },
		Fill:     fillText, Inert: "text/inert.html",
		Entries: &Entries{Shows: isText, Text: true, Styles: []string{"viewer/table/table.css"}},
	},
	{
		Name: "html", Layout: "html", Page: "html/page.html", Full: true, Prints: true, Height: 480, Type: "website",
		Progress: []report.ContentKind{report.ContentScroll},
		Shows:    func(_ *Viewers, l *vitrine.Link) bool { return l.Kind == filetype.HTML },
		Frame:    &Frame{Path: "frame", Sandbox: HTMLSandbox},
		Examined: Examined{Parsed: true, Source: true, Note: noteOfHTML},
	},
	{ // its parts are being made
		Name: "soon", Layout: "pdf", Page: "pdf/page.html", Scripted: true, Waits: true, Full: true, Height: 480,
		Type:     "website",
		Progress: []report.ContentKind{report.ContentScroll},
		Shows: func(s *Viewers, l *vitrine.Link) bool {
			return s.Awaits(l, vitrine.PartImage, vitrine.PartPages, vitrine.PartSheets, vitrine.PartEntries)
		},
		Frame:    &Frame{Path: "preview", Sandbox: FrameSandbox},
		Examined: Examined{Sandbox: FrameSandbox},
	},
	{ // a Word document without converted pages, which the browser renders
		Name: "docx", Layout: "pdf", Page: "pdf/page.html", Scripted: true, Full: true, Prints: true, Height: 480,
		Type:     "website",
		Progress: []report.ContentKind{report.ContentScroll},
		Shows:    func(_ *Viewers, l *vitrine.Link) bool { return isDocx(l) },
		Frame: &Frame{
			Path: "docx", Sandbox: FrameSandbox, Template: "docx/frame.html", Policy: docxPolicy, Library: "docx/",
			File: true, Reads: docxOf,
		},
		Entries:  &Entries{Shows: isNamed("docx")},
		Examined: Examined{Path: "docx", Sandbox: FrameSandbox},
	},
	Card,
}

// Card shows what browsers cannot: name, size, download.
var Card = &Viewer{
	Name: "card", Layout: "card", Page: "card/page.html", Height: 320, Type: "website",
	Progress: []report.ContentKind{report.ContentPages, report.ContentScroll, report.ContentMedia},
	Shows:    func(*Viewers, *vitrine.Link) bool { return true },
	Examined: Examined{None: true},
}

const (
	// SourceTemplate shows text as it is.
	SourceTemplate = "text/inert.html"

	// The policies of frames. pdf.js compiles its image decoders from
	// WebAssembly; its worker begins as a blob, the only kind that an opaque
	// origin may start. A Word document needs inline styles and style elements,
	// because its library writes them. They are admitted only there: the origin
	// is opaque, the frame shows only the file, and nothing but the file can be
	// loaded.
	pdfPolicy httpx.Surface = "sandbox {sandbox}; default-src 'none'; script-src {assets} {nonce} 'wasm-unsafe-eval'; worker-src blob: {assets}; style-src {nonce}; " +
		"img-src blob: data: {files}; font-src data: {assets}; connect-src {files} {assets}; " + httpx.NoForms
	docxPolicy httpx.Surface = "sandbox {sandbox}; default-src 'none'; script-src {assets}; style-src 'unsafe-inline' {assets}; img-src blob: data:; " +
		"font-src blob: data:; connect-src {files}; " + httpx.NoForms

	// FrameSandbox is what our frames may do: run, and open web links of a
	// document in a new tab.
	FrameSandbox = "allow-scripts allow-popups allow-popups-to-escape-sandbox"
	// HTMLSandbox is what a user's HTML may do. It never includes our origin or
	// the surrounding page.
	HTMLSandbox = "allow-scripts allow-forms allow-popups allow-modals allow-downloads"
	// mediaSandbox is what the frame of a video or sound may do: some browsers
	// run their own controls as scripts of the page. The frame has no scripts,
	// and its policy admits none.
	mediaSandbox = "allow-scripts"
)

// Awaits reports whether one of the parts of a link is still to be made.
func (s *Viewers) Awaits(l *vitrine.Link, parts ...vitrine.Part) bool {
	return slices.ContainsFunc(parts, func(p vitrine.Part) bool { return !l.Parts.Has(p) && s.Previews.Expects(l, p) })
}

// pdfOf returns the PDF of a link: its file, or the pages made from it.
func pdfOf(s *Viewers, r *http.Request, l *vitrine.Link) (string, int64, error) {
	switch {
	case l.Kind == filetype.PDF && l.HasBytes:
		return "file", l.Size, nil
	case l.Parts.Has(vitrine.PartPages):
		pages, err := s.OpenPart(r, l, vitrine.PartPages)
		if err != nil {
			return "", 0, err
		}
		return "part/" + string(vitrine.PartPages), pages.Size(), pages.Close()
	}
	return "", 0, httpx.ErrNoPage
}

func isDocx(l *vitrine.Link) bool {
	t, ok := filetype.ByExt(l.Name)
	return ok && t.Ext == "docx" && l.HasBytes
}

func docxOf(_ *Viewers, _ *http.Request, l *vitrine.Link) (string, int64, error) {
	if !isDocx(l) {
		return "", 0, httpx.ErrNoPage
	}
	return "file", l.Size, nil
}

// fillImage sets what an image's page shows: the file or, if browsers cannot
// read it, the part made from it.
func fillImage(_ *Viewers, _ *http.Request, l *vitrine.Link, address func(string) string, c *Content) error {
	c.File = address("file")
	if l.Parts.Has(vitrine.PartImage) {
		c.File = address("part/" + string(vitrine.PartImage))
	}
	return nil
}

func fillMedia(_ *Viewers, _ *http.Request, l *vitrine.Link, address func(string) string, c *Content) error {
	c.File, c.Tracks = address("file"), tracks(l, address)
	return nil
}

func fillSound(s *Viewers, r *http.Request, l *vitrine.Link, address func(string) string, c *Content) error {
	if l.Parts.Has(vitrine.PartImage) {
		c.Cover = address("part/" + string(vitrine.PartImage))
	}
	return fillMedia(s, r, l, address, c)
}

// ExaminedHTML is how much of a web page is parsed for a moderator, in bytes.
const ExaminedHTML = 4 << 20

func noteOfHTML(l *vitrine.Link) string {
	note := "Scripts and links are off in this preview; readers get the page with them."
	if l.Size > ExaminedHTML {
		note = "This is the first 4 MiB of it. " + note
	}
	return note
}

// HasSource reports whether a file is text, however it is shown.
func HasSource(l *vitrine.Link) bool {
	t, _ := filetype.ByExt(l.Name)
	return l.Kind == filetype.HTML || l.Kind == filetype.Text || t.Ext == "svg"
}

// FallbackText returns what replaces the content: always for a card, otherwise
// if a browser cannot show it.
func (v *Viewer) FallbackText(l *vitrine.Link) string {
	switch {
	case !l.HasBytes:
		return "The file of this link is not available here."
	case v == Card && !l.AllowDownload:
		return "A browser cannot show this kind of file, and its owner has turned downloads off."
	case v == Card:
		return "A browser cannot show this kind of file. Download it to open it."
	case v.Scripted && !l.AllowDownload:
		return "Reading this document here needs JavaScript. Its owner has turned downloads off."
	case v.Scripted:
		return "Reading this document here needs JavaScript. Without it, download the file."
	case !l.AllowDownload:
		return "This browser cannot show this file, and its owner has turned downloads off."
	default:
		return "This browser cannot show this file. Download it to open it."
	}
}
