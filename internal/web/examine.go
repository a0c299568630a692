package web

import (
	"bytes"
	"context"
	"html/template"
	"io"
	"net/http"
	"strings"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/markup"
	"vitrine/internal/signer"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
)

// examining marks the context of a request that came with an examine token.
type examining struct{}

func examined(r *http.Request) bool { return r.Context().Value(examining{}) != nil }

// examineAddress is where the content host has something of a link for a
// moderator. It is for their pages alone.
func (s *viewerH) examineAddress(l *vitrine.Link, what string) string {
	return origin(s.ContentURL) + contentRoot + s.Signer.ExamineToken(l.ID, s.Now().Add(signer.ExamineLife)) + "/" + what
}

// onExamined finds the link of an examine token, in whatever state. Browsers
// keep nothing of it.
func (s *contentH) onExamined(h contentHandler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		header := w.Header()
		header.Set("Access-Control-Allow-Origin", "*") // the viewers' own origin is opaque
		header.Set("X-Robots-Tag", "noindex")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("X-DNS-Prefetch-Control", "off")
		id, err := s.Signer.ParseExamineToken(r.PathValue("token"), s.Now())
		if err != nil {
			return err
		}
		l, err := s.Links.Examined(r.Context(), id)
		if err != nil {
			return err
		}
		header.Set("Cache-Control", "no-store")
		return h(w, r.WithContext(context.WithValue(r.Context(), examining{}, true)), l)
	}
}

// onBytes is onContent for what a moderator's frames load as well as the
// public's. A moderator's is never a page of its own.
func (s *contentH) onBytes(h contentHandler) handler {
	public := s.onContent(h)
	examine := s.onExamined(func(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
		if navigated(r) {
			return errNoPage
		}
		return h(w, r, l)
	})
	return func(w http.ResponseWriter, r *http.Request) error {
		if _, err := s.Signer.ParseContentToken(r.PathValue("token"), s.Now()); vitrine.CodeOf(err) == vitrine.CodeInvalidSignature {
			return examine(w, r) // which tells an expired token of its own from rubbish
		}
		return public(w, r)
	}
}

// examinedMediaSandbox is what the frame of a video or sound may do: some
// browsers run their own controls as scripts of the page. The frame has none of
// its own, and its policy admits none.
const examinedMediaSandbox = "allow-scripts"

// examinePage is the frame that shows a file to a moderator.
type examinePage struct {
	Title, Styles string
	Show          string // one of the show constants
	Image         string // address, relative to the frame's, as those of Tracks are
	Tracks        []track
	HTML          template.HTML
	Text          string
	Note          string
	Message       string // what is here in the place of content
}

// examine shows a file as its public page would, but inert.
func (s *contentH) examine(w http.ResponseWriter, r *http.Request, l *vitrine.Link) (err error) {
	if navigated(r) {
		return errNoPage
	}
	p := examinePage{Title: l.Title, Styles: origin(s.ContentURL), Show: s.showOf(l)}
	sandbox := ""
	switch p.Show {
	case showPDF:
		return seeOther(w, r, "view")
	case showDocx:
		return seeOther(w, r, "docx")
	case showHTML:
		return s.inertHTML(w, r, l)
	case showImage:
		p.Image = imageOf(l)
	case showVideo, showAudio:
		sandbox = examinedMediaSandbox
		for _, tag := range l.Captions() {
			p.Tracks = append(p.Tracks, track{Language: tag, Label: languageName(tag), Address: "captions/" + tag})
		}
	case showSheets, showTree:
		var d markup.Document
		d, err = s.derived(r, l, p.Show)
		p.HTML, p.Note = d.HTML, d.Note
	case showText:
		err = s.examineText(&p, r, l)
	case showSoon:
		w.Header().Set("Refresh", previewRefresh)
		sandbox = "allow-scripts" // without which no browser refreshes; there is no script
		p.Message = "The preview is being made. It will be here in a moment."
	default:
		p.Message = "A browser cannot show this kind of file."
	}
	if err != nil {
		return err
	}
	own := origin(s.ContentURL)
	w.Header().Set("Content-Security-Policy", strings.Join([]string{
		strings.TrimSpace("sandbox " + sandbox),
		"default-src 'none'",
		"style-src " + own + assetRoot,
		"img-src " + own + contentRoot,
		"media-src " + own + contentRoot,
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors " + s.ancestors(r),
	}, "; "))
	return render(w, r, http.StatusOK, examineTemplate, p)
}

func (s *contentH) examineText(p *examinePage, r *http.Request, l *vitrine.Link) error {
	text, cut, err := s.text(r, l)
	if err != nil {
		return err
	}
	t, _ := filetype.ByExt(l.Name)
	d, _ := arranged(text, t.Ext, cut)
	p.HTML, p.Note = d.HTML, d.Note
	if p.HTML == "" {
		p.Text = text
	}
	if cut {
		p.Note = strings.TrimSpace(p.Note + " This is the first mebibyte of the file.")
	}
	return nil
}

// hasSource reports whether a file is text, whatever it looks like.
func hasSource(l *vitrine.Link) bool {
	t, _ := filetype.ByExt(l.Name)
	return l.Kind == filetype.HTML || l.Kind == filetype.Text || t.Ext == "svg"
}

// source sends the beginning of a text file as plain text: what a web page or
// an SVG says besides what it shows.
func (s *contentH) source(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	if navigated(r) || !hasSource(l) {
		return errNoPage
	}
	text, cut, err := s.text(r, l)
	if err != nil {
		return err
	}
	p := examinePage{Title: l.Title, Styles: origin(s.ContentURL), Show: showText, Text: text}
	if cut {
		p.Note = "This is the first mebibyte of the file."
	}
	w.Header().Set("Content-Security-Policy", "sandbox; default-src 'none'; style-src "+origin(s.ContentURL)+assetRoot+"; frame-ancestors "+s.ancestors(r))
	return render(w, r, http.StatusOK, examineTemplate, p)
}

// copyOfFile sends a file's bytes to keep, as bytes that no browser opens by
// itself.
func (s *contentH) copyOfFile(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	blob, err := s.blob(r, l)
	if err != nil {
		return err
	}
	defer blob.Close()
	h := w.Header()
	h.Set("Content-Security-Policy", fileCSP)
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", disposition("attachment", l.Name))
	sendBlob(w, r, l, blob)
	return nil
}

// examinedHTML is how much of a web page is parsed for a moderator, in bytes.
const examinedHTML = 4 << 20

// inertHTML shows how a web page looks. Its policy lets it run and load
// nothing; the elements that make a browser greet a host all the same
// (preconnect), or go elsewhere, are not in it any more, and its links lead
// nowhere.
func (s *contentH) inertHTML(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	blob, err := s.blob(r, l)
	if err != nil {
		return err
	}
	defer blob.Close()
	page, err := inert(io.LimitReader(blob, examinedHTML))
	if err != nil {
		return seeOther(w, r, "source") // nested deeper than is parsed: its text says what it is
	}
	h := w.Header()
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors "+s.ancestors(r))
	h.Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(page)
	return nil
}

// active are the elements that load, run or lead elsewhere.
var active = map[atom.Atom]bool{
	atom.Script: true, atom.Link: true, atom.Meta: true, atom.Base: true, atom.Iframe: true, atom.Frame: true, atom.Frameset: true,
	atom.Object: true, atom.Embed: true, atom.Applet: true, atom.Template: true,
}

// inert is a web page, as UTF-8, without its active elements.
func inert(in io.Reader) ([]byte, error) {
	text, err := charset.NewReader(in, "")
	if err != nil {
		return nil, err
	}
	doc, err := html.ParseWithOptions(text, html.ParseOptionEnableScripting(false))
	if err != nil {
		return nil, err
	}
	var next, head *html.Node
	for n := doc.FirstChild; n != nil; n = next {
		next = following(n, !active[n.DataAtom])
		if n.Type != html.ElementNode {
			continue
		}
		if active[n.DataAtom] {
			n.Parent.RemoveChild(n)
			continue
		}
		switch n.DataAtom {
		case atom.A, atom.Area:
			n.Attr = unlinked(n.Attr)
		case atom.Head:
			head = n
		}
	}
	if head != nil {
		style := &html.Node{Type: html.ElementNode, Data: "style", DataAtom: atom.Style}
		style.AppendChild(&html.Node{Type: html.TextNode, Data: linkStyle})
		head.InsertBefore(style, head.FirstChild)
	}
	var b bytes.Buffer
	err = html.Render(&b, doc)
	return b.Bytes(), err
}

// following is the node after n in the order of the document, its children left
// out or not; nil at the end.
func following(n *html.Node, within bool) *html.Node {
	if within && n.FirstChild != nil {
		return n.FirstChild
	}
	for ; n != nil; n = n.Parent {
		if n.NextSibling != nil {
			return n.NextSibling
		}
	}
	return nil
}

// linkStyle shows what was a link as one, where the page has no style of its
// own for it.
const linkStyle = ":where(a[title]){color:LinkText;text-decoration:underline;cursor:help}"

// unlinked are the attributes of a link that leads nowhere, and says where it
// did. A browser greets the host of one that is merely pressed.
func unlinked(attrs []html.Attribute) (kept []html.Attribute) {
	for _, a := range attrs {
		switch a.Key {
		case "href":
			kept = append(kept, html.Attribute{Key: "title", Val: "Leads to " + a.Val})
		case "title", "ping", "target":
		default:
			kept = append(kept, a)
		}
	}
	return kept
}
