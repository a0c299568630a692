package reportpage_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/test/webtest"
	"vitrine/report"
)

// TestStatsVisits checks that every stored view of a link is in the list of
// visits once, that each has its own page, and that both export files have the
// same views.
func TestStatsVisits(t *testing.T) {
	o := webtest.NewReportSite(t)
	l, other := o.Links[report.ContentPages], o.Links[report.ContentMedia]
	root := webtest.StatsPath(l) + "/visits"
	seen, viewers := map[string]bool{}, map[string][]string{}
	for path, pages := root+"?show=all", 0; path != ""; pages++ {
		if pages > 10 {
			t.Fatal("the list does not end")
		}
		page := o.Parse(o.Status(o.Get(path, o.Cookie), http.StatusOK).Text)
		for _, row := range page.Class("visits")[0].Tags("tbody")[0].Tags("tr") {
			address, viewer := row.Tags("a")[0].Attribute("href"), row.Class("viewer")[0].Text()
			if seen[address] || !strings.HasPrefix(address, root+"/") {
				t.Errorf("%s is listed twice, or is not a visit", address)
			}
			seen[address] = true
			viewers[viewer] = append(viewers[viewer], address)
		}
		path = ""
		for _, a := range page.Tags("a") {
			if a.Attribute("rel") == "next" {
				path = a.Attribute("href")
			}
		}
	}
	webtest.Same(t, "visits", len(seen), 160)

	// The visits of one viewer link to each other.
	most := ""
	for viewer, visits := range viewers {
		if len(visits) > len(viewers[most]) {
			most = viewer
		}
	}
	for _, address := range viewers[most] {
		page := o.Parse(o.Status(o.Get(address, o.Cookie), http.StatusOK).Text)
		webtest.Same(t, "heading", page.ID("visit-title").Text(), "Viewer "+most)
		webtest.Same(t, "other visits", len(page.Class("same-viewer")[0].Tags("a")), len(viewers[most])-1)
		for _, a := range page.Class("same-viewer")[0].Tags("a") {
			webtest.Same(t, "a visit of the same viewer", strings.Contains(strings.Join(viewers[most], " "),
				a.Attribute("href")), true)
		}
	}
	for _, row := range o.Parse(o.Get(webtest.StatsPath(other)+"/visits", o.Cookie).Text).Class("viewer") {
		if len(viewers[row.Text()]) > 0 {
			t.Errorf("viewer %s has the same name on another link", row.Text())
		}
	}

	// The export files.
	r := o.Status(o.Get(root+"?show=all&format=csv", o.Cookie), http.StatusOK)
	rows, err := csv.NewReader(strings.NewReader(r.Text)).ReadAll()
	o.Check(err)
	webtest.Same(t, "rows of CSV", len(rows), 161)
	r = o.Status(o.Get(root+"?show=all&format=ndjson", o.Cookie), http.StatusOK)
	lines := 0
	for line := range strings.Lines(r.Text) {
		var v report.VisitRow
		if err := json.Unmarshal([]byte(line), &v); err != nil || !seen[root+"/"+v.ID] {
			t.Errorf("line %q: %v, want a visit of the list", line, err)
		}
		lines++
	}
	webtest.Same(t, "lines of NDJSON", lines, 160)

	// Filters and dates apply here, too.
	var want report.LinkReport
	o.API(webtest.StatsPath(l)+"?range=all&filter=country:is:DE", &want)
	r = o.Status(o.Get(root+"?range=all&filter=country:is:DE&format=csv", o.Cookie), http.StatusOK)
	rows, err = csv.NewReader(strings.NewReader(r.Text)).ReadAll()
	o.Check(err)
	webtest.Same(t, "filtered", len(rows)-1, int(want.Totals.Views))
	r = o.Status(o.Get(root+"?range=all&filter=country:is:DE&show=all&format=csv", o.Cookie), http.StatusOK)
	rows, err = csv.NewReader(strings.NewReader(r.Text)).ReadAll()
	o.Check(err)
	webtest.Same(t, "filtered, with excluded ones", len(rows)-1, int(want.Totals.Views+want.Totals.BotsExcluded))

	// The list begins with the visits that count, and says how many there are.
	o.API(webtest.StatsPath(l)+"?range=all", &want)
	for path, choice := range map[string]string{root: fmt.Sprintf("Counted %d", want.Totals.Views),
		root + "?show=all": fmt.Sprintf("All %d", want.Totals.Views+want.Totals.BotsExcluded)} {
		page := o.Parse(o.Status(o.Get(path, o.Cookie), http.StatusOK).Text)
		webtest.Same(t, "excluded visits in "+path, len(page.Class("is-odd")) > 0, path != root)
		for _, a := range page.Class("filters")[0].Tags("a") {
			webtest.Same(t, "choice of "+a.Text(), a.Attribute("aria-current") == "true", a.Text() == choice)
		}
	}

	for _, gone := range []string{root + "/zzzzzzzz", root + "/0", root + "/x%2F..",
		webtest.StatsPath(other) + "/visits/" + viewers[most][0][strings.LastIndex(viewers[most][0], "/")+1:]} {
		o.Status(o.Get(gone, o.Cookie), http.StatusNotFound)
	}
	for _, bad := range []string{"?cursor=!", "?format=xml", "?filter=x", "?range=1d"} {
		o.Status(o.Get(root+bad, o.Cookie), http.StatusBadRequest)
	}
	stranger := o.SignIn(o.Member)
	for _, path := range []string{root, root + "?format=csv", viewers[most][0]} {
		o.Status(o.Get(path, stranger), http.StatusNotFound)
	}
}

// TestStatsVisit checks that the page of a visit shows what its kind of file
// has.
func TestStatsVisit(t *testing.T) {
	o := webtest.NewReportSite(t)
	for _, l := range o.Links {
		tables := o.Parse(o.Get(webtest.StatsPath(l)+"?range=all", o.Cookie).Text).Class("visits")
		recent := tables[len(tables)-1] // below that of recipients
		for _, row := range recent.Tags("tbody")[0].Tags("tr")[:5] {
			address := row.Tags("a")[0].Attribute("href")
			page := o.Parse(o.Status(o.Get(address, o.Cookie), http.StatusOK).Text)
			webtest.Same(t, "progress", strings.Contains(page.Class("shares")[0].Text(),
				row.Class("progress")[0].Text()), true)
			var visit report.VisitRow
			o.API("/links/"+string(l.Slug)+address[strings.Index(address, "/visits/"):], &visit)
			webtest.Same(t, "pages in order", len(page.Class("by-page")) == 1, len(visit.Pages)+len(visit.Parts) > 0)
			for _, word := range []string{"office@example.org", "192.0.2"} {
				if text := page.ID("main").Text(); strings.Contains(text, word) {
					t.Errorf("the page of a visit contains %s", word)
				}
			}
		}
	}
}
