package reportpage

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
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
	"vitrine/report/country"
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
	analytics.ExplainedVisit
	Address, When, Part string
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
	for i := range p.Rows {
		if l := p.Rows[i].Link; of.website != nil {
			p.Rows[i].Link = pageName(l)
		} else if l != "" {
			p.Rows[i].Address = "/links/" + url.PathEscape(l) + "/analytics/visits/" + p.Rows[i].ID
		} else if of.link != nil {
			p.Rows[i].Address = app.VisitsRoot(of.link) + "/" + p.Rows[i].ID
		}
	}
	return s.Shell.WriteApp(w, r, http.StatusOK, "explain.html", p.Nonce, p)
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
	for _, v := range p.Visits {
		p.Rows = append(p.Rows, explainedRow{ExplainedVisit: v, When: ui.RecentTime(v.At.Time, s.Now()),
			Part: share(p.Explanation, v)})
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

// otherViews names the views that are not part of a figure.
var otherViews = map[string]string{explain.Bots: "Views by bots", explain.Own: "The owner’s own views",
	explain.Unmeasured: "Views that were not measured", explain.Atypical: "Views that were barely looked at",
	explain.Counted: "Counted views", explain.Other: "Views with another value"}

// made returns how a figure follows from its visits, in words.
func made(e *analytics.Explanation) string {
	count, sum, of := ui.Counted(e.Count, "visit", "visits"), ui.Figure(e.Sum).String(), ui.Figure(e.Of).String()
	if e.Unit == explain.Milliseconds {
		sum, of = ui.Lasting(e.Sum).String(), ui.Lasting(e.Of).String()
	}
	switch e.Kind {
	case explain.Count:
		if e.Without > 0 {
			return count + " below, and " + ui.Figure(e.Without).String() + " without a visit."
		}
		return "The number of the visits below."
	case explain.Distinct:
		return "The number of different viewers of " + count + "."
	case explain.Sum:
		return "The sum over " + count + "."
	case explain.Mean:
		return sum + " in " + count + ", on average."
	case explain.Median:
		return "Half of " + count + " have less, half have more."
	case explain.Share:
		if e.Unit == explain.Millionths {
			return "The average of " + count + "."
		}
		return sum + " of " + of + "."
	case explain.MeanShare:
		return "The average of " + count + "."
	case explain.Derived:
		return "It follows from the numbers below."
	}
	return ""
}

// share returns the share of a visit in a figure, in words.
func share(e *analytics.Explanation, v analytics.ExplainedVisit) string {
	switch {
	case e.Kind == explain.Distinct:
		return "Viewer " + strconv.Itoa(v.Viewer)
	case e.Unit == explain.Milliseconds && e.Kind == explain.Share:
		return ui.Lasting(v.Value).String() + " of " + ui.Lasting(v.Of).String()
	case e.Unit == explain.Milliseconds:
		return ui.Lasting(v.Value).String()
	case e.Unit == explain.Millionths && v.Of > 0 && v.Of != 1_000_000:
		return fmt.Sprintf("%d of %s", v.Value, ui.Counted(v.Of, "page", "pages"))
	case e.Unit == explain.Millionths:
		return fmt.Sprintf("%d%%", (v.Value*200+1_000_000)/2_000_000)
	case e.Unit == explain.Pages:
		return ui.Counted(v.Value, "page", "pages")
	case e.Unit == explain.Clicks:
		return ui.Counted(v.Value, "click", "clicks")
	case e.Kind == explain.Count:
		return "Counted"
	case v.Value > 0:
		return "Yes"
	}
	return "No"
}

// figureNames are the names of figures by the last part of their pointer.
var figureNames = map[string]string{"views": "Views", "uniques": "Unique viewers", "sessions": "Measured visits",
	"avgEngagedMs": "Average time", "medianEngagedMs": "Median time", "totalEngagedMs": "Time in all",
	"completionPct": "Completion", "downloads": "Downloads", "rangeDownloads": "Downloads", "qrScans": "QR scans",
	"returningPct": "Returning", "bouncePct": "Bounces", "botsExcluded": "Views by bots", "ownExcluded": "Own views",
	"atypical": "Barely looked at", "count": "Views", "pct": "Share", "reachPct": "Reached by", "avgMs": "Average time",
	"attentionPct": "Share of time", "expectedPct": "Of the expected time", "expectedMs": "Expected time of a page",
	"readToEndPct": "Read to the end", "avgPagesSeen": "Pages seen on average", "pagesTotal": "Pages",
	"playedPct": "Began to play", "avgPlayedPct": "Played on average", "finishedPct": "Played to the end",
	"avgDepthPct": "Scrolled on average", "lostPct": "Stopped there", "afterPage": "Stopped after page",
	"beforePct": "Stopped before", "avgEngagedS": "Average time", "peakHour": "Busiest hour",
	"peakWeekday": "Busiest weekday", "links": "Links", "days": "Days", "engagedMs": "Time", "page": "Page",
	"version": "Version", "part": "Part", "label": "Heading", "partSessions": "Measured visits",
	"afterPart": "Stopped after part", "target": "Link"}

// figureName returns the name of a figure, with what it is about.
func figureName(whole any, pointer string) string {
	p := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	last := p[len(p)-1]
	name, about := figureNames[last], ""
	number, err := strconv.Atoi(last)
	switch {
	case strings.HasPrefix(pointer, "/content/clicks/") && last == "count":
		name = "Clicks"
	case p[0] == "insights":
		above, _ := objectAt(whole, "/insights/"+p[min(1, len(p)-1)])
		label, _ := above["label"].(string)
		return label
	case p[0] == "deltas":
		return figureNames[p[1]] + ": change"
	case p[0] == "previous":
		return name + " before"
	case p[0] == "all_time", pointer == "/totals/downloads":
		return name + ", all-time"
	case p[0] == "timing" && err == nil && p[1] == "heat":
		day, _ := strconv.Atoi(p[2])
		return ui.WeekdayNames[day%7] + ", " + ui.HourName(number)
	case p[0] == "timing" && err == nil && p[1] == "byHour":
		return ui.HourName(number) + "–" + ui.HourName(number+1)
	case p[0] == "timing" && err == nil:
		return ui.WeekdayNames[number%7]
	case err == nil:
		name = strconv.Itoa(number + 1)
	}
	if above, ok := objectAt(whole, pointer[:strings.LastIndexByte(pointer, '/')]); ok && len(p) > 2 {
		about = aboutFigure(p, above)
	}
	if about == "" {
		return name
	}
	return about + ": " + strings.ToLower(name[:min(len(name), 1)]) + name[min(len(name), 1):]
}

// aboutFigure returns which entry of a list a figure is about.
func aboutFigure(p []string, above map[string]any) string {
	text := func(name string) string {
		s, _ := above[name].(string)
		return s
	}
	switch {
	case p[0] == "breakdowns" && p[1] == "countries":
		return country.Name(text("key"))
	case p[0] == "mix":
		return ui.KindNoun(text("key"))
	case p[0] == "excluded":
		return ui.ReasonName(text("reason"))
	case text("key") != "":
		return text("key")
	case text("title") != "":
		return text("title")
	case text("label") != "":
		return text("label")
	case above["part"] != nil:
		return fmt.Sprint("Part ", above["part"])
	case above["page"] != nil:
		return fmt.Sprint("Page ", above["page"])
	case above["reachPct"] != nil:
		return fmt.Sprint(above["pct"], "%")
	}
	return ""
}

// shownFigure returns a figure as pages show it.
func shownFigure(pointer string, v any) string {
	n, ok := v.(json.Number)
	if !ok {
		if text, is := v.(string); is {
			return text
		}
		return "–"
	}
	i, err := n.Int64()
	last := pointer[strings.LastIndexByte(pointer, '/')+1:]
	switch {
	case strings.HasSuffix(last, "Ms") && err == nil:
		return ui.Lasting(i).String()
	case last == "avgEngagedS" && err == nil:
		return ui.Lasting(1000 * i).String()
	case strings.HasSuffix(last, "Pct"), last == "pct", strings.Contains(pointer, "/curve/"),
		strings.Contains(pointer, "/played/"):
		var share report.Tenths
		if share.UnmarshalJSON([]byte(n)) == nil {
			return ui.Percent(share)
		}
	case err == nil:
		return ui.Figure(i).String()
	}
	return n.String()
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
