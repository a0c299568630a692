package viewer

import (
	"encoding/json"
	"errors"
	"net/http"

	"vitrine"
	"vitrine/internal/markup"
	"vitrine/internal/web/httpx"
)

// Derived is what a page shows of a part that is data.
func (s *Viewer) Derived(r *http.Request, l *vitrine.Link, show string) (markup.Document, error) {
	if show == ShowTree {
		var listing vitrine.Listing
		err := s.readPart(r, l, vitrine.PartEntries, &listing)
		return markup.Tree(listing), err
	}
	var book vitrine.Workbook
	err := s.readPart(r, l, vitrine.PartSheets, &book)
	return markup.Sheets(book), err
}

// readPart reads a part that is JSON of ours.
func (s *Viewer) readPart(r *http.Request, l *vitrine.Link, p vitrine.Part, to any) error {
	blob, err := s.OpenPart(r, l, p)
	if err != nil {
		return err
	}
	defer blob.Close()
	if err := json.NewDecoder(blob).Decode(to); err != nil {
		return vitrine.Unavailable(err)
	}
	return nil
}

func (s *Viewer) OpenPart(r *http.Request, l *vitrine.Link, p vitrine.Part) (vitrine.Blob, error) {
	if !l.HasBytes {
		return nil, httpx.ErrNoPage
	}
	b, err := s.Blobs.OpenPart(r.Context(), l.Upload, p)
	if errors.Is(err, vitrine.ErrNotFound) { // a backup without parts, say: it can be made again
		_, err := s.Previews.Renew(r.Context(), string(l.Slug))
		s.Log.Warn("a part is lost, and made anew", "link", l.Slug, "part", p, "error", err)
		return nil, httpx.ErrNoPage
	}
	if err != nil {
		return nil, vitrine.Unavailable(err)
	}
	return b, nil
}
