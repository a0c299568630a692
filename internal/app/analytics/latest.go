package analytics

import (
	"context"
	"errors"
	"time"

	"vitrine"
	"vitrine/report"
)

// Latest is what happened on all links of an account in the last 24 hours.
type Latest struct {
	Views  int64
	Visits []LatestVisit // the newest of the views, newest first
}

// LatestVisit is a visit and its link.
type LatestVisit struct {
	Link *vitrine.Link
	report.VisitRow
}

// Latest returns the views of the last 24 hours, and the n newest of them. The
// hours are those of the report of the last 24 hours in a zone, where nil means
// UTC.
func (s *Service) Latest(ctx context.Context, a *vitrine.Account, zone *time.Location, n int) (l Latest, err error) {
	w, err := report.WindowOf(report.Period{Hourly: true, Zone: zone}, s.Now(), time.Time{})
	if err != nil {
		return l, err
	}
	scope := vitrine.Scope{Account: a.ID}
	if l.Views, err = s.views(ctx, scope, w); err != nil || l.Views == 0 {
		return l, err
	}
	from, to := w.Bounds()
	newest, err := s.Log.Recent(ctx, vitrine.RecentQuery{Scope: scope, From: vitrine.ViewIDAt(from, 0),
		To: vitrine.ViewIDAt(to, 0), N: min(n, int(l.Views))})
	if err != nil {
		return l, err
	}
	rows, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) (map[int64]*vitrine.Link, error) {
		rows := map[int64]*vitrine.Link{}
		for _, v := range newest {
			row, err := tx.Link(vitrine.LinkID(v.Link))
			switch {
			case errors.Is(err, vitrine.ErrNotFound), err == nil && !row.DeletedAt.IsZero():
				continue
			case err != nil:
				return nil, err
			}
			row.ApplyExpiry(s.Now())
			rows[v.Link] = row
		}
		return rows, nil
	})
	if err != nil {
		return l, err
	}
	for i := range newest {
		row := rows[newest[i].Link]
		if row == nil {
			continue
		}
		of, err := s.describe(ctx, row)
		if err != nil {
			return l, err
		}
		l.Visits = append(l.Visits, LatestVisit{row, s.visit(&of, &newest[i])})
	}
	return l, nil
}

// views counts the views of a window of 24 hours. If it begins with an hour of
// UTC, the tallies of days, which the log keeps up to date, have the numbers.
func (s *Service) views(ctx context.Context, scope vitrine.Scope, w report.Window) (n int64, err error) {
	q := vitrine.TallyQuery{Scope: scope, From: w.From, To: w.To, Brief: true, Lens: report.Lens{Steps: w.Steps}}
	from, to := w.Bounds()
	hour := time.Hour.Milliseconds()
	if from%hour != 0 {
		t, _, err := s.Log.Tally(ctx, q)
		if err != nil {
			return 0, err
		}
		return t.Views(), nil
	}
	t, _, err := s.Log.Tally(ctx, vitrine.TallyQuery{Scope: scope, From: report.DayOf(from),
		To: report.DayOf(to-1) + 1})
	if err != nil {
		return 0, err
	}
	for at := from; at < to; at += hour {
		n += t.HourViews(at)
	}
	return n, nil
}
