// Package analytics reads reports of links and accounts from the view log,
// gives them read-only addresses ([Sharing]), rolls up and expires past days,
// and changes which stored views count ([OwnViews], [Reclassify]).
package analytics

import (
	"context"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/app/links"
	"vitrine/internal/base/signer"
	"vitrine/report"
	"vitrine/report/explain"
)

// TopLinks is how many links the report of an account lists (analytics,
// Account report).
const TopLinks = 25

// recentRows is how many visits the report of a link lists (analytics, Recent).
const recentRows = 25

// Log is what this package uses of [vitrine.ViewLog].
type Log interface {
	Tally(ctx context.Context, q vitrine.TallyQuery) (t *report.Tally, truncated bool, err error)
	DailyViews(ctx context.Context, q vitrine.TallyQuery, links []vitrine.LinkID) (map[vitrine.LinkID][]int64, error)
	Recent(ctx context.Context, q vitrine.RecentQuery) ([]report.View, error)
	Recipients(ctx context.Context, l vitrine.LinkID, f func(*report.View) error) (map[vitrine.RecipientID]int64, error)
	Counts(ctx context.Context, links []vitrine.LinkID) (map[vitrine.LinkID]vitrine.LinkCounts, error)
	AccountCounts(ctx context.Context, a vitrine.AccountID) (map[vitrine.LinkID]vitrine.LinkCounts, error)
	AccountTotals(ctx context.Context, a vitrine.AccountID) (vitrine.LinkCounts, error)
	RetainedFrom(ctx context.Context, a vitrine.AccountID) (from report.Day, err error)
	Each(ctx context.Context, s vitrine.Scope, from, to vitrine.ViewID, download func(vitrine.Download) error,
		view func(*report.View) error) error
	RollUp(ctx context.Context, before report.Day) error
	Expire(ctx context.Context, before report.Day) error
}

// Service makes the reports of the API and the dashboard, each with one call.
type Service struct {
	Store  vitrine.Store
	Log    Log
	Signer *signer.Signer
	URL    func(vitrine.Slug) string // the public address of a link
	Now    func() time.Time
	// KeepMonths is how many months single views are kept; 0 means without
	// limit.
	KeepMonths int
	// MaxViews caps the views read for one report; 0 means no cap. A report
	// that reaches it has Truncated.
	MaxViews int
}

// rollUpAfter is how long after its end a day is rolled up. Until then beacons
// of its views are accepted, and some may still wait in a spool.
const rollUpAfter = vitrine.TokenLife + time.Hour

// RollUp compacts past days, so that reports of them are fast. It is background
// work.
func (s *Service) RollUp(ctx context.Context) error {
	return s.Log.RollUp(ctx, s.RollUpBefore())
}

// RollUpBefore returns the day before which days are rolled up.
func (s *Service) RollUpBefore() report.Day {
	return report.DayOf(s.Now().Add(-rollUpAfter).UnixMilli())
}

// Expire deletes single views that are older than KeepMonths. It is background
// work.
func (s *Service) Expire(ctx context.Context) error {
	if s.KeepMonths <= 0 {
		return nil
	}
	return s.Log.Expire(ctx, report.DayOf(s.Now().UTC().AddDate(0, -s.KeepMonths, 0).UnixMilli()))
}

// Link returns the report of one link of an account, by its slug or, as long as
// that leads to the link, a former one. Another account's link is treated as
// unknown. Errors: CodeProRequired, CodeBadRange, CodeInvalidRequest,
// CodeNotFound.
func (s *Service) Link(ctx context.Context, a *vitrine.Account, slug string, q Query) (*report.LinkReport, error) {
	m, err := s.makeLink(ctx, a, slug, q)
	if err != nil {
		return nil, err
	}
	return m.Link, nil
}

// made is a report and what it was made from.
type made struct {
	explain.Report
	of      vitrine.TallyQuery // its scope and lens
	website bool               // Of are its pages
}

func (s *Service) makeLink(ctx context.Context, a *vitrine.Account, slug string, q Query) (*made, error) {
	if err := q.check(s.Now(), true); err != nil {
		return nil, err
	}
	l, err := links.OwnLink(ctx, s.Store, a, slug, s.Now())
	if err != nil {
		return nil, err
	}
	m := &made{of: vitrine.TallyQuery{Scope: vitrine.Scope{Account: a.ID, Link: l.ID},
		Lens: report.Lens{Filter: q.Filter}}}
	if err := s.checkValues(ctx, m.of.Scope, q.Filter); err != nil {
		return nil, err
	}
	described, err := s.describe(ctx, l)
	if err != nil {
		return nil, err
	}
	w, err := q.window(s.Now(), l.CreatedAt)
	if err != nil {
		return nil, err
	}
	cur, prev, truncated, err := s.tallies(ctx, m.of, w, len(described.Files) > 0)
	if err != nil {
		return nil, err
	}
	from, to := w.Bounds()
	recent, err := s.Log.Recent(ctx, vitrine.RecentQuery{Scope: vitrine.Scope{Link: l.ID},
		From: vitrine.ViewIDAt(from, 0),
		To:   vitrine.ViewIDAt(to, 0),
		N:    recentRows, Engaged: true, Filter: q.Filter})
	if err != nil {
		return nil, err
	}
	rep := report.ForLink(described, w, cur, prev, recent)
	rep.Truncated = truncated
	rep.FinalUntil = s.finalUntil()
	if !l.Live() {
		rep.Link.Status, rep.Link.Reason = string(l.State), l.Reason
	}
	if rep.Marks, err = s.marks(ctx, l, w); err != nil {
		return nil, err
	}
	q.note(&rep.Summary, cur)
	m.Report = explain.Report{Window: w, Summary: &rep.Summary, Link: rep,
		Of: map[int64]report.Link{described.ID: described}}
	m.Excess = excessIn(&rep.Summary)
	for i := range rep.Recent {
		m.Recent = append(m.Recent, recent[i].ID)
	}
	return m, s.addVersions(ctx, l, described, q, w, cur, rep)
}

// Numbers returns the few figures of all views of a link, as its report has
// them.
func (s *Service) Numbers(ctx context.Context, l *vitrine.Link) (n report.Numbers, err error) {
	described, err := s.describe(ctx, l)
	if err != nil {
		return n, err
	}
	q := In(report.RangeAll)
	w, err := q.window(s.Now(), l.CreatedAt)
	if err != nil {
		return n, err
	}
	t, _, err := s.Log.Tally(ctx, vitrine.TallyQuery{Scope: vitrine.Scope{Account: l.Account, Link: l.ID},
		From: w.From, To: w.To, Lens: report.Lens{Steps: w.Steps}, Cap: s.MaxViews, Brief: len(described.Files) == 0})
	if err != nil {
		return n, err
	}
	return report.NumbersOf(described, w, t), nil
}

// Account returns the report over all links of an account.
func (s *Service) Account(ctx context.Context, a *vitrine.Account, q Query) (*report.AccountReport, error) {
	m, err := s.makeAccount(ctx, a, q)
	if err != nil {
		return nil, err
	}
	return m.Account, nil
}

func (s *Service) makeAccount(ctx context.Context, a *vitrine.Account, q Query) (*made, error) {
	if err := q.check(s.Now(), false); err != nil {
		return nil, err
	}
	if err := s.checkValues(ctx, vitrine.Scope{Account: a.ID}, q.Filter); err != nil {
		return nil, err
	}
	all, err := s.allTime(ctx, a)
	if err != nil {
		return nil, err
	}
	w, err := q.window(s.Now(), all.Since)
	if err != nil {
		return nil, err
	}
	of := vitrine.TallyQuery{Scope: vitrine.Scope{Account: a.ID}, Lens: report.Lens{Filter: q.Filter}}
	if err := s.resolveLinks(ctx, a, &of.Lens); err != nil {
		return nil, err
	}
	cur, prev, truncated, err := s.tallies(ctx, of, w, false)
	if err != nil {
		return nil, err
	}
	links, err := s.linksOf(ctx, cur)
	if err != nil {
		return nil, err
	}
	top, err := s.top(ctx, of, cur.Top(links, TopLinks), w)
	if err != nil {
		return nil, err
	}
	rep := report.ForAccount(links, w, cur, prev, top, all)
	rep.Truncated = truncated
	rep.FinalUntil = s.finalUntil()
	q.note(&rep.Summary, cur)
	m := &made{of: of}
	m.Report = explain.Report{Window: w, Summary: &rep.Summary, Account: rep, Of: map[int64]report.Link{}}
	m.Excess = excessIn(&rep.Summary)
	for _, l := range links {
		m.Of[l.ID] = l
	}
	for _, l := range top {
		m.Top = append(m.Top, l.Link.ID)
	}
	return m, nil
}

// AccountDates returns the report of an account for some days in its time zone.
func (s *Service) AccountDates(ctx context.Context, a *vitrine.Account, d report.Dates) (*report.AccountReport, error) {
	zone, err := ParseZone(a.TimeZone)
	if err != nil {
		return nil, err
	}
	return s.Account(ctx, a, Query{Period: report.Period{Dates: &d, Zone: zone}})
}

// allTime returns what an account's report says of all its links.
func (s *Service) allTime(ctx context.Context, a *vitrine.Account) (all report.AllTime, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		all.Links, all.Since, err = tx.LinkTotals(a.ID)
		return err
	})
	if err != nil {
		return all, err
	}
	counts, err := s.Log.AccountTotals(ctx, a.ID)
	all.Views, all.Downloads = counts.Views, counts.Downloads
	return all, err
}

// linksOf lists the facts of the links in a tally, without names, which a
// report shows only for few links.
func (s *Service) linksOf(ctx context.Context, t *report.Tally) ([]report.Link, error) {
	var ids []vitrine.LinkID
	for _, id := range t.Links() {
		ids = append(ids, vitrine.LinkID(id))
	}
	return s.links(ctx, func(tx vitrine.Tx) ([]vitrine.LinkFacts, error) { return tx.LinkFactsOf(ids) })
}

func (s *Service) links(ctx context.Context,
	read func(vitrine.Tx) ([]vitrine.LinkFacts, error)) ([]report.Link, error) {
	facts, err := vitrine.Read(ctx, s.Store, read)
	if err != nil {
		return nil, err
	}
	links := make([]report.Link, len(facts))
	for i, f := range facts {
		links[i] = report.Link{ID: int64(f.ID), Kind: string(f.Kind), Content: report.ContentOf(f.Kind),
			Pages: f.Pages, Files: f.Files, Created: f.CreatedAt, Trashed: f.Trashed}
	}
	return links, nil
}

// top adds names, counts and daily views to links.
func (s *Service) top(ctx context.Context, q vitrine.TallyQuery, links []report.Link,
	w report.Window) (top []report.TopLink, err error) {
	ids := make([]vitrine.LinkID, len(links))
	for i, l := range links {
		ids[i] = vitrine.LinkID(l.ID)
	}
	w = w.Spark()
	q.From, q.To, q.Steps = w.From, w.To, w.Steps
	views, err := s.Log.DailyViews(ctx, q, ids)
	if err != nil {
		return nil, err
	}
	counts, err := s.Log.Counts(ctx, ids)
	if err != nil {
		return nil, err
	}
	rows, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]*vitrine.Link, error) { return tx.LinksByID(ids) })
	if err != nil {
		return nil, err
	}
	for i, l := range links {
		named := slices.IndexFunc(rows, func(row *vitrine.Link) bool { return row.ID == ids[i] })
		if named < 0 {
			continue // deleted and purged just now
		}
		l.Views, l.Downloads = counts[ids[i]].Views, counts[ids[i]].Downloads
		s.name(&l, rows[named])
		top = append(top, report.TopLink{Link: l, Spark: views[ids[i]]})
	}
	return top, nil
}

// name sets the names by which readers of a report know a link.
func (s *Service) name(l *report.Link, row *vitrine.Link) {
	l.PublicID, l.Slug, l.Title, l.URL = s.Signer.LinkID(row.ID), string(row.Slug), row.Title, s.URL(row.Slug)
}

// tallies reads the summary of the window, and that of the previous time for
// comparison.
func (s *Service) tallies(ctx context.Context, q vitrine.TallyQuery,
	w report.Window, byFile bool) (cur, prev *report.Tally, truncated bool, err error) {
	q.From, q.To, q.Steps, q.Cap = w.From, w.To, w.Steps, s.MaxViews
	cur, truncated, err = s.Log.Tally(ctx, q)
	if err == nil && len(q.Filter) == 0 { // excess views have no labels
		var excess int64
		excess, err = vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) (int64, error) { return tx.Excess(q.Scope, w) })
		cur = cur.WithExcess(excess)
	}
	if err == nil && w.Compared() {
		p := w.Previous()
		q.From, q.To, q.Steps, q.Brief = p.From, p.To, p.Steps, !byFile
		var cut bool
		prev, cut, err = s.Log.Tally(ctx, q)
		truncated = truncated || cut
	}
	return cur, prev, truncated, err
}

// describe returns the facts of a link for the report package.
func (s *Service) describe(ctx context.Context, l *vitrine.Link) (report.Link, error) {
	counts, err := s.Log.Counts(ctx, []vitrine.LinkID{l.ID})
	if err != nil {
		return report.Link{}, err
	}
	return s.describeWith(ctx, l, counts[l.ID])
}

// describeWith is describe with counts that are known.
func (s *Service) describeWith(ctx context.Context, l *vitrine.Link, c vitrine.LinkCounts) (d report.Link, err error) {
	d = report.Link{ID: int64(l.ID), Kind: string(l.Kind), Content: report.ContentOf(l.Kind), Pages: l.Pages,
		Outline: l.Outline, Created: l.CreatedAt, Views: c.Views, Downloads: c.Downloads}
	s.name(&d, l)
	if l.Versions > 1 {
		d.Files, err = s.files(ctx, l)
	}
	return d, err
}

// finalUntil returns the start of the UTC day before which no view changes
// between counted and excluded any more. With whole days, all processes give
// the same answer.
func (s *Service) finalUntil() report.FinalTime {
	return report.FinalTime{Time: s.Now().UTC().Add(-vitrine.TokenLife).Truncate(24 * time.Hour)}
}

// excessIn returns the excluded views that were too many from one network.
func excessIn(s *report.Summary) int64 {
	for _, b := range s.Excluded {
		if b.Key == report.BotExcess {
			return b.Count
		}
	}
	return 0
}
