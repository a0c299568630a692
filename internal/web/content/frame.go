package content

import (
	"encoding/base64"
	"html/template"
	"io"
	"net/http"

	"vitrine"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
	"vitrine/report/part"
)

// framePage is the frame of a viewer that is a template.
type framePage struct {
	Library string       // directory of assets
	File    string       // the bytes that it reads, relative to the frame's address
	Size    int64        // of these, bytes
	Picture template.URL // of the first page, relative to the frame's address; "" for none
	Prints  bool
	Unit    string // what it shows several of: page or slide
	Nonce   string
}

// Named returns what comes before the number of a page or slide.
func (p framePage) Named() string { return ui.Capital(p.Unit) }

// maxInline bounds a picture of the first page in the frame itself, in bytes.
const maxInline = 160 << 10

// Frame answers with the frame of a viewer: a document of an opaque origin that
// is shown only in the link's page.
func (s *Handler) Frame(w http.ResponseWriter, r *http.Request) error {
	v := viewer.ByFrame(r.PathValue("frame"))
	if v == nil {
		return httpx.ErrNoPage
	}
	return s.OnBytes(func(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
		file, size, err := v.Frame.Reads(s.Viewers, r, l)
		if err != nil {
			return err
		}
		if httpx.Navigated(r) {
			return s.toPage(w, r, l)
		}
		p := framePage{File: file, Size: size, Prints: l.AllowDownload, Unit: string(part.Page)}
		if l.Outline.Kind() == part.Slide {
			p.Unit = string(part.Slide)
		}
		if l.Parts.Has(vitrine.PartFirst) {
			p.Picture = s.first(r, l)
		}
		w.Header().Set("X-DNS-Prefetch-Control", "off") // a link asks for nothing until it is followed
		return s.frame(w, r, l, v.Frame, p)
	})(w, r)
}

// frame answers with the frame of a viewer.
func (s *Handler) frame(w http.ResponseWriter, r *http.Request, l *vitrine.Link, f *viewer.Frame, p framePage) error {
	if f.Library != "" {
		p.Library = ui.AssetPath(f.Library)
	}
	p.Nonce = httpx.NewNonce()
	s.Server.SetPolicy(w, r, f.Policy, "sandbox", f.SandboxOf(l), "nonce", "'nonce-"+p.Nonce+"'")
	return ui.Render(w, r, http.StatusOK, f.Template, p)
}

// first returns the picture of the first page. It is in the frame itself: a
// frame of an opaque origin shares neither connections nor cache with the page
// around it, so that requests of its own would take slow networks too long.
func (s *Handler) first(r *http.Request, l *vitrine.Link) template.URL {
	address := template.URL("part/" + string(vitrine.PartFirst))
	blob, err := s.Viewers.OpenPart(r, l, vitrine.PartFirst)
	if err != nil {
		return "" // only an early picture
	}
	defer blob.Close()
	if blob.Size() > maxInline {
		return address
	}
	b, err := io.ReadAll(blob)
	if err != nil {
		return address
	}
	return template.URL("data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(b))
}
