package public

import (
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

// form is where the page of a link is shown: on its own, or embedded.
type form byte

const (
	OwnPage  form = iota // in a window
	Embedded             // in a frame, on a page of another site
)

// linkPage is the public page of a link.
type linkPage struct {
	ui.Page
	Form     form
	URL      string // public address
	Facts    []string
	ViewOnly bool
	Badge    string // the file's extension, for the card

	Viewer *viewer.Viewer
	viewer.Content
	Apart    bool   // File has another origin than the page
	Passing  bool   // the page will change soon, although the link does not
	QR       string // address of the QR code without its extension
	Kind     string // how progress is measured: a report.ContentKind
	Beacon   string // address that takes the page's beacons
	Markdown string // address of the text for programs; "" for none
	Download string // address; "" for a view-only link
	Report   string // address
	Notice   notice
	Bar      template.HTML // placeholder of the owner's bar

	Embed   string         // HTML that shows the content on another page
	OEmbed  string         // address of the page's oEmbed data
	Picture viewer.Picture // for cards of other sites
}

// template returns the template for the form.
func (p *linkPage) template() *template.Template {
	if p.Form == Embedded {
		return ui.Template("embed.html", p.Viewer.Page)
	}
	return ui.Template("link.html", p.Viewer.Page)
}

// notice is shown instead of content.
type notice struct{ Message, Download string }

// linkPage collects what the page of a link shows. It depends only on the link
// and the hour.
func (s *Handler) linkPage(r *http.Request, l *vitrine.Link, f form) (*linkPage, error) {
	t, _ := filetype.ByExt(l.Name)
	v := s.Viewers.Of(l)
	here := l.Path()
	p := &linkPage{
		Page: s.Pages.NewChrome(ui.Title(l)), Form: f, URL: s.Server.AddressOf(l),
		ViewOnly: l.HasBytes && !l.AllowDownload,
		Badge:    ui.Badge(l), Viewer: v,
		Apart: s.Server.ContentURL.Host != s.Server.PublicURL.Host, Kind: string(v.ProgressOf(l)), QR: here + "/qr",
		Beacon: "/p/" + string(l.Slug) + "/beacon",
		Report: here + "/report", Facts: ui.Facts(l, t), Embed: s.Viewers.EmbedOf(l).HTML(), OEmbed: s.oembedAddress(l),
		Picture: s.Viewers.Picture(l),
	}
	if l.AllowDownload && l.HasBytes {
		p.Download = here + "/download"
	}
	if viewer.HasReading(l) && l.Through.Recipient == 0 {
		p.Markdown = s.textAddress(l)
	}
	err := s.fill(p, r, l)
	if vitrine.CodeOf(err) == vitrine.CodeUnavailable {
		s.Log.Warn("a page is shown without its content", "link", l.Slug, "error", err)
		p.Viewer, p.Passing, p.Content = viewer.Card, true, viewer.Content{}
		p.Notice.Message = "This file cannot be shown right now. Open this page again in a few minutes."
		return p, nil
	}
	p.Notice.Message = p.Viewer.FallbackText(l)
	return p, err
}

// identify gives the page the view token by which its beacons and its download
// are known to be of one view.
func (p *linkPage) identify(token string) {
	q := "?v=" + url.QueryEscape(token)
	p.Beacon += q
	if p.Download != "" {
		p.Download += q
	}
	p.Notice.Download = p.Download
}

// fill adds what the viewer of a page needs.
func (s *Handler) fill(p *linkPage, r *http.Request, l *vitrine.Link) (err error) {
	p.Passing = p.Viewer.Waits
	var pass vitrine.Pass
	if viewer.PassesDiffer(l) {
		pass = s.Viewers.PassOf(r, l)
	}
	p.Content, err = s.Viewers.ContentOf(p.Viewer, r, l, func(what string) string {
		if p.Form == Embedded && strings.HasPrefix(what, "entry/") {
			what += httpx.EmbedQuery
		}
		return s.Viewers.ContentAddress(l, pass, what)
	})
	if errors.Is(err, httpx.ErrNoPage) { // a part is lost, which is made again
		p.Viewer, p.Passing, err = viewer.Card, true, nil
	}
	if p.Viewer.Frame != nil && p.Form == Embedded {
		p.File += httpx.EmbedQuery
	}
	return err
}
