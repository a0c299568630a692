package analytics

import (
	"context"

	"vitrine"
	"vitrine/report"
)

// Album returns the report of all views that were opened from an album of an
// account, by link: of all that have some, also those that are no longer in the
// album.
func (s *Service) Album(ctx context.Context, a *vitrine.Account, album vitrine.AlbumID) (*report.AccountReport, error) {
	var all report.AllTime
	err := s.Store.Read(ctx, func(tx vitrine.Tx) (err error) {
		all.Links, all.Since, err = tx.LinkTotals(a.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	q := In(report.RangeAll)
	w, err := q.window(s.Now(), all.Since)
	if err != nil {
		return nil, err
	}
	only := report.Condition{Dimension: report.OnAlbum, Value: report.IDText(int64(album))}
	t, truncated, err := s.Log.Tally(ctx, vitrine.TallyQuery{
		Scope: vitrine.Scope{Account: a.ID}, From: w.From, To: w.To,
		Lens: report.Lens{Steps: w.Steps, Filter: report.Filter{only}}, Cap: s.MaxViews})
	if err != nil {
		return nil, err
	}
	links, err := s.linksOf(ctx, t)
	if err != nil {
		return nil, err
	}
	ids := make([]vitrine.LinkID, len(links))
	at := make(map[vitrine.LinkID]int, len(links))
	for i, l := range links {
		ids[i], at[vitrine.LinkID(l.ID)] = vitrine.LinkID(l.ID), i
	}
	rows, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]*vitrine.Link, error) { return tx.LinksByID(ids) })
	if err != nil {
		return nil, err
	}
	var top []report.TopLink
	for _, row := range rows {
		l := links[at[row.ID]]
		s.name(&l, row)
		top = append(top, report.TopLink{Link: l})
	}
	rep := report.ForWebsite(links, w, t, nil, top, all)
	rep.Truncated = truncated
	return rep, nil
}
