package public

import (
	"net/http"

	"vitrine"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

var publicAlbumTemplate = ui.Parse("layout.html", "icons.html", "album_public.html")

// publicAlbumPage is an album as its visitors see it.
type publicAlbumPage struct {
	ui.Page
	Heading string
	URL     string
	Covers  []viewer.Cover
}

// ShowAlbum answers with the public page of an album: of its links those that
// are live now. It is a view of nothing. A slug in another spelling is sent to
// the album's own address.
func (s *Handler) ShowAlbum(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("Cache-Control", "private, no-store")
	h.Set("X-Robots-Tag", "noindex")
	text := r.PathValue("slug")
	slug, err := vitrine.ParseSlug(text)
	if err != nil {
		return errNoAlbum
	}
	if string(slug) != text {
		http.Redirect(w, r, httpx.AlbumRoot+string(slug), http.StatusPermanentRedirect)
		return nil
	}
	album, err := s.Albums.Public(r.Context(), slug)
	if err != nil {
		return err
	}
	p := publicAlbumPage{Page: s.NewChrome(album.Title), Heading: album.Title, URL: s.AlbumURL(slug)}
	for _, l := range album.Links {
		p.Covers = append(p.Covers, s.Cover(l))
	}
	s.SetPagePolicy(w, r, httpx.PublicPage, p.Nonce)
	return ui.Render(w, r, http.StatusOK, publicAlbumTemplate, p)
}

var errNoAlbum = vitrine.Errorf(vitrine.CodeNotFound, "There is no album at this address.")
