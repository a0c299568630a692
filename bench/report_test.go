package bench

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"testing"
	"time"

	"vitrine/bench/dataset"
	"vitrine/bench/reference"
	"vitrine/bench/table"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// accountSetup returns a setup of one account with all views.
func accountSetup(b *testing.B) *setup { return setupFor(b, accountParams(opensAsked(b))) }

func accountParams(opens int) dataset.Params {
	return params("account", 1, opens, 1000, 365)
}

// linkParams returns the parameters of a dataset of one link with a tenth of
// the views.
func linkParams(b *testing.B, name string) dataset.Params {
	return params(name, 1, opensAsked(b)/10, 1, 90)
}

// BenchmarkReportAccount requests an account's report over HTTP and, in turn,
// the same one in SQL, after checking that both agree.
func BenchmarkReportAccount(b *testing.B) {
	for _, r := range []struct{ key, aim string }{{"all", "≥ 100, ≤ 25 ms"}, {"30d", "≥ 40, ≤ 6 ms"}} {
		b.Run(r.key, func(b *testing.B) {
			w := accountSetup(b)
			w.report(b, fmt.Sprintf("account report, `%s`, %s opens, %d links, %d days", r.key, million(w.Opens),
				w.Links, w.Days), "/analytics?range="+r.key, nil, "", r.aim)
		})
	}
}

// BenchmarkReportFiltered measures account reports with a filter, which no
// stored tally answers.
func BenchmarkReportFiltered(b *testing.B) {
	for _, r := range []struct{ name, filter, where, aim string }{
		{"one country", "country:is:DE", "country = 'DE'", "≤ 200 ms"},
		{"device and source", "device:is:Mobile&filter=source:is:Google", "device = 'Mobile' AND source = 'Google'",
			"≤ 200 ms"},
		{"most views", "country:is_not:DE", "country <> 'DE'", "≤ 600 ms"},
	} {
		b.Run(r.name, func(b *testing.B) {
			w := accountSetup(b)
			w.report(b, fmt.Sprintf("account report, `all`, %s of %s opens, %d links, %d days", r.name,
				million(w.Opens), w.Links, w.Days),
				"/analytics?range=all&filter="+r.filter, nil, r.where, r.aim)
		})
	}
}

// BenchmarkReportDates measures an account report of custom dates: the whole
// dataset but for its first and last two weeks.
func BenchmarkReportDates(b *testing.B) {
	w := accountSetup(b)
	first, last := w.From().AddDate(0, 0, 14), w.Last.AddDate(0, 0, -14)
	w.report(b, fmt.Sprintf("account report, custom dates, %d of %d days, %s opens, %d links",
		w.Days-28, w.Days, million(w.Opens), w.Links),
		"/analytics?from="+first.Format(time.DateOnly)+"&to="+last.Format(time.DateOnly), nil, "", "≤ 25 ms")
}

// BenchmarkReportLink measures reports of one link.
func BenchmarkReportLink(b *testing.B) {
	w := setupFor(b, linkParams(b, "link"))
	link := w.LinksOf(0)[0]
	w.report(b, fmt.Sprintf("link report, `90d`, %s opens", million(w.Opens)),
		"/links/"+link.Slug+"/analytics?range=90d", &link, "", "≥ 50, ≤ 5 ms")
}

func (w *setup) report(b *testing.B, figure, path string, link *dataset.Link, where, aim string) {
	b.Helper()
	w.compare(b)
	ctx := context.Background()
	answer := w.figures(b, 0, path)
	s := reference.Scope{Link: link, From: answer.Range.From, To: answer.Range.To, Where: where}
	ask, cost := w.costs(b, func() { w.call(b, 0, http.MethodGet, path, "", nil) })
	fs := []func(){ask}
	for _, e := range w.references {
		agree(b, e, s, answer)
		fs = append(fs, func() {
			if _, err := e.Report(ctx, s); err != nil {
				b.Fatal(err)
			}
		})
	}
	took := medians(b, fs...)
	ours := table.Of(took[0]).With("processor %.1f ms", cost().Seconds()*1000)
	for i, e := range w.references {
		summary.add(table.Row{Figure: figure, Vitrine: ours, Reference: e.Name() + ", 2 threads",
			Than: table.Of(took[1+i]), Aim: aim})
	}
	for _, m := range w.missing {
		summary.add(table.Row{Figure: figure, Vitrine: ours, Reference: m, Aim: aim})
	}
	b.ReportMetric(float64(took[0].Microseconds())/1000, "median-ms")
}

// figures returns the figures in an answer of the API.
func (w *setup) figures(b *testing.B, account int, path string) *reference.Figures {
	b.Helper()
	var f reference.Figures
	w.call(b, account, http.MethodGet, path, "", &f)
	return &f
}

// agree fails the benchmark unless a reference returns the same numbers as
// Vitrine.
func agree(b *testing.B, e reference.Engine, s reference.Scope, vitrine *reference.Figures) {
	b.Helper()
	theirs, err := e.Report(context.Background(), s)
	if err != nil {
		b.Fatal(err)
	}
	if s.Where != "" {
		theirs.Totals.Downloads = vitrine.Totals.Downloads // of the filtered views, not of the links
	}
	if theirs.Totals.Views == 0 {
		b.Fatalf("%s counts no views", e.Name())
	}
	if d := cmp.Diff(theirs, vitrine, cmpopts.EquateEmpty(), cmp.Comparer(sameCompletion)); d != "" {
		b.Fatalf("%s (-) and Vitrine (+) differ:\n%s", e.Name(), d)
	}
}

// sameCompletion compares two means. It accepts a difference in rounding,
// because SQL sums fractions in floating point.
func sameCompletion(a, b *float64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return math.Abs(*a-*b) < 0.11
}
