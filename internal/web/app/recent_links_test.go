package app_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/webtest"
	"vitrine/report"

	"github.com/dustin/go-humanize"
)

// TestRecentLinksNameTheirViews checks that the numbers of views beside recent
// links have a head.
func TestRecentLinksNameTheirViews(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	d.Publish("notes.txt", []byte("one"))
	r := d.Status(d.Get("/dashboard", d.SignIn(d.Member)), 200)
	if !strings.Contains(r.Text, `class="view-count tabular"`) || !strings.Contains(r.Text, ">Views, 30 days</p>") {
		t.Errorf("the page lacks views or their head: %s", r.Text)
	}
}

// TestNewsOfTheLastDay checks that the upload page has the views of the last 24
// hours that the API reports, in the hours of the account's zone, and the
// newest visits of all links, without those of bots; and nothing of it without
// views or reports.
func TestNewsOfTheLastDay(t *testing.T) {
	o := webtest.NewReportSite(t)
	news := func() (title string, rows []webtest.Document) {
		t.Helper()
		page := o.Parse(o.Status(o.Get("/dashboard", o.Cookie), 200).Text)
		for _, table := range page.Class("visits") {
			rows = table.Tags("tbody")[0].Tags("tr")
		}
		if day := page.ID("day"); day.Node != nil && day.Data != "" {
			title = day.Text()
		}
		return title, rows
	}
	o.Ahead.Add(int64(20 * time.Hour))
	for i, kind := range []report.ContentKind{report.ContentMedia, report.ContentPages, report.ContentPages,
		report.ContentScroll} {
		o.Ahead.Add(int64(51 * time.Minute))
		o.OpenNow(o.Links[kind], uint64(7000+i))
	}
	o.AddExcluded(o.Links[report.ContentNone], [2]string{report.BotCrawler}, [2]string{report.BotOwn})
	for _, zone := range []string{"UTC", "America/New_York", "Asia/Kathmandu"} {
		o.Check(o.Server.Accounts.SetTimeZone(t.Context(), o.Account.ID, zone))
		var want report.AccountReport
		o.API("/analytics?granularity=hour&timezone="+url.QueryEscape(zone), &want)
		title, rows := news()
		webtest.Same(t, zone, title, humanize.Comma(want.Totals.Views)+" views in the last 24 hours")
		var links []string
		for _, row := range rows {
			links = append(links, row.Class("of")[0].Text())
		}
		webtest.Same(t, "links of the newest visits", strings.Join(links, ", "), "guide, report, report")
	}
	o.SetPlan(vitrine.PlanFree)
	if title, rows := news(); title != "" || len(rows) > 0 {
		t.Errorf("without reports: %q with %d visits", title, len(rows))
	}
	o.SetPlan(vitrine.PlanPro)
	o.Ahead.Add(int64(25 * time.Hour))
	if title, rows := news(); title != "" || len(rows) > 0 {
		t.Errorf("without views: %q with %d visits", title, len(rows))
	}
}
