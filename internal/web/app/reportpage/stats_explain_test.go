package reportpage_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/test/webtest"
	"vitrine/report"
)

// TestFiguresOpen checks that each figure of a report opens the page that says
// what makes it, which has the same figure, for the owner and for readers of a
// shared report. Visits lead to their pages; readers get neither those, nor
// visits that the report does not list.
func TestFiguresOpen(t *testing.T) {
	o := webtest.NewReportSite(t)
	for name, path := range map[string]string{"pages": webtest.StatsPath(o.Links[report.ContentPages]),
		"media": webtest.StatsPath(o.Links[report.ContentMedia]), "all links": "/analytics",
		"shared":      o.Share(t, webtest.StatsPath(o.Links[report.ContentPages]), "label=x&life=7d"),
		"all, shared": o.Share(t, "/analytics", "label=y&life=7d"),
		"scroll":      webtest.StatsPath(o.Links[report.ContentScroll])} {
		shared := strings.HasPrefix(path, "/r/")
		var cookie []string
		if !shared {
			cookie = []string{o.Cookie}
		}
		page := o.Parse(o.Status(o.Get(path+"?range=90d", cookie...), http.StatusOK).Text)
		links, opened := page.Class("behind"), map[string]bool{}
		if len(links) < 40 {
			t.Errorf("%s: %d figures open", name, len(links))
		}
		listed := len(page.Class("visits"))
		for i, a := range links {
			href := a.Attribute("href")
			pointer := href[strings.Index(href, "explain=")+8:]
			parts := strings.Split(pointer, "%2F")
			kind := parts[1] + " " + parts[len(parts)-1]
			if opened[kind] && i%25 != 0 { // one of each kind, and some others
				continue
			}
			opened[kind] = true
			got := o.Parse(o.Status(o.Get(href, cookie...), http.StatusOK).Text)
			heading := got.ID("explain-title").Text()
			want := a.Text()
			if !strings.HasSuffix(heading, ": "+want) && parts[1] != "insights" && want != "–" {
				t.Errorf("%s: %q opens %q", name, pointer+" "+a.Text(), heading)
			}
			rows := 0
			for _, table := range got.Tags("table") {
				for _, row := range table.Tags("tbody")[0].Tags("tr") {
					rows++
					if of := row.Tags("a"); (len(of) > 0) == shared {
						t.Errorf("%s: %s has a visit with %d links", name, pointer, len(of))
					} else if i == 0 && rows == 1 && !shared {
						o.Status(o.Get(of[0].Attribute("href"), o.Cookie), http.StatusOK)
					}
				}
			}
			if shared && rows > 25 || shared && listed == 0 && rows > 0 {
				t.Errorf("%s: %s lists %d visits to readers", name, pointer, rows)
			}
		}
	}
	for query, want := range map[string]int{"?explain=/totals": 400, "?explain=/totals/views&cursor=x": 400,
		"?explain=/totals/views&range=x": 400, "": 200, "?explain=" + url.QueryEscape("/insights/0"): 200} {
		o.Status(o.Get("/analytics/explain"+query, o.Cookie), want)
	}
}
