package export

import (
	"archive/zip"
	"context"
	"path"
	"time"

	"vitrine"
	"vitrine/internal/app/collections"
)

type exportedAlbum struct {
	Slug      vitrine.Slug   `json:"slug"`
	Title     string         `json:"title"`
	Text      string         `json:"text"`
	CreatedAt time.Time      `json:"createdAt"`
	Password  bool           `json:"password"` // readers need one
	Email     bool           `json:"email"`    // readers confirm an address
	Readers   int            `json:"readers"`  // how many people may open it; 0 for any number
	Links     []vitrine.Slug `json:"links"`    // in order
}

type exportedSite struct {
	Slug      vitrine.Slug      `json:"slug"`
	Title     string            `json:"title"`
	CreatedAt time.Time         `json:"createdAt"`
	Versions  []exportedVersion `json:"versions"` // newest first
}

type exportedVersion struct {
	File      string            `json:"file"` // in the archive
	CreatedAt time.Time         `json:"createdAt"`
	Files     int64             `json:"files"`
	Bytes     int64             `json:"bytes"`
	SHA256    string            `json:"sha256"`
	Status    vitrine.LinkState `json:"status"`
	Shown     bool              `json:"shown"`
}

// collections writes albums.json and websites.json if there are any. The ZIPs
// of websites are among the files.
func (e *Exporter) collections(ctx context.Context, a *vitrine.Account, z *zip.Writer) error {
	var albums []exportedAlbum
	var sites []exportedSite
	err := e.Store.Read(ctx, func(tx vitrine.Tx) (err error) {
		if albums, err = exportAlbums(tx, a); err != nil {
			return err
		}
		sites, err = exportSites(tx, a)
		return err
	})
	if err == nil && len(albums) > 0 {
		err = e.json(z, "albums.json", albums)
	}
	if err == nil && len(sites) > 0 {
		err = e.json(z, "websites.json", sites)
	}
	if err != nil || e.Website == nil || !a.Plan.Pro() {
		return err
	}
	return e.websites(ctx, a, z)
}

// websites writes the report of each website.
func (e *Exporter) websites(ctx context.Context, a *vitrine.Account, z *zip.Writer) error {
	sites, err := vitrine.Read(ctx, e.Store, func(tx vitrine.Tx) ([]*vitrine.Site, error) {
		return tx.Sites(a.ID)
	})
	for _, site := range sites {
		r, err := e.Website(ctx, site)
		if err != nil {
			return err
		}
		if err := e.json(z, "analytics/websites/"+string(site.Slug)+".json", r); err != nil {
			return err
		}
	}
	return err
}

func exportAlbums(tx vitrine.AlbumTx, a *vitrine.Account) (all []exportedAlbum, err error) {
	albums, err := tx.Albums(a.ID)
	for _, album := range albums {
		links, err := tx.AlbumLinks(album.ID, 0)
		if err != nil {
			return nil, err
		}
		out := exportedAlbum{Slug: album.Slug, Title: album.Title, Text: album.Text, CreatedAt: album.CreatedAt,
			Password: album.Access.Password != "", Email: album.Access.Email.On, Readers: album.Access.Readers,
			Links: []vitrine.Slug{}}
		for _, l := range links {
			out.Links = append(out.Links, l.Slug)
		}
		all = append(all, out)
	}
	return all, err
}

func exportSites(tx vitrine.Tx, a *vitrine.Account) (all []exportedSite, err error) {
	sites, err := tx.Sites(a.ID)
	for _, site := range sites {
		f, err := collections.ReadSiteFacts(tx, site)
		if err != nil {
			return nil, err
		}
		out := exportedSite{Slug: site.Slug, Title: site.Title, CreatedAt: site.CreatedAt,
			Versions: []exportedVersion{}}
		for _, l := range f.Versions {
			out.Versions = append(out.Versions, exportedVersion{File: path.Join("files", string(l.Slug), l.Name),
				CreatedAt: l.CreatedAt, Files: l.Files, Bytes: l.Size,
				SHA256: l.SHA256, Status: l.State, Shown: f.Shown != nil && f.Shown.ID == l.ID})
		}
		all = append(all, out)
	}
	return all, err
}
