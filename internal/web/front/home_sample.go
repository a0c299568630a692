package front

import (
	"sync"
	"time"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/web/app"
	"vitrine/internal/web/app/reportpage"
	"vitrine/internal/web/ui"
	"vitrine/report"
)

// sampleDay is the date of the sample.
var sampleDay = time.Date(2026, 5, 29, 16, 0, 0, 0, time.UTC)

// sampleLink is the link of the sample.
var sampleLink = vitrine.Link{Slug: "spring-report", Title: "Spring report", File: vitrine.File{Kind: filetype.PDF}}

// sampleReport returns the report of the made-up link. The real engine computes
// its numbers.
func sampleReport(rg report.Range) *report.LinkReport {
	return reportpage.SampleLink(&sampleLink, "https://share.example/p/"+string(sampleLink.Slug), rg, sampleDay)
}

// sampleAnswers are the API's answers by operation.
var sampleAnswers = sync.OnceValue(func() map[string]string {
	return map[string]string{"getLinkAnalytics": prettyJSON(sampleReport(report.Range7d)),
		"getAccountAnalytics": prettyJSON(reportpage.SampleAccount(report.Range7d, sampleDay))}
})

func renderSample() *app.Sample {
	return reportpage.NewSample(sampleReport(report.Range30d), &sampleLink, sampleDay)
}

var renderedSample = sync.OnceValue(renderSample)

// Sample returns the sample of a report, which is the same for everybody.
func Sample() *app.Sample {
	if ui.Developing() {
		return renderSample()
	}
	return renderedSample()
}
