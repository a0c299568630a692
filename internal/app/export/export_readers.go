package export

import (
	"archive/zip"
	"context"
	"time"

	"vitrine"
)

// readersPage bounds the readers that are read at once.
const readersPage = 1000

// readers writes readers.csv, who confirmed an address at the email gates of
// the links, where there are any.
func (e *Exporter) readers(ctx context.Context, links []*vitrine.Link, z *zip.Writer) error {
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
				if err := c.Write([]string{"slug", "email", "confirmed_at", "agreed_to"}); err != nil {
					return err
				}
			}
			for _, r := range some {
				err := c.Write([]string{string(l.Slug), r.Email, r.At.UTC().Format(time.RFC3339), r.Consent})
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
