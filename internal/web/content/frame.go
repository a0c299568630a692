package content

import (
	"net/http"

	"vitrine"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

// framePage is the frame of a viewer that is a template.
type framePage struct {
	Library string // directory of assets
	File    string // the bytes that it reads, relative to the frame's address
	Size    int64  // of these, bytes
	Picture string // of the first page, relative to the frame's address; "" for none
	Prints  bool
}

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
		p := framePage{File: file, Size: size, Prints: l.AllowDownload}
		if l.Parts.Has(vitrine.PartFirst) {
			p.Picture = "part/" + string(vitrine.PartFirst)
		}
		if v.Frame.Library != "" {
			p.Library = ui.AssetPath(v.Frame.Library)
		}
		s.Server.SetPolicy(w, r, v.Frame.Policy, "sandbox", v.Frame.SandboxOf(l))
		w.Header().Set("X-DNS-Prefetch-Control", "off") // a link asks for nothing until it is followed
		return ui.Render(w, r, http.StatusOK, v.Frame.Template, p)
	})(w, r)
}
