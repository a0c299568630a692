package analytics

import (
	"cmp"
	"context"
	"slices"

	"vitrine"
	"vitrine/report"
)

// WebsiteRows is how many rows of each card the report of a website can have.
const WebsiteRows = maxRows

// notOfPages are the dimensions that page loads of websites do not have.
var notOfPages = []report.Dimension{report.OnLink, report.OnKind, report.OnVersion, report.OnRecipient, report.OnAlbum,
	report.OnQR, report.OnScreen}

// Website returns the report of a website. It is that of an account whose links
// are the website's pages; all are in TopLinks, with their path as slug and
// title. A website has no sessions and no downloads. Errors: CodeBadRange,
// CodeInvalidRequest.
func (s *Service) Website(ctx context.Context, site *vitrine.Site, q Query) (*report.AccountReport, error) {
	m, err := s.makeWebsite(ctx, site, q)
	if err != nil {
		return nil, err
	}
	return m.Account, nil
}

// ExplainWebsite explains a figure of the report of a website. Its visits are
// page loads, with the path of their page instead of a link.
func (s *Service) ExplainWebsite(ctx context.Context, site *vitrine.Site, q ExplainQuery) (*Explanation, error) {
	m, err := s.makeWebsite(ctx, site, q.Query)
	if err != nil {
		return nil, err
	}
	return s.explain(ctx, m, m.Account, q)
}

func (s *Service) makeWebsite(ctx context.Context, site *vitrine.Site, q Query) (*made, error) {
	if err := q.check(s.Now(), false); err != nil {
		return nil, err
	}
	if f := q.Filter.On(notOfPages...); len(f) > 0 {
		return nil, wrong(paramFilter, "A report of a website has no filter by %s.", f[0].Dimension)
	}
	account, pages, err := s.pages(ctx, site)
	if err != nil {
		return nil, err
	}
	m := &made{of: vitrine.TallyQuery{Scope: vitrine.Scope{Account: account}, Lens: report.Lens{Filter: q.Filter}},
		website: true}
	m.Of = map[int64]report.Link{}
	var all report.AllTime // pages that people have loaded
	for _, p := range pages {
		m.Of[p.ID] = p
		all.Since = site.CreatedAt
		if p.Views > 0 {
			all.Links++
			all.Views += p.Views
		}
	}
	if m.Window, err = q.window(s.Now(), site.CreatedAt); err != nil {
		return nil, err
	}
	return m, s.fillWebsite(ctx, m, pages, all, q)
}

// fillWebsite adds the report of a website to what it is made from.
func (s *Service) fillWebsite(ctx context.Context, m *made, pages []report.Link, all report.AllTime, q Query) error {
	var cur, prev *report.Tally
	var top []report.TopLink
	var truncated bool
	err := s.checkValues(ctx, m.of.Scope, q.Filter)
	if err == nil && m.of.Account != 0 { // some page was loaded
		cur, prev, truncated, err = s.tallies(ctx, m.of, m.Window, false)
		if err == nil {
			top, err = s.topPages(ctx, m.of, cur.Top(pages, len(pages)), m.Window)
		}
	}
	if err != nil {
		return err
	}
	rep := report.ForWebsite(pages, m.Window, cur, prev, top, all)
	slices.SortFunc(rep.TopLinks, func(a, b report.LinkSummary) int {
		return cmp.Or(cmp.Compare(b.Views, a.Views), cmp.Compare(a.Slug, b.Slug))
	})
	numbers := map[string]int64{}
	for _, p := range pages {
		numbers[p.Slug] = p.ID
	}
	for _, row := range rep.TopLinks {
		m.Top = append(m.Top, numbers[row.Slug])
	}
	rep.Truncated = truncated
	if cur != nil {
		q.note(&rep.Summary, cur)
	}
	m.Account, m.Summary, m.Excess = rep, &rep.Summary, excessIn(&rep.Summary)
	return nil
}

// pages lists the pages of a website as links of a report, and returns the
// website's number, or 0 if no page was loaded yet.
func (s *Service) pages(ctx context.Context,
	site *vitrine.Site) (account vitrine.AccountID, pages []report.Link, err error) {
	rows, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]*vitrine.SitePage, error) {
		return tx.SitePages(site.ID)
	})
	if err != nil || len(rows) == 0 {
		return 0, nil, err
	}
	for _, p := range rows {
		if p.Path == "" {
			account = vitrine.AccountID(p.Number)
		}
	}
	counts, err := s.Log.AccountCounts(ctx, account)
	if err != nil {
		return 0, nil, err
	}
	for _, p := range rows {
		if p.Path != "" {
			pages = append(pages, report.Link{ID: p.Number, Slug: p.Path, Title: p.Path, Kind: "html",
				Content: report.ContentNone,
				Created: site.CreatedAt, Views: counts[vitrine.LinkID(p.Number)].Views})
		}
	}
	return account, pages, nil
}

// topPages gives pages their daily views.
func (s *Service) topPages(ctx context.Context, q vitrine.TallyQuery, pages []report.Link,
	w report.Window) (top []report.TopLink, err error) {
	ids := make([]vitrine.LinkID, len(pages))
	for i, p := range pages {
		ids[i] = vitrine.LinkID(p.ID)
	}
	w = w.Spark()
	q.From, q.To, q.Steps = w.From, w.To, w.Steps
	views, err := s.Log.DailyViews(ctx, q, ids)
	for i, p := range pages {
		top = append(top, report.TopLink{Link: p, Spark: views[ids[i]]})
	}
	return top, err
}
