package reportpage

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/collections"
	"vitrine/internal/web/app"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/report"
)

// The pages of reports: of a link, and of all links of an account. They show
// what the API returns, from the same calls.

const analyticsRoot = "/analytics"

// reportPage is the data of a report's page.
type reportPage struct {
	app.Page
	*report.Summary
	Head    *app.LinkHead         // nil for an account or a website
	Link    *statsLink            // nil for an account or a website
	Website *app.WebsiteRow       // nil for a link or an account
	Of      *report.LinkReport    // nil for an account
	Account *report.AccountReport // nil for a link
	Shares  *statsShares          // nil if the report has no read-only addresses
	Sample  bool
	Reader  bool // for readers of a shared report
	Empty   bool // nobody has ever come
	Few     bool // so few views that single visits are more useful than sums
	Part    bool // the report is cut short
	Version string
	Address string // of the page with its range
	Pulse   string // address of its version, and of its current state
	Now     string
	Call    string // of the API, for a shell
	Tools   statsTools
	Ask     statsForm
	Zone    string // name of the time zone of days
	Clock   string // time zone of moments; "" is that of the browser
	Cards   []statsCard
	Ledger  []statsReason
	Own     *statsOwn // nil for a website, a sample and a shared report
	Series  statsSeries
	Marked  []statsMarked // of a link
	Notes   *statsNotes   // nil for readers, samples, accounts and websites
	Tips    []statsTip
	Bars    []statsBars
	Bare    []statsBars // without rows
	Heat    statsHeat

	CityFile cityFile

	Covers *statsVersions // the version that Pages and Marks are of; nil means the only one
	Pages  *statsPages
	Parts  *statsPages
	Marks  *statsMarks
	Clicks *statsClicks
	Recent []app.Visit
	Visits string // address of all visits

	Recipients *statsRecipients // nil without recipients, and for others than the owner
	Top        []statsTop

	By    string    // who shared it
	Until time.Time // zero: until it is revoked
	Fixed bool      // readers do not choose the days

	// Uncompared says why no number has a change; "" if they have, or none is
	// asked for.
	Uncompared string

	explain string // address of explanations; "" if there are none
	mapped  string // address of the reading map; "" if there is none
}

// statsLink describes the link of a report.
type statsLink struct {
	*vitrine.Link
	URL, Kind string
	State     string
	AllTime   ui.Figure
}

// Title returns the title of the link as its public page shows it.
func (l *statsLink) Title() string { return ui.Title(l.Link) }

// statsRange is a choice of days.
type statsRange struct {
	Name, Address string
	Chosen        bool
	Key           int // that chooses it; 0 if none
}

// reportView is what a page says about the subject of its report.
type reportView struct {
	title, section string
	root           string // address of the page, without a query
}

func accountView() reportView { return reportView{"Analytics", "analytics", analyticsRoot} }

func linkView(l *vitrine.Link) reportView {
	return reportView{"Analytics of " + ui.Title(l), "links", app.LinkAddress(l) + analyticsRoot}
}

func websiteView(f *collections.SiteFacts) reportView {
	return reportView{"Analytics of " + f.Title, "websites", app.WebsiteAddress(f.Slug) + analyticsRoot}
}

func (of subject) view() reportView {
	switch {
	case of.website != nil:
		return websiteView(of.website)
	case of.link != nil:
		return linkView(of.link)
	}
	return accountView()
}

func (s *Handler) newStatsPage(r *http.Request, me *vitrine.Account, of subject, n *numbers) (*reportPage, error) {
	view := of.view()
	title := view.title
	if n.sample && of.website == nil {
		title = "Sample: " + title
	}
	p := &reportPage{Page: s.Shell.NewAppPage(r, me, title, view.section), Summary: n.summary(), Of: n.link,
		Account: n.account, Sample: n.sample, Clock: me.TimeZone, CityFile: s.cityFile(me)}
	var err error
	if p.Version, err = n.version(s.Now()); err != nil {
		return nil, err
	}
	if l := of.link; l != nil {
		p.Head = s.Shell.LinkHead(me, l, app.LinkAnalytics)
		p.Head.Sample = n.sample
		p.Link = s.statsLink(l, n)
	}
	if of.website != nil {
		p.Website = new(s.Shell.WebsiteRow(of.website))
	}
	here := place{root: view.root, q: n.q}
	p.Address, p.Pulse, p.Now = here.at(""), here.at("/pulse"), here.at("/now")
	asks := !n.sample
	if asks {
		p.explain, p.mapped = here.at("/explain"), here.at("/map")
	}
	if asks && of.website == nil {
		p.Own = newStatsOwn(me, p.Address)
	}
	asked := n.q
	if asked.Zone == nil && p.Range.Timezone != "" { // so that the API returns the same
		asked.Zone = zoneOf(me, asked)
	}
	api := s.Server.PublicURL.String() + httpx.APIRoot
	p.Call = `curl -H "Authorization: Bearer $VITRINE_API_KEY" "` + place{root: api + view.root, q: asked}.at("") + `"`
	p.Tools, p.Ask = newStatsTools(here, p.Summary, asks, s.Now()), newStatsForm(here, p.Summary, asks, s.Now())
	if of.link != nil && !n.sample {
		if p.Recipients, err = s.newStatsRecipients(r.Context(), me, of.link, n, here); err != nil {
			return nil, err
		}
	}
	p.fill(n, here, s.Now())
	if err := s.nameChips(r.Context(), me, of.link, n.q.Filter, p.Ask.Chips); err != nil {
		return nil, err
	}
	if !n.sample {
		p.Pages.show(view.root, of.link)
		p.Parts.show(view.root, of.link)
	}
	return p, nil
}

func (s *Handler) statsLink(l *vitrine.Link, n *numbers) *statsLink {
	return &statsLink{Link: l, URL: s.Server.LinkURL(l.Slug), Kind: ui.KindNoun(string(l.Kind)),
		State: ui.StateName(l.State), AllTime: ui.Figure(n.link.AllTimeViews)}
}

// fewViews is the all-time number of views below which a link's page begins
// with visits; busyViews is the number from which it names the busiest hour.
const (
	maxRecent   = 25      // visits on the page
	maxCardRows = 100     // rows of a card on the page
	maxPages    = 500     // of a document on the page
	pageBuckets = 1000    // of a card that the page counts
	fileBuckets = 100_000 // of a card as a file
	fewViews    = 20
	busyViews   = 30
)

// fill prepares the display of the numbers.
func (p *reportPage) fill(n *numbers, place place, now time.Time) {
	p.Zone, p.Clock = zoneName(&p.Range), cmp.Or(p.Range.Timezone, p.Clock)
	p.Cards = statsCards(n, now)
	p.Ledger = newLedger(p.Summary, p.Reader)
	var from report.Day // of the chart
	if p.Link != nil && p.Of.AllTimeViews < fewViews && len(n.q.Filter) == 0 {
		p.Few = true
		if !n.q.Hourly {
			from = report.DayOf(p.Link.CreatedAt.UnixMilli())
		}
	}
	p.Uncompared = p.uncompared(n, now)
	words := p.Words()
	p.Series = newStatsSeries(p.Summary, from, words, now)
	p.Tips = statsTips(p.Insights)
	p.Bars = statsBreakdowns(&p.Breakdowns, p.Totals.Views, words)
	if card, any := assistants(p.Summary); any {
		p.Bars = append(p.Bars, card)
	}
	p.cities(n.sample)
	p.Heat = newStatsHeat(&p.Timing, p.Totals.Views, p.Zone, words)
	if p.Of != nil {
		p.fillLink(n, place, now)
	} else {
		p.fillAccount(n, now)
	}
	for _, card := range p.Bars {
		list := "/breakdowns/" + card.ID
		if card.ID == "mix" {
			list = "/mix"
		}
		for i := range card.Rows {
			if card.Dimension != "" {
				card.Rows[i].At = p.Explain(fmt.Sprintf("%s/%d/count", list, i))
			}
		}
	}
	if p.Few { // shares of few views say nothing
		for _, card := range p.Bars {
			for i := range card.Rows {
				card.Rows[i].Width = ""
			}
		}
	}
	p.addFiles(place, p.visitsAt(n))
	p.setBare()
	p.link(place)
}

// fillLink prepares what only the report of a link has.
func (p *reportPage) fillLink(n *numbers, place place, now time.Time) {
	of := p.Of
	p.Part = of.Truncated
	p.Empty = of.AllTimeViews == 0 && p.Totals.Views == 0
	before := of.AllTimeViews > p.Totals.Views
	p.Covers = newStatsVersions(n, place, !p.Reader, now)
	p.Pages, p.Parts, p.Marks = newStatsPages(&of.Content, before), newStatsParts(&of.Content, before),
		newStatsMarks(&of.Content, before)
	if p.Parts.counts() {
		p.Marks = nil
	}
	p.Clicks = newStatsClicks(&of.Content)
	if p.Recent = n.recent; n.sample || p.Reader {
		p.Recent = p.nameless(n, now)
	}
	p.mark(now)
}

// fillAccount prepares what only the report of an account or a website has.
func (p *reportPage) fillAccount(n *numbers, now time.Time) {
	a := p.Account
	p.Part = a.Truncated
	p.Empty = a.AllTime.Views == 0 && p.Totals.Views == 0
	p.Top = statsTopLinks(a.TopLinks[:min(len(a.TopLinks), maxCardRows)], n.sample || p.Reader)
	if p.Website != nil {
		p.fillWebsite(n, now)
		return
	}
	if len(a.Mix) > 0 {
		mix := statsBars{ID: "mix", Dimension: report.OnKind, Name: "Kinds of files", Of: "Views",
			Rows: statsBarsOf(a.Mix, "Views", ui.KindNoun, nil)}
		p.Bars = append([]statsBars{mix}, p.Bars...)
	}
}

// Words returns what a report calls its views.
func (p *reportPage) Words() seriesWords {
	if p.Website != nil {
		return websiteWords
	}
	return linkWords
}

// link gives each bucket the address that filters the report by it.
func (p *reportPage) link(of place) {
	if !p.Ask.Form {
		return
	}
	for _, card := range p.Bars {
		d := card.Dimension
		if d == "" {
			continue
		}
		for i := range card.Rows {
			row := &card.Rows[i]
			row.Only = of.only(d, row.Key)
		}
		if card.Rest != nil {
			card.Rest.Only = of.only(d, "")
		}
	}
	for i := range p.Cards {
		switch c := &p.Cards[i]; c.ID {
		case "qr":
			if p.Totals.QRScans > 0 {
				c.Only = of.only(report.OnQR, report.Yes)
			}
		case "returning":
			if p.Totals.ReturningPct > 0 {
				c.Only = of.only(report.OnReturning, report.Yes)
			}
		}
	}
}

// AllTime returns the all-time totals of all links, in words.
func (p *reportPage) AllTime() string {
	a := p.Account.AllTime
	return ui.Counted(a.Links, "link", "links") + " · " + ui.Counted(a.Views, "view", "views") + " and " +
		ui.Counted(a.Downloads, "download", "downloads") + " in total"
}

// Period returns the days of the report in words, for print.
func (p *reportPage) Period() string {
	zone, err := time.LoadLocation(p.Range.Timezone)
	if err != nil {
		zone = time.UTC
	}
	day := func(t time.Time) string { return t.In(zone).Format("2 Jan 2006") }
	return p.Range.Label + ": " + day(p.Range.From) + " – " + day(p.Range.To.Add(-time.Millisecond)) + ", " + p.Zone
}

// TopCut reports whether the account has more links than the page lists.
func (p *reportPage) TopCut() bool {
	return len(p.Top) == analytics.TopLinks && p.Account.AllTime.Links > analytics.TopLinks
}
