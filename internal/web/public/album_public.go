package public

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/markup"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

// publicAlbumPage is the public page of an album.
type publicAlbumPage struct {
	ui.Page
	Heading  string
	Text     string // above the links
	URL      string
	Covers   []viewer.Cover
	Sorts    []sort
	Download string // address of all files in one; "" where none may be downloaded
	Size     string // of these
	Left     int    // files that are not among them
}

// sort is an order of an album.
type sort struct {
	Name, Address string
	Chosen        bool
}

// orders maps values in addresses to orders.
var orders = []struct {
	query, name string
	compare     func(a, b *vitrine.Link) int
}{
	{"", "Album order", nil},
	{"name", "Name", func(a, b *vitrine.Link) int { return markup.Natural(ui.Title(a), ui.Title(b)) }},
	{"newest", "Newest", func(a, b *vitrine.Link) int { return b.CreatedAt.Compare(a.CreatedAt) }},
}

// arrange sorts the links of an album as requested, and returns the available
// orders.
func arrange(links []*vitrine.Link, here, asked string) (sorts []sort) {
	if len(links) < 2 {
		return nil
	}
	for _, o := range orders {
		address := here
		if o.query != "" {
			address += "?sort=" + o.query
		}
		sorts = append(sorts, sort{o.name, address, o.query == asked})
		if o.query == asked && o.compare != nil {
			slices.SortStableFunc(links, o.compare)
		}
	}
	return sorts
}

// ShowAlbum answers with the public page of an album and its live links. It is
// not a view of a link. Another spelling of the slug redirects to the album's
// address.
func (s *Handler) ShowAlbum(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("Cache-Control", "private, no-store")
	h.Set("X-Robots-Tag", "noindex")
	text := r.PathValue("slug")
	slug, err := httpx.SlugOf(text)
	if err != nil {
		return errNoAlbum
	}
	if string(slug) != text || strings.HasSuffix(r.URL.Path, "/") {
		http.Redirect(w, r, httpx.AlbumRoot+string(slug), http.StatusPermanentRedirect)
		return nil
	}
	album, err := s.albumFor(r, slug)
	if g := (*access.Gate)(nil); errors.As(err, &g) && g.Place {
		return s.giveAlbumPlace(w, r, g.Link)
	}
	if err != nil {
		return s.albumGated(w, r, err)
	}
	if r.URL.Query().Has(httpx.Mailed) {
		return toPage(w, r, album.Door())
	}
	p := publicAlbumPage{Page: s.Pages.NewChrome(album.Title), Heading: album.Title, Text: album.Text,
		URL: s.Server.AlbumURL(slug)}
	here := httpx.AlbumRoot + string(slug)
	p.Sorts = arrange(album.Links, here, r.URL.Query().Get("sort"))
	if files := downloadable(album.Links); len(files) > 0 {
		var size int64
		for _, l := range files {
			size += l.Size
		}
		p.Download, p.Size, p.Left = here+"/download", ui.ByteSize(size), len(album.Links)+len(album.Locked)-len(files)
	}
	for _, l := range album.Links {
		p.Covers = append(p.Covers, s.Viewers.Cover(l))
	}
	for _, l := range album.Locked {
		p.Covers = append(p.Covers, viewer.Cover{Title: "Protected file", Address: s.Server.LinkURL(l.Slug),
			Locked: true})
	}
	for i := range p.Covers {
		p.Covers[i].Address += "?" + albumParam + "=" + string(slug)
	}
	s.Server.SetPagePolicy(w, r, httpx.PublicPage, p.Nonce)
	return ui.Render(w, r, http.StatusOK, "album_public.html", p)
}

// giveAlbumPlace gives a reader of an album that limits them a place, with a
// pass, and shows the page. HEAD uses no place.
func (s *Handler) giveAlbumPlace(w http.ResponseWriter, r *http.Request, door *vitrine.Link) error {
	if httpx.Speculative(r) {
		http.Error(w, "This page is not served to prefetch requests.", http.StatusServiceUnavailable)
		return nil
	}
	if r.Method == http.MethodHead {
		s.Server.SetPagePolicy(w, r, httpx.PublicPage, httpx.NewNonce())
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		return nil
	}
	r, err := s.takePlace(w, r, door)
	if err != nil {
		return err
	}
	return s.ShowAlbum(w, r)
}

// albumParam has the slug of the album from which a link is opened.
const albumParam = "album"

// openedFrom returns the album with a link from which a request opens it, or 0.
func (s *Handler) openedFrom(r *http.Request, l *vitrine.Link) (int64, error) {
	slug := vitrine.Slug(r.URL.Query().Get(albumParam))
	if slug == "" {
		return 0, nil
	}
	albums, err := s.Albums.Around(r.Context(), l.ID)
	if err != nil {
		return 0, err
	}
	for _, a := range albums {
		if a.Slug == slug {
			return int64(a.ID), nil
		}
	}
	return 0, nil
}

var errNoAlbum = vitrine.Errorf(vitrine.CodeNotFound, "There is no album at this address.")
