package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vitrine"
	"vitrine/report"
)

// TestStatsWayOn checks that cards which do not show all rows say so and lead
// to the others: to the list of links, and to a file.
func TestStatsWayOn(t *testing.T) {
	o := newReportSite(t)
	path := "/analytics?range=30d"
	if page := o.get(path, o.cookie).body; strings.Contains(page, "sort=views") {
		t.Error("the report of 4 links leads to a list of them")
	}
	b := vitrine.Batch{}
	for i := range 110 {
		l := o.links[report.ContentPages]
		if i < 22 {
			l = o.publish(fmt.Sprintf("%d.txt", i), fmt.Appendf(nil, "Text %d\n", i))
		}
		at := o.server.Now().UnixMilli()
		b.Views = append(b.Views, vitrine.ViewRecord{Account: l.Account, View: report.View{
			ID: int64(vitrine.ViewIDAt(at, i)), At: at, Link: int64(l.ID), Viewer: uint64(i + 1),
			City: fmt.Sprintf("City %d", i), Country: "DE"}})
	}
	_, err := o.log.Append(t.Context(), b)
	o.check(err)
	var want report.AccountReport
	o.api(path+"&limit=1000", &want)
	body := o.status(o.get(path, o.cookie), http.StatusOK).body
	page := o.parse(body)
	same(t, "links", len(page.class("top-links")[0].tags("tbody")[0].tags("tr")), 25)
	for _, words := range []string{"The 25 most viewed of 26 links.", `<a href="/links?sort=views">`} {
		if !strings.Contains(body, words) {
			t.Errorf("the page lacks %q", words)
		}
	}
	cities := page.id("by-cities")
	same(t, "cities", len(cities.tags("tbody")[0].tags("tr")), 100)
	if n := len(want.Breakdowns.Cities); n <= 110 || !strings.Contains(cities.text(),
		fmt.Sprintf("Show 100 of %d cities", n)) || !strings.Contains(cities.text(), "All rows as CSV") {
		t.Errorf("%d cities: %s", n, cities.text())
	}
	file := o.status(o.get(path+"&format=csv&card=cities", o.cookie), http.StatusOK).body
	same(t, "rows of the file", strings.Count(file, "\n"), len(want.Breakdowns.Cities)+1)
}

// TestStatsUnknown checks that a card without values says of how many views it
// does not know them, instead of that there are no data, and that such cards
// share one place after the others.
func TestStatsUnknown(t *testing.T) {
	o := newReportSite(t)
	l := o.publish("notes.txt", []byte("Read in a local network.\n"))
	at, b := o.server.Now().UnixMilli(), vitrine.Batch{}
	for i := range 2 {
		b.Views = append(b.Views, vitrine.ViewRecord{Account: l.Account, View: report.View{
			ID: int64(vitrine.ViewIDAt(at, i)), At: at, Link: int64(l.ID), Viewer: uint64(i + 1)}})
	}
	_, err := o.log.Append(t.Context(), b)
	o.check(err)
	for _, path := range []string{statsPath(l), o.share(t, statsPath(l), "label=The+board")} {
		page := o.parse(o.status(o.get(path+"?range=7d", o.cookie), http.StatusOK).body)
		for card, want := range map[string]string{"countries": "The country of 2 views is not known.",
			"screens":   "The window width of 2 views was not measured.",
			"referrers": "No view came from a link on another page."} {
			if text := page.id("by-none").id("by-" + card).text(); !strings.HasSuffix(text, want) {
				t.Errorf("%s: card of %s = %q, want %q", path, card, text, want)
			}
		}
	}
}

// TestStatsEmpty checks that the report of a link without views says what will
// appear and offers its address.
func TestStatsEmpty(t *testing.T) {
	o := newReportSite(t)
	l := o.publish("notes.txt", []byte("Nobody has read this.\n"))
	r := o.status(o.get(statsPath(l), o.cookie), http.StatusOK)
	if !strings.Contains(r.body, "No views yet") ||
		!strings.Contains(r.body, `data-text="`+o.url+"/p/"+string(l.Slug)+`"`) {
		t.Errorf("report of a link without views:\n%s", o.parse(r.body).text())
	}
	o.openNow(l, 1)
	if r = o.get(statsPath(l)+"?range=7d", o.cookie); strings.Contains(r.body, "No views yet") {
		t.Error("the report of a viewed link says that there are no views")
	}

	// On the first day it has hours, unless a range is asked for.
	if r = o.get(statsPath(l), o.cookie); !strings.Contains(r.body, "By hour") {
		t.Error("the report of a link on its first day has no hours")
	}

	// The report of a link with few views begins with its visits, starts the
	// chart on the day it was created, and compares with nothing.
	r = o.get(statsPath(l)+"?range=7d", o.cookie)
	page, visits, tiles := o.parse(r.body), strings.Index(r.body, "Recent visits"),
		strings.Index(r.body, `class="cards"`)
	if visits < 0 || visits > tiles {
		t.Error("the numbers precede the visits")
	}
	same(t, "days in the chart", len(page.id("series").tags("tbody")[0].tags("tr")), 1)
	same(t, "changes against nothing", len(page.class("delta")), 0)
	if said := page.class("beside"); len(said) != 1 || said[0].text() != "1 view 1 unique viewer" ||
		!strings.HasSuffix(page.class("chart-dates")[0].text(), ", today so far") || strings.Contains(r.body, "Busiest") {
		t.Error("a single day has no numbers or is not marked as the current one, or one view makes a busiest hour")
	}
	if r := o.get(statsPath(o.links[report.ContentPages])+"?range=90d", o.cookie); strings.Index(r.body,
		"Recent visits") < strings.Index(r.body, `class="cards"`) {
		t.Error("the report of a link with many views begins with its visits")
	}

	// A text document says how to see the time on each page.
	memo := o.publish("memo.rtf", []byte("{\\rtf1 Hello}"))
	o.openNow(memo, 1)
	const hint = "To see the time on each page, export the file as PDF"
	for path, want := range map[string]bool{statsPath(memo): true, statsPath(l): false,
		o.share(t, statsPath(memo), "label=The+board"): false} {
		same(t, path+" has the hint", strings.Contains(o.parse(o.get(path, o.cookie).body).text(), hint), want)
	}

	// A document that was viewed but not read has no rows of pages.
	pdf := o.publish("unread.pdf", samples["report.pdf"])
	o.openNow(pdf, 1)
	for path, want := range map[string]string{statsPath(pdf): "No reading was measured yet.",
		statsPath(o.links[report.ContentPages]): ""} {
		page := o.get(path, o.cookie).body
		if got := strings.Contains(page, "No reading was measured"); got != (want != "") ||
			!strings.Contains(page, want) || strings.Contains(page, "by-page") == got {
			t.Errorf("%s: wrong rows of pages", path)
		}
	}

	// Its view is listed, although no script measured it.
	for _, path := range []string{statsPath(pdf), strings.TrimSuffix(statsPath(pdf), "/analytics")} {
		page := o.get(path, o.cookie).body
		if strings.Contains(page, "No visits in this period") || !strings.Contains(page, `<td class="progress">Opened</td>`) ||
			!strings.Contains(page, statsPath(pdf)+"/visits") {
			t.Errorf("%s does not list a view without a session", path)
		}
	}
}
