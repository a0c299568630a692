package export

import (
	"archive/zip"
	"path"
	"strconv"
	"time"

	"vitrine"
	"vitrine/internal/app/links"
)

// exportedLinkVersion is an earlier or waiting version of a link's file.
type exportedLinkVersion struct {
	Slug      vitrine.Slug      `json:"slug"`
	Version   int               `json:"version"`
	File      string            `json:"file"` // in the archive
	Type      string            `json:"type"`
	Bytes     int64             `json:"bytes"`
	SHA256    string            `json:"sha256"`
	Status    vitrine.LinkState `json:"status"`
	CreatedAt time.Time         `json:"createdAt"`
}

// foldersOf maps each link to the folder of its file. The row of a current
// version has none.
func foldersOf(links []*vitrine.Link) map[vitrine.LinkID]string {
	of := map[vitrine.LinkID]*vitrine.Link{}
	for _, l := range links {
		of[l.ID] = l
	}
	folders := map[vitrine.LinkID]string{}
	for _, l := range links {
		m := of[l.Of]
		switch {
		case !l.OfLink():
			folders[l.ID] = string(l.Slug)
		case m != nil && m.Version != l.Version:
			folders[l.ID] = path.Join(string(m.Slug), "versions", strconv.Itoa(l.Version))
		}
	}
	return folders
}

// versions writes versions.json, where there are any besides the current ones.
func (e *Exporter) versions(links []*vitrine.Link, z *zip.Writer) error {
	slugs, folders := map[vitrine.LinkID]vitrine.Slug{}, foldersOf(links)
	for _, l := range links {
		slugs[l.ID] = l.Slug
	}
	var list []exportedLinkVersion
	for _, l := range links {
		if folder := folders[l.ID]; l.OfLink() && folder != "" {
			list = append(list, exportedLinkVersion{slugs[l.Of], l.Version, path.Join("files", folder, l.Name), l.Type,
				l.Size, l.SHA256, l.State, l.CreatedAt})
		}
	}
	if len(list) == 0 {
		return nil
	}
	return e.json(z, "versions.json", list)
}

// exportedNote is the owner's note about a day of a link.
type exportedNote struct {
	Slug vitrine.Slug `json:"slug"`
	links.Note
}

// notes writes notes.json, if there are any.
func (e *Exporter) notes(of []*vitrine.Link, z *zip.Writer) error {
	var list []exportedNote
	for _, l := range of {
		for _, n := range links.NotesOf(l) {
			list = append(list, exportedNote{l.Slug, n})
		}
	}
	if len(list) == 0 {
		return nil
	}
	return e.json(z, "notes.json", list)
}
