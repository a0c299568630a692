package reportpage

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/web/app"
	"vitrine/internal/web/chart"
	"vitrine/internal/web/ui"
	"vitrine/report"
)

// statsCard is a number with its meaning.
type statsCard struct {
	ID, Name, Value string
	Note            string // what else belongs to it
	Delta           *statsDelta
	Means           string
	Only            string // address of the report with only what it counts
}

// figures are the pointers to the figures of cards in the report.
var figures = map[string]string{"views": "views", "uniques": "uniques", "engaged": "avgEngagedMs",
	"completion": "completionPct", "downloads": "rangeDownloads", "bounce": "bouncePct", "returning": "returningPct",
	"qr": "qrScans"}

// Figure returns the pointer to the figure of the card, or "" if it is none.
func (c statsCard) Figure() string {
	if figures[c.ID] == "" {
		return ""
	}
	return "/totals/" + figures[c.ID]
}

// Nothing reports whether the card has no number yet. The first report of a
// link leaves such cards out.
func (c statsCard) Nothing() bool { return c.Value == "0" || c.Value == "0%" || c.Value == "–" }

func statsCards(n *numbers, now time.Time) []statsCard {
	r := n.summary()
	t, d, before := &r.Totals, &r.Deltas, &r.Previous
	change := func(d report.Delta, is, was int64) *statsDelta { return newCountDelta(r, d, is, was, now) }
	spent := newStatsDelta(r, d.AvgEngagedMs, ui.Lasting(t.AvgEngagedMs).String(),
		ui.Lasting(before.AvgEngagedMs).String())
	if t.Sessions == 0 || before.Sessions == 0 {
		spent = nil
	}
	bounce := newPointsDelta(r, measured(t.BouncePct, t.Sessions), measured(before.BouncePct, before.Sessions))
	if bounce != nil { // less is better
		bounce.Dir = map[report.Dir]report.Dir{report.Up: report.Down, report.Down: report.Up,
			report.Flat: report.Flat}[bounce.Dir]
	}
	ofViews := "of " + ui.Counted(t.Views, "view", "views")
	return []statsCard{
		{"views", "Views", ui.Figure(t.Views).String(), allTimeNote(n, n.allTimeViews()),
			change(d.Views, t.Views, before.Views), ui.MeansViews, ""},
		{"uniques", "Unique viewers", ui.Figure(t.Uniques).String(), ofViews,
			change(d.Uniques, t.Uniques, before.Uniques), ui.MeansUniques, ""},
		{"engaged", "Average time", ui.TimeOf(t.AvgEngagedMs, t.Sessions), engagedNote(t), spent, ui.MeansEngaged, ""},
		{"completion", "Completion", ui.CompletionOf(t.CompletionPct), completionNote(n),
			newPointsDelta(r, t.CompletionPct, before.CompletionPct), ui.MeansCompletion, ""},
		{"downloads", "Downloads", ui.Figure(t.RangeDownloads).String(), allTimeNote(n, t.Downloads),
			change(d.Downloads, t.RangeDownloads, before.Downloads), ui.MeansDownloads, ""},
		{"bounce", "Bounces", ui.ShareOf(t.BouncePct, t.Sessions),
			"of " + ui.Counted(t.Sessions, "session", "sessions"), bounce,
			ui.MeansBounce, ""},
		{"returning", "Returning", ui.ShareOf(t.ReturningPct, t.Views), ofViews, newReturningDelta(r),
			ui.MeansReturning, ""},
		{"qr", "QR scans", ui.Figure(t.QRScans).String(), ofViews,
			change(d.QRScans, t.QRScans, before.QRScans), ui.MeansQR, ""},
	}
}

// allTimeNote returns the all-time number that belongs to one of a period, or
// which views these are, if they are not of a period.
func allTimeNote(n *numbers, all int64) string {
	switch r := n.summary(); {
	case len(n.q.Filter) > 0:
		return "with these filters"
	case r.Range.Key == report.RangeAll:
		return "since " + r.Range.From.Format("2 Jan 2006")
	}
	return ui.Figure(all).String() + " all-time"
}

// allTimeViews returns the views since the first.
func (n *numbers) allTimeViews() int64 {
	if n.link != nil {
		return n.link.AllTimeViews
	}
	return n.account.AllTime.Views
}

// engagedNote returns what belongs to the average time.
func engagedNote(t *report.Totals) string {
	if t.Sessions == 0 {
		return noSessions
	}
	unbroken := func(ms int64) string { return strings.ReplaceAll(ui.Lasting(ms).String(), " ", "\u00a0") }
	return fmt.Sprintf("median %s · %s in all", unbroken(t.MedianEngagedMs), unbroken(t.TotalEngagedMs))
}

// noSessions stands beside a figure that nothing was measured for.
const noSessions = "no sessions"

// completionNote returns the base of completion.
func completionNote(n *numbers) string {
	if n.summary().Totals.Sessions == 0 && (n.link == nil || n.link.Content.Kind != report.ContentNone) {
		return noSessions
	}
	if n.link == nil {
		return "of each file, on average"
	}
	if len(n.versions) > 1 {
		return "of each version, on average"
	}
	switch c := &n.link.Content; c.Kind {
	case report.ContentPages:
		if c.Pages.PagesTotal > 0 {
			return fmt.Sprintf("%s of %s, on average", c.Pages.AvgPagesSeen,
				ui.Counted(int64(c.Pages.PagesTotal), "page", "pages"))
		}
		return "its number of pages is not known"
	case report.ContentMedia:
		return "played, on average"
	case report.ContentScroll:
		return "scrolled, on average"
	case report.ContentNone:
		return "not measured of an archive"
	}
	return "on average"
}

// statsTip is an insight.
type statsTip struct {
	Label, Value, Detail string
	Tone                 report.Tone
	Aloud                string // the tone in words
	Figure               string // the pointer to it
}

// inShort lists the insights that no other part of the page shows.
var inShort = map[string]bool{"dropoff": true, "best_time": true, "top_source": true}

// manyDigits are numbers that pages group by thousands.
var manyDigits = regexp.MustCompile(`\b\d{4,}\b`)

// finePercent are percentages with a decimal.
var finePercent = regexp.MustCompile(`\b\d+\.\d%`)

// statsTips writes insights as the page writes numbers and zones.
func statsTips(insights []report.Insight) []statsTip {
	grouped := func(text string) string {
		text = finePercent.ReplaceAllStringFunc(text, func(share string) string {
			var t report.Tenths
			if t.UnmarshalJSON([]byte(strings.TrimSuffix(share, "%"))) != nil {
				return share
			}
			return ui.Percent(t)
		})
		return manyDigits.ReplaceAllStringFunc(text, func(digits string) string {
			n, err := strconv.ParseInt(digits, 10, 64)
			if err != nil {
				return digits
			}
			return ui.Figure(n).String()
		})
	}
	var tips []statsTip
	for n, i := range insights {
		if !inShort[i.ID] {
			continue
		}
		t := statsTip{Label: i.Label, Value: grouped(strings.ReplaceAll(i.Value, "_", " ")),
			Detail: grouped(i.Detail), Tone: i.Tone, Figure: fmt.Sprintf("/insights/%d", n)}
		switch i.Tone {
		case report.Good:
			t.Aloud = "Good"
		case report.Warn:
			t.Aloud = "Worth a look"
		}
		tips = append(tips, t)
	}
	return tips
}

// nameless returns the newest visits of a sample or a shared report.
func (p *reportPage) nameless(n *numbers, now time.Time) []app.Visit {
	rows := slices.Clone(n.visits)
	if n.sample {
		for _, o := range n.link.Recent {
			if !o.Excluded {
				rows = append(rows, sampleVisit(&o))
			}
		}
	}
	return app.NamelessVisits(rows, now)
}

// Latest says which visits are listed: all views of the report, or the newest.
func (p *reportPage) Latest() string {
	listed := int64(len(p.Recent))
	if listed >= p.Totals.Views {
		return "These are all views in this period."
	}
	return fmt.Sprintf("The latest %s of %s.", ui.Figure(listed), ui.Counted(p.Totals.Views, "view", "views"))
}

func sampleVisit(o *report.RecentView) report.VisitRow {
	return report.VisitRow{At: o.At.Time, Country: o.Country, City: o.City, Device: o.Device, Browser: o.Browser,
		OS: o.OS, Source: o.Source, Engaged: true, EngagedMs: o.EngagedMs, PresentMs: o.PresentMs,
		Progress: o.Progress, Downloaded: o.Downloaded, Returning: o.Returning, Atypical: o.Atypical}
}

// statsTop is one of the most viewed links.
type statsTop struct {
	report.LinkSummary
	Address    string // "" in a sample
	Noun       string
	Seen, Who  ui.Figure
	Engaged    string
	Completion string
	Loads      ui.Figure
	Spark      chart.Spark
}

func statsTopLinks(links []report.LinkSummary, sample bool) []statsTop {
	var rows []statsTop
	for _, l := range links {
		l.Title = ui.Title(&vitrine.Link{Title: l.Title, File: vitrine.File{Name: l.Title}}) // the name of its file is not here
		t := statsTop{LinkSummary: l, Address: "/links/" + l.Slug + analyticsRoot, Noun: ui.KindNoun(l.Kind),
			Seen: ui.Figure(l.Views), Who: ui.Figure(l.Uniques),
			Engaged: ui.TimeOf(l.AvgEngagedMs, l.Sessions), Completion: ui.CompletionOf(l.CompletionPct),
			Loads: ui.Figure(l.Downloads),
			Spark: chart.NewSpark(l.Spark, "day")}
		if l.CompletionPct != nil {
			t.Completion = ui.Percent(*l.CompletionPct)
		}
		if sample || l.Trashed {
			t.Address = ""
		}
		rows = append(rows, t)
	}
	return rows
}
