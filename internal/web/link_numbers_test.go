package web_test

import (
	"net/http"
	"testing"

	"vitrine"
	"vitrine/report"

	"github.com/dustin/go-humanize"
)

// TestLinkPageNumbers checks that the page of a link shows four numbers of its
// report and links to the rest, and shows none without views or without
// analytics in the plan.
func TestLinkPageNumbers(t *testing.T) {
	o := newReportSite(t)
	l := o.links[report.ContentPages]
	here := "/links/" + string(l.Slug)
	var want report.LinkReport
	o.api(here+"/analytics?range=30d", &want)
	page := o.parse(o.status(o.get(here, o.cookie), http.StatusOK).body)
	figures := page.class("figures")
	if len(figures) != 1 || figures[0].attr("href") != here+"/analytics" {
		t.Fatalf("%d blocks of numbers, want 1 that links to the report", len(figures))
	}
	numbers := figures[0].tags("b")
	same(t, "views", numbers[0].text(), humanize.Comma(want.Totals.Views))
	same(t, "unique viewers", numbers[1].text(), humanize.Comma(want.Totals.Uniques))
	same(t, "completion", numbers[3].text(), want.Totals.CompletionPct.String()+"%")
	for path, tab := range map[string]string{here: "Overview", here + "/analytics": "Analytics",
		here + "/share": "Share", here + "/settings": "Settings"} {
		body := o.status(o.get(path, o.cookie), http.StatusOK).body
		page := o.parse(body)
		same(t, "the title of "+path, page.tags("h1")[0].text(), l.Title)
		same(t, "numbers in the head of "+path, len(page.class("figures")),
			map[bool]int{true: 1}[tab == "Overview"])
		same(t, "the address in the head of "+path, len(page.class("link-address")), 1)
		same(t, "ways to copy it", len(page.class("copy-link")), 1)
		for _, a := range page.class("tabs")[0].tags("a") {
			same(t, "the tab of "+path, a.attr("aria-current") == "page", a.text() == tab)
		}
	}

	// The overview shows the newest visits.
	var visits struct{ Visits []report.VisitRow }
	o.api(here+"/visits?limit=5&engaged=true", &visits)
	latest := o.parse(o.get(here, o.cookie).body).id("visits")
	rows := latest.tags("tbody")[0].tags("tr")
	if len(rows) != 5 || len(visits.Visits) != 5 {
		t.Fatalf("%d visits on the page, %d in the API, want 5", len(rows), len(visits.Visits))
	}
	for i, v := range visits.Visits {
		same(t, "a visit", rows[i].tags("a")[0].attr("href"), here+"/analytics/visits/"+v.ID)
		same(t, "its progress", rows[i].class("progress")[0].text(), v.Progress)
	}
	same(t, "all visits", latest.tags("p")[0].tags("a")[0].attr("href"), here+"/analytics/visits")

	unread := o.publish("unread.txt", []byte("Nobody has read this.\n"))
	same(t, "numbers of what nobody opened", len(o.parse(o.get("/links/"+string(unread.Slug),
		o.cookie).body).class("figures")), 0)
	o.setPlan(vitrine.PlanFree)
	same(t, "numbers on Free", len(o.parse(o.get(here, o.cookie).body).class("figures")), 0)
}
