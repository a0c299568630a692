package export

import (
	"archive/zip"
	"context"
	"strconv"
	"time"

	"vitrine"
)

// recipients writes recipients.csv, where links have any.
func (e *Exporter) recipients(ctx context.Context, links []*vitrine.Link, z *zip.Writer) error {
	var table *CSV
	for _, l := range links {
		list, err := vitrine.Read(ctx, e.Store, func(tx vitrine.Tx) ([]*vitrine.Recipient, error) {
			return tx.Recipients(vitrine.RecipientQuery{Link: l.ID})
		})
		if err != nil {
			return err
		}
		for _, r := range list {
			if table == nil {
				w, err := e.begin(z, "recipients.csv", zip.Deflate, e.Now())
				if err != nil {
					return err
				}
				c := NewCSV(w)
				table = &c
				if err := c.Write([]string{"slug", "id", "label", "url", "created_at", "expires_at", "revoked_at",
					"download", "password", "email", "readers"}); err != nil {
					return err
				}
			}
			download, access := "", []string{"", "", ""} // as the link says
			if a := r.Access; a != nil {
				access = protection(*a)
			}
			if r.Download != nil {
				download = strconv.FormatBool(*r.Download)
			}
			if err := table.Write(append([]string{string(l.Slug), strconv.FormatInt(int64(r.ID), 10), r.Label,
				e.URL(l.Slug) + "/" + string(r.Token), moment(r.CreatedAt), moment(r.ExpiresAt), moment(r.RevokedAt),
				download}, access...)); err != nil {
				return err
			}
		}
	}
	if table == nil {
		return nil
	}
	return table.Flush()
}

// moment formats a time for a table, or returns "" for the zero time.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
