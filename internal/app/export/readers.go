package export

import (
	"archive/zip"
	"context"
	"slices"
	"time"

	"vitrine"
)

// readersPage bounds the readers that are read at once.
const readersPage = 1000

// readers writes readers.csv, who confirmed an address at the email gates of
// the links and albums, where there are any.
func (e *Exporter) readers(ctx context.Context, a *vitrine.Account, links []*vitrine.Link, z *zip.Writer) error {
	albums, err := vitrine.Read(ctx, e.Store, func(tx vitrine.Tx) ([]*vitrine.Album, error) { return tx.Albums(a.ID) })
	if err != nil {
		return err
	}
	links = slices.Clone(links)
	for _, album := range albums {
		links = append(links, album.Door())
	}
	var c CSV
	begun := false
	for _, l := range links {
		for before := int64(0); ; {
			some, err := vitrine.Read(ctx, e.Store, func(tx vitrine.Tx) ([]*vitrine.KnownReader, error) {
				return tx.KnownReaders(l.ID, before, readersPage)
			})
			if err != nil {
				return err
			}
			if len(some) == 0 {
				break
			}
			if !begun {
				w, err := e.begin(z, "readers.csv", zip.Deflate, e.Now())
				if err != nil {
					return err
				}
				c, begun = NewCSV(w), true
				if err := c.Write([]string{"slug", "email", "confirmed_at", "agreed_to", "album"}); err != nil {
					return err
				}
			}
			link, album := string(l.Slug), ""
			if l.ID < 0 {
				link, album = album, link
			}
			for _, r := range some {
				err := c.Write([]string{link, r.Email, r.At.UTC().Format(time.RFC3339), r.Consent, album})
				if err != nil {
					return err
				}
			}
			if err := c.Flush(); err != nil {
				return err
			}
			before = some[len(some)-1].ID
		}
	}
	return nil
}
