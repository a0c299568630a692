package app_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/analytics"
	"vitrine/internal/test/webtest"
	"vitrine/internal/web/ui"
	"vitrine/report"

	"github.com/dustin/go-humanize"
)

// TestEditFromPageIsWhole checks that a form's changes are saved completely or
// not at all, also under a former slug of the link.
func TestEditFromPageIsWhole(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	cookie := d.SignIn(d.Member)
	taken, l := d.Publish("data.json", webtest.Samples["data.json"]), d.Publish("notes.txt",
		webtest.Samples["notes.txt"])
	old := webtest.LinkPath(l)
	d.Follow(d.Post(old+"/settings", url.Values{"slug": {"elsewhere"}}, cookie), cookie)
	edit := func(slug string) webtest.Reply {
		t.Helper()
		return d.Ask(old+"/edit", `{"title":"Renamed","slug":"`+slug+`","allowDownload":false}`, cookie)
	}
	if r := d.Status(edit(string(taken.Slug)), http.StatusBadRequest); !strings.Contains(r.Text, "slug_taken") {
		t.Error(r.Text)
	}
	if now, err := d.Server.Links.BySlug(t.Context(), "elsewhere"); err != nil || now.Title != l.Title ||
		!now.AllowDownload {
		t.Errorf("link = %+v, %v", now, err)
	}
	if r := d.Status(edit("third"), http.StatusOK); !strings.Contains(r.Text, `"slug":"third"`) ||
		!strings.Contains(r.Text, `"Renamed"`) {
		t.Error(r.Text)
	}
	d.Status(d.Get("/p/third/download"), http.StatusNotFound)
}

// TestLinksStayWhereModeratorsLook checks that a held link keeps its slug, and
// that moderators find a renamed link at its old one.
func TestLinksStayWhereModeratorsLook(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	member, owner := d.SignIn(d.Member), d.SignIn(d.Owner)
	held := d.Held("notes.txt", vitrine.ReasonSuspicious)
	at := webtest.LinkPath(held)
	if page := d.Status(d.Get(at+"/settings", member), http.StatusOK); strings.Contains(page.Text, `name="slug"`) {
		t.Error("the page of a held link has a form for another address")
	}
	if r := d.Status(d.Post(at+"/settings", url.Values{"slug": {"elsewhere"}}, member),
		http.StatusBadRequest); !strings.Contains(r.Text, "keeps its address") {
		t.Error(r.Text)
	}
	live := d.Publish("picture.png", webtest.Samples["picture.png"])
	d.Follow(d.Post(webtest.LinkPath(live)+"/settings", url.Values{"slug": {"moved"}}, member), member)
	if page := d.Status(d.Get(webtest.CasePath(live), owner), http.StatusOK); !strings.Contains(page.Text,
		"/moderation/links/moved/disable") {
		t.Error("the case of a renamed link does not decide about it")
	}
	d.Status(d.Post(webtest.CasePath(live)+"/disable", url.Values{"seen": {d.Seen(live)}}, owner), http.StatusSeeOther)
	d.Status(d.Get("/p/moved"), http.StatusGone)
}

// TestLinkPageNumbers checks that each page of a link shows four numbers of all
// its views above the tabs and links to the rest, and shows none without views
// or without analytics in the plan.
func TestLinkPageNumbers(t *testing.T) {
	o := webtest.NewReportSite(t)
	l := o.Links[report.ContentPages]
	here := "/links/" + string(l.Slug)
	var want report.LinkReport
	o.API(here+"/analytics?range=all", &want)
	page := o.Parse(o.Status(o.Get(here, o.Cookie), http.StatusOK).Text)
	figures := page.Class("figures")
	if len(figures) != 1 || figures[0].Attribute("href") != here+"/analytics?range=all" {
		t.Fatalf("%d blocks of numbers, want 1 that links to the report", len(figures))
	}
	numbers := figures[0].Tags("b")
	webtest.Same(t, "views", numbers[0].Text(), humanize.Comma(want.Totals.Views))
	webtest.Same(t, "unique viewers", numbers[1].Text(), humanize.Comma(want.Totals.Uniques))
	webtest.Same(t, "pictures of the views", len(figures[0].Class("spark")), 1)
	webtest.Same(t, "completion", numbers[3].Text(), ui.Percent(*want.Totals.CompletionPct))
	for path, tab := range map[string]string{here: "Overview", here + "/analytics": "Analytics",
		here + "/analytics/visits": "Analytics", here + "/share": "Share", here + "/versions": "Versions",
		here + "/settings": "Settings"} {
		body := o.Status(o.Get(path, o.Cookie), http.StatusOK).Text
		page := o.Parse(body)
		webtest.Same(t, "the title of "+path, page.Tags("h1")[0].Text(), ui.Title(l))
		webtest.Same(t, "numbers in the head of "+path, len(page.Class("figures")),
			map[bool]int{true: 1}[tab == "Overview"])
		webtest.Same(t, "numbers of "+path+" before the tabs", strings.Index(body, `class="figures"`) < strings.Index(body,
			`class="tabs"`), true)
		webtest.Same(t, "the address in the head of "+path, len(page.Class("link-address")),
			map[bool]int{true: 1}[tab != "Settings"]) // which has a field with it
		webtest.Same(t, "ways to copy it", len(page.Class("copy-link")), 1)
		for _, a := range page.Class("tabs")[0].Tags("a") {
			webtest.Same(t, "the tab of "+path, a.Attribute("aria-current") == "page", a.Text() == tab)
		}
	}

	for kind, l := range o.Links { // read with less than a report
		want, err := o.Server.Analytics.Link(t.Context(), o.Account, string(l.Slug), analytics.In(report.RangeAll))
		o.Check(err)
		got, err := o.Server.Analytics.Numbers(t.Context(), l)
		o.Check(err)
		webtest.Same(t, "numbers of "+string(kind), fmt.Sprint(got), fmt.Sprint(report.Numbers{Views: want.Totals.Views,
			Uniques: want.Totals.Uniques, Sessions: want.Totals.Sessions, AvgEngagedMs: want.Totals.AvgEngagedMs,
			CompletionPct: got.CompletionPct, Granularity: want.Granularity, Series: want.Series}))
		webtest.Same(t, "completion of "+string(kind), ui.CompletionOf(got.CompletionPct),
			ui.CompletionOf(want.Totals.CompletionPct))
	}

	// The overview shows the newest visits.
	visits := o.CountedVisits(l, "?range=all", 5)
	latest := o.Parse(o.Get(here, o.Cookie).Text).ID("visits")
	rows := latest.Tags("tbody")[0].Tags("tr")
	if len(rows) != 5 || len(visits) != 5 {
		t.Fatalf("%d visits on the page, %d in the API, want 5", len(rows), len(visits))
	}
	for i, v := range visits {
		webtest.Same(t, "a visit", rows[i].Tags("a")[0].Attribute("href"), here+"/analytics/visits/"+v.ID)
		webtest.Same(t, "its progress", rows[i].Class("progress")[0].Text(), ui.Capital(v.Progress))
	}
	webtest.Same(t, "all visits", latest.Tags("p")[0].Tags("a")[0].Attribute("href"), here+"/analytics/visits")

	unread := o.Publish("unread.txt", []byte("Nobody has read this.\n"))
	webtest.Same(t, "numbers of what nobody opened", len(o.Parse(o.Get("/links/"+string(unread.Slug),
		o.Cookie).Text).Class("figures")), 0)
	o.SetPlan(vitrine.PlanFree)
	webtest.Same(t, "numbers on Free", len(o.Parse(o.Get(here, o.Cookie).Text).Class("figures")), 0)
}

// TestReviewOwnFile checks that the page of a held file links to its place in
// the queue only for owners who may review it.
func TestReviewOwnFile(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	for _, c := range []struct {
		who    *vitrine.Account
		review bool
	}{{d.Member, false}, {d.Join("mod@example.org", vitrine.RoleModerator), false}, {d.Owner, true}} {
		d.Account = c.who
		l := d.Held("notes.txt", "html_password_form")
		cookie := d.SignIn(c.who)
		page := d.Status(d.Get(webtest.LinkPath(l), cookie), 200)
		if !strings.Contains(html.UnescapeString(page.Text), access.OwnerMeaning("html_password_form")) ||
			strings.Contains(page.Text, "imitate") {
			t.Errorf("page for %s: %s", c.who.Email, page.Text)
		}
		address := webtest.CasePath(l) + "?queue=all"
		if got := strings.Contains(page.Text, `href="`+address+`">Review it</a>`); got != c.review {
			t.Errorf("the page for %s links to the case: %v", c.who.Email, got)
		}
		if c.review {
			found := d.Status(d.Get(address, cookie), 200)
			if !strings.Contains(html.UnescapeString(found.Text), vitrine.Meaning("html_password_form")) {
				t.Errorf("case: %s", found.Text)
			}
		}
	}
}

// TestReviewOwnWebsite checks the same for a version of a website: one that
// waits, and one that was public before it was held.
func TestReviewOwnWebsite(t *testing.T) {
	t.Parallel()
	d := webtest.NewHosting(t)
	for _, c := range []struct {
		who   *vitrine.Account
		times int
	}{{d.Member, 0}, {d.Join("mod@example.org", vitrine.RoleModerator), 0}, {d.Owner, 1}} {
		d.Account = c.who
		cookie := d.SignIn(c.who)
		waits, shown := d.NewWebsite("Waits"), d.NewWebsite("Shown")
		held := d.Deployed(waits, webtest.Login)
		reported := d.Hold(d.Deployed(shown, "index.html=<h1>First</h1>"), vitrine.ReasonAbuse, "")
		for site, l := range map[*vitrine.Site]*vitrine.Link{waits: held, shown: reported} {
			page := d.Status(d.Get("/websites/"+string(site.Slug), cookie), 200)
			address := webtest.CasePath(l) + "?queue=all"
			got, all := strings.Count(page.Text, `href="`+address+`">Review it</a>`),
				strings.Count(page.Text, "Review it")
			if got != c.times || all != c.times {
				t.Errorf("the page for %s of %s has %d links to the case and %d to others", c.who.Email, site.Title,
					got, all-got)
			}
			if c.times > 0 {
				d.Status(d.Get(address, cookie), 200)
			}
		}
	}
}
