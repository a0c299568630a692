package analytics

import (
	"context"
	"strconv"

	"vitrine"
	"vitrine/internal/app/links"
	"vitrine/report"
)

// VisitQuery selects visits of a link. The zero value selects the newest ones.
type VisitQuery struct {
	Query
	All     bool // include views without engagement data
	Counted bool // only counted views
	Before  vitrine.ViewID
	N       int
	viewer  *uint64
}

// Visits is a page of the visits of a link, newest first.
type Visits struct {
	Link report.Link
	Rows []report.VisitRow
	// Next is the value of VisitQuery.Before for the next page, or 0 if there
	// is none.
	Next vitrine.ViewID
}

// Visits lists visits of a link. Errors are those of Link.
func (s *Service) Visits(ctx context.Context, a *vitrine.Account, slug string, q VisitQuery) (*Visits, error) {
	if err := q.check(s.Now(), true); err != nil {
		return nil, err
	}
	l, err := links.OwnLink(ctx, s.Store, a, slug, s.Now())
	if err != nil {
		return nil, err
	}
	if err := s.checkValues(ctx, vitrine.Scope{Account: a.ID, Link: l.ID}, q.Filter); err != nil {
		return nil, err
	}
	of, err := s.describe(ctx, l)
	if err != nil {
		return nil, err
	}
	return s.visits(ctx, of, q)
}

// RecentVisits lists the newest counted visits of a link, whether or not they
// were measured. Errors are those of Link.
func (s *Service) RecentVisits(ctx context.Context, a *vitrine.Account, slug string, q VisitQuery) (
	[]report.VisitRow, error) {
	q.All, q.Counted = true, true
	some, err := s.Visits(ctx, a, slug, q)
	if err != nil {
		return nil, err
	}
	return some.Rows, nil
}

func (s *Service) visits(ctx context.Context, l report.Link, q VisitQuery) (*Visits, error) {
	r := vitrine.RecentQuery{Scope: vitrine.Scope{Link: vitrine.LinkID(l.ID)}, To: 1<<63 - 1, N: q.N + 1,
		Engaged: !q.All, Counted: q.Counted, Filter: q.Filter, Viewer: q.viewer}
	if q.Range != "" || q.Dates != nil || q.Hourly {
		w, err := q.window(s.Now(), l.Created)
		if err != nil {
			return nil, err
		}
		from, to := w.Bounds()
		r.From, r.To = vitrine.ViewIDAt(from, 0), vitrine.ViewIDAt(to, 0)
	}
	if q.Before != 0 {
		r.To = min(r.To, q.Before)
	}
	views, err := s.Log.Recent(ctx, r)
	if err != nil {
		return nil, err
	}
	v := &Visits{Link: l, Rows: []report.VisitRow{}}
	if len(views) > q.N {
		views = views[:q.N]
		v.Next = vitrine.ViewID(views[q.N-1].ID)
	}
	for i := range views {
		v.Rows = append(v.Rows, s.visit(&l, &views[i]))
	}
	return v, nil
}

func (s *Service) visit(l *report.Link, v *report.View) report.VisitRow {
	return report.VisitOf(l, strconv.FormatInt(v.ID, 36), s.Signer.Viewer(vitrine.LinkID(l.ID), v.Viewer), v)
}

// VisitsOf returns views of a link as its visits, and the facts of the link. It
// returns ErrNotFound for a link that is deleted.
func (s *Service) VisitsOf(ctx context.Context, link vitrine.LinkID, views []vitrine.ViewRecord) (
	of report.Link, rows []report.VisitRow, err error) {
	l, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) (*vitrine.Link, error) { return tx.Link(link) })
	if err == nil && !l.DeletedAt.IsZero() {
		err = vitrine.ErrNotFound
	}
	if err == nil {
		of, err = s.describe(ctx, l)
	}
	if err != nil {
		return of, nil, err
	}
	return of, s.rows(&of, views), nil
}

// VisitsAs is VisitsOf for a link and counts that are known.
func (s *Service) VisitsAs(ctx context.Context, l *vitrine.Link, c vitrine.LinkCounts, views []vitrine.ViewRecord) (
	[]report.VisitRow, error) {
	of, err := s.describeWith(ctx, l, c)
	return s.rows(&of, views), err
}

func (s *Service) rows(of *report.Link, views []vitrine.ViewRecord) (rows []report.VisitRow) {
	for i := range views {
		rows = append(rows, s.visit(of, &views[i].View))
	}
	return rows
}

// maxSameViewer is the most visits of one viewer that are listed.
const maxSameViewer = 100

// Visit returns one visit of a link by the ID in its row, with the visits of
// the same viewer, newest first and including this one. Errors: CodeNotFound.
func (s *Service) Visit(ctx context.Context, a *vitrine.Account, slug, id string) (v report.VisitRow, err error) {
	l, err := links.OwnLink(ctx, s.Store, a, slug, s.Now())
	if err != nil {
		return v, err
	}
	of, err := s.describe(ctx, l)
	if err != nil {
		return v, err
	}
	n, err := strconv.ParseInt(id, 36, 64)
	if err != nil || n <= 0 || strconv.FormatInt(n, 36) != id {
		return v, errNoVisit
	}
	views, err := s.Log.Recent(ctx, vitrine.RecentQuery{Scope: vitrine.Scope{Link: l.ID}, From: vitrine.ViewID(n),
		To: vitrine.ViewID(n) + 1,
		N:  1})
	if err != nil {
		return v, err
	}
	if len(views) == 0 {
		return v, errNoVisit
	}
	viewer := views[0].Viewer
	v = s.visit(&of, &views[0])
	same, err := s.visits(ctx, of, VisitQuery{All: true, N: maxSameViewer, viewer: &viewer})
	if err != nil {
		return v, err
	}
	for _, o := range same.Rows {
		v.SameViewer = append(v.SameViewer, report.SameVisit{ID: o.ID, At: o.At})
	}
	return v, nil
}

var errNoVisit = vitrine.Errorf(vitrine.CodeNotFound,
	"There is no such visit of this link. Single visits may be kept for a few months only.")

// visitsBatch is the number of visits that are read together.
const visitsBatch = 1000

// EachVisit calls f with every visit that a query selects, newest first; it
// ignores N. It returns the error of an invalid query before the first call.
func (s *Service) EachVisit(ctx context.Context, a *vitrine.Account, slug string, q VisitQuery,
	f func(*report.VisitRow) error) error {
	for q.N = visitsBatch; ; {
		some, err := s.Visits(ctx, a, slug, q)
		if err != nil {
			return err
		}
		for i := range some.Rows {
			if err := f(&some.Rows[i]); err != nil {
				return err
			}
		}
		if some.Next == 0 {
			return nil
		}
		q.Before = some.Next
	}
}
