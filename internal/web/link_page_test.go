package web_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/dustin/go-humanize"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/web/ui"
	"vitrine/report"
)

// TestEditFromPageIsWhole checks that a form's changes are saved completely or
// not at all, also under a former slug of the link.
func TestEditFromPageIsWhole(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	cookie := d.signIn(d.member)
	taken, l := d.publish("data.json", samples["data.json"]), d.publish("notes.txt", samples["notes.txt"])
	old := linkPath(l)
	d.follow(d.post(old+"/settings", url.Values{"slug": {"elsewhere"}}, cookie), cookie)
	edit := func(slug string) reply {
		t.Helper()
		return d.ask(old+"/edit", `{"title":"Renamed","slug":"`+slug+`","allowDownload":false}`, cookie)
	}
	if r := d.status(edit(string(taken.Slug)), http.StatusBadRequest); !strings.Contains(r.body, "slug_taken") {
		t.Error(r.body)
	}
	if now, err := d.server.Links.BySlug(t.Context(), "elsewhere"); err != nil || now.Title != l.Title ||
		!now.AllowDownload {
		t.Errorf("link = %+v, %v", now, err)
	}
	if r := d.status(edit("third"), http.StatusOK); !strings.Contains(r.body, `"slug":"third"`) ||
		!strings.Contains(r.body, `"Renamed"`) {
		t.Error(r.body)
	}
	d.status(d.get("/p/third/download"), http.StatusNotFound)
}

// TestLinksStayWhereModeratorsLook checks that a held link keeps its slug, and
// that moderators find a renamed link at its old one.
func TestLinksStayWhereModeratorsLook(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	member, owner := d.signIn(d.member), d.signIn(d.owner)
	held := d.held("notes.txt", vitrine.ReasonSuspicious)
	at := linkPath(held)
	if page := d.status(d.get(at+"/settings", member), http.StatusOK); strings.Contains(page.body, `name="slug"`) {
		t.Error("the page of a held link has a form for another address")
	}
	if r := d.status(d.post(at+"/settings", url.Values{"slug": {"elsewhere"}}, member),
		http.StatusBadRequest); !strings.Contains(r.body, "keeps its address") {
		t.Error(r.body)
	}
	live := d.publish("picture.png", samples["picture.png"])
	d.follow(d.post(linkPath(live)+"/settings", url.Values{"slug": {"moved"}}, member), member)
	if page := d.status(d.get(casePath(live), owner), http.StatusOK); !strings.Contains(page.body,
		"/moderation/links/moved/disable") {
		t.Error("the case of a renamed link does not decide about it")
	}
	d.status(d.post(casePath(live)+"/disable", url.Values{"seen": {d.seen(live)}}, owner), http.StatusSeeOther)
	d.status(d.get("/p/moved"), http.StatusGone)
}

// TestLinkPageNumbers checks that each page of a link shows four numbers of all
// its views above the tabs and links to the rest, and shows none without views
// or without analytics in the plan.
func TestLinkPageNumbers(t *testing.T) {
	o := newReportSite(t)
	l := o.links[report.ContentPages]
	here := "/links/" + string(l.Slug)
	var want report.LinkReport
	o.api(here+"/analytics?range=all", &want)
	page := o.parse(o.status(o.get(here, o.cookie), http.StatusOK).body)
	figures := page.class("figures")
	if len(figures) != 1 || figures[0].attr("href") != here+"/analytics?range=all" {
		t.Fatalf("%d blocks of numbers, want 1 that links to the report", len(figures))
	}
	numbers := figures[0].tags("b")
	same(t, "views", numbers[0].text(), humanize.Comma(want.Totals.Views))
	same(t, "unique viewers", numbers[1].text(), humanize.Comma(want.Totals.Uniques))
	same(t, "pictures of the views", len(figures[0].class("spark")), 1)
	same(t, "completion", numbers[3].text(), want.Totals.CompletionPct.String()+"%")
	for path, tab := range map[string]string{here: "Overview", here + "/analytics": "Analytics",
		here + "/analytics/visits": "Analytics", here + "/share": "Share", here + "/versions": "Versions",
		here + "/settings": "Settings"} {
		body := o.status(o.get(path, o.cookie), http.StatusOK).body
		page := o.parse(body)
		same(t, "the title of "+path, page.tags("h1")[0].text(), ui.Title(l))
		same(t, "numbers in the head of "+path, len(page.class("figures")), 1)
		same(t, "numbers of "+path+" before the tabs", strings.Index(body, `class="figures"`) < strings.Index(body,
			`class="tabs"`), true)
		same(t, "the address in the head of "+path, len(page.class("link-address")),
			map[bool]int{true: 1}[tab != "Settings"]) // which has a field with it
		same(t, "ways to copy it", len(page.class("copy-link")), 1)
		for _, a := range page.class("tabs")[0].tags("a") {
			same(t, "the tab of "+path, a.attr("aria-current") == "page", a.text() == tab)
		}
	}

	for kind, l := range o.links { // read with less than a report
		want, err := o.server.Analytics.Link(t.Context(), o.account, string(l.Slug), analytics.In(report.RangeAll))
		o.check(err)
		got, err := o.server.Analytics.Numbers(t.Context(), l)
		o.check(err)
		same(t, "numbers of "+string(kind), fmt.Sprint(got), fmt.Sprint(report.Numbers{Views: want.Totals.Views,
			Uniques: want.Totals.Uniques, Sessions: want.Totals.Sessions, AvgEngagedMs: want.Totals.AvgEngagedMs,
			CompletionPct: got.CompletionPct, Granularity: want.Granularity, Series: want.Series}))
		same(t, "completion of "+string(kind), ui.CompletionOf(got.CompletionPct),
			ui.CompletionOf(want.Totals.CompletionPct))
	}

	// The overview shows the newest visits.
	visits := o.countedVisits(l, "?range=all", 5)
	latest := o.parse(o.get(here, o.cookie).body).id("visits")
	rows := latest.tags("tbody")[0].tags("tr")
	if len(rows) != 5 || len(visits) != 5 {
		t.Fatalf("%d visits on the page, %d in the API, want 5", len(rows), len(visits))
	}
	for i, v := range visits {
		same(t, "a visit", rows[i].tags("a")[0].attr("href"), here+"/analytics/visits/"+v.ID)
		same(t, "its progress", rows[i].class("progress")[0].text(), ui.Capital(v.Progress))
	}
	same(t, "all visits", latest.tags("p")[0].tags("a")[0].attr("href"), here+"/analytics/visits")

	unread := o.publish("unread.txt", []byte("Nobody has read this.\n"))
	same(t, "numbers of what nobody opened", len(o.parse(o.get("/links/"+string(unread.Slug),
		o.cookie).body).class("figures")), 0)
	o.setPlan(vitrine.PlanFree)
	same(t, "numbers on Free", len(o.parse(o.get(here, o.cookie).body).class("figures")), 0)
}

// TestReviewOwnFile checks that the page of a held file links to its place in
// the queue only for owners who may review it.
func TestReviewOwnFile(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, c := range []struct {
		who    *vitrine.Account
		review bool
	}{{d.member, false}, {d.join("mod@example.org", vitrine.RoleModerator), false}, {d.owner, true}} {
		d.account = c.who
		l := d.held("notes.txt", "html_password_form")
		cookie := d.signIn(c.who)
		page := d.status(d.get(linkPath(l), cookie), 200)
		if !strings.Contains(html.UnescapeString(page.body), vitrine.OwnerMeaning("html_password_form")) ||
			strings.Contains(page.body, "imitate") {
			t.Errorf("page for %s: %s", c.who.Email, page.body)
		}
		address := casePath(l) + "?queue=all"
		if got := strings.Contains(page.body, `href="`+address+`">Review it</a>`); got != c.review {
			t.Errorf("the page for %s links to the case: %v", c.who.Email, got)
		}
		if c.review {
			found := d.status(d.get(address, cookie), 200)
			if !strings.Contains(html.UnescapeString(found.body), vitrine.Meaning("html_password_form")) {
				t.Errorf("case: %s", found.body)
			}
		}
	}
}

// TestReviewOwnWebsite checks the same for a version of a website: one that
// waits, and one that was public before it was held.
func TestReviewOwnWebsite(t *testing.T) {
	t.Parallel()
	d := newHosting(t)
	for _, c := range []struct {
		who   *vitrine.Account
		times int
	}{{d.member, 0}, {d.join("mod@example.org", vitrine.RoleModerator), 0}, {d.owner, 1}} {
		d.account = c.who
		cookie := d.signIn(c.who)
		waits, shown := d.newWebsite("Waits"), d.newWebsite("Shown")
		held := d.deployed(waits, login)
		reported := d.hold(d.deployed(shown, "index.html=<h1>First</h1>"), vitrine.ReasonAbuse, "")
		for site, l := range map[*vitrine.Site]*vitrine.Link{waits: held, shown: reported} {
			page := d.status(d.get("/websites/"+string(site.Slug), cookie), 200)
			address := casePath(l) + "?queue=all"
			got, all := strings.Count(page.body, `href="`+address+`">Review it</a>`),
				strings.Count(page.body, "Review it")
			if got != c.times || all != c.times {
				t.Errorf("the page for %s of %s has %d links to the case and %d to others", c.who.Email, site.Title,
					got, all-got)
			}
			if c.times > 0 {
				d.status(d.get(address, cookie), 200)
			}
		}
	}
}
