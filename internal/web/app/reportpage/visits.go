package reportpage

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/web/api"
	"vitrine/internal/web/app"
	"vitrine/internal/web/chart"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/report"
	"vitrine/report/part"
)

// visitsBatch is the number of visits on a page.
const visitsBatch = 50

// visitsPage lists visits of a link.
type visitsPage struct {
	app.Page
	Head    *app.LinkHead
	Ask     statsForm
	Report  string       // address of the report
	Shown   []statsRange // counted visits or all; none if all count
	Label   string       // of the days; "" for all
	Visits  []app.Visit
	First   string // address of the newest; "" on that page
	Next    string // address of the ones before; ""
	CSV     string
	NDJSON  string
	Sample  bool
	Website bool

	CityFile cityFile
}

// ShowVisits lists the visits of a link, newest first, by page; as CSV and
// NDJSON it sends all of them.
func (s *Handler) ShowVisits(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	l, err := s.linkOf(r, me)
	if err != nil {
		return err
	}
	if err := api.NeedPro(me); err != nil {
		return err
	}
	values, err := httpx.Query(r)
	if err != nil {
		return err
	}
	q, err := api.VisitQuery(values)
	if err != nil {
		return err
	}
	q.Zone, q.Counted = zoneOf(me, q.Query), values.Get("show") != showAll
	switch format := values.Get("format"); format {
	case "":
	case "csv", "ndjson":
		return s.API.SendVisits(w, r, me, string(l.Slug), q, format)
	default:
		return vitrine.Errorf(vitrine.CodeInvalidRequest, `format must be "csv" or "ndjson".`)
	}
	q.N = visitsBatch
	some, err := s.Analytics.Visits(r.Context(), me, string(l.Slug), q)
	if err != nil {
		return err
	}
	p := &visitsPage{Page: s.Shell.NewAppPage(r, me, "Visits of "+ui.Title(l), "links"),
		Head:     s.Shell.LinkHead(me, l, app.LinkAnalytics),
		CityFile: s.cityFile(me)}
	asked := q.Query
	if asked.Zone != nil && values.Get("timezone") == "" {
		asked.Zone = nil
	}
	here := place{root: app.VisitsRoot(l), q: asked}
	p.Report = place{root: reportRoot(l), q: asked}.at("")
	if p.Shown, err = s.shownVisits(r, me, l, q, here.at("")); err != nil {
		return err
	}
	shown := here.at("")
	if !q.Counted {
		shown += "&show=" + showAll
	}
	p.CSV, p.NDJSON = shown+"&format=csv", shown+"&format=ndjson"
	if q.Before != 0 {
		p.First = shown
	}
	if some.Next != 0 {
		p.Next = shown + "&cursor=" + httpx.FormatVisitCursor(some.Next)
	}
	if err := s.fillVisits(r.Context(), p, me, l, here, some.Rows); err != nil {
		return err
	}
	return s.Shell.WriteApp(w, r, http.StatusOK, "visits.html", p.Nonce, p)
}

// fillVisits fills the list and the filter of a page.
func (s *Handler) fillVisits(ctx context.Context, p *visitsPage, me *vitrine.Account, l *vitrine.Link, here place,
	rows []report.VisitRow) (err error) {
	p.Ask = newStatsForm(here, &report.Summary{}, false, s.Now())
	if p.Visits, err = app.NewVisits(ctx, s.Recipients, l, rows, s.Now()); err != nil {
		return err
	}
	return s.nameChips(ctx, me, l, here.q.Filter, p.Ask.Chips)
}

// showAll is the value of the parameter "show" for all visits of a link.
// Without it, the list has those that count, like the numbers of its report.
const showAll = "all"

// shownVisits returns the choice between counted visits and all, with the
// number of each, or nothing if all count.
func (s *Handler) shownVisits(r *http.Request, me *vitrine.Account, l *vitrine.Link, q analytics.VisitQuery,
	here string) ([]statsRange, error) {
	if q.Range == "" && q.Dates == nil && !q.Hourly {
		q.Range = report.RangeAll
	}
	of, err := s.Analytics.Link(r.Context(), me, string(l.Slug), q.Query)
	if err != nil {
		return nil, err
	}
	counted, excluded := of.Totals.Views, of.Totals.BotsExcluded+of.Totals.OwnExcluded
	if excluded == 0 && q.Counted {
		return nil, nil
	}
	name := func(what string, n int64) string {
		if of.Truncated {
			return what
		}
		return what + " " + ui.Figure(n).String()
	}
	return []statsRange{{Name: name("Counted", counted), Address: here, Chosen: q.Counted},
		{Name: name("All", counted+excluded), Address: here + "&show=" + showAll, Chosen: !q.Counted}}, nil
}

// visitPage is the page of a visit.
type visitPage struct {
	app.Page
	Head   *app.LinkHead
	All    string // address of the list
	Visit  app.Visit
	Noun   string // "Page", "Section" or "Slide"
	Pages  []visitedPage
	Ranges string // of hundredths that were played, in words
	Played chart.Chart
	Facts  [][2]string
	Others []app.Visit // visits of the same viewer

	CityFile cityFile
}

// visitedPage is a page that was seen, and its share of the longest time.
type visitedPage struct {
	Page  int
	Label string
	Time  ui.Lasting
	Width string
}

// visitedPages returns the pages or parts that a visit saw, and what they are:
// "Page".
// The labels are those of the current version.
func visitedPages(v *report.VisitRow, o part.Outline) (noun string, pages []visitedPage) {
	noun = "page"
	seen, labels := v.Pages, []part.Part(nil)
	if len(v.Parts) > 0 {
		noun, labels = cmp.Or(string(o.Kind()), "part"), o.Parts()
		for _, p := range v.Parts {
			seen = append(seen, report.PageSeen{Page: p.Part, Ms: p.Ms})
		}
	}
	var longest int64
	for _, page := range seen {
		longest = max(longest, page.Ms)
	}
	for _, page := range seen {
		row := visitedPage{Page: page.Page, Time: ui.Lasting(page.Ms), Width: chart.Percent(page.Ms, longest)}
		if page.Page <= len(labels) {
			row.Label = labels[page.Page-1].Label
		}
		pages = append(pages, row)
	}
	return ui.Capital(noun), pages
}

// ShowVisit answers with the page of a visit.
func (s *Handler) ShowVisit(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	l, err := s.linkOf(r, me)
	if err != nil {
		return err
	}
	if err := api.NeedPro(me); err != nil {
		return err
	}
	v, err := s.Analytics.Visit(r.Context(), me, string(l.Slug), r.PathValue("visit"))
	if err != nil {
		return err
	}
	rows := []report.VisitRow{v}
	for _, other := range v.SameViewer {
		if other.ID != v.ID {
			rows = append(rows, report.VisitRow{ID: other.ID, At: other.At})
		}
	}
	visits, err := app.NewVisits(r.Context(), s.Recipients, l, rows, s.Now())
	if err != nil {
		return err
	}
	p := &visitPage{Page: s.Shell.NewAppPage(r, me, "A visit of "+ui.Title(l), "links"),
		Head: s.Shell.LinkHead(me, l, app.LinkAnalytics),
		All:  app.VisitsRoot(l), Visit: visits[0], Others: visits[1:],
		CityFile: s.cityFile(me)}
	p.Noun, p.Pages = visitedPages(&v, l.Outline)
	if len(v.PlayedIn) > 0 {
		p.Played, p.Ranges = playedChart(v.PlayedIn), rangesInWords(v.PlayedIn)
	}
	p.Facts = visitFacts(&v)
	return s.Shell.WriteApp(w, r, http.StatusOK, "visit.html", p.Nonce, p)
}

// visitFacts lists the facts of a visit besides its progress.
func visitFacts(v *report.VisitRow) (facts [][2]string) {
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, [2]string{name, value})
		}
	}
	percent := func(t *report.Tenths) string {
		if t == nil {
			return ""
		}
		return t.String() + "%"
	}
	browser := v.Browser
	if browser != "" && v.OS != "" {
		browser += " on " + v.OS
	} else if browser == "" {
		browser = v.OS
	}
	add("Played", percent(v.Played))
	add("Got to", percent(v.Reached))
	add("Scrolled", percent(v.Depth))
	for _, c := range v.Clicks {
		add("Clicked", clickTarget(c.Target))
	}
	for _, d := range report.Cards() {
		switch value := *d.Visit(v); d.Dimension {
		case report.OnCountry, report.OnCity, report.OnOS: // the title has the place, and the browser its system
		case report.OnBrowser:
			add(d.Name, browser)
		case report.OnScreen:
			if value != "" {
				add(d.Name, ui.ScreenName(value))
			}
		default:
			add(d.Name, value)
		}
	}
	if v.Version > 1 {
		add("Version of the file", strconv.Itoa(v.Version))
	}
	if v.QR {
		add("QR code", "Yes")
	}
	if v.Engaged {
		add("Last looked at", ui.Lasting(v.PresentMs).String()+" after it was opened")
	}
	return facts
}

// playedChart shows which hundredths of a video or sound were played.
func playedChart(ranges [][2]int) chart.Chart {
	values, tips := make([]int64, 100), make([]string, 100)
	for _, r := range ranges {
		for i := max(r[0], 0); i < min(r[1], 100); i++ {
			values[i] = 1
		}
	}
	for i := range tips {
		said := "Not played"
		if values[i] == 1 {
			said = "Played"
		}
		tips[i] = chart.Tip(said, [3]string{"", "of the file", fmt.Sprintf("%d–%d%%", i, i+1)})
	}
	labels := make([]string, 100)
	for i := range labels {
		labels[i] = fmt.Sprintf("%d%%", i+1)
	}
	return chart.New("Which parts were played. Arrow keys go from part to part", 1, nil, chart.Labels(labels),
		[]chart.Series{{Class: "kept", Values: values, Filled: true}}, tips)
}

func rangesInWords(ranges [][2]int) string {
	var words []string
	for _, r := range ranges {
		words = append(words, fmt.Sprintf("%d–%d%%", r[0], r[1]))
	}
	return strings.Join(words, ", ")
}
