package export

import (
	"archive/zip"
	"context"
	"time"

	"vitrine"
)

// exportedWebhook is a webhook without its secret.
type exportedWebhook struct {
	URL       string                `json:"url"` // of a chat only the host
	Format    vitrine.WebhookFormat `json:"format"`
	Label     string                `json:"label"`
	Types     []vitrine.EventKind   `json:"types"`
	Links     []vitrine.Slug        `json:"links"`
	Names     bool                  `json:"recipientLabels"`
	Off       vitrine.WebhookOff    `json:"offReason"`
	CreatedAt time.Time             `json:"createdAt"`
}

// webhooks writes webhooks.json, if the account has any.
func (e *Exporter) webhooks(ctx context.Context, a *vitrine.Account, z *zip.Writer) error {
	list, err := vitrine.Read(ctx, e.Store, func(tx vitrine.Tx) (list []exportedWebhook, err error) {
		all, err := tx.Webhooks(a.ID)
		for _, w := range all {
			out := exportedWebhook{URL: w.URL, Format: w.Format, Label: w.Label, Types: w.Kinds, Names: w.Names,
				Off: w.Off, CreatedAt: w.CreatedAt}
			links, err := tx.LinksByID(w.Links)
			if err != nil {
				return nil, err
			}
			for _, l := range links {
				out.Links = append(out.Links, l.Slug)
			}
			list = append(list, out)
		}
		return list, err
	})
	if err != nil || len(list) == 0 {
		return err
	}
	return e.json(z, "webhooks.json", list)
}
