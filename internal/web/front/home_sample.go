package front

import (
	"fmt"
	"sync"
	"time"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/web/samples"
	"vitrine/internal/web/ui"
	"vitrine/report"
)

// sample is a report of a made-up link, as the first page shows it. Its numbers
// are the engine's.
type sample struct {
	Title, Range   string
	Cards          []sampleCard
	Bars           []sampleBar
	First, Last    string // labels of the first and the last day
	Most           int64  // views of the best day
	Pages          []samplePage
	After          int    // the page after which most stopped
	Lost           string // of all readers, there
	Sources        []report.Bucket
	Bots, Atypical int64
	JSON           map[string]string // what the API answers, by operation
}

type sampleCard struct{ Label, Value, Change string }

// sampleBar is one day in a drawing of 100 by 100 units.
type sampleBar struct {
	X, Y, W, H string
	Label      string
}

// samplePage is a page of the document with how many readers reached it, in
// units of a hundred.
type samplePage struct {
	Page  int
	Reach report.Tenths
	Time  string
	Most  bool // it was looked at longest
}

// sampleDay is when the sample was drawn.
var sampleDay = time.Date(2026, 5, 29, 16, 0, 0, 0, time.UTC)

// sampleSlug is the name of its link.
const sampleSlug = "spring-report"

var theSample = sync.OnceValue(func() *sample {
	of := func(rg report.Range) *report.LinkReport {
		return samples.SampleLink(&vitrine.Link{Slug: sampleSlug, Title: "Spring report", Kind: filetype.PDF}, "https://share.example/p/"+sampleSlug, rg, sampleDay)
	}
	r := of(report.Range30d)
	p := &sample{Title: r.Link.Title, Range: r.Range.Label, Bots: r.Totals.BotsExcluded, Atypical: r.Totals.Atypical,
		First: r.Series[0].Label, Last: r.Series[len(r.Series)-1].Label, Sources: r.Breakdowns.Sources[:4]}
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
	p.JSON = map[string]string{"getLinkAnalytics": prettyJSON(of(report.Range7d)), "getAccountAnalytics": prettyJSON(samples.SampleAccount(report.Range7d, sampleDay))}
	return p
})

// draw makes the bars of days and pages.
func (p *sample) draw(r *report.LinkReport) {
	for _, d := range r.Series {
		p.Most = max(p.Most, d.Views)
	}
	step := 100 / float64(len(r.Series))
	for i, d := range r.Series {
		h := 100 * float64(d.Views) / float64(p.Most)
		p.Bars = append(p.Bars, sampleBar{X: fmt.Sprintf("%.2f", float64(i)*step+step*.14), W: fmt.Sprintf("%.2f", step*.72), Y: fmt.Sprintf("%.2f", 100-h), H: fmt.Sprintf("%.2f", h),
			Label: d.Label + ": " + ui.Counted(d.Views, "view", "views")})
	}
	pages := r.Content.Pages
	longest := 0
	for i, x := range pages.Pages {
		if x.AttentionPct > pages.Pages[longest].AttentionPct {
			longest = i
		}
	}
	for i, x := range pages.Pages {
		p.Pages = append(p.Pages, samplePage{Page: x.Page, Reach: x.ReachPct, Time: ui.Lasting(x.AvgMs).String(), Most: i == longest})
	}
	if d := pages.Dropoff; d.AfterPage != nil {
		p.After, p.Lost = *d.AfterPage, d.LostPct.String()
	}
}
