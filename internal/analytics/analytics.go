// Package analytics reads reports of links and accounts from the view log, and
// rolls up and expires past days.
package analytics

import (
	"context"
	"errors"
	"time"

	"vitrine"
	"vitrine/internal/signer"
	"vitrine/report"
)

const (
	recentRows = 25 // (contract, Limits)
	topRows    = 25
)

// Log is what this package uses of [vitrine.ViewLog].
type Log interface {
	Tally(ctx context.Context, q vitrine.TallyQuery) (t *report.Tally, truncated bool, err error)
	DailyViews(ctx context.Context, a vitrine.AccountID, links []vitrine.LinkID, from, to report.Day) (map[vitrine.LinkID][]int64, error)
	Recent(ctx context.Context, l vitrine.LinkID, from, to report.Day, n int) ([]report.View, error)
	Counts(ctx context.Context, links []vitrine.LinkID) (map[vitrine.LinkID]vitrine.LinkCounts, error)
	AccountCounts(ctx context.Context, a vitrine.AccountID) (map[vitrine.LinkID]vitrine.LinkCounts, error)
	RollUp(ctx context.Context, before report.Day) error
	Expire(ctx context.Context, before report.Day) error
}

// Service makes the reports that the API and the site show, from one call each.
type Service struct {
	Store  vitrine.Store
	Log    Log
	Signer *signer.Signer
	URL    func(vitrine.Slug) string // the public address of a link
	Now    func() time.Time
	// KeepMonths is how many months single opens are kept; 0: for ever.
	KeepMonths int
	// MaxViews caps the views read for one report; 0: no cap. A report that
	// meets it says so in Truncated.
	MaxViews int
}

// settleAfter is how long after its end a day is settled: until then beacons of
// its opens are accepted, and some more, which may wait in a spool.
const settleAfter = vitrine.TokenLife + time.Hour

// RollUp puts past days away, so that reports of them are quick. It is
// background work.
func (s *Service) RollUp(ctx context.Context) error {
	return s.Log.RollUp(ctx, report.DayOf(s.Now().Add(-settleAfter).UnixMilli()))
}

// Expire removes single views that are older than KeepMonths. It is background
// work.
func (s *Service) Expire(ctx context.Context) error {
	if s.KeepMonths <= 0 {
		return nil
	}
	return s.Log.Expire(ctx, report.DayOf(s.Now().UTC().AddDate(0, -s.KeepMonths, 0).UnixMilli()))
}

// Link is the report of one link of an account. Errors: CodeProRequired,
// CodeBadRange, CodeNotFound; another account's link is like an unknown one. A
// slug that the link had before finds it for as long as the old address leads
// on.
func (s *Service) Link(ctx context.Context, a *vitrine.Account, slug string, r report.Range) (*report.LinkReport, error) {
	l, err := vitrine.OwnLink(ctx, s.Store, a, slug, s.Now())
	if err != nil {
		return nil, err
	}
	described, err := s.describe(ctx, l)
	if err != nil {
		return nil, err
	}
	w := report.NewWindow(r, s.Now(), l.CreatedAt)
	scope := vitrine.Scope{Account: a.ID, Link: l.ID}
	cur, prev, truncated, err := s.tallies(ctx, scope, w)
	if err != nil {
		return nil, err
	}
	recent, err := s.Log.Recent(ctx, l.ID, w.From, w.To, recentRows)
	if err != nil {
		return nil, err
	}
	rep := report.ForLink(described, w, cur, prev, recent)
	rep.Truncated = truncated
	return rep, nil
}

// Account is one report over every link of an account.
func (s *Service) Account(ctx context.Context, a *vitrine.Account, r report.Range) (*report.AccountReport, error) {
	links, err := s.linksOf(ctx, a)
	if err != nil {
		return nil, err
	}
	var oldest time.Time
	all := report.AllTime{Links: int64(len(links))}
	for _, l := range links {
		if oldest.IsZero() || l.Created.Before(oldest) {
			oldest = l.Created
		}
		all.Views += l.Views
		all.Downloads += l.Downloads
	}
	w := report.NewWindow(r, s.Now(), oldest)
	cur, prev, truncated, err := s.tallies(ctx, vitrine.Scope{Account: a.ID}, w)
	if err != nil {
		return nil, err
	}
	top, err := s.top(ctx, a, cur.Top(links, topRows), w)
	if err != nil {
		return nil, err
	}
	rep := report.ForAccount(links, w, cur, prev, top, all)
	rep.Truncated = truncated
	return rep, nil
}

// linksOf lists how the links of an account are counted, without what a report
// shows of a few alone: their names.
func (s *Service) linksOf(ctx context.Context, a *vitrine.Account) ([]report.Link, error) {
	var facts []vitrine.LinkFacts
	err := s.Store.Read(ctx, func(tx vitrine.Tx) (err error) {
		facts, err = tx.LinkFacts(a.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	counts, err := s.Log.AccountCounts(ctx, a.ID)
	if err != nil {
		return nil, err
	}
	links := make([]report.Link, len(facts))
	for i, f := range facts {
		links[i] = report.Link{ID: int64(f.ID), Kind: string(f.Kind), Content: vitrine.ContentKindOf(f.Kind), Pages: f.Pages, Created: f.CreatedAt,
			Views: counts[f.ID].Views, Downloads: counts[f.ID].Downloads}
	}
	return links, nil
}

// top gives links their names and daily views.
func (s *Service) top(ctx context.Context, a *vitrine.Account, links []report.Link, w report.Window) (top []report.TopLink, err error) {
	ids := make([]vitrine.LinkID, len(links))
	for i, l := range links {
		ids[i] = vitrine.LinkID(l.ID)
	}
	from, to := report.SparkDays(w)
	views, err := s.Log.DailyViews(ctx, a.ID, ids, from, to)
	if err != nil {
		return nil, err
	}
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		top = nil
		for i, l := range links {
			row, err := tx.Link(ids[i])
			if errors.Is(err, vitrine.ErrNotFound) {
				continue // deleted and purged just now
			}
			if err != nil {
				return err
			}
			s.name(&l, row)
			top = append(top, report.TopLink{Link: l, Spark: views[ids[i]]})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return top, nil
}

// name gives a link what readers of a report know it by.
func (s *Service) name(l *report.Link, row *vitrine.Link) {
	l.PublicID, l.Slug, l.Title, l.URL = s.Signer.LinkID(row.ID), string(row.Slug), row.Title, s.URL(row.Slug)
}

// tallies reads the window's summary, and the one of the time before it, which
// matters for comparison alone.
func (s *Service) tallies(ctx context.Context, scope vitrine.Scope, w report.Window) (cur, prev *report.Tally, truncated bool, err error) {
	cur, truncated, err = s.Log.Tally(ctx, vitrine.TallyQuery{Scope: scope, From: w.From, To: w.To, Cap: s.MaxViews})
	if err == nil && w.Key != report.RangeAll { // which has no time before it
		p := w.Previous()
		var cut bool
		prev, cut, err = s.Log.Tally(ctx, vitrine.TallyQuery{Scope: scope, From: p.From, To: p.To, Cap: s.MaxViews, Brief: true})
		truncated = truncated || cut
	}
	return cur, prev, truncated, err
}

// describe makes what the engine wants to know of a link.
func (s *Service) describe(ctx context.Context, l *vitrine.Link) (report.Link, error) {
	counts, err := s.Log.Counts(ctx, []vitrine.LinkID{l.ID})
	if err != nil {
		return report.Link{}, err
	}
	d := report.Link{ID: int64(l.ID), Kind: string(l.Kind), Content: vitrine.ContentKindOf(l.Kind), Pages: l.Pages, Created: l.CreatedAt,
		Views: counts[l.ID].Views, Downloads: counts[l.ID].Downloads}
	s.name(&d, l)
	return d, nil
}
