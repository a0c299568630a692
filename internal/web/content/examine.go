package content

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"vitrine"
	"vitrine/internal/filetype/text"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/markup"
	"vitrine/internal/web/viewer"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// OnExamined finds the link of an examine token, in any state, if its account
// still moderates. Browsers keep nothing of it.
func (s *Handler) OnExamined(h contentHandler) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		header := w.Header()
		header.Set("Access-Control-Allow-Origin", "*") // the viewers' own origin is opaque
		header.Set("X-Robots-Tag", "noindex")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("X-DNS-Prefetch-Control", "off")
		id, by, err := s.Signer.ParseExamineToken(r.PathValue("token"), s.Now())
		if err != nil {
			return err
		}
		l, err := s.Links.Examined(r.Context(), id, by)
		if err != nil {
			return err
		}
		header.Set("Cache-Control", "no-store")
		may := func(ctx context.Context) error { _, err := s.Links.Examined(ctx, id, by); return err }
		return s.Server.StopWhenNotPublic(w, r, may, func() error {
			return h(w, r.WithContext(context.WithValue(r.Context(), httpx.Examining{}, true)), l)
		})
	}
}

// OnBytes serves what frames of both moderators and the public load. Unlike
// OnContent, it never serves a moderator's frame as a page of its own.
func (s *Handler) OnBytes(h contentHandler) httpx.HandlerFunc {
	public := s.OnContent(h)
	examine := s.OnExamined(func(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
		if httpx.Navigated(r) {
			return httpx.ErrNoPage
		}
		return h(w, r, l)
	})
	return func(w http.ResponseWriter, r *http.Request) error {
		if _, err := s.Signer.ParseContentToken(r.PathValue("token"),
			s.Now()); vitrine.CodeOf(err) == vitrine.CodeInvalidSignature {
			return examine(w, r) // it distinguishes an expired token from an invalid one
		}
		return public(w, r)
	}
}

// Examine shows a file as its public page would, but inert.
func (s *Handler) Examine(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	if httpx.Navigated(r) {
		return httpx.ErrNoPage
	}
	v := s.Viewers.Of(l)
	switch {
	case v.Examined.Path != "":
		return httpx.SeeOther(w, r, v.Examined.Path)
	case v.Examined.Parsed:
		return s.inertHTML(w, r, l)
	}
	p, err := s.inertPage(v, r, l)
	if err != nil {
		return err
	}
	switch {
	case v.Waits:
		w.Header().Set("Refresh", previewRefresh)
		p.Message = "The preview is being made. It will be here in a moment."
	case v.Inert == "":
		p.Message = "A browser cannot show this kind of file."
	}
	s.Server.SetPolicy(w, r, httpx.ExamineFrame, "sandbox", v.Examined.Sandbox)
	return s.writeInert(w, r, v.Inert, p)
}

// Source sends the beginning of a text file as plain text: all of a web page or
// an SVG, including what it does not show.
func (s *Handler) Source(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	if httpx.Navigated(r) || !viewer.HasSource(l) {
		return httpx.ErrNoPage
	}
	text, cut, err := s.Viewers.Text(r, l)
	if err != nil {
		return err
	}
	p := inertPage{Title: l.Title, Styles: httpx.Origin(s.Server.ContentURL),
		Content: viewer.Content{Document: markup.Text(text), TextCut: cut}}
	s.Server.SetPolicy(w, r, httpx.ExamineFrame, "sandbox", "")
	return s.writeInert(w, r, viewer.SourceTemplate, p)
}

// CopyOfFile sends a file as a download that no browser opens by itself.
func (s *Handler) CopyOfFile(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	blob, err := s.Viewers.Blob(r, l)
	if err != nil {
		return err
	}
	defer blob.Close()
	h := w.Header()
	s.Server.SetPolicy(w, r, httpx.FileBytes)
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", httpx.Disposition("attachment", l.Name))
	viewer.SendBlob(w, r, l, blob)
	return nil
}

// OnOwned finds the live link of an owner's token, if its key is in force.
// Browsers keep nothing of it.
func (s *Handler) OnOwned(h contentHandler) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		id, key, err := s.Signer.ParseOwnerToken(r.PathValue("token"), s.Now())
		if err != nil {
			return err
		}
		return s.toOwner(w, r, id, key, true, h)
	}
}

// SendOwned sends the file of a link to the bearer of one of its account's
// keys, in any state in which its owner gets it.
func (s *Handler) SendOwned(w http.ResponseWriter, r *http.Request, id vitrine.LinkID, key vitrine.KeyID) error {
	return s.toOwner(w, r, id, key, false, s.CopyOfFile)
}

func (s *Handler) toOwner(w http.ResponseWriter, r *http.Request, id vitrine.LinkID, key vitrine.KeyID, byAddress bool,
	h contentHandler) error {
	l, err := s.Links.Owned(r.Context(), id, key, byAddress)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	may := func(ctx context.Context) error { _, err := s.Links.Owned(ctx, id, key, byAddress); return err }
	return s.Server.StopWhenNotPublic(w, r, may, func() error { return h(w, r, l) })
}

// inertHTML shows a moderator how a web page looks. Its policy prevents scripts
// and loading. Elements with which a browser contacts a host anyway
// (preconnect), or navigates, are removed, and links lead nowhere.
func (s *Handler) inertHTML(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	blob, err := s.Viewers.Blob(r, l)
	if err != nil {
		return err
	}
	defer blob.Close()
	page, err := inertCopy(io.LimitReader(blob, viewer.ExaminedHTML))
	if err != nil {
		return httpx.SeeOther(w, r, "source") // too deeply nested to parse; its source shows its content
	}
	h := w.Header()
	s.Server.SetPolicy(w, r, httpx.ExamineHTML)
	h.Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(page)
	return nil
}

// active lists the elements that load, run or navigate.
var active = map[atom.Atom]bool{
	atom.Script: true, atom.Link: true, atom.Meta: true, atom.Base: true, atom.Iframe: true, atom.Frame: true,
	atom.Frameset: true,
	atom.Object:   true, atom.Embed: true, atom.Applet: true, atom.Template: true,
}

// inertCopy returns a web page as UTF-8 without its active elements.
func inertCopy(in io.Reader) ([]byte, error) {
	text, err := text.PageReader(in)
	if err != nil {
		return nil, err
	}
	doc, err := html.ParseWithOptions(text, html.ParseOptionEnableScripting(false))
	if err != nil {
		return nil, err
	}
	var next, head *html.Node
	for n := doc.FirstChild; n != nil; n = next {
		next = nextSection(n, !active[n.DataAtom])
		if n.Type != html.ElementNode {
			continue
		}
		if active[n.DataAtom] {
			n.Parent.RemoveChild(n)
			continue
		}
		switch n.DataAtom {
		case atom.A, atom.Area:
			n.Attr = withoutLinks(n.Attr)
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

// nextSection returns the node after n in document order, with or without its
// children; nil at the end.
func nextSection(n *html.Node, within bool) *html.Node {
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

// linkStyle makes removed links look like links, unless the page styles them.
const linkStyle = ":where(a[title]){color:LinkText;text-decoration:underline;cursor:help}"

// withoutLinks returns the attributes of a link that leads nowhere but shows
// its target. Merely pressing a real link makes a browser contact the host.
func withoutLinks(attrs []html.Attribute) (kept []html.Attribute) {
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
