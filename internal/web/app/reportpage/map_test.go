package reportpage_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/webtest"
	"vitrine/report"

	"github.com/chromedp/chromedp"
)

// mapped is a Markdown file of three sections of 20 words, which take 5 seconds
// each.
func mapped(o *webtest.ReportSite) *vitrine.Link {
	words := strings.Repeat("word ", 20)
	return o.Publish("plan.md", []byte("# One\n\n"+words+"\n\n# Two\n\n<script>x</script>"+words+"\n\n# Three\n\n"+words))
}

// readSections adds sessions of different viewers: all read the first section
// for 4 s and the second for 1 s, and none the third.
func readSections(o *webtest.ReportSite, l *vitrine.Link, from, to int) {
	for n := from; n <= to; n++ {
		o.ReadVersion(l, 1, n, report.Session{EngagedMs: 6000, PresentMs: 7000, Outlined: true,
			Pages: []report.PageTime{{Page: 1, Ms: 4000}, {Page: 2, Ms: 1000}}})
	}
}

// TestReadingMap checks that the map shows the text of a file by section from
// three viewers on, with what was read, skimmed and skipped; and that readers
// of a shared report who may not open the file see only the list.
func TestReadingMap(t *testing.T) {
	t.Parallel()
	o := webtest.NewReportSite(t)
	l := mapped(o)
	root := webtest.StatsPath(l)
	shared := o.Share(t, root, url.Values{"life": {"7d"}}.Encode())
	page := func(address string, headers ...string) webtest.Document {
		t.Helper()
		return o.Parse(o.Status(o.Get(address, headers...), http.StatusOK).Text)
	}
	webtest.Same(t, "before any reading", page(root+"/map", o.Cookie).Class("map-why")[0].Text(), "No reading was measured in this period.")
	readSections(o, l, 1, 2)
	if why := page(root+"/map", o.Cookie).Class("map-why"); len(why) != 1 || !strings.HasSuffix(why[0].Text(), "So far: 2.") {
		t.Error("two viewers have a map")
	}
	readSections(o, l, 3, 3)
	var r report.LinkReport
	o.API(root, &r)
	var api []string
	for _, p := range r.Content.Parts {
		api = append(api, fmt.Sprint(p.Words, " ", p.Reading))
	}
	webtest.Same(t, "parts", strings.Join(api, ", "), "20 read, 20 skimmed, 20 skipped")
	for _, m := range []webtest.Document{page(root+"/map", o.Cookie), page(shared + "/map")} {
		var got []string
		for _, li := range m.Class("reading-map")[0].Tags("li") {
			got = append(got, fmt.Sprint(li.Attribute("class"), ": ", li.Class("map-label")[0].Text(), " ", len(li.Class("map-text"))))
		}
		webtest.Same(t, "map", strings.Join(got, "; "), "is-l3: 1 One Read 4 s of 5 s Seen by 3 of 3 sessions 1; "+
			"is-l1: 2 Two Skimmed 1 s of 5 s Seen by 3 of 3 sessions 1; is-l0: 3 Three Skipped – of 5 s Seen by 0 of 3 sessions 1")
		webtest.Same(t, "scripts", len(m.Class("reading-map")[0].Tags("script")), 0)
	}
	before := o.Account
	o.Protect(l, "a password")
	o.Account = before
	closed := page(shared + "/map")
	webtest.Same(t, "texts for those who may not open it", len(closed.Class("map-text")), 0)
	webtest.Same(t, "parts for them", len(closed.Class("reading-map")[0].Tags("li")), 3)
	webtest.Same(t, "texts for the owner", len(page(root+"/map", o.Cookie).Class("map-text")), 3)
	o.Status(o.Get(root+"/map", o.SignIn(o.Member)), http.StatusNotFound)
	o.Status(o.Get(webtest.StatsPath(o.Links[report.ContentMedia])+"/map", o.Cookie), http.StatusNotFound)
}

// TestBrowserReadingMap opens the map from the report, in which a section is
// darker the longer it was read, and text stays readable on a phone.
func TestBrowserReadingMap(t *testing.T) {
	o := webtest.NewReportSite(t)
	l := mapped(o)
	readSections(o, l, 1, 4)
	o.Ahead.Add(int64(time.Minute))
	tb := webtest.NewMember(t, o.Site, o.Account)
	tb.Run(chromedp.EmulateViewport(390, 844), chromedp.Navigate(o.URL+webtest.StatsPath(l)+"?range=7d"))
	tb.Run(chromedp.Click(`#parts a[href*="/map"]`, chromedp.ByQuery))
	tb.Until(`document.querySelectorAll(".reading-map.of-text > li .map-text").length === 3`)
	tb.Until(`((c) => new Set(c).size === 3 && c[2] === "rgba(0, 0, 0, 0)")([...document.querySelectorAll(".reading-map > li")].map((li) => getComputedStyle(li).backgroundColor))`)
	tb.Until(`document.documentElement.scrollWidth <= innerWidth`)
	tb.Quiet()
}
