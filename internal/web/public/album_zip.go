package public

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/web/httpx"

	"golang.org/x/text/unicode/norm"
)

// DownloadAlbum sends the files of an album as one ZIP while it reads them,
// without a temporary file or a whole file in memory. It checks each file
// before sending it. A file that may no longer be downloaded is left out; if
// one is disabled while it is sent, or the album needs another pass, the answer
// ends, as a single download would.
//
// Each file counts as a download without a view.
func (s *Handler) DownloadAlbum(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("Cache-Control", "private, no-store")
	h.Set("X-Robots-Tag", "noindex")
	if httpx.Speculative(r) {
		http.Error(w, "This file is not served to prefetch requests.", http.StatusServiceUnavailable)
		return nil
	}
	slug, err := vitrine.ParseSlug(r.PathValue("slug"))
	if err != nil {
		return errNoAlbum
	}
	album, err := s.albumFor(r, slug)
	if err != nil {
		return s.albumGated(w, r, err)
	}
	links := downloadable(album.Links)
	if len(links) == 0 {
		return httpx.ErrNoPage
	}
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", httpx.Disposition("attachment", strings.ReplaceAll(album.Title, "/", "_")+".zip"))
	h.Set("Accept-Ranges", "none")
	s.Server.SetPolicy(w, r, httpx.FileBytes)
	if r.Method == http.MethodHead {
		return nil
	}
	z := zip.NewWriter(w)
	names := zipNames{}
	begun := false
	for _, l := range links {
		sent, err := s.zipLink(w, r, z, names, slug, l.ID)
		if err != nil && !begun && !sent {
			for _, name := range []string{"Content-Type", "Content-Disposition", "Accept-Ranges"} {
				h.Del(name)
			}
			return err
		}
		if err != nil {
			if r.Context().Err() == nil {
				s.Log.Warn("album download ended early", "album", slug, "link", l.Slug, "error", err)
			}
			panic(http.ErrAbortHandler) // the client must not mistake a partial ZIP for a complete one
		}
		begun = begun || sent
	}
	if !begun {
		return httpx.ErrNoPage
	}
	if err := addLeftOut(z, names, len(album.Locked)); err != nil {
		panic(http.ErrAbortHandler)
	}
	if err := z.Close(); err != nil {
		panic(http.ErrAbortHandler)
	}
	return nil
}

// leftOut is the name of the text that says what a ZIP is without.
const leftOut = "Protected files.txt"

// addLeftOut says in a ZIP how many files are left out of it because the reader
// needs a pass for them.
func addLeftOut(z *zip.Writer, names zipNames, n int) error {
	if n == 0 {
		return nil
	}
	to, err := z.Create(names.add(leftOut))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(to, "Protected files of this album that are not in this ZIP: %d.\n"+
		"To download them, open each on the page of the album.\n", n)
	return err
}

// downloadable returns the links with a download.
func downloadable(links []*vitrine.Link) (all []*vitrine.Link) {
	for _, l := range links {
		if l.AllowDownload && l.HasBytes {
			all = append(all, l)
		}
	}
	return all
}

// zipLink adds the file of a link to a ZIP if it may be downloaded, and reports
// whether it did. After an error before the first byte, the ZIP is unchanged.
func (s *Handler) zipLink(w http.ResponseWriter, r *http.Request, z *zip.Writer, names zipNames,
	album vitrine.Slug, id vitrine.LinkID) (sent bool, err error) {
	l, err := s.Links.PublicByID(r.Context(), id, s.Viewers.Reader(r))
	switch vitrine.CodeOf(err) {
	case vitrine.CodeDisabled, vitrine.CodeNotAvailable, vitrine.CodeNotFound, vitrine.CodeAccessRequired:
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if len(downloadable([]*vitrine.Link{l})) == 0 {
		return false, nil
	}
	blob, err := s.Viewers.Blob(r, l)
	if err != nil {
		return false, err
	}
	defer blob.Close()
	_, a, err := s.Links.Public(r.Context(), l.Slug, s.Viewers.Reader(r))
	if err == nil {
		err = s.countDownload(r, l, a)
	}
	if err != nil {
		return false, err
	}
	shown := func(ctx context.Context) error {
		if _, err := s.Links.PublicVersion(ctx, id, l.Version, 0, s.Viewers.Reader(r)); err != nil {
			return err
		}
		return s.Albums.MayRead(ctx, album, s.Viewers.Reader(r))
	}
	return true, s.Server.StopWhenNotPublic(w, r, shown, func() error {
		to, err := z.CreateHeader(&zip.FileHeader{Name: names.add(l.Name), Method: zip.Store,
			Modified: l.CreatedAt.UTC()})
		if err != nil {
			return err
		}
		n, err := io.Copy(to, blob)
		if err == nil && n != l.Size {
			err = io.ErrUnexpectedEOF
		}
		return err
	})
}

// zipNames is the set of used names in a ZIP, ignoring case as some file
// systems do.
type zipNames map[string]bool

// add returns a name that every file system accepts and no earlier file has.
func (n zipNames) add(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`"\/:*?<>|`, r) {
			return '_'
		}
		return r
	}, norm.NFC.String(name))
	ext := path.Ext(name)
	base := strings.TrimSuffix(name, ext)
	if reserved[strings.ToUpper(strings.SplitN(base, ".", 2)[0])] {
		base = "_" + base
	}
	unique := base + ext
	for i := 2; n[strings.ToLower(unique)]; i++ {
		unique = base + " (" + strconv.Itoa(i) + ")" + ext
	}
	n[strings.ToLower(unique)] = true
	return unique
}

// reserved lists names that Windows does not allow for files.
var reserved = func() map[string]bool {
	all := map[string]bool{"CON": true, "PRN": true, "AUX": true, "NUL": true}
	for _, port := range []string{"COM", "LPT"} {
		for i := range 10 {
			all[port+strconv.Itoa(i)] = true
		}
	}
	return all
}()
