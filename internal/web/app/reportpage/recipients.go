package reportpage

import (
	"cmp"
	"context"
	"slices"

	"vitrine"
	"vitrine/internal/web/app"
	"vitrine/internal/web/ui"
	"vitrine/report"
)

// shownRecipients is the most rows of the card.
const shownRecipients = 10

// statsRecipients is the card of a link's recipients for its owner. It is of
// all views that are kept, whatever the report selects.
type statsRecipients struct {
	Opened, All ui.Figure // of those that are not revoked
	Rows        []statsRecipient
	Share       string // address of the list of all
	picks       []statsRecipient
}

// statsRecipient is a recipient in the card and in the bar.
type statsRecipient struct {
	*app.RecipientRow
	Only  string // address of the report with only its views; "" if it is this one
	When  string // the last time that it was opened
	count int64  // its views in the report
}

// newStatsRecipients returns the card of a report, or nil if the link has no
// recipients.
func (s *Handler) newStatsRecipients(ctx context.Context, me *vitrine.Account, l *vitrine.Link, n *numbers,
	here place) (*statsRecipients, error) {
	from, to := n.link.Range.From, n.link.Range.To
	others := slices.DeleteFunc(slices.Clone(n.q.Filter), func(c report.Condition) bool {
		return c.Dimension == report.OnRecipient && !c.Not // one more is an alternative to these
	})
	counts := map[vitrine.RecipientID]int64{}
	rows, err := s.Shell.RecipientRows(ctx, me, l, func(v *report.View) {
		if from.UnixMilli() <= v.At && v.At < to.UnixMilli() && others.Match(v) {
			counts[vitrine.RecipientID(v.Recipient)]++
		}
	})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	card := &statsRecipients{Share: app.LinkAddress(l) + string(app.LinkShare) + "#recipients"}
	slices.SortStableFunc(rows, func(a, b *app.RecipientRow) int { return b.Last.Compare(a.Last) })
	for _, r := range rows {
		row := statsRecipient{RecipientRow: r, count: counts[r.ID]}
		row.Only = here.onlyRecipient(r.ID, r.Opened() && (r.Last.Before(from) || !r.First.Before(to)))
		if r.Opened() {
			row.When = ui.RecentTime(r.Last, s.Now())
			card.picks = append(card.picks, row)
		}
		if !r.RevokedAt.IsZero() {
			continue
		}
		if card.All++; r.Opened() {
			card.Opened++
		}
		if len(card.Rows) < shownRecipients {
			card.Rows = append(card.Rows, row)
		}
	}
	return card, nil
}

// onlyRecipient returns the address of the report of the views through one
// recipient, or "" if it is this one; of all time if none is in its days.
func (p place) onlyRecipient(id vitrine.RecipientID, ever bool) string {
	if ever {
		p.q.Range, p.q.Dates, p.q.Hourly, p.q.Compare = report.RangeAll, nil, false, ""
	}
	return p.only(report.OnRecipient, report.IDText(int64(id)))
}

// choices returns the recipients to filter by, with their IDs: those who have
// opened the link, the most viewed in the report first.
func (c *statsRecipients) choices() (people []statsPicked, ids []string) {
	if c == nil {
		return nil, nil
	}
	picks := slices.Clone(c.picks)
	slices.SortStableFunc(picks, func(a, b statsRecipient) int { return cmp.Compare(b.count, a.count) })
	for _, r := range picks[:min(len(picks), maxPicked)] {
		people = append(people, statsPicked{Name: r.Name(), Count: ui.Figure(r.count).String()})
		ids = append(ids, report.IDText(int64(r.ID)))
	}
	return people, ids
}
