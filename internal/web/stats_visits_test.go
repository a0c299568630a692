package web_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vitrine/report"
)

// TestStatsVisits checks that every stored view of a link is in the list of
// visits once, that each has its own page, and that both export files have the
// same views.
func TestStatsVisits(t *testing.T) {
	o := newReportSite(t)
	l, other := o.links[report.ContentPages], o.links[report.ContentMedia]
	root := statsPath(l) + "/visits"
	seen, viewers := map[string]bool{}, map[string][]string{}
	for path, pages := root+"?show=all", 0; path != ""; pages++ {
		if pages > 10 {
			t.Fatal("the list does not end")
		}
		page := o.parse(o.status(o.get(path, o.cookie), http.StatusOK).body)
		for _, row := range page.class("visits")[0].tags("tbody")[0].tags("tr") {
			address, viewer := row.tags("a")[0].attr("href"), row.class("viewer")[0].text()
			if seen[address] || !strings.HasPrefix(address, root+"/") {
				t.Errorf("%s is listed twice, or is not a visit", address)
			}
			seen[address] = true
			viewers[viewer] = append(viewers[viewer], address)
		}
		path = ""
		for _, a := range page.tags("a") {
			if a.attr("rel") == "next" {
				path = a.attr("href")
			}
		}
	}
	same(t, "visits", len(seen), 160)

	// The visits of one viewer link to each other.
	most := ""
	for viewer, visits := range viewers {
		if len(visits) > len(viewers[most]) {
			most = viewer
		}
	}
	for _, address := range viewers[most] {
		page := o.parse(o.status(o.get(address, o.cookie), http.StatusOK).body)
		same(t, "heading", page.id("visit-title").text(), "Viewer "+most)
		same(t, "other visits", len(page.class("same-viewer")[0].tags("a")), len(viewers[most])-1)
		for _, a := range page.class("same-viewer")[0].tags("a") {
			same(t, "a visit of the same viewer", strings.Contains(strings.Join(viewers[most], " "), a.attr("href")),
				true)
		}
	}
	for _, row := range o.parse(o.get(statsPath(other)+"/visits", o.cookie).body).class("viewer") {
		if len(viewers[row.text()]) > 0 {
			t.Errorf("viewer %s has the same name on another link", row.text())
		}
	}

	// The export files.
	r := o.status(o.get(root+"?show=all&format=csv", o.cookie), http.StatusOK)
	rows, err := csv.NewReader(strings.NewReader(r.body)).ReadAll()
	o.check(err)
	same(t, "rows of CSV", len(rows), 161)
	r = o.status(o.get(root+"?show=all&format=ndjson", o.cookie), http.StatusOK)
	lines := 0
	for line := range strings.Lines(r.body) {
		var v report.VisitRow
		if err := json.Unmarshal([]byte(line), &v); err != nil || !seen[root+"/"+v.ID] {
			t.Errorf("line %q: %v, want a visit of the list", line, err)
		}
		lines++
	}
	same(t, "lines of NDJSON", lines, 160)

	// Filters and dates apply here, too.
	var want report.LinkReport
	o.api(statsPath(l)+"?range=all&filter=country:is:DE", &want)
	r = o.status(o.get(root+"?range=all&filter=country:is:DE&format=csv", o.cookie), http.StatusOK)
	rows, err = csv.NewReader(strings.NewReader(r.body)).ReadAll()
	o.check(err)
	same(t, "filtered", len(rows)-1, int(want.Totals.Views))
	r = o.status(o.get(root+"?range=all&filter=country:is:DE&show=all&format=csv", o.cookie), http.StatusOK)
	rows, err = csv.NewReader(strings.NewReader(r.body)).ReadAll()
	o.check(err)
	same(t, "filtered, with excluded ones", len(rows)-1, int(want.Totals.Views+want.Totals.BotsExcluded))

	// The list begins with the visits that count, and says how many there are.
	o.api(statsPath(l)+"?range=all", &want)
	for path, choice := range map[string]string{root: fmt.Sprintf("Counted %d", want.Totals.Views),
		root + "?show=all": fmt.Sprintf("All %d", want.Totals.Views+want.Totals.BotsExcluded)} {
		page := o.parse(o.status(o.get(path, o.cookie), http.StatusOK).body)
		same(t, "excluded visits in "+path, len(page.class("is-odd")) > 0, path != root)
		for _, a := range page.class("filters")[0].tags("a") {
			same(t, "choice of "+a.text(), a.attr("aria-current") == "true", a.text() == choice)
		}
	}

	for _, gone := range []string{root + "/zzzzzzzz", root + "/0", root + "/x%2F..",
		statsPath(other) + "/visits/" + viewers[most][0][strings.LastIndex(viewers[most][0], "/")+1:]} {
		o.status(o.get(gone, o.cookie), http.StatusNotFound)
	}
	for _, bad := range []string{"?cursor=!", "?format=xml", "?filter=x", "?range=1d"} {
		o.status(o.get(root+bad, o.cookie), http.StatusBadRequest)
	}
	stranger := o.signIn(o.member)
	for _, path := range []string{root, root + "?format=csv", viewers[most][0]} {
		o.status(o.get(path, stranger), http.StatusNotFound)
	}
}

// TestStatsVisit checks that the page of a visit shows what its kind of file
// has.
func TestStatsVisit(t *testing.T) {
	o := newReportSite(t)
	for kind, l := range o.links {
		rows := o.parse(o.get(statsPath(l)+"?range=all", o.cookie).body).class("visits")[0].tags("tbody")[0].tags("tr")
		for _, row := range rows[:5] {
			address := row.tags("a")[0].attr("href")
			page := o.parse(o.status(o.get(address, o.cookie), http.StatusOK).body)
			same(t, "progress", strings.Contains(page.class("shares")[0].text(), row.class("progress")[0].text()), true)
			same(t, "pages in order", len(page.class("by-page")) == 1,
				kind == report.ContentPages && len(row.class("unknown")) == 0)
			for _, word := range []string{"office@example.org", "192.0.2"} {
				if text := page.id("main").text(); strings.Contains(text, word) {
					t.Errorf("the page of a visit contains %s", word)
				}
			}
		}
	}
}
