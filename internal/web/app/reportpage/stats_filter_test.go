package reportpage_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/internal/test/webtest"
	"vitrine/report"

	"github.com/dustin/go-humanize"
)

// TestStatsFilters checks that each bucket of each card links to the report of
// its views, which equals the API's, and that its chip negates and removes the
// filter. With the views of unknown value, each card adds up to the views.
func TestStatsFilters(t *testing.T) {
	o := webtest.NewReportSite(t)
	for _, path := range []string{webtest.StatsPath(o.Links[report.ContentPages]), "/analytics"} {
		page := o.Parse(o.Status(o.Get(path+"?range=90d", o.Cookie), http.StatusOK).Text)
		for _, card := range []string{"countries", "cities", "sources", "referrers", "devices", "browsers", "os",
			"screens"} {
			table := page.ID("by-" + card).Tags("table")[0]
			var sum int64
			rows := table.Tags("tbody")[0].Tags("tr")
			for _, foot := range table.Tags("tfoot") {
				rows = append(rows, foot.Tags("tr")...)
			}
			for _, row := range rows {
				links := row.Tags("th")[0].Tags("a")
				if len(links) != 1 {
					t.Fatalf("%s: %d links in %q, want 1", card, len(links), row.Text())
				}
				count := row.Tags("td")[0].Text()
				o.SameFiltered(t, card, links[0].Attribute("href"), count)
				n, err := strconv.ParseInt(strings.ReplaceAll(count, ",", ""), 10, 64)
				o.Check(err)
				sum += n
			}
			webtest.Same(t, card+", all rows", humanize.Comma(sum), page.ID("card-views").Class("value")[0].Text())
		}
	}
	kinds := o.Parse(o.Get("/analytics?range=90d", o.Cookie).Text).ID("by-mix").Tags("tbody")[0].Tags("tr")
	o.SameFiltered(t, "mix", kinds[0].Tags("a")[0].Attribute("href"), kinds[0].Tags("td")[0].Text())
}

// TestStatsFiltersTogether checks several filters at once, and that invalid
// filters are refused.
func TestStatsFiltersTogether(t *testing.T) {
	o := webtest.NewReportSite(t)
	path := webtest.StatsPath(o.Links[report.ContentPages]) + "?range=all&filter=country:is_not:DE&filter=device:is:Mobile"
	var want report.LinkReport
	o.API(path, &want)
	page := o.Parse(o.Status(o.Get(path, o.Cookie), http.StatusOK).Text)
	webtest.Same(t, "views", page.ID("card-views").Class("value")[0].Text(), humanize.Comma(want.Totals.Views))
	webtest.Same(t, "chips", len(page.Class("conditions")[0].Tags("li")), 3)
	if text := page.Class("conditions")[0].Text(); !strings.Contains(text, "Country is not Germany") ||
		!strings.Contains(text, "Device is Mobile") {
		t.Errorf("chips = %q", text)
	}
	for _, row := range page.ID("by-countries").Tags("tbody")[0].Tags("tr") {
		if strings.Contains(row.Text(), "Germany") {
			t.Error("a card contains excluded views")
		}
	}
	webtest.Same(t, "files", len(o.File(t, path, "countries"))-1, len(want.Breakdowns.Countries))
	for _, bad := range []string{"filter=nothing:is:x", "filter=country", "filter=link:is:x", "from=2026-01-01",
		"from=2026-02-30&to=2026-03-01", "from=2026-03-02&to=2026-03-01", "compare=never",
		"timezone=Mars/Phobos", "granularity=day", "range=7d&granularity=hour",
		"range=7d&from=2026-01-01&to=2026-01-02"} {
		o.Status(o.Get(webtest.StatsPath(o.Links[report.ContentPages])+"?"+bad, o.Cookie), http.StatusBadRequest)
	}
}

// TestStatsFilterWithoutViews checks that a filter without matching views shows
// a whole report of zeros with a banner that links back to all views.
func TestStatsFilterWithoutViews(t *testing.T) {
	o := webtest.NewReportSite(t)
	const notice = "No view matches these filters."
	for _, path := range []string{webtest.StatsPath(o.Links[report.ContentPages]), "/analytics"} {
		all := o.Get(path+"?range=90d", o.Cookie).Text
		if strings.Contains(all, notice) {
			t.Errorf("%s shows %q without a filter", path, notice)
		}
		path += "?range=90d&filter=country:is:AQ"
		var want report.Summary
		o.API(path, &want)
		webtest.Same(t, "views", want.Totals.Views, 0)
		webtest.Same(t, "points", len(want.Series) > 0, true)
		webtest.Same(t, "countries", len(want.Breakdowns.Countries), 0)
		banners := o.Parse(o.Status(o.Get(path, o.Cookie), http.StatusOK).Text).ID("stats").Class("banner")
		if len(banners) != 1 || !strings.Contains(banners[0].Text(), notice) {
			t.Fatalf("%s: %d banners, want 1", path, len(banners))
		}
		link := banners[0].Tags("a")[0]
		webtest.Same(t, "link", link.Text(), "Clear filters")
		u, err := url.Parse(link.Attribute("href"))
		o.Check(err)
		webtest.Same(t, "filters", u.Query().Has("filter"), false)
		webtest.Same(t, "range", u.Query().Get("range"), "90d")
	}
}

// TestStatsDates requests custom dates, hours and the previous year with a form
// that needs no script.
func TestStatsDates(t *testing.T) {
	o := webtest.NewReportSite(t)
	root := webtest.StatsPath(o.Links[report.ContentPages])
	page := o.Parse(o.Get(root+"?range=7d&filter=device:is:Mobile", o.Cookie).Text)
	form := page.ID("dates").Tags("form")[0]
	webtest.Same(t, "form", form.Attribute("action"), root)
	today := o.Server.Now().UTC()
	values := url.Values{}
	for _, in := range form.Tags("input") {
		if in.Attribute("type") != "checkbox" {
			values.Add(in.Attribute("name"), in.Attribute("value"))
		}
	}
	webtest.Same(t, "from", values.Get("from"), today.AddDate(0, 0, -6).Format(time.DateOnly))
	webtest.Same(t, "to", values.Get("to"), today.Format(time.DateOnly))
	webtest.Same(t, "the filter stays", values.Get("filter"), "device:is:Mobile")
	for name, query := range map[string]string{
		"dates": "from=" + today.AddDate(0, 0, -40).Format(time.DateOnly) + "&to=" + today.AddDate(0, 0,
			-11).Format(time.DateOnly) + "&compare=",
		"the year before": "range=30d&compare=year",
		"24 hours":        "granularity=hour",
		"hours of days": "from=" + today.AddDate(0, 0, -2).Format(time.DateOnly) + "&to=" +
			today.Format(time.DateOnly) + "&granularity=hour",
		"another zone":     "range=14d&timezone=Asia/Kathmandu",
		"today, elsewhere": "granularity=hour&timezone=America/New_York",
	} {
		t.Run(name, func(t *testing.T) {
			var want report.LinkReport
			o.API(root+"?"+query, &want)
			page := o.Parse(o.Status(o.Get(root+"?"+query, o.Cookie), http.StatusOK).Text)
			webtest.Same(t, "views", page.ID("card-views").Class("value")[0].Text(), humanize.Comma(want.Totals.Views))
			rows := page.ID("series").Tags("tbody")[0].Tags("tr")
			webtest.Same(t, "points", len(rows), len(want.Series))
			marks := page.Class("over-time")[0].Class("marks")[0].Tags("g")
			webtest.Same(t, "marks", len(marks), len(want.Series))
			for i, row := range rows {
				webtest.Same(t, "views of a point", row.Tags("data")[0].Attribute("value"),
					humanize.Comma(want.Series[i].Views))
			}
			// A past range is not "so far".
			webtest.Same(t, "so far", strings.Contains(page.ID("series").Text(), "so far"),
				want.Range.To.After(o.Server.Now()))
			if zone := want.Range.Timezone; zone != "" &&
				!strings.Contains(page.Text(), "Times are in "+strings.ReplaceAll(zone, "_", " ")) {
				t.Errorf("the page does not name the zone %s", zone)
			}
		})
	}
}

// TestStatsAccountZone checks that the days, hours and today of the app and of
// shared reports are in the account's time zone, and that the API stays with
// UTC.
func TestStatsAccountZone(t *testing.T) {
	o := webtest.NewReportSite(t)
	root := webtest.StatsPath(o.Links[report.ContentPages])
	form := "Content-Type: application/x-www-form-urlencoded"
	for _, bad := range []string{"Mars/Phobos", "../UTC", "Local", "europe/berlin"} {
		r := o.Status(o.Do("POST", "/account/timezone", "timezone="+url.QueryEscape(bad), form, o.Cookie),
			http.StatusBadRequest)
		webtest.Same(t, bad, o.Parse(r.Text).ID("timezone").Attribute("value"), bad)
	}
	o.Status(o.Do("POST", "/account/timezone", "timezone=Asia/Kathmandu", form, o.Cookie), http.StatusSeeOther)
	webtest.Same(t, "the account's page", o.Parse(o.Get("/account", o.Cookie).Text).ID("timezone").Attribute("value"),
		"Asia/Kathmandu")
	shared := o.Share(t, root, "")
	for _, query := range []string{"?range=7d", "?range=all"} {
		var want, utc report.LinkReport
		o.API(root+query+"&timezone=Asia/Kathmandu", &want)
		o.API(root+query, &utc)
		webtest.Same(t, "the API's zone", utc.Range.Timezone, "")
		for _, r := range []webtest.Reply{o.Get(root+query, o.Cookie), o.Get(shared + query)} {
			page := o.Parse(o.Status(r, http.StatusOK).Text)
			webtest.Same(t, "views", page.ID("card-views").Class("value")[0].Text(), humanize.Comma(want.Totals.Views))
			for i, row := range page.ID("series").Tags("tbody")[0].Tags("tr") {
				webtest.Same(t, "views of a day", row.Tags("data")[0].Attribute("value"),
					humanize.Comma(want.Series[i].Views))
			}
			for i, row := range page.Class("heat")[0].Tags("tbody")[0].Tags("tr") {
				for hour, cell := range row.Tags("td")[:24] {
					webtest.Same(t, "hour", cell.Text(), humanize.Comma(want.Timing.Heat[(i+1)%7][hour]))
				}
			}
			if !strings.Contains(page.Text(), "Times are in Asia/Kathmandu") {
				t.Error("the page does not name the time zone")
			}
		}
	}
	if call := o.Parse(o.Get(root, o.Cookie).Text).ID("call-text").Text(); !strings.Contains(call,
		"timezone=Asia%2FKathmandu") {
		t.Errorf("API call on the page = %q", call)
	}
	o.Status(o.Do("POST", "/account/timezone", "timezone=UTC", form, o.Cookie), http.StatusSeeOther)
	webtest.Same(t, "UTC again", o.Parse(o.Get(root, o.Cookie).Text).Text() != "" &&
		strings.Contains(o.Get(root, o.Cookie).Text, "Times are in UTC."), true)
}
