package public

import (
	"errors"
	"html/template"
	"net/http"
	"net/url"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/markup"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

// form is where the page of a link is shown.
type form byte

const (
	OwnPage  form = iota // in a window
	Embedded             // in a frame, on a page of another site
)

// linkPage is the public page of one link.
type linkPage struct {
	ui.Page
	Form     form
	URL      string // public address
	Name     string // of the file
	Facts    []string
	ViewOnly bool
	Badge    string // the file's extension, for the card

	Show     string // how the content is shown: one of the show constants
	File     string // address of the bytes, or of the frame that shows them; "" for none
	Apart    bool   // File is of another origin than the page
	Tracks   []viewer.Track
	Sandbox  string // of the frame
	Text     string
	Passing  bool            // the page is so for a while only, and another though the link is as it was
	Lines    bool            // Document is lines of code
	Document markup.Document // what is shown in place of Text, if it has HTML
	TextCut  bool
	Wrap     bool
	QR       string // address of the page's QR code, without the ending that says which kind of picture
	Kind     string // how progress is measured: a report.ContentKind
	Beacon   string // address that takes the page's beacons
	Download string // address; "" for a view-only link
	Report   string // address
	Notice   notice

	Embed   string         // HTML that shows the content on another page
	OEmbed  string         // address that tells the same to programs
	Picture viewer.Picture // for cards of other sites
}

// template is what renders the page in its form.
func (p *linkPage) template() *template.Template {
	if p.Form == Embedded {
		return embedTemplate()
	}
	return linkTemplate()
}

// Embedded reports whether the page is in a frame of another site.
func (p *linkPage) Embedded() bool { return p.Form == Embedded }

// Viewer is the name of the script and the style that show content of this
// kind; "" where the page alone suffices.
func (p *linkPage) Viewer() string {
	switch p.Show {
	case viewer.ShowImage:
		return "viewer/image"
	case viewer.ShowVideo, viewer.ShowAudio:
		return "viewer/media"
	}
	return ""
}

// Type is what the page is to other sites, in the words of Open Graph.
func (p *linkPage) Type() string {
	switch p.Show {
	case viewer.ShowVideo:
		return "video.other"
	case viewer.ShowAudio:
		return "music.song"
	}
	return "website"
}

// notice stands where content cannot be shown.
type notice struct{ Message, Download string }

// linkPage gathers what the page of a link shows: of the link as it is, and of
// the hour.
func (s *Handler) linkPage(r *http.Request, l *vitrine.Link, f form) (*linkPage, error) {
	t, _ := filetype.ByExt(l.Name)
	here := "/p/" + string(l.Slug)
	p := &linkPage{
		Page: s.NewChrome(l.Title), Form: f, URL: s.LinkURL(l.Slug), Name: l.Name, ViewOnly: !l.AllowDownload, Badge: ui.Badge(t), Show: s.ShowOf(l),
		Apart: s.ContentURL.Host != s.PublicURL.Host, Kind: string(vitrine.ContentKindOf(l.Kind)), QR: here + "/qr", Beacon: here + "/beacon",
		Report: here + "/report", Facts: ui.Facts(l, t), Embed: s.EmbedOf(l).HTML(), OEmbed: s.oembedAddress(l), Picture: s.Picture(l),
	}
	if l.AllowDownload && l.HasBytes {
		p.Download = here + "/download"
	}
	err := s.fill(p, r, l)
	p.Notice.Message = viewer.Unshown(p.Show, l)
	return p, err
}

// identify gives the page the view token by which its beacons and its download
// are known to be of one open.
func (p *linkPage) identify(token string) {
	q := "?v=" + url.QueryEscape(token)
	p.Beacon += q
	if p.Download != "" {
		p.Download += q
	}
	p.Notice.Download = p.Download
}

// fill adds to a page what its way of showing needs.
func (s *Handler) fill(p *linkPage, r *http.Request, l *vitrine.Link) (err error) {
	frame := ""
	if p.Form == Embedded {
		frame = httpx.EmbedQuery
	}
	switch p.Show {
	case viewer.ShowPDF:
		p.File, p.Sandbox = s.ContentAddress(l, "view")+frame, viewer.PdfSandbox
	case viewer.ShowHTML:
		p.File, p.Sandbox = s.ContentAddress(l, "frame")+frame, viewer.FrameSandbox
	case viewer.ShowDocx:
		p.File, p.Sandbox = s.ContentAddress(l, "docx")+frame, viewer.DocxSandbox
	case viewer.ShowSoon:
		p.File, p.Sandbox, p.Passing = s.ContentAddress(l, "preview")+frame, viewer.PdfSandbox, true // what it becomes is a viewer
	case viewer.ShowImage:
		p.File = s.ContentAddress(l, viewer.ImageOf(l))
	case viewer.ShowVideo, viewer.ShowAudio:
		p.File, p.Tracks = s.ContentAddress(l, "file"), s.Tracks(l)
	case viewer.ShowSheets, viewer.ShowTree:
		if p.Document, err = s.Derived(r, l, p.Show); errors.Is(err, httpx.ErrNoPage) {
			p.Show, p.Passing, err = viewer.ShowCard, true, nil
		}
	case viewer.ShowText:
		p.Text, p.TextCut, err = s.Text(r, l)
		t, _ := filetype.ByExt(l.Name)
		p.Wrap = t.Ext == "txt" || t.Ext == "log"
		p.Document, p.Lines = viewer.Arranged(p.Text, t.Ext, p.TextCut)
	}
	return err
}

// Layout is which of the page's layouts content of this kind takes.
func (p *linkPage) Layout() string {
	switch p.Show {
	case viewer.ShowDocx, viewer.ShowSoon:
		return viewer.ShowPDF // a viewer that fills what is under the label
	case viewer.ShowSheets, viewer.ShowTree:
		return viewer.ShowText
	}
	return p.Show
}

// Reader reports whether the page itself holds a document: text, a table, a
// tree.
func (p *linkPage) Reader() bool { return p.Layout() == viewer.ShowText }

// Framed reports whether a viewer in a frame shows the content.
func (p *linkPage) Framed() bool { return p.Layout() == viewer.ShowPDF }
