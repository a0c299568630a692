package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/markup"
)

// shownParts are the parts that viewers read as they are, and what they are.
var shownParts = map[vitrine.Part]string{
	vitrine.PartPages: "application/pdf",
	vitrine.PartImage: "image/jpeg",
}

// part sends a part's bytes to its viewer.
func (s *contentH) part(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	p := vitrine.Part(r.PathValue("part"))
	contentType, ok := shownParts[p]
	if !ok || !l.Parts.Has(p) {
		return errNoPage
	}
	if navigated(r) {
		return s.toPage(w, r, l)
	}
	blob, err := s.openPart(r, l, p)
	if err != nil {
		return err
	}
	defer blob.Close()
	h := w.Header()
	h.Set("Access-Control-Expose-Headers", "Accept-Ranges, Content-Range, Content-Length, ETag")
	h.Set("Content-Security-Policy", fileCSP)
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", "inline")
	sendPart(w, r, l, p, blob)
	return nil
}

// preview is the frame of a page that was opened before the parts of its file
// were made: it waits for them, and then shows them, as a page does that is
// opened later.
func (s *contentH) preview(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	if navigated(r) {
		return s.toPage(w, r, l)
	}
	p := previewPage{chrome: s.newChrome(l.Title), Script: origin(s.ContentURL) + assetPath("frame.js"), Styles: origin(s.ContentURL)}
	show := s.showOf(l)
	var err error
	switch show {
	case showPDF:
		return seeOther(w, r, "view")
	case showDocx:
		return seeOther(w, r, "docx")
	case showImage:
		p.Image = imageOf(l)
	case showSheets, showTree:
		var d markup.Document
		d, err = s.derived(r, l, show)
		p.HTML, p.Note = d.HTML, d.Note
	case showSoon:
		w.Header().Set("Refresh", previewRefresh)
		p.Message = "A preview is being made. It will be here in a moment."
	default:
		p.Message = unshown(showCard, l)
	}
	if err != nil {
		return err
	}
	own := origin(s.ContentURL)
	h := w.Header()
	h.Set("Cache-Control", "private, no-store")
	h.Set("Content-Security-Policy", strings.Join([]string{
		"sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox",
		"default-src 'none'",
		"script-src " + own + assetRoot,
		"style-src " + own + assetRoot,
		"img-src " + own + contentRoot,
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors " + s.ancestors(r),
	}, "; "))
	return render(w, r, http.StatusOK, previewTemplate, p)
}

// previewRefresh is after how many seconds a frame looks again whether what it
// waits for is there.
const previewRefresh = "2"

type previewPage struct {
	chrome
	Script, Styles string // addresses: of the script that tells how far it was read, of the origin of styles
	Message        string // what is here in the place of content
	Image          string // address, relative to the frame's
	HTML           template.HTML
	Note           string
}

// seeOther sends a frame to another one of the same link, with the query that
// it has.
func seeOther(w http.ResponseWriter, r *http.Request, name string) error {
	if r.URL.RawQuery != "" {
		name += "?" + r.URL.RawQuery
	}
	w.Header().Set("Location", name) // relative to the frame's address: http.Redirect would make it one of this host
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// derived is what a page shows of a part that is data.
func (s *viewerH) derived(r *http.Request, l *vitrine.Link, show string) (markup.Document, error) {
	if show == showTree {
		var listing vitrine.Listing
		err := s.readPart(r, l, vitrine.PartEntries, &listing)
		return markup.Tree(listing), err
	}
	var book vitrine.Workbook
	err := s.readPart(r, l, vitrine.PartSheets, &book)
	return markup.Sheets(book), err
}

// readPart reads a part that is JSON of ours.
func (s *viewerH) readPart(r *http.Request, l *vitrine.Link, p vitrine.Part, to any) error {
	blob, err := s.openPart(r, l, p)
	if err != nil {
		return err
	}
	defer blob.Close()
	if err := json.NewDecoder(blob).Decode(to); err != nil {
		return vitrine.Unavailable(err)
	}
	return nil
}

// sendPart answers with a part, whole or in ranges. It is made once of bytes
// that never change, and in doubt made again of them.
func sendPart(w http.ResponseWriter, r *http.Request, l *vitrine.Link, p vitrine.Part, b vitrine.Blob) {
	w.Header().Set("ETag", fmt.Sprintf(`"%.16s-%s-%d"`, l.SHA256, p, b.Size()))
	http.ServeContent(w, r, "", time.Time{}, b)
}

func (s *viewerH) openPart(r *http.Request, l *vitrine.Link, p vitrine.Part) (vitrine.Blob, error) {
	if !l.HasBytes {
		return nil, errNoPage
	}
	b, err := s.Blobs.OpenPart(r.Context(), l.Upload, p)
	if errors.Is(err, vitrine.ErrNotFound) { // a backup without parts, say: it can be made again
		_, err := s.Previews.Renew(r.Context(), string(l.Slug))
		s.Log.Warn("a part is lost, and made anew", "link", l.Slug, "part", p, "error", err)
		return nil, errNoPage
	}
	if err != nil {
		return nil, vitrine.Unavailable(err)
	}
	return b, nil
}
