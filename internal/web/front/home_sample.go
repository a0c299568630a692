package front

import (
	"fmt"
	"html/template"
	"strings"
	"sync"
	"time"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/web/chart"
	"vitrine/internal/web/samples"
	"vitrine/internal/web/ui"
	"vitrine/report"
)

// sample is the report of a made-up link on the home page. The real engine
// computes its numbers.
type sample struct {
	Title, Range  string
	Cards         []sampleCard
	Chart         chart.Chart
	Pages         []samplePage
	Bots          int64
	NotInAverages string
}

type sampleCard struct{ Label, Value, Change string }

// samplePage is a page of the document and how many readers reached it.
type samplePage struct {
	Page    int
	Reach   report.Tenths
	Time    string
	Stopped string // how many stopped there, on the page where most did
}

// sampleParts are the parts of the sample on the page. They are the same for
// everybody and so rendered once.
type sampleParts struct{ Head, Days, Pages, Ledger template.HTML }

func renderSample() *sampleParts {
	part := func(name string) template.HTML {
		var b strings.Builder
		if err := ui.Template("sample.html").ExecuteTemplate(&b, name, loadSample()); err != nil {
			panic(err) // the template and the sample are part of the program
		}
		return template.HTML(b.String())
	}
	return &sampleParts{part("head"), part("days"), part("pages"), part("ledger")}
}

var renderedSample = sync.OnceValue(renderSample)

// shownSample returns the sample for the page.
func shownSample() *sampleParts {
	if ui.Developing() {
		return renderSample()
	}
	return renderedSample()
}

// sampleDay is the date of the sample.
var sampleDay = time.Date(2026, 5, 29, 16, 0, 0, 0, time.UTC)

// sampleSlug is the slug of its link.
const sampleSlug = "spring-report"

// sampleReport returns the report of the made-up link.
func sampleReport(rg report.Range) *report.LinkReport {
	return samples.SampleLink(&vitrine.Link{Slug: sampleSlug, Title: "Spring report", Kind: filetype.PDF},
		"https://share.example/p/"+sampleSlug, rg, sampleDay)
}

// sampleAnswers are the API's answers by operation.
var sampleAnswers = sync.OnceValue(func() map[string]string {
	return map[string]string{"getLinkAnalytics": prettyJSON(sampleReport(report.Range7d)),
		"getAccountAnalytics": prettyJSON(samples.SampleAccount(report.Range7d, sampleDay))}
})

var loadSample = sync.OnceValue(func() *sample {
	r := sampleReport(report.Range30d)
	p := &sample{Title: r.Link.Title, Range: r.Range.Label, Bots: r.Totals.BotsExcluded,
		NotInAverages: ui.NotInAverages(r.Totals.Views, r.Totals.Sessions)}
	change := func(d report.Delta) string {
		if d.Pct == nil {
			return ""
		}
		return fmt.Sprintf("%+d%%", *d.Pct)
	}
	p.Cards = []sampleCard{
		{"Views", ui.Figure(r.Totals.Views).String(), change(r.Deltas.Views)},
		{"Unique viewers", ui.Figure(r.Totals.Uniques).String(), change(r.Deltas.Uniques)},
		{"Average time", ui.Lasting(r.Totals.AvgEngagedMs).String(), change(r.Deltas.AvgEngagedMs)},
		{"Completion", r.Totals.CompletionPct.String() + "%", ""},
	}
	p.draw(r)
	return p
})

// draw prepares the chart and the rows of pages, as in a report.
func (p *sample) draw(r *report.LinkReport) {
	views, uniques := make([]int64, len(r.Series)), make([]int64, len(r.Series))
	labels, tips := make([]string, len(r.Series)), make([]string, len(r.Series))
	var most int64
	for i, d := range r.Series {
		views[i], uniques[i], labels[i] = d.Views, d.Uniques, d.Label
		tips[i] = chart.Tip(d.Label, [3]string{"views", "Views", ui.Figure(d.Views).String()},
			[3]string{"uniques", "Unique viewers", ui.Figure(d.Uniques).String()})
		most = max(most, d.Views)
	}
	top, ticks := chart.Scale(most)
	p.Chart = chart.New("Views and unique viewers a day. Arrow keys go from day to day", top, ticks,
		chart.Labels(labels),
		[]chart.Series{{Class: "uniques", Values: uniques, Filled: true}, {Class: "views", Values: views}}, tips)
	pages := r.Content.Pages
	for _, x := range pages.Pages {
		row := samplePage{Page: x.Page, Reach: x.ReachPct, Time: ui.Lasting(x.AvgMs).String()}
		if d := pages.Dropoff; d.AfterPage != nil && *d.AfterPage == x.Page {
			row.Stopped = d.LostPct.String() + "%"
		}
		p.Pages = append(p.Pages, row)
	}
}
