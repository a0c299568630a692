package reportpage

import (
	"html/template"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/web/app"
	"vitrine/internal/web/ui"
	"vitrine/report"
)

// sampleTotals is how many of the totals are in a sample.
const sampleTotals = 4

// NewSample renders the parts of the report of a made-up link.
func NewSample(r *report.LinkReport, l *vitrine.Link, now time.Time) *app.Sample {
	n := &numbers{link: r, sample: true}
	p := &reportPage{Summary: n.summary(), Of: r, Sample: true, Link: &statsLink{Link: l}}
	p.fill(n, place{}, now)
	p.Cards, p.Tips = p.Cards[:sampleTotals], nil
	part := func(name string) template.HTML {
		var b strings.Builder
		if err := ui.Template("stats.html").ExecuteTemplate(&b, name, p); err != nil {
			panic(err) // the template and the sample are part of the program
		}
		return template.HTML(b.String())
	}
	return &app.Sample{Title: r.Link.Title, Range: r.Range.Label, Totals: part("stats-cards"),
		Series: part("stats-chart"), Contents: part("stats-content")}
}
