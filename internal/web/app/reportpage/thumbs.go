package reportpage

import (
	"archive/zip"
	"errors"
	"io/fs"
	"net/http"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/web/app"
	"vitrine/internal/web/httpx"
)

// Small pictures of a document's pages, shown beside their numbers to the same
// readers.

// show gives the rows the addresses of their pictures, below that of the
// report. Only the current version of the file has pictures.
func (p *statsPages) show(root string, l *vitrine.Link) {
	if p == nil || p.version != 0 && p.version != l.Version || !l.HasBytes || !l.Parts.Has(vitrine.PartThumbs) {
		return
	}
	p.Thumbs = true
	for i := range p.Rows {
		if r := &p.Rows[i]; r.Page <= vitrine.MaxThumbs {
			r.Thumb = app.PagePicture(root, l, r.Page)
		}
	}
}

// Thumb sends the picture of a page to the owner of the link.
func (s *Handler) Thumb(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	l, err := s.linkOf(r, me)
	if err == nil {
		err = access.File{Link: l, Account: me}.Check(access.Asker{Account: me}, s.Now())
	}
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "private, max-age=86400")
	return s.sendThumb(w, r, l)
}

// SharedThumb sends the picture of a page to a reader of a shared report, as
// long as the link is public.
func (s *Handler) SharedThumb(w http.ResponseWriter, r *http.Request) error {
	setPrivateHeaders(w)
	found, in, err := s.readShared(r)
	if err != nil {
		return err
	}
	if !in || found.Link == nil {
		return httpx.ErrNoPage
	}
	l, err := s.Links.PublicByID(r.Context(), found.Link.ID, s.Viewers.Reader(r))
	if err != nil {
		return err
	}
	return s.sendThumb(w, r, l)
}

func (s *Handler) sendThumb(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	if !l.Parts.Has(vitrine.PartThumbs) {
		return httpx.ErrNoPage
	}
	blob, err := s.Viewers.OpenPart(r, l, vitrine.PartThumbs)
	if err != nil {
		return err
	}
	defer blob.Close()
	z, err := zip.NewReader(blob, blob.Size())
	if err != nil {
		return vitrine.Unavailable(err)
	}
	b, err := fs.ReadFile(z, r.PathValue("page")+".jpg")
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		return httpx.ErrNoPage
	}
	if err != nil {
		return vitrine.Unavailable(err)
	}
	s.Server.SetPolicy(w, r, httpx.FileBytes)
	w.Header().Set("Content-Type", "image/jpeg")
	_, err = w.Write(b)
	return err
}
