package web

import (
	"net/http"
	"strings"

	"vitrine"
	"vitrine/internal/filetype"
)

var publicAlbumTemplate = parse("layout.html", "icons.html", "album_public.html")

// cover shows a link in an album.
type cover struct {
	Title   string
	Address string // of its page
	Badge   string
	Facts   []string
	Picture string // address; "" when nothing was made of the file that could be seen, or the public may not see it
}

// cover shows of a link what the public may see of it, and no picture of one
// that is not live.
func (s *viewerH) cover(l *vitrine.Link) cover {
	t, _ := filetype.ByExt(l.Name)
	c := cover{Title: l.Title, Address: s.linkURL(l.Slug), Badge: badge(t), Facts: facts(l, t)}
	if c.Badge == "" {
		c.Badge = strings.ToUpper(string(l.Kind))
	}
	if l.Live() && l.Parts.Has(vitrine.PartPicture) {
		c.Picture = s.picture(l).Address
	}
	return c
}

// publicAlbumPage is an album as its visitors see it.
type publicAlbumPage struct {
	chrome
	Heading string
	URL     string
	Covers  []cover
}

// showAlbum answers with the public page of an album: of its links those that
// are live now. It is an open of nothing. A slug in another spelling is sent to
// the album's own address.
func (s *publicH) showAlbum(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("Cache-Control", "private, no-store")
	h.Set("X-Robots-Tag", "noindex")
	text := r.PathValue("slug")
	slug, err := vitrine.ParseSlug(text)
	if err != nil {
		return errNoAlbum
	}
	if string(slug) != text {
		http.Redirect(w, r, albumRoot+string(slug), http.StatusPermanentRedirect)
		return nil
	}
	album, err := s.Albums.Public(r.Context(), slug)
	if err != nil {
		return err
	}
	p := publicAlbumPage{chrome: s.newChrome(album.Title), Heading: album.Title, URL: s.albumURL(slug)}
	for _, l := range album.Links {
		p.Covers = append(p.Covers, s.cover(l))
	}
	h.Set("Content-Security-Policy", s.policy(p.Nonce, "'none'"))
	return render(w, r, http.StatusOK, publicAlbumTemplate, p)
}

var errNoAlbum = vitrine.Errorf(vitrine.CodeNotFound, "There is no album at this address.")
