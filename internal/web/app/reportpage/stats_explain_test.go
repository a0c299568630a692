package reportpage_test

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vitrine"
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

// TestExplainedVisits checks what the rows of a figure say: what the visit adds
// to it, and, as in the lists of visits, its recipient, place, device and
// source. Readers of a shared report do not learn recipients.
func TestExplainedVisits(t *testing.T) {
	o := webtest.NewReportSite(t)
	l := o.Links[report.ContentPages]
	cleo := o.Recipients(l, "Cleo")[0]
	at := o.Server.Now().UnixMilli()
	_, err := o.Log.Append(t.Context(), vitrine.Batch{Views: []vitrine.ViewRecord{{Account: l.Account,
		View: report.View{ID: int64(vitrine.ViewIDAt(at, 1)), At: at, Link: int64(l.ID), Viewer: 9_000, Country: "FR",
			City: "Lyon", Device: "Tablet", Browser: "Firefox", OS: "Windows", Recipient: int64(cleo.ID),
			Source: "QR code", Session: &report.Session{EngagedMs: 65_000, PresentMs: 65_000}}}}})
	o.Check(err)
	shared := o.Share(t, webtest.StatsPath(l), "label=x&life=7d")
	for figure, says := range map[string][2]string{"views": {}, "uniques": {"Viewer", "a number"},
		"avgEngagedMs": {"Time", "1 min 05 s"}, "returningPct": {"Counts as returning", "No"},
		"bouncePct": {"Counts as a bounce", "No"}} {
		for path, cookie := range map[string][]string{webtest.StatsPath(l): {o.Cookie}, "/analytics": {o.Cookie}, shared: nil} {
			page := o.Parse(o.Status(o.Get(path+"/explain?range=7d&explain=/totals/"+figure, cookie...), http.StatusOK).Text)
			var is, row []string
			for _, th := range page.Tags("thead")[0].Tags("th") {
				is = append(is, th.Text())
			}
			for _, td := range page.Tags("tbody")[0].Tags("tr")[0].Tags("td") {
				row = append(row, td.Text())
			}
			if _, err := strconv.Atoi(row[0]); err == nil {
				row[0] = "a number"
			}
			columns := []string{"When", says[0], "Link", "Recipient", "Where", "Device", "Source"}
			cells := []string{says[1], string(l.Slug), "Cleo", "Lyon, France", "Firefox on Windows Tablet", "QR code"}
			left := map[string]bool{"": true, "Link": path != "/analytics", "Recipient": path == shared}
			for i, name := range columns[1:] {
				if left[name] {
					cells[i] = ""
				}
			}
			without := func(s string) bool { return s == "" || left[s] }
			webtest.Same(t, path+" "+figure, strings.Join(is, "|"), strings.Join(slices.DeleteFunc(columns, without), "|"))
			webtest.Same(t, path+" "+figure, strings.Join(row, "|"), strings.Join(slices.DeleteFunc(cells, without), "|"))
			if strings.Contains(page.Text(), "Cleo") == (path == shared) {
				t.Errorf("%s %s: names the recipient: %t", path, figure, path == shared)
			}
		}
	}
}
