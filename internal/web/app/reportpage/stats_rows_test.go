package reportpage_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"
	"vitrine/report"
)

// TestStatsWayOn checks that cards which do not show all rows say so and lead
// to the others: to the list of links, and to a file.
func TestStatsWayOn(t *testing.T) {
	o := webtest.NewReportSite(t)
	path := "/analytics?range=30d"
	if page := o.Get(path, o.Cookie).Text; strings.Contains(page, "sort=views") {
		t.Error("the report of 4 links leads to a list of them")
	}
	b := vitrine.Batch{}
	for i := range 110 {
		l := o.Links[report.ContentPages]
		if i < 22 {
			l = o.Publish(fmt.Sprintf("%d.txt", i), fmt.Appendf(nil, "Text %d\n", i))
		}
		at := o.Server.Now().UnixMilli()
		b.Views = append(b.Views, vitrine.ViewRecord{Account: l.Account, View: report.View{
			ID: int64(vitrine.ViewIDAt(at, i)), At: at, Link: int64(l.ID), Viewer: uint64(i + 1),
			City: fmt.Sprintf("City %d", i), Country: "DE"}})
	}
	_, err := o.Log.Append(t.Context(), b)
	o.Check(err)
	var want report.AccountReport
	o.API(path+"&limit=1000", &want)
	body := o.Status(o.Get(path, o.Cookie), http.StatusOK).Text
	page := o.Parse(body)
	webtest.Same(t, "links", len(page.Class("top-links")[0].Tags("tbody")[0].Tags("tr")), 25)
	for _, words := range []string{"The 25 most viewed of 26 links.", `<a href="/links?sort=views">`} {
		if !strings.Contains(body, words) {
			t.Errorf("the page lacks %q", words)
		}
	}
	cities := page.ID("by-cities")
	webtest.Same(t, "cities", len(cities.Tags("tbody")[0].Tags("tr")), 100)
	if n := len(want.Breakdowns.Cities); n <= 110 || !strings.Contains(cities.Text(),
		fmt.Sprintf("Show 100 of %d cities", n)) || !strings.Contains(cities.Text(), "All rows as CSV") {
		t.Errorf("%d cities: %s", n, cities.Text())
	}
	file := o.Status(o.Get(path+"&format=csv&card=cities", o.Cookie), http.StatusOK).Text
	webtest.Same(t, "rows of the file", strings.Count(file, "\n"), len(want.Breakdowns.Cities)+1)
}

// TestStatsUnknown checks that a card without values says of how many views it
// does not know them, instead of that there are no data, and that such cards
// share one place after the others.
func TestStatsUnknown(t *testing.T) {
	o := webtest.NewReportSite(t)
	l := o.Publish("notes.txt", []byte("Read in a local network.\n"))
	at, b := o.Server.Now().UnixMilli(), vitrine.Batch{}
	for i := range 2 {
		b.Views = append(b.Views, vitrine.ViewRecord{Account: l.Account, View: report.View{
			ID: int64(vitrine.ViewIDAt(at, i)), At: at, Link: int64(l.ID), Viewer: uint64(i + 1)}})
	}
	_, err := o.Log.Append(t.Context(), b)
	o.Check(err)
	for _, path := range []string{webtest.StatsPath(l), o.Share(t, webtest.StatsPath(l), "label=The+board")} {
		page := o.Parse(o.Status(o.Get(path+"?range=7d", o.Cookie), http.StatusOK).Text)
		for card, want := range map[string]string{"countries": "The country of 2 views is not known.",
			"screens":   "The window width of 2 views was not measured.",
			"referrers": "No view came from a link on another page."} {
			if text := page.ID("by-none").ID("by-" + card).Text(); !strings.HasSuffix(text, want) {
				t.Errorf("%s: card of %s = %q, want %q", path, card, text, want)
			}
		}
	}
}

// TestStatsEmpty checks that the report of a link without views says what will
// appear and offers its address.
func TestStatsEmpty(t *testing.T) {
	o := webtest.NewReportSite(t)
	l := o.Publish("notes.txt", []byte("Nobody has read this.\n"))
	r := o.Status(o.Get(webtest.StatsPath(l), o.Cookie), http.StatusOK)
	if !strings.Contains(r.Text, "No views yet") ||
		!strings.Contains(r.Text, `data-text="`+o.URL+"/p/"+string(l.Slug)+`"`) {
		t.Errorf("report of a link without views:\n%s", o.Parse(r.Text).Text())
	}
	o.OpenNow(l, 1)
	if r = o.Get(webtest.StatsPath(l)+"?range=7d", o.Cookie); strings.Contains(r.Text, "No views yet") {
		t.Error("the report of a viewed link says that there are no views")
	}

	// On the first day it has hours, unless a range is asked for.
	if r = o.Get(webtest.StatsPath(l), o.Cookie); !strings.Contains(r.Text, "By hour") {
		t.Error("the report of a link on its first day has no hours")
	}

	// The report of a link with few views begins with its visits, starts the
	// chart on the day it was created, and compares with nothing.
	r = o.Get(webtest.StatsPath(l)+"?range=7d", o.Cookie)
	page, visits, tiles := o.Parse(r.Text), strings.Index(r.Text, "Recent visits"),
		strings.Index(r.Text, `class="cards"`)
	if visits < 0 || visits > tiles {
		t.Error("the numbers precede the visits")
	}
	webtest.Same(t, "days in the chart", len(page.ID("series").Tags("tbody")[0].Tags("tr")), 1)
	webtest.Same(t, "changes against nothing", len(page.Class("delta")), 0)
	if said := page.Class("beside"); len(said) != 1 || said[0].Text() != "1 view 1 unique viewer" ||
		!strings.HasSuffix(page.Class("chart-dates")[0].Text(), ", today so far") || strings.Contains(r.Text,
		"Busiest hour:") {
		t.Error("a single day has no numbers or is not marked as the current one, or one view makes a busiest hour")
	}
	if r := o.Get(webtest.StatsPath(o.Links[report.ContentPages])+"?range=90d", o.Cookie); strings.Index(r.Text,
		"Recent visits") < strings.Index(r.Text, `class="cards"`) {
		t.Error("the report of a link with many views begins with its visits")
	}

	// A text document says how to see the time on each page.
	memo := o.Publish("memo.rtf", []byte("{\\rtf1 Hello}"))
	o.OpenNow(memo, 1)
	const hint = "The pages were not measured. To see the time on each page, export the file as PDF"
	for path, want := range map[string]bool{webtest.StatsPath(memo): true, webtest.StatsPath(l): false,
		o.Share(t, webtest.StatsPath(memo), "label=The+board"): false} {
		webtest.Same(t, path+" has the hint", strings.Contains(o.Parse(o.Get(path, o.Cookie).Text).Text(), hint), want)
	}

	// A document that was viewed but not read has no rows of pages.
	pdf := o.Publish("unread.pdf", webtest.Samples["report.pdf"])
	o.OpenNow(pdf, 1)
	for path, want := range map[string]string{webtest.StatsPath(pdf): "No reading was measured yet.",
		webtest.StatsPath(o.Links[report.ContentPages]): ""} {
		page := o.Get(path, o.Cookie).Text
		if got := strings.Contains(page, "No reading was measured"); got != (want != "") ||
			!strings.Contains(page, want) || strings.Contains(page, "by-page") == got {
			t.Errorf("%s: wrong rows of pages", path)
		}
	}

	// Its view is listed, although no script measured it.
	for _, path := range []string{webtest.StatsPath(pdf), strings.TrimSuffix(webtest.StatsPath(pdf), "/analytics")} {
		page := o.Get(path, o.Cookie).Text
		if strings.Contains(page, "No visits in this period") || !strings.Contains(page, `<td class="progress">Reading now</td>`) ||
			!strings.Contains(page, webtest.StatsPath(pdf)+"/visits") {
			t.Errorf("%s does not list a view without a session", path)
		}
	}
}
