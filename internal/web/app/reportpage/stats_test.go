package reportpage_test

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/webtest"
	"vitrine/internal/web/ui"
	"vitrine/report"

	"github.com/dustin/go-humanize"
)

// TestStatsAreTheAPIs checks that each number on the page of a link, and in its
// files, equals the API's for the same link and days.
func TestStatsAreTheAPIs(t *testing.T) {
	o := webtest.NewReportSite(t)
	for kind, l := range o.Links {
		for _, rg := range []string{"7d", "30d", "90d", "all"} {
			var want report.LinkReport
			query := "?range=" + rg
			o.API(webtest.StatsPath(l)+query+"&limit=100", &want)
			want.Younger = l.CreatedAt.After(want.Range.From.AddDate(0, 0, -want.Range.Days))
			page := o.Parse(o.Status(o.Get(webtest.StatsPath(l)+query, o.Cookie), http.StatusOK).Text)
			t.Run(string(kind)+" "+rg, func(t *testing.T) {
				sameSummary(t, page, &want.Summary)
				sameContent(t, page, &want.Content)
				recent := slices.DeleteFunc(page.Class("visits"), func(table webtest.Document) bool {
					return len(table.Class("where")) == 0 // that of recipients
				})
				if len(recent) != 1 {
					t.Fatalf("%d tables of recent views, want 1", len(recent))
				}
				rows, visits := recent[0].Tags("tbody")[0].Tags("tr"), o.CountedVisits(l, query, 25)
				webtest.Same(t, "recent visits", len(rows), len(visits))
				for i, row := range rows[:min(len(rows), len(visits))] {
					webtest.Same(t, "visit", row.Tags("a")[0].Attribute("href"),
						webtest.StatsPath(l)+"/visits/"+visits[i].ID)
					webtest.Same(t, "progress", row.Class("progress")[0].Text(), ui.Capital(visits[i].Progress))
					webtest.Same(t, "barely looked at", strings.Contains(row.Text(), "Barely looked at"),
						visits[i].Atypical)
				}
				o.SameFiles(t, webtest.StatsPath(l)+query, &want.Summary)
			})
		}
	}
}

func TestAccountStatsAreTheAPIs(t *testing.T) {
	o := webtest.NewReportSite(t)
	for _, rg := range []string{"7d", "30d", "90d", "all"} {
		var want report.AccountReport
		o.API("/analytics?range="+rg+"&limit=100", &want)
		want.Younger = true
		for _, l := range o.Links {
			want.Younger = want.Younger && l.CreatedAt.After(want.Range.From.AddDate(0, 0, -want.Range.Days))
		}
		page := o.Parse(o.Status(o.Get("/analytics?range="+rg, o.Cookie), http.StatusOK).Text)
		sameSummary(t, page, &want.Summary)
		rows := page.Class("top-links")[0].Tags("tbody")[0].Tags("tr")
		webtest.Same(t, "links", len(rows), len(want.TopLinks))
		for i, row := range rows[:min(len(rows), len(want.TopLinks))] {
			top := want.TopLinks[i]
			webtest.Same(t, "link", row.Tags("a")[0].Attribute("href"), "/links/"+top.Slug+"/analytics")
			webtest.Same(t, "views", row.Tags("td")[0].Text(), humanize.Comma(top.Views))
			webtest.Same(t, "uniques", row.Tags("td")[1].Text(), humanize.Comma(top.Uniques))
		}
		kinds := page.ID("by-mix").Tags("tbody")[0].Tags("tr")
		webtest.Same(t, "kinds", len(kinds), len(want.Mix))
		for i, row := range kinds {
			webtest.Same(t, "kind", row.Tags("td")[0].Text()+" "+row.Tags("td")[1].Text(),
				humanize.Comma(want.Mix[i].Count)+" "+ui.Percent(want.Mix[i].Pct))
		}
		if all := fmt.Sprintf("4 links · %s views and %s downloads in total", humanize.Comma(want.AllTime.Views),
			humanize.Comma(want.AllTime.Downloads)); !strings.Contains(page.Text(), all) {
			t.Errorf("the page lacks %q", all)
		}
		o.SameFiles(t, "/analytics?range="+rg, &want.Summary)
	}
}

func sameSummary(t *testing.T, page webtest.Document, want *report.Summary) {
	t.Helper()
	value := func(card string) string { return page.ID("card-" + card).Class("value")[0].Text() }
	webtest.Same(t, "views", value("views"), humanize.Comma(want.Totals.Views))
	webtest.Same(t, "uniques", value("uniques"), humanize.Comma(want.Totals.Uniques))
	note := func(card string) string {
		notes := page.ID("card-" + card).Class("note")
		text := strings.Split(notes[len(notes)-1].Text(), " · ") // after the number before
		return text[len(text)-1]
	}
	if want.Range.Key == report.RangeAll { // no number is there twice
		webtest.Same(t, "the begin of all", note("downloads"), "since "+want.Range.From.Format("2 Jan 2006"))
		webtest.Same(t, "the begin of all views", note("views"), note("downloads"))
	} else {
		webtest.Same(t, "all-time downloads", note("downloads"), humanize.Comma(want.Totals.Downloads)+" all-time")
	}
	for _, tile := range page.Class("value") {
		notes := tile.Parent
		webtest.Same(t, "lines of notes", len(webtest.Document{Node: notes}.Class("note")) > 0 &&
			webtest.Document{Node: notes}.Class("note")[len(webtest.Document{Node: notes}.Class("note"))-1].Text() != "", true)
	}
	webtest.Same(t, "all-time downloads over all time", want.Range.Key != report.RangeAll ||
		value("downloads") == humanize.Comma(want.Totals.Downloads), true)
	deltas := page.ID("card-downloads").Class("delta")
	webtest.Same(t, "no changes beside few views or for a young link", len(deltas) == 0,
		want.Range.Key == report.RangeAll || want.Younger || want.Previous.Views < 30)
	for card, compared := range map[string]bool{"views": true, "uniques": true,
		"engaged":    want.Totals.Sessions > 0 && want.Previous.Sessions > 0,
		"completion": want.Totals.CompletionPct != nil && want.Previous.CompletionPct != nil,
		"bounce":     want.Totals.Sessions > 0 && want.Previous.Sessions > 0, "returning": want.Totals.Views > 0,
		"qr": want.Totals.QRScans+want.Previous.QRScans > 0} {
		webtest.Same(t, card+" is compared", len(page.ID("card-"+card).Class("delta")) == 1, len(deltas) > 0 && compared)
	}
	said := ""
	if why := page.Class("below-cards")[0].Tags("p"); len(why) > 0 {
		said = why[0].Text()
	}
	webtest.Same(t, "why nothing is compared", strings.HasPrefix(said, "Not compared: "),
		len(deltas) == 0 && want.Range.Key != report.RangeAll)
	if pct := want.Deltas.Downloads.Pct; len(deltas) > 0 && pct != nil {
		now, _ := strconv.ParseInt(strings.ReplaceAll(value("downloads"), ",", ""), 10, 64)
		change := page.ID("card-downloads").Class("heard")[0].Text()
		var was int64
		if _, after, ok := strings.Cut(change, "from "); ok {
			was, _ = strconv.ParseInt(strings.ReplaceAll(strings.Fields(after)[0], ",", ""), 10, 64)
			webtest.Same(t, "the change of downloads", math.Round(100*float64(now-was)/float64(was)), float64(*pct))
		}
	}
	webtest.Same(t, "QR scans", value("qr"), humanize.Comma(want.Totals.QRScans))
	webtest.Same(t, "bounces", value("bounce"), ui.Percent(want.Totals.BouncePct))
	webtest.Same(t, "returning", value("returning"), ui.Percent(want.Totals.ReturningPct))
	completion := "–"
	if want.Totals.CompletionPct != nil {
		completion = ui.Percent(*want.Totals.CompletionPct)
	}
	webtest.Same(t, "completion", value("completion"), completion)
	excluded, rest := "No views excluded", ""
	if n := want.Totals.BotsExcluded; n > 0 {
		excluded = fmt.Sprintf("%d bot view", n)
	}
	if n := want.Totals.Views - want.Totals.Sessions; n > 0 { // the rest of the views have a session
		rest = fmt.Sprintf(" · %d of %d views not in averages", n, want.Totals.Views)
	}
	if summary := page.ID("ledger").Tags("summary")[0].Text(); !strings.HasPrefix(summary, excluded) ||
		!strings.HasSuffix(summary, rest) || strings.Contains(summary, "· 0 ") {
		t.Errorf("summary of the excluded views = %q for %+v", summary, want.Totals)
	}
	var left int64
	for _, row := range page.ID("ledger").Tags("tr") {
		if cells := row.Tags("td"); len(cells) > 0 {
			n, _ := strconv.ParseInt(cells[1].Text(), 10, 64)
			left += n
		}
	}
	webtest.Same(t, "the ledger's sum", left, want.Totals.BotsExcluded+want.Totals.OwnExcluded)
	rows := page.ID("series").Tags("tbody")[0].Tags("tr")
	webtest.Same(t, "points", len(rows), len(want.Series))
	for i, row := range rows {
		data := row.Tags("data")
		webtest.Same(t, "date", row.Tags("time")[0].Attribute("datetime"),
			want.Series[i].Date.Time().Format("2006-01-02"))
		webtest.Same(t, "views of a point", data[0].Attribute("value"), fmt.Sprint(want.Series[i].Views))
		webtest.Same(t, "uniques of a point", data[1].Attribute("value"), fmt.Sprint(want.Series[i].Uniques))
	}
	b := &want.Breakdowns
	for id, buckets := range map[string][]report.Bucket{"countries": b.Countries, "cities": b.Cities,
		"sources": b.Sources, "referrers": b.Referrers, "devices": b.Devices,
		"browsers": b.Browsers, "os": b.OS, "screens": b.Screens} {
		var rows []webtest.Document
		for _, body := range page.ID("by-" + id).Tags("tbody") {
			rows = body.Tags("tr")
		}
		webtest.Same(t, id, len(rows), len(buckets))
		for i, row := range rows {
			webtest.Same(t, id, row.Tags("td")[0].Text()+" "+row.Tags("td")[1].Text(),
				humanize.Comma(buckets[i].Count)+" "+ui.Percent(buckets[i].Pct))
		}
	}
	for i, row := range page.Class("heat")[0].Tags("tbody")[0].Tags("tr") {
		day := (i + 1) % 7
		for hour, cell := range row.Tags("td")[:24] {
			webtest.Same(t, "hour", cell.Text(), humanize.Comma(want.Timing.Heat[day][hour]))
		}
	}
	webtest.Same(t, "insights", len(page.Class("tips")) == 1,
		slices.ContainsFunc(want.Insights, func(i report.Insight) bool { return i.ID == "top_source" }))
}

func sameContent(t *testing.T, page webtest.Document, want *report.Content) {
	t.Helper()
	var marks []report.Mark
	if len(want.Parts) > 0 {
		var parts []report.PageRow
		for i, p := range want.Parts {
			parts = append(parts, report.PageRow{Page: p.Part, Views: p.Views, ReachPct: p.ReachPct, AvgMs: p.AvgMs})
			row := page.ID("parts").Tags("tbody")[0].Tags("tr")[i]
			webtest.Same(t, "label", row.Tags("th")[0].Text(), fmt.Sprint(p.Part, " ", p.Label))
		}
		sameRows(t, page.ID("parts"), parts, report.PageDropoff{AfterPage: want.PartDropoff.AfterPart,
			LostPct: want.PartDropoff.LostPct})
	}
	switch {
	case want.Pages != nil:
		sameRows(t, page.ID("pages"), want.Pages.Pages, want.Pages.Dropoff)
		return
	case want.Media != nil:
		marks = append([]report.Mark{{ReachPct: want.Media.PlayedPct}}, want.Media.Quartiles...)
	case want.Scroll != nil:
		marks = append([]report.Mark{{ReachPct: 1000}}, want.Scroll.Depths...)
	default:
		webtest.Same(t, "content",
			len(page.All(func(e webtest.Document) bool { return e.Attribute("id") == "content-title" })), 0)
		return
	}
	section := page.All(func(e webtest.Document) bool { return e.Attribute("aria-labelledby") == "content-title" })[0]
	rows := section.Tags("tbody")[0].Tags("tr")
	webtest.Same(t, "marks", len(rows), len(marks))
	for i, row := range rows {
		webtest.Same(t, "reach", row.Tags("td")[0].Text(), ui.Percent(marks[i].ReachPct))
	}
}

// sameRows checks the rows of pages or parts.
func sameRows(t *testing.T, tile webtest.Document, want []report.PageRow, drop report.PageDropoff) {
	t.Helper()
	rows := tile.Tags("tbody")[0].Tags("tr")
	webtest.Same(t, "pages", len(rows), len(want))
	for i, row := range rows {
		p := want[i]
		want := ui.Percent(p.ReachPct)
		if after := drop.AfterPage; after != nil && *after == p.Page {
			lost := ui.Percent(*drop.LostPct)
			if *drop.LostPct == p.ReachPct {
				lost = "all"
			}
			want += " " + lost + " stopped here"
		}
		webtest.Same(t, "reach", row.Tags("td")[0].Class("as-reach")[0].Text(), want)
		webtest.Same(t, "time", row.Tags("td")[0].Class("as-time")[0].Text(), ui.TimeOf(p.AvgMs, p.Views))
		webtest.Same(t, "seen", strings.HasSuffix(row.Text(), " "+humanize.Comma(p.Views)), true)
	}
}

// TestStatsFilesAreHarmless checks that spreadsheets take no cell of a file for
// a formula.
func TestStatsFilesAreHarmless(t *testing.T) {
	o := webtest.NewReportSite(t)
	tame := 0
	check := func(path string, cards ...string) {
		for _, card := range cards {
			for _, row := range o.File(t, path, card) {
				for _, cell := range row {
					if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
						t.Errorf("%s has the cell %q", card, cell)
					}
					if strings.HasPrefix(cell, "'=1+1") || strings.HasPrefix(cell, "'@SUM(A1)") {
						tame++
					}
				}
			}
		}
	}
	common := []string{"totals", "series", "excluded", "timing", "insights", "countries", "cities", "referrers",
		"sources", "devices", "browsers", "os", "screens"}
	for kind, l := range o.Links {
		cards := append([]string{"recent"}, common...)
		if kind != report.ContentNone {
			cards = append(cards, "content")
		}
		check(webtest.StatsPath(l)+"?range=all", cards...)
	}
	check("/analytics?range=all", append([]string{"top_links", "mix"}, common...)...)
	if tame < 4 {
		t.Errorf("%d cells were escaped, want at least 4, or the test checks nothing", tame)
	}
	l := o.Links[report.ContentNone]
	for _, path := range []string{webtest.StatsPath(l) + "?format=csv&card=content",
		webtest.StatsPath(l) + "?format=csv&card=nothing",
		webtest.StatsPath(l) + "?format=xls&card=series", webtest.StatsPath(l) + "?card=series",
		webtest.StatsPath(l) + "?format=csv&card=top_links", "/analytics?format=csv&card=recent"} {
		o.Status(o.Get(path, o.Cookie), http.StatusNotFound)
	}
}

// TestStatsOfOthers checks that another account's link gets the answer of an
// unknown one, and that visitors are redirected to the sign-in.
func TestStatsOfOthers(t *testing.T) {
	o := webtest.NewReportSite(t)
	l := o.Links[report.ContentPages]
	other := o.SignIn(o.Member)
	text := func(r webtest.Reply) string {
		return strings.NewReplacer(r.Header.Get("X-Request-Id"), "", string(l.Slug), "SLUG", "nothing-here",
			"SLUG").Replace(o.Parse(r.Text).Text())
	}
	foreign, unknown := o.Status(o.Get(webtest.StatsPath(l), other), http.StatusNotFound),
		o.Status(o.Get("/links/nothing-here/analytics", other), http.StatusNotFound)
	webtest.Same(t, "a foreign link", text(foreign), text(unknown))
	o.Status(o.Get(webtest.StatsPath(l)+"/pulse", other), http.StatusNotFound)
	o.Status(o.Get(webtest.StatsPath(l)+"?format=csv&card=series", other), http.StatusNotFound)
	for _, path := range []string{webtest.StatsPath(l), "/analytics"} {
		r := o.Status(o.Get(path+"?range=7d"), http.StatusSeeOther)
		webtest.Same(t, "the way in", r.Header.Get("Location"),
			"/sign-in?next="+strings.NewReplacer("/", "%2F", "?", "%3F", "=", "%3D").Replace(path+"?range=7d"))
		o.Status(o.Get(path+"/pulse"), http.StatusUnauthorized)
		o.Status(o.Get(path+"?range=8d", o.Cookie), http.StatusBadRequest)
	}
}

// TestStatsSample checks that an account whose plan has no analytics sees a
// sample that is marked as one and does not depend on its links' views.
func TestStatsSample(t *testing.T) {
	o := webtest.NewReportSite(t)
	check := func(path string) (page, numbers string) {
		t.Helper()
		r := o.Status(o.Get(path, o.Cookie), http.StatusOK)
		doc := o.Parse(r.Text)
		if !strings.HasPrefix(doc.Tags("title")[0].Text(), "Sample: ") ||
			!strings.HasPrefix(doc.Tags("h1")[0].Text(), "Sample: ") ||
			!strings.Contains(doc.Class("ribbon")[0].Text(), "Sample data.") {
			t.Errorf("%s does not say that it is a sample", path)
		}
		if !strings.Contains(r.Text, `href="/plans"`) || strings.Contains(r.Text, `id="live"`) ||
			strings.Contains(r.Text, "format=csv") {
			t.Errorf("%s lacks the link to the plans, or has something that a sample does not have", path)
		}
		return doc.Text(), doc.ID("stats").Text()
	}
	o.SetPlan(vitrine.PlanFree)
	l := o.Links[report.ContentPages]
	o.OpenNow(l, 7)
	_, before := check(webtest.StatsPath(l) + "?range=90d")
	_, all := check("/analytics?range=90d")
	o.ReadBy(l, 99)
	if _, now := check(webtest.StatsPath(l) + "?range=90d"); now != before {
		t.Error("real views change the sample of a link")
	}
	page, now := check("/analytics?range=90d")
	if now != all {
		t.Error("real views change the sample of an account")
	}
	if strings.Contains(page, l.Title) {
		t.Error("the account's sample contains a real link")
	}
	for _, path := range []string{webtest.StatsPath(l), "/analytics"} {
		o.Status(o.Get(path+"/pulse", o.Cookie), http.StatusForbidden)
		o.Status(o.Get(path+"?format=csv&card=series", o.Cookie), http.StatusForbidden)
	}
	o.Status(o.Get("/links/nothing-here/analytics", o.Cookie), http.StatusNotFound)
	for kind, l := range o.Links {
		for _, rg := range []string{"7d", "14d", "30d", "all"} {
			if _, numbers := check(webtest.StatsPath(l) + "?range=" + rg); !strings.Contains(numbers, "Top source") {
				t.Errorf("the sample of %s has no numbers", kind)
			}
		}
	}
}

// TestStatsPulse checks that the pulse changes when a number does, and only
// then, and that requesting it counts no view.
func TestStatsPulse(t *testing.T) {
	o := webtest.NewReportSite(t)
	l, other := o.Links[report.ContentScroll], o.Links[report.ContentNone]
	ask := func(path, tag string, want int) string {
		t.Helper()
		return o.Status(o.Get(path, o.Cookie, "If-None-Match: "+tag), want).Header.Get("ETag")
	}
	own, all := webtest.StatsPath(l)+"/pulse?range=all", "/analytics/pulse?range=all"
	first, firstAll := ask(own, "", http.StatusOK), ask(all, "", http.StatusOK)
	page := o.Parse(o.Get(webtest.StatsPath(l)+"?range=all", o.Cookie).Text)
	webtest.Same(t, "the page's version", `"`+page.ID("stats").Attribute("data-version")+`"`, first)
	webtest.Same(t, "the page's pulse", page.ID("live").Attribute("data-pulse"), own)
	ask(own, first, http.StatusNotModified)
	ask(all, firstAll, http.StatusNotModified)
	before := o.Counts(l)
	o.OpenNow(other, 4711)
	ask(own, first, http.StatusNotModified)
	if second := ask(all, firstAll, http.StatusOK); second == firstAll {
		t.Error("the account's pulse did not change after a view")
	}
	webtest.Same(t, "views", o.Counts(l), before)
	o.OpenNow(l, 4711)
	ask(own, first, http.StatusOK)
	webtest.Same(t, "views of the page as it is now", o.Parse(o.Status(o.Get(page.ID("live").Attribute("data-now"),
		o.Cookie), http.StatusOK).Text).ID("card-views").Class("value")[0].Text(),
		humanize.Comma(before.Views+1))

	// An open page does not extend the session.
	o.Ahead.Add(int64(vitrine.SessionLife - time.Hour))
	o.Status(o.Get(own, o.Cookie), http.StatusOK)
	o.Status(o.Get(page.ID("live").Attribute("data-now"), o.Cookie), http.StatusOK)
	o.Ahead.Add(int64(2 * time.Hour))
	o.Status(o.Get(own, o.Cookie), http.StatusUnauthorized)
	o.Status(o.Get(page.ID("live").Attribute("data-now"), o.Cookie), http.StatusUnauthorized)
}

// TestStatsPlace checks that in the navigation a link's report belongs to the
// links and names the link, and that the account's report has its own entry.
func TestStatsPlace(t *testing.T) {
	o := webtest.NewReportSite(t)
	l := o.Links[report.ContentPages]
	here := func(page webtest.Document) string {
		for _, a := range page.Tags("a") {
			if a.Attribute("aria-current") == "page" {
				return a.Attribute("href")
			}
		}
		return ""
	}
	page := o.Parse(o.Status(o.Get(webtest.StatsPath(l), o.Cookie), http.StatusOK).Text)
	webtest.Same(t, "the place", here(page), "/links")
	webtest.Same(t, "the way", page.Class("crumb")[0].Text(), "Links")
	page = o.Parse(o.Status(o.Get("/analytics", o.Cookie), http.StatusOK).Text)
	webtest.Same(t, "the place", here(page), "/analytics")

	// The counts of links and views are right, in the singular, too.
	d := webtest.NewDesk(t)
	one := d.Publish("notes.txt", webtest.Samples["notes.txt"])
	d.OpenNow(one, 1)
	in := d.SignIn(d.Member)
	if got := d.Parse(d.Get("/analytics", in).Text).ID("about").Text(); !strings.Contains(got,
		"1 link · 1 view and 0 downloads in total") {
		t.Errorf("summary = %q", got)
	}
}
