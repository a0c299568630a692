package app

import (
	"context"
	"net/http"

	"vitrine"
	"vitrine/internal/app/export"
	"vitrine/internal/app/recipients"
	"vitrine/report"
)

// RecipientsCSV sends the names and addresses of a link's recipients that work,
// for a mail merge.
func (s *LinkPages) RecipientsCSV(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	o, err := s.Links.Own(r.Context(), me, r.PathValue("slug"))
	if err != nil {
		return err
	}
	rows, err := s.recipientRows(r.Context(), me, o.Link)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8; header=present")
	w.Header().Set("Content-Disposition", `attachment; filename="`+string(o.Slug)+`-addresses.csv"`)
	w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		return nil
	}
	table := export.NewCSV(w)
	_ = table.Write([]string{"label", "address"})
	for _, row := range rows {
		if row.Ended == "" {
			_ = table.Write([]string{row.Label, row.URL})
		}
	}
	return table.Flush()
}

// RecipientNames returns what pages call the recipients of a link, by ID.
func RecipientNames(ctx context.Context, s *recipients.Service, l *vitrine.Link) (func(id string) string, error) {
	all, err := s.All(ctx, l.ID)
	names := map[string]string{}
	for id, r := range all {
		names[report.IDText(int64(id))] = r.Label
	}
	return func(id string) string {
		if names[id] == "" {
			return noName
		}
		return names[id]
	}, err
}
