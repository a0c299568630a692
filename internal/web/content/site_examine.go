package content

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"

	"vitrine"
	"vitrine/internal/filetype/text"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/viewer"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// ExamineSite shows a moderator a version of a website, in any state: its pages
// without scripts, with their own styles and pictures and nothing external.
// Links within the website work.
func (s *Handler) ExamineSite(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	if httpx.Navigated(r) || !l.OfSite() {
		return httpx.ErrNoPage
	}
	site, blob, err := s.OpenSite(r.Context(), l)
	if err != nil {
		return err
	}
	defer blob.Close()
	p := r.PathValue("path")
	if r.URL.Query().Has("found") && p == "" {
		// Where something was found: a member of the ZIP, and within it perhaps
		// another.
		member, _, _ := strings.Cut(l.Detail, " > ")
		if at := strings.TrimPrefix(member, site.Root); site.Files[at].Type == "text/html" {
			return httpx.SeeOther(w, r, "./"+(&url.URL{Path: at}).EscapedPath())
		}
	}
	found := findInSite(site, p)
	if found.folder {
		return httpx.SeeOther(w, r, p[strings.LastIndexByte(p, '/')+1:]+"/")
	}
	if found.path == "" {
		return httpx.ErrNoPage
	}
	base := httpx.Origin(s.Server.ContentURL) + httpx.ContentRoot + r.PathValue("token") + "/site/"
	h := w.Header()
	s.Server.SetPolicy(w, r, httpx.ExamineSite, "base", base)
	f := site.Files[found.path]
	if f.Type != "text/html" {
		return sendSiteFile(w, r, siteFile{l, blob, f}, http.StatusOK)
	}
	var in io.Reader = io.NewSectionReader(blob, f.Offset, f.Packed)
	if f.Deflated {
		unpacked := &unpackedFile{packed: io.NewSectionReader(blob, f.Offset, f.Packed), size: f.Size}
		defer unpacked.Close()
		in = unpacked
	}
	page, err := inertSitePage(io.LimitReader(in, viewer.ExaminedHTML), base)
	if err != nil {
		return vitrine.Errorf(vitrine.CodeNotAvailable,
			"This page is nested deeper than is parsed. Look at its text in a copy of the ZIP.")
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(page)
	return nil
}

// inertSitePage returns a page of a website as UTF-8 without its active
// elements, but with styles. Addresses below the website's root are rewritten
// to base; links out of it lead nowhere.
func inertSitePage(in io.Reader, base string) ([]byte, error) {
	text, err := text.PageReader(in)
	if err != nil {
		return nil, err
	}
	doc, err := html.ParseWithOptions(text, html.ParseOptionEnableScripting(false))
	if err != nil {
		return nil, err
	}
	var next *html.Node
	for n := doc.FirstChild; n != nil; n = next {
		drop := n.Type == html.ElementNode && active[n.DataAtom] && !stylesheet(n)
		next = nextSection(n, !drop)
		switch {
		case n.Type != html.ElementNode:
		case drop:
			n.Parent.RemoveChild(n)
		case n.DataAtom == atom.A || n.DataAtom == atom.Area:
			if !within(n) {
				n.Attr = withoutLinks(n.Attr)
				continue
			}
			fallthrough
		default:
			for i, a := range n.Attr {
				if (a.Key == "href" || a.Key == "src" || a.Key == "poster") && strings.HasPrefix(a.Val, "/") &&
					!strings.HasPrefix(a.Val, "//") {
					n.Attr[i].Val = base + a.Val[1:]
				}
			}
		}
	}
	var b bytes.Buffer
	err = html.Render(&b, doc)
	return b.Bytes(), err
}

var asBrowsers = strings.NewReplacer(`\`, "/", "\t", "", "\n", "", "\r", "")

func stylesheet(n *html.Node) bool {
	for _, a := range n.Attr {
		if a.Key == "rel" && strings.EqualFold(strings.TrimSpace(a.Val), "stylesheet") {
			return n.DataAtom == atom.Link
		}
	}
	return false
}

// within reports whether a link stays within its website, according to its
// address, and removes the target window. Browsers treat a backslash as a slash
// and ignore tabs and line breaks.
func within(n *html.Node) bool {
	stays := false
	kept := n.Attr[:0]
	for _, a := range n.Attr {
		switch a.Key {
		case "target", "ping":
			continue
		case "href":
			u, err := url.Parse(strings.TrimSpace(asBrowsers.Replace(a.Val)))
			stays = err == nil && u.Scheme == "" && u.Host == "" && !strings.HasPrefix(u.Path, "//")
		}
		kept = append(kept, a)
	}
	n.Attr = kept
	return stays
}
