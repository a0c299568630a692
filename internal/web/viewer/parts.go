package viewer

import (
	"encoding/json"
	"errors"
	"net/http"

	"vitrine"
	"vitrine/internal/markup"
	"vitrine/internal/web/httpx"
)

func fillTree(s *Viewers, r *http.Request, l *vitrine.Link, _ func(string) string, c *Content) error {
	var listing vitrine.Listing
	err := s.readPart(r, l, vitrine.PartEntries, &listing)
	c.Document = markup.Tree(listing)
	return err
}

func fillSheets(s *Viewers, r *http.Request, l *vitrine.Link, _ func(string) string, c *Content) error {
	var book vitrine.Workbook
	err := s.readPart(r, l, vitrine.PartSheets, &book)
	c.Document = markup.Sheets(book)
	return err
}

// readPart reads a part that is JSON of ours.
func (s *Viewers) readPart(r *http.Request, l *vitrine.Link, p vitrine.Part, to any) error {
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

func (s *Viewers) OpenPart(r *http.Request, l *vitrine.Link, p vitrine.Part) (vitrine.Blob, error) {
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
