package app

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"vitrine"
	"vitrine/internal/app/export"
	"vitrine/internal/app/recipients"
	"vitrine/internal/web/ui"
	"vitrine/report"
)

// RecipientRow is a recipient of a link, as its owner sees it.
type RecipientRow struct {
	*vitrine.Recipient
	report.Reading
	URL    string
	Visits string // address of the visits through it; "" without numbers
	Edit   string // address of the page with its form
	Ended  string // why its address no longer works; "" while it does

	Until      string      // its last day, as in the form
	Protection *protection // of the row that is edited
}

// Name is what the table calls the row.
func (r *RecipientRow) Name() string { return cmp.Or(r.Label, noName) }

// Opened reports whether there is a counted view.
func (r *RecipientRow) Opened() bool { return r.Views > 0 }

// Spent returns the time spent in words.
func (r *RecipientRow) Spent() string { return ui.TimeOf(r.EngagedMs, r.EngagedMs) }

// Far returns how far the file was read.
func (r *RecipientRow) Far() string { return ui.Capital(r.Progress) }

// RecipientRows returns all recipients of a link, in the order in which they
// were added. It calls each, unless nil, with each view through one of them.
// Without analytics there are neither views nor numbers.
func (s *Shell) RecipientRows(ctx context.Context, me *vitrine.Account, l *vitrine.Link, each func(*report.View)) (
	[]*RecipientRow, error) {
	all, err := s.Recipients.All(ctx, l.ID)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	read := map[vitrine.RecipientID]*report.Reading{}
	if me.Plan.Pro() {
		if read, err = s.Analytics.Readings(ctx, l, each); err != nil {
			return nil, err
		}
	}
	now := s.Now()
	rows := make([]*RecipientRow, 0, len(all))
	for _, r := range slices.SortedFunc(maps.Values(all), func(a, b *vitrine.Recipient) int {
		return cmp.Compare(a.Number, b.Number)
	}) {
		row := &RecipientRow{Recipient: r, URL: s.Server.AddressOf(l.For(r)), Until: lastDay(r.ExpiresAt, me.Zone())}
		if of := read[r.ID]; of != nil {
			row.Reading = *of
		}
		if me.Plan.Pro() {
			only := report.Condition{Dimension: report.OnRecipient, Value: report.IDText(int64(r.ID))}
			row.Visits = VisitsRoot(l) + "?" + url.Values{"range": {"all"}, "filter": {only.String()}}.Encode()
		}
		switch {
		case !r.RevokedAt.IsZero():
			row.Ended = "Revoked"
		case !r.ExpiresAt.IsZero() && !now.Before(r.ExpiresAt):
			row.Ended = "Expired"
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// RecipientsCSV sends the names and addresses of a link's recipients that work,
// for a mail merge.
func (s *LinkPages) RecipientsCSV(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	o, err := s.Links.Own(r.Context(), me, r.PathValue("slug"))
	if err != nil {
		return err
	}
	rows, err := s.Shell.RecipientRows(r.Context(), me, o.Link, nil)
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
