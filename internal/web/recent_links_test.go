package web_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/visitor"
	"vitrine/report"

	"github.com/dustin/go-humanize"
)

// TestRecentLinksNameTheirViews checks that the numbers of views beside recent
// links have a head.
func TestRecentLinksNameTheirViews(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.publish("notes.txt", []byte("one"))
	r := d.status(d.get("/dashboard", d.signIn(d.member)), 200)
	if !strings.Contains(r.body, `class="view-count tabular"`) || !strings.Contains(r.body, ">Views, 30 days</p>") {
		t.Errorf("the page lacks views or their head: %s", r.body)
	}
}

// TestNewsOfTheLastDay checks that the upload page has the views of the last 24
// hours that the API reports, in the hours of the account's zone, and the
// newest visits of all links, without those of bots; and nothing of it without
// views or reports.
func TestNewsOfTheLastDay(t *testing.T) {
	o := newReportSite(t)
	news := func() (title string, rows []document) {
		t.Helper()
		page := o.parse(o.status(o.get("/dashboard", o.cookie), 200).body)
		for _, table := range page.class("visits") {
			rows = table.tags("tbody")[0].tags("tr")
		}
		if day := page.id("day"); day.Node != nil && day.Data != "" {
			title = day.text()
		}
		return title, rows
	}
	o.ahead.Add(int64(20 * time.Hour))
	for i, kind := range []report.ContentKind{report.ContentMedia, report.ContentPages, report.ContentPages,
		report.ContentScroll} {
		o.ahead.Add(int64(51 * time.Minute))
		o.openNow(o.links[kind], uint64(7000+i))
	}
	o.addExcluded(o.links[report.ContentNone], [2]string{visitor.BotCrawler}, [2]string{report.BotOwn})
	for _, zone := range []string{"UTC", "America/New_York", "Asia/Kathmandu"} {
		o.check(o.server.Accounts.SetTimeZone(t.Context(), o.account.ID, zone))
		var want report.AccountReport
		o.api("/analytics?granularity=hour&timezone="+url.QueryEscape(zone), &want)
		title, rows := news()
		same(t, zone, title, humanize.Comma(want.Totals.Views)+" views in the last 24 hours")
		var links []string
		for _, row := range rows {
			links = append(links, row.class("of")[0].text())
		}
		same(t, "links of the newest visits", strings.Join(links, ", "), "notes, report, report")
	}
	o.setPlan(vitrine.PlanFree)
	if title, rows := news(); title != "" || len(rows) > 0 {
		t.Errorf("without reports: %q with %d visits", title, len(rows))
	}
	o.setPlan(vitrine.PlanPro)
	o.ahead.Add(int64(25 * time.Hour))
	if title, rows := news(); title != "" || len(rows) > 0 {
		t.Errorf("without views: %q with %d visits", title, len(rows))
	}
}
