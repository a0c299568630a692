package reportpage

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/web/api"
	"vitrine/internal/web/app"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/report"
	"vitrine/report/explain"
)

// explainPage says what makes a figure of a report.
type explainPage struct {
	app.Page
	*analytics.Explanation
	Head    *app.LinkHead   // nil for an account, a website and a shared report
	Website *app.WebsiteRow // nil for others
	Reader  bool            // of a shared report
	Back    string          // address of the report
	Of      string          // what a shared report is about
	Period  string
	Name    string
	Shown   string // the figure as the report shows it
	Made    string // how it follows from its visits, in words
	Column  string // what the rows say of their visits; "" if they are only counted
	Named   bool   // a visit came through the address of a recipient
	Rows    []explainedRow
	Also    []explainedFigure
	Others  [][2]string // excluded views, by reason
	First   string      // address of the newest visits; "" on that page
	More    string      // address of the visits before; ""
	Clock   string
	Zone    string
}

// OfPages reports whether the visits are page loads of a website.
func (p *explainPage) OfPages() bool { return p.Website != nil }

// explainedRow is a visit of a figure.
type explainedRow struct {
	app.Visit
	ID, Link, Part string
}

// explainedFigure is another figure, beside an explained one or behind it.
type explainedFigure struct {
	Name, Value, Address string
	Chosen               bool
}

// Explain returns the address that says what makes a figure of the report, or
// "" if none does.
func (p *reportPage) Explain(pointer string) string {
	if p.explain == "" || pointer == "" {
		return ""
	}
	return p.explain + "&explain=" + url.QueryEscape(pointer)
}

// ShowExplanation answers with what makes a figure.
func (s *Handler) ShowExplanation(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	of, err := s.subjectOf(r, me)
	if err != nil {
		return err
	}
	if err := api.NeedPro(me); err != nil {
		return err
	}
	q, err := s.queryOf(r, me, of)
	if err != nil {
		return err
	}
	view := of.view()
	p := &explainPage{Page: s.Shell.NewAppPage(r, me, "A number of "+view.title, view.section), Clock: me.TimeZone}
	if of.link != nil {
		p.Head = s.Shell.LinkHead(me, of.link, app.LinkAnalytics)
	}
	if err := s.fillExplanation(r, p, me, of, place{root: view.root, q: q}); err != nil {
		return err
	}
	if of.website != nil {
		p.Website = new(s.Shell.WebsiteRow(of.website))
		p.ofLoads()
	}
	if of.website != nil {
		for i := range p.Rows {
			p.Rows[i].Link = pageName(p.Rows[i].Link)
		}
	} else if err := s.nameRows(r.Context(), p, of); err != nil {
		return err
	}
	return s.Shell.WriteApp(w, r, http.StatusOK, "explain.html", p.Nonce, p)
}

// nameRows gives the visits of links their recipients and the addresses of
// their pages, for the owner.
func (s *Handler) nameRows(ctx context.Context, p *explainPage, of subject) error {
	byLink := map[vitrine.LinkID][]int{}
	for i, v := range p.Visits {
		byLink[v.LinkID] = append(byLink[v.LinkID], i)
	}
	for id, at := range byLink {
		l := cmp.Or(of.link, &vitrine.Link{ID: id, Slug: vitrine.Slug(p.Visits[at[0]].Link)})
		var rows []report.VisitRow
		for _, i := range at {
			rows = append(rows, p.Visits[i].Row())
		}
		visits, err := app.NewVisits(ctx, s.Recipients, l, rows, s.Now())
		if err != nil {
			return err
		}
		for n, i := range at {
			p.Rows[i].Visit = visits[n]
			p.Named = p.Named || visits[n].To != ""
		}
	}
	return nil
}

// ExplainShared answers with what makes a figure of a shared report.
func (s *Handler) ExplainShared(w http.ResponseWriter, r *http.Request) error {
	setPrivateHeaders(w)
	found, in, err := s.readShared(r)
	if err != nil {
		return err
	}
	if !in {
		return httpx.Redirect(w, r, sharedRoot+url.PathEscape(r.PathValue("token")))
	}
	return s.inTurn(w, r, httpx.SharedReport, "shared_explain.html", func() (any, string, error) {
		p, err := s.sharedExplanation(r, found)
		if err != nil {
			return nil, "", err
		}
		return p, p.Nonce, nil
	})
}

// sharedExplanation returns the page of a figure for readers of a shared
// report. Of its visits it lists those that the report lists.
func (s *Handler) sharedExplanation(r *http.Request, found *analytics.Shared) (*explainPage, error) {
	of := subject{link: found.Link}
	p := &explainPage{Page: app.Page{Page: s.Pages.NewChrome("A number of a report · Vitrine")}, Reader: true,
		Clock: found.Owner.TimeZone, Of: "Analytics of all links"}
	if of.link != nil {
		p.Of = ui.Title(of.link)
	}
	q, err := s.sharedQuery(r, found)
	if err != nil {
		return nil, err
	}
	if err := s.fillExplanation(r, p, found.Owner, of, sharedPlace(r, found, q)); err != nil {
		return nil, err
	}
	listed := map[string]bool{}
	if of.link != nil {
		visits, err := s.Analytics.RecentVisits(r.Context(), found.Owner, string(of.link.Slug),
			analytics.VisitQuery{Query: onPage(found.Owner, q), N: maxRecent})
		if err != nil {
			return nil, err
		}
		for _, v := range visits {
			listed[v.ID] = true
		}
	}
	p.Rows = slices.DeleteFunc(p.Rows, func(row explainedRow) bool { return !listed[row.ID] })
	p.First, p.More = "", ""
	return p, nil
}

// fillExplanation fills a page with a figure of the report that a place has.
func (s *Handler) fillExplanation(r *http.Request, p *explainPage, owner *vitrine.Account, of subject,
	here place) error {
	values, err := httpx.Query(r)
	if err != nil {
		return err
	}
	q := analytics.ExplainQuery{Query: onPage(owner, here.q), Figure: cmp.Or(values.Get("explain"), "/totals/views"),
		N: visitsBatch}
	q.Curves, q.LastRead, q.Excluded = of.link != nil, of.link != nil, true
	if of.website != nil {
		q.Query = onWebsite(owner, q.Query)
	}
	if q.Cursor.Key, q.Cursor.Same, err = httpx.ParseExplainCursor(values.Get("cursor")); err != nil {
		return err
	}
	if p.Explanation, err = s.explanation(r.Context(), owner, of, q); err != nil {
		return err
	}
	whole, _ := p.Report.(map[string]any)
	p.Back = here.at("")
	p.Zone = "UTC"
	if q.Zone != nil {
		p.Zone = strings.ReplaceAll(q.Zone.String(), "_", " ")
	}
	if rg, ok := whole["range"].(map[string]any); ok {
		p.Period, _ = rg["label"].(string)
	}
	root := here.at("/explain") + "&explain="
	p.Name, p.Shown, p.Made = figureName(whole, q.Figure), shownFigure(q.Figure, p.Value), made(p.Explanation)
	figures := beside(whole, q.Figure)
	if len(p.From) > 0 {
		figures = p.From
	}
	for _, pointer := range figures {
		v, _ := valueAt(whole, pointer)
		p.Also = append(p.Also, explainedFigure{figureName(whole, pointer), shownFigure(pointer, v),
			root + url.QueryEscape(pointer), pointer == q.Figure})
	}
	for _, reason := range []string{explain.Bots, explain.Own, explain.Unmeasured, explain.Atypical, explain.Counted,
		explain.Other} {
		if n := p.Excluded[reason]; n > 0 {
			p.Others = append(p.Others, [2]string{otherViews[reason], ui.Figure(n).String()})
		}
	}
	p.Column = columnName(whole, p.Explanation)
	for _, v := range p.Visits {
		p.Rows = append(p.Rows, explainedRow{app.NamelessVisits([]report.VisitRow{v.Row()}, s.Now())[0], v.ID, v.Link,
			share(p.Explanation, v)})
	}
	if q.Cursor.Key != 0 {
		p.First = root + url.QueryEscape(q.Figure)
	}
	if p.Next.Key != 0 {
		p.More = root + url.QueryEscape(q.Figure) + "&cursor=" + httpx.FormatExplainCursor(p.Next.Key, p.Next.Same)
	}
	return nil
}

func (s *Handler) explanation(ctx context.Context, owner *vitrine.Account, of subject,
	q analytics.ExplainQuery) (*analytics.Explanation, error) {
	if of.website != nil {
		return s.Analytics.ExplainWebsite(ctx, of.website.Site, q)
	}
	if of.link != nil {
		return s.Analytics.ExplainLink(ctx, owner, string(of.link.Slug), q)
	}
	return s.Analytics.ExplainAccount(ctx, owner, q)
}

// valueAt returns the figure at a pointer. That of an insight is its value.
func valueAt(whole any, pointer string) (any, bool) {
	v, ok := explain.At(whole, pointer)
	if of, is := v.(map[string]any); is && strings.HasPrefix(pointer, "/insights/") {
		v = of["value"]
	}
	return v, ok
}

// objectAt returns the object at a pointer.
func objectAt(whole any, pointer string) (map[string]any, bool) {
	v, _ := explain.At(whole, pointer)
	of, ok := v.(map[string]any)
	return of, ok
}

// beside returns the pointers of the figures beside one: of the same part of
// the report, and how it changed.
func beside(whole any, pointer string) (all []string) {
	cut := strings.LastIndexByte(pointer, '/')
	above, last := pointer[:cut], pointer[cut+1:]
	if above == "/totals" {
		name := strings.Replace(last, "rangeDownloads", "downloads", 1)
		if _, compared := valueAt(whole, "/deltas/"+name+"/pct"); compared && last != "downloads" {
			all = append(all, "/previous/"+name, "/deltas/"+name+"/pct")
		}
	}
	v, _ := valueAt(whole, above)
	switch of := v.(type) {
	case map[string]any:
		names := make([]string, 0, len(of))
		for name, v := range of {
			if _, number := v.(json.Number); number {
				names = append(names, above+"/"+name)
			}
		}
		slices.Sort(names)
		return append(all, names...)
	case []any:
		if strings.HasPrefix(above, "/timing/") {
			for i := range of {
				all = append(all, above+"/"+strconv.Itoa(i))
			}
		}
		if above == "/timing/byWeekday" {
			for hour := range 24 {
				all = append(all, "/timing/heat/"+last+"/"+strconv.Itoa(hour))
			}
		}
	}
	return all
}
