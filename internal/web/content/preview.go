package content

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

// shownParts are the parts that viewers read as they are, and what they are.
var shownParts = map[vitrine.Part]string{
	vitrine.PartPages:   "application/pdf",
	vitrine.PartImage:   "image/jpeg",
	vitrine.PartPicture: "image/jpeg",
}

// Part sends a part's bytes to its viewer.
func (s *Handler) Part(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	p := vitrine.Part(r.PathValue("part"))
	contentType, ok := shownParts[p]
	if !ok || !l.Parts.Has(p) {
		return httpx.ErrNoPage
	}
	if httpx.Navigated(r) {
		return s.toPage(w, r, l)
	}
	blob, err := s.OpenPart(r, l, p)
	if err != nil {
		return err
	}
	defer blob.Close()
	h := w.Header()
	h.Set("Access-Control-Expose-Headers", "Accept-Ranges, Content-Range, Content-Length, ETag")
	s.SetPolicy(w, r, httpx.FileBytes)
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", "inline")
	sendPart(w, r, l, p, blob)
	return nil
}

// Preview is the frame of a page that was opened before the parts of its file
// were made: it waits for them, and then shows them, as a page does that is
// opened later.
func (s *Handler) Preview(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	if httpx.Navigated(r) {
		return s.toPage(w, r, l)
	}
	v := s.Of(l)
	if v.Frame != nil && !v.Waits {
		return httpx.SeeOther(w, r, v.Frame.Path)
	}
	p, err := s.inertPage(v, r, l)
	if err != nil {
		return err
	}
	switch {
	case v.Waits:
		w.Header().Set("Refresh", previewRefresh)
		p.Message = "A preview is being made. It will be here in a moment."
	case v.Inert == "":
		p.Message = viewer.Card.Unshown(l)
	default:
		p.Script = p.Styles + ui.AssetPath("viewer/html/frame.js")
	}
	w.Header().Set("Cache-Control", "private, no-store")
	s.SetPolicy(w, r, httpx.PreviewFrame, "{sandbox}", viewer.Named("soon").Frame.Sandbox)
	return s.writeInert(w, r, v, p)
}

// previewRefresh is after how many seconds a frame looks again whether what it
// waits for is there.
const previewRefresh = "2"

// inertPage is a frame that holds content, but no script of its viewer.
type inertPage struct {
	Title   string
	Styles  string   // origin of the styles
	Sheets  []string // styles of the viewer
	Script  string   // address of the script that tells how far it was read; "" for none
	Message string   // what is here in the place of content
	viewer.Content
}

// inertPage gathers what a viewer shows without its scripts. Addresses are
// relative to the frame's.
func (s *Handler) inertPage(v *viewer.Viewer, r *http.Request, l *vitrine.Link) (p inertPage, err error) {
	p.Title, p.Styles, p.Sheets = l.Title, httpx.Origin(s.ContentURL), v.Styles
	if v.Inert != "" {
		p.Content, err = s.ContentOf(v, r, l, func(what string) string {
			if strings.HasPrefix(what, "entry/") {
				return "" // there is no frame for it here
			}
			return what
		})
	}
	return p, err
}

func (s *Handler) writeInert(w http.ResponseWriter, r *http.Request, v *viewer.Viewer, p inertPage) error {
	if p.Message != "" {
		return ui.Render(w, r, http.StatusOK, messageTemplate, p)
	}
	return ui.Render(w, r, http.StatusOK, inertTemplates[v], p)
}

// sendPart answers with a part, whole or in ranges. It is made once of bytes
// that never change, and in doubt made again of them.
func sendPart(w http.ResponseWriter, r *http.Request, l *vitrine.Link, p vitrine.Part, b vitrine.Blob) {
	w.Header().Set("ETag", fmt.Sprintf(`"%.16s-%s-%d"`, l.SHA256, p, b.Size()))
	http.ServeContent(w, r, "", time.Time{}, b)
}
