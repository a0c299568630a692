package web_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/report"

	"github.com/dustin/go-humanize"
)

// TestStatsFilters checks that each bucket of each card links to the report of
// its views, which equals the API's, and that its chip negates and removes the
// filter. With the views of unknown value, each card adds up to the views.
func TestStatsFilters(t *testing.T) {
	o := newReportSite(t)
	for _, path := range []string{statsPath(o.links[report.ContentPages]), "/analytics"} {
		page := o.parse(o.status(o.get(path+"?range=90d", o.cookie), http.StatusOK).body)
		for _, card := range []string{"countries", "cities", "sources", "referrers", "devices", "browsers", "os",
			"screens"} {
			table := page.id("by-" + card).tags("table")[0]
			var sum int64
			rows := table.tags("tbody")[0].tags("tr")
			for _, foot := range table.tags("tfoot") {
				rows = append(rows, foot.tags("tr")...)
			}
			for _, row := range rows {
				links := row.tags("a")
				if len(links) != 1 {
					t.Fatalf("%s: %d links in %q, want 1", card, len(links), row.text())
				}
				count := row.tags("td")[0].text()
				o.sameFiltered(t, card, links[0].attr("href"), count)
				n, err := strconv.ParseInt(strings.ReplaceAll(count, ",", ""), 10, 64)
				o.check(err)
				sum += n
			}
			same(t, card+", all rows", humanize.Comma(sum), page.id("card-views").class("value")[0].text())
		}
	}
	kinds := o.parse(o.get("/analytics?range=90d", o.cookie).body).id("by-mix").tags("tbody")[0].tags("tr")
	o.sameFiltered(t, "mix", kinds[0].tags("a")[0].attr("href"), kinds[0].tags("td")[0].text())
}

// sameFiltered compares the page of a filter with the API, and its views with
// the bucket that links to it.
func (o *reportSite) sameFiltered(t *testing.T, card, address, count string) {
	t.Helper()
	var want report.Summary
	o.api(address, &want)
	page := o.parse(o.status(o.get(address, o.cookie), http.StatusOK).body)
	views := page.id("card-views").class("value")[0].text()
	same(t, card, views, humanize.Comma(want.Totals.Views))
	same(t, card+" and its bucket", views, count)
	chips := page.class("conditions")
	if len(chips) != 1 || len(chips[0].tags("li")) != 2 {
		t.Fatalf("%s: %d lists of chips, want 1 with 2 items", address, len(chips))
	}
	same(t, card+", filters", len(want.Filter), 1)
	turned := chips[0].tags("a")[0].attr("href")
	u, err := url.Parse(turned)
	o.check(err)
	same(t, card+", turned round", u.Query()["filter"][0], strings.Replace(want.Filter[0], ":is:", ":is_not:", 1))
	for _, a := range []document{chips[0].class("away")[0], chips[0].class("clear")[0].tags("a")[0]} {
		u, err := url.Parse(a.attr("href"))
		o.check(err)
		same(t, card+", removed", u.Query().Has("filter"), false)
		same(t, card+", and the range", u.Query().Get("range"), "90d")
	}
}

// TestStatsFiltersTogether checks several filters at once, and that invalid
// filters are refused.
func TestStatsFiltersTogether(t *testing.T) {
	o := newReportSite(t)
	path := statsPath(o.links[report.ContentPages]) + "?range=all&filter=country:is_not:DE&filter=device:is:Mobile"
	var want report.LinkReport
	o.api(path, &want)
	page := o.parse(o.status(o.get(path, o.cookie), http.StatusOK).body)
	same(t, "views", page.id("card-views").class("value")[0].text(), humanize.Comma(want.Totals.Views))
	same(t, "chips", len(page.class("conditions")[0].tags("li")), 3)
	if text := page.class("conditions")[0].text(); !strings.Contains(text, "Country is not Germany") ||
		!strings.Contains(text, "Device is Mobile") {
		t.Errorf("chips = %q", text)
	}
	for _, row := range page.id("by-countries").tags("tbody")[0].tags("tr") {
		if strings.Contains(row.text(), "Germany") {
			t.Error("a card contains excluded views")
		}
	}
	same(t, "files", len(o.file(t, path, "countries"))-1, len(want.Breakdowns.Countries))
	for _, bad := range []string{"filter=nothing:is:x", "filter=country", "filter=link:is:x", "from=2026-01-01",
		"from=2026-02-30&to=2026-03-01", "from=2026-03-02&to=2026-03-01", "compare=never",
		"timezone=Mars/Phobos", "granularity=day", "range=7d&granularity=hour",
		"range=7d&from=2026-01-01&to=2026-01-02"} {
		o.status(o.get(statsPath(o.links[report.ContentPages])+"?"+bad, o.cookie), http.StatusBadRequest)
	}
}

// TestStatsFilterWithoutViews checks that a filter without matching views shows
// a whole report of zeros with a banner that links back to all views.
func TestStatsFilterWithoutViews(t *testing.T) {
	o := newReportSite(t)
	const notice = "No view matches these filters."
	for _, path := range []string{statsPath(o.links[report.ContentPages]), "/analytics"} {
		all := o.get(path+"?range=90d", o.cookie).body
		if strings.Contains(all, notice) {
			t.Errorf("%s shows %q without a filter", path, notice)
		}
		path += "?range=90d&filter=country:is:AQ"
		var want report.Summary
		o.api(path, &want)
		same(t, "views", want.Totals.Views, 0)
		same(t, "points", len(want.Series) > 0, true)
		same(t, "countries", len(want.Breakdowns.Countries), 0)
		banners := o.parse(o.status(o.get(path, o.cookie), http.StatusOK).body).id("stats").class("banner")
		if len(banners) != 1 || !strings.Contains(banners[0].text(), notice) {
			t.Fatalf("%s: %d banners, want 1", path, len(banners))
		}
		link := banners[0].tags("a")[0]
		same(t, "link", link.text(), "Clear filters")
		u, err := url.Parse(link.attr("href"))
		o.check(err)
		same(t, "filters", u.Query().Has("filter"), false)
		same(t, "range", u.Query().Get("range"), "90d")
	}
}

// TestStatsDates requests custom dates, hours and the previous year with a form
// that needs no script.
func TestStatsDates(t *testing.T) {
	o := newReportSite(t)
	root := statsPath(o.links[report.ContentPages])
	page := o.parse(o.get(root+"?range=7d&filter=device:is:Mobile", o.cookie).body)
	form := page.id("dates").tags("form")[0]
	same(t, "form", form.attr("action"), root)
	today := o.server.Now().UTC()
	values := url.Values{}
	for _, in := range form.tags("input") {
		if in.attr("type") != "checkbox" {
			values.Add(in.attr("name"), in.attr("value"))
		}
	}
	same(t, "from", values.Get("from"), today.AddDate(0, 0, -6).Format(time.DateOnly))
	same(t, "to", values.Get("to"), today.Format(time.DateOnly))
	same(t, "the filter stays", values.Get("filter"), "device:is:Mobile")
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
			o.api(root+"?"+query, &want)
			page := o.parse(o.status(o.get(root+"?"+query, o.cookie), http.StatusOK).body)
			same(t, "views", page.id("card-views").class("value")[0].text(), humanize.Comma(want.Totals.Views))
			rows := page.id("series").tags("tbody")[0].tags("tr")
			same(t, "points", len(rows), len(want.Series))
			marks := page.class("over-time")[0].class("marks")[0].tags("g")
			same(t, "marks", len(marks), len(want.Series))
			for i, row := range rows {
				same(t, "views of a point", row.tags("data")[0].attr("value"), humanize.Comma(want.Series[i].Views))
			}
			// A past range is not "so far".
			same(t, "so far", strings.Contains(page.id("series").text(), "so far"), want.Range.To.After(o.server.Now()))
			if zone := want.Range.Timezone; zone != "" &&
				!strings.Contains(page.text(), "Times are in "+strings.ReplaceAll(zone, "_", " ")) {
				t.Errorf("the page does not name the zone %s", zone)
			}
		})
	}
}

// TestStatsAccountZone checks that the days, hours and today of the app and of
// shared reports are in the account's time zone, and that the API stays with
// UTC.
func TestStatsAccountZone(t *testing.T) {
	o := newReportSite(t)
	root := statsPath(o.links[report.ContentPages])
	form := "Content-Type: application/x-www-form-urlencoded"
	for _, bad := range []string{"Mars/Phobos", "../UTC", "Local", "europe/berlin"} {
		r := o.status(o.do("POST", "/account/timezone", "timezone="+url.QueryEscape(bad), form, o.cookie),
			http.StatusBadRequest)
		same(t, bad, o.parse(r.body).id("timezone").attr("value"), bad)
	}
	o.status(o.do("POST", "/account/timezone", "timezone=Asia/Kathmandu", form, o.cookie), http.StatusSeeOther)
	same(t, "the account's page", o.parse(o.get("/account", o.cookie).body).id("timezone").attr("value"),
		"Asia/Kathmandu")
	shared := o.share(t, root, "")
	for _, query := range []string{"?range=7d", "?range=all"} {
		var want, utc report.LinkReport
		o.api(root+query+"&timezone=Asia/Kathmandu", &want)
		o.api(root+query, &utc)
		same(t, "the API's zone", utc.Range.Timezone, "")
		for _, r := range []reply{o.get(root+query, o.cookie), o.get(shared + query)} {
			page := o.parse(o.status(r, http.StatusOK).body)
			same(t, "views", page.id("card-views").class("value")[0].text(), humanize.Comma(want.Totals.Views))
			for i, row := range page.id("series").tags("tbody")[0].tags("tr") {
				same(t, "views of a day", row.tags("data")[0].attr("value"), humanize.Comma(want.Series[i].Views))
			}
			for i, row := range page.class("heat")[0].tags("tbody")[0].tags("tr") {
				for hour, cell := range row.tags("td")[:24] {
					same(t, "hour", cell.text(), humanize.Comma(want.Timing.Heat[(i+1)%7][hour]))
				}
			}
			if !strings.Contains(page.text(), "Times are in Asia/Kathmandu") {
				t.Error("the page does not name the time zone")
			}
		}
	}
	if call := o.parse(o.get(root, o.cookie).body).id("call-text").text(); !strings.Contains(call,
		"timezone=Asia%2FKathmandu") {
		t.Errorf("API call on the page = %q", call)
	}
	o.status(o.do("POST", "/account/timezone", "timezone=UTC", form, o.cookie), http.StatusSeeOther)
	same(t, "UTC again", o.parse(o.get(root, o.cookie).body).text() != "" &&
		strings.Contains(o.get(root, o.cookie).body, "Times are in UTC."), true)
}
