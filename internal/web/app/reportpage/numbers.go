package reportpage

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/links"
	"vitrine/internal/web/app"
	"vitrine/report"
)

// numbers is the report of a link, an account, or a website, whose pages are
// its links.
type numbers struct {
	link    *report.LinkReport     // nil for an account or a website
	account *report.AccountReport  // nil for a link
	website *collections.SiteFacts // nil for a link or an account
	sample  bool                   // made up
	q       analytics.Query

	visits   []report.VisitRow // the newest counted ones of a link
	recent   []app.Visit       // visits, for the owner
	versions []links.Version   // of a link whose file was replaced, the newest first
}

func (n *numbers) summary() *report.Summary {
	if n.link != nil {
		return &n.link.Summary
	}
	return &n.account.Summary
}

// answer returns the API's answer.
func (n *numbers) answer() any {
	if n.link != nil {
		return n.link
	}
	return n.account
}

// version returns a text that changes when a number of the report changes, or
// when a recent visit ends.
func (n *numbers) version(now time.Time) (string, error) {
	b, err := json.Marshal(n.answer())
	if err != nil {
		return "", err
	}
	if n.link != nil {
		visits, err := json.Marshal(n.visits)
		if err != nil {
			return "", err
		}
		b = append(b, visits...)
		for _, v := range n.visits {
			b = strconv.AppendBool(b, app.StillOpen(v.At, v.PresentMs, now))
		}
	}
	sum := sha256.Sum256(b)
	return base64.RawURLEncoding.EncodeToString(sum[:9]), nil
}

// numbersOf returns the report for a request. If the plan has no analytics, it
// returns a sample, and nothing for websites.
func (s *Handler) numbersOf(ctx context.Context, me *vitrine.Account, of subject, q analytics.Query) (*numbers, error) {
	switch {
	case of.website != nil:
		return s.websiteNumbers(ctx, me, of.website, q)
	case of.link != nil:
		return s.linkNumbers(ctx, me, of.link, q)
	}
	return s.accountNumbers(ctx, me, q)
}

func (s *Handler) websiteNumbers(ctx context.Context, me *vitrine.Account, f *collections.SiteFacts,
	q analytics.Query) (*numbers, error) {
	n := &numbers{website: f, sample: !me.Plan.Pro(), q: q}
	if n.sample {
		n.account = report.ForWebsite(nil, report.NewWindow(q.Range, s.Now(), f.CreatedAt), nil, nil, nil,
			report.AllTime{})
		return n, nil
	}
	var err error
	n.account, err = s.Analytics.Website(ctx, f.Site, onWebsite(me, q))
	return n, err
}

func (s *Handler) linkNumbers(ctx context.Context, me *vitrine.Account, l *vitrine.Link,
	q analytics.Query) (*numbers, error) {
	n := &numbers{sample: !me.Plan.Pro(), q: q}
	if n.sample {
		n.link = SampleLink(l, s.Server.LinkURL(l.Slug), q.Range, s.Now())
		return n, nil
	}
	q = onPage(me, q)
	q.Curves, q.LastRead = true, true
	var err error
	if n.link, err = s.Analytics.Link(ctx, me, string(l.Slug), q); err != nil {
		return nil, err
	}
	n.visits, err = s.Analytics.RecentVisits(ctx, me, string(l.Slug), analytics.VisitQuery{Query: q, N: maxRecent})
	if err == nil {
		n.recent, err = app.NewVisits(ctx, s.Recipients, l, n.visits, s.Now())
	}
	if err == nil && l.Versions > 1 {
		_, n.versions, err = s.Versions.List(ctx, me, string(l.Slug))
	}
	return n, err
}

func (s *Handler) accountNumbers(ctx context.Context, me *vitrine.Account, q analytics.Query) (*numbers, error) {
	n := &numbers{sample: !me.Plan.Pro(), q: q}
	if n.sample {
		n.account = SampleAccount(q.Range, s.Now())
		return n, nil
	}
	var err error
	n.account, err = s.Analytics.Account(ctx, me, onPage(me, q))
	return n, err
}

// onWebsite is onPage for a website, which has no cards of campaigns.
func onWebsite(me *vitrine.Account, q analytics.Query) analytics.Query {
	q = onPage(me, q)
	q.Rows, q.UTM = min(q.Rows, analytics.WebsiteRows), false
	return q
}

// onPage returns a query with what the page shows of its report.
func onPage(me *vitrine.Account, q analytics.Query) analytics.Query {
	q.Zone, q.Rows, q.UTM = zoneOf(me, q), cmp.Or(q.Rows, pageBuckets), true
	return q
}
