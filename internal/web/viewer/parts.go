package viewer

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/markup"
)

func fillTree(s *Viewers, r *http.Request, l *vitrine.Link, address func(string) string, c *Content) error {
	var listing filetype.Listing
	err := s.readPart(r, l, vitrine.PartEntries, &listing)
	c.Document = markup.Tree(listing, func(i int) string {
		if EntryViewer(l, listing.Entries[i]) == nil {
			return ""
		}
		return address("entry/" + strconv.Itoa(i))
	})
	if slices.ContainsFunc(listing.Entries, func(e filetype.Entry) bool { return e.Sealed }) && !listing.Encrypted {
		c.Document.Note = strings.TrimSpace(c.Document.Note +
			" Some files cannot be opened here: they are too far inside the archive, or packed in a way that only an unpacking program reads.")
	}
	return err
}

// MaxEntry bounds a file in an archive that is shown from it, in bytes. A part
// of a compressed file, such as the middle of a video, is unpacked from its
// beginning.
const MaxEntry = 32 << 20

// EntryViewer returns the viewer of a file in an archive, or nil.
func EntryViewer(l *vitrine.Link, e filetype.Entry) *Viewer {
	archive, _ := filetype.ByExt(l.Name)
	switch {
	case archive.Kind != filetype.Archive, e.Dir, e.Sealed, e.Size <= 0, e.Size > MaxEntry:
		return nil
	case (archive.Ext == "gz" || archive.Ext == "tgz" || archive.Ext == "7z") && e.Size > filetype.MaxMember:
		return nil
	}
	for _, v := range openers {
		if v.Entries.Shows(e.Name) {
			return v
		}
	}
	return nil
}

// openers are the viewers of the table that show files in archives. fillTree
// cannot refer to the table, which refers to it.
var openers []*Viewer

func init() {
	for _, v := range Table {
		if v.Entries != nil {
			openers = append(openers, v)
		}
	}
}

// isNamed, isOf and isText report whether a file in an archive is one that a
// viewer shows, by its name.
func isNamed(ext string) func(string) bool {
	return func(name string) bool {
		t, _ := filetype.ByExt(name)
		return t.Ext == ext
	}
}

func isOf(kind filetype.Kind) func(string) bool {
	return func(name string) bool {
		t, ok := filetype.ByExt(name)
		return ok && t.Kind == kind && filetype.Inline(t)
	}
}

func isText(name string) bool {
	t, ok := filetype.ByExt(name)
	return ok && (t.Kind == filetype.Text || t.Kind == filetype.HTML) ||
		slices.Contains(sources, strings.ToLower(strings.TrimPrefix(path.Ext(name), ".")))
}

// sources are extensions of unsupported text types that archives show as text.
var sources = strings.Fields("bash bat c cc cfg conf cpp cs css diff env go gradle h hpp ini java jl js jsx kt less lua m mjs php pl pm properties " +
	"ps1 py r rb rs rst sass scala scss sh sql svelte swift tex toml ts tsx vue zsh")

// Entry reads a part's listing, and of it one entry.
func (s *Viewers) Entry(r *http.Request, l *vitrine.Link, i int) (e filetype.Entry, err error) {
	if !l.Parts.Has(vitrine.PartEntries) {
		return e, httpx.ErrNoPage
	}
	var listing filetype.Listing
	if err := s.readPart(r, l, vitrine.PartEntries, &listing); err != nil {
		return e, err
	}
	if i < 0 || i >= len(listing.Entries) || listing.Encrypted {
		return e, httpx.ErrNoPage
	}
	return listing.Entries[i], nil
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

func (s *Viewers) openPart(r *http.Request, l *vitrine.Link, p vitrine.Part) (vitrine.Blob, error) {
	if err := s.fetches(r, l); err != nil {
		return nil, err
	}
	return s.Open(r.Context(), func(ctx context.Context) (vitrine.Blob, error) {
		return s.Blobs.OpenPart(ctx, l.Upload, p)
	})
}

// OpenPart opens a part of a link. If it is lost, it is made again, and
// OpenPart returns [httpx.ErrNoPage].
func (s *Viewers) OpenPart(r *http.Request, l *vitrine.Link, p vitrine.Part) (vitrine.Blob, error) {
	if !l.HasBytes {
		return nil, httpx.ErrNoPage
	}
	b, err := s.openPart(r, l, p)
	if errors.Is(err, vitrine.ErrNotFound) { // lost, for example in a backup without parts; it can be made again
		_, err := s.Previews.Renew(r.Context(), string(l.Slug))
		s.Log.Warn("a part is lost, and made anew", "link", l.Slug, "part", p, "error", err)
		return nil, httpx.ErrNoPage
	}
	if err != nil {
		return nil, vitrine.Unavailable(err)
	}
	return b, nil
}
