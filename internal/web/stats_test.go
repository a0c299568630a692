package web_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/web/ui"
	"vitrine/report"

	"github.com/dustin/go-humanize"
)

// api requests from the API what a page shows.
func (o *reportSite) api(path string, into any) {
	o.t.Helper()
	r := o.status(o.get("/api/v1"+path, "Authorization: Bearer "+o.key), http.StatusOK)
	o.check(json.Unmarshal([]byte(r.body), into))
}

// same reports a difference between a page and the API.
func same[T comparable](t testing.TB, what string, page, api T) {
	t.Helper()
	if page != api {
		t.Errorf("%s: page = %v, API = %v", what, page, api)
	}
}

// TestStatsAreTheAPIs checks that each number on the page of a link, and in its
// files, equals the API's for the same link and days.
func TestStatsAreTheAPIs(t *testing.T) {
	o := newReportSite(t)
	for kind, l := range o.links {
		for _, rg := range []string{"7d", "90d", "all"} {
			var want report.LinkReport
			query := "?range=" + rg
			o.api(statsPath(l)+query+"&limit=100", &want)
			want.Younger = l.CreatedAt.After(want.Range.From.AddDate(0, 0, -want.Range.Days))
			page := o.parse(o.status(o.get(statsPath(l)+query, o.cookie), http.StatusOK).body)
			t.Run(string(kind)+" "+rg, func(t *testing.T) {
				sameSummary(t, page, &want.Summary)
				sameContent(t, page, &want.Content)
				recent := page.class("visits")
				if len(recent) != 1 {
					t.Fatalf("%d tables of recent views, want 1", len(recent))
				}
				rows, visits := recent[0].tags("tbody")[0].tags("tr"), o.countedVisits(l, query, 25)
				same(t, "recent visits", len(rows), len(visits))
				for i, row := range rows[:min(len(rows), len(visits))] {
					same(t, "visit", row.tags("a")[0].attr("href"), statsPath(l)+"/visits/"+visits[i].ID)
					same(t, "progress", row.class("progress")[0].text(), ui.Capital(visits[i].Progress))
					same(t, "barely looked at", strings.Contains(row.text(), "Barely looked at"), visits[i].Atypical)
				}
				o.sameFiles(t, statsPath(l)+query, &want.Summary)
			})
		}
	}
}

// countedVisits returns the newest n visits of a link that count, by the API.
func (o *reportSite) countedVisits(l *vitrine.Link, query string, n int) []report.VisitRow {
	var all struct{ Visits []report.VisitRow }
	o.api("/links/"+string(l.Slug)+"/visits"+query+"&limit=100", &all)
	counted := slices.DeleteFunc(all.Visits, func(v report.VisitRow) bool { return v.Excluded != "" })
	return counted[:min(n, len(counted))]
}

func TestAccountStatsAreTheAPIs(t *testing.T) {
	o := newReportSite(t)
	for _, rg := range []string{"7d", "90d", "all"} {
		var want report.AccountReport
		o.api("/analytics?range="+rg+"&limit=100", &want)
		want.Younger = true
		for _, l := range o.links {
			want.Younger = want.Younger && l.CreatedAt.After(want.Range.From.AddDate(0, 0, -want.Range.Days))
		}
		page := o.parse(o.status(o.get("/analytics?range="+rg, o.cookie), http.StatusOK).body)
		sameSummary(t, page, &want.Summary)
		rows := page.class("top-links")[0].tags("tbody")[0].tags("tr")
		same(t, "links", len(rows), len(want.TopLinks))
		for i, row := range rows[:min(len(rows), len(want.TopLinks))] {
			top := want.TopLinks[i]
			same(t, "link", row.tags("a")[0].attr("href"), "/links/"+top.Slug+"/analytics")
			same(t, "views", row.tags("td")[0].text(), humanize.Comma(top.Views))
			same(t, "uniques", row.tags("td")[1].text(), humanize.Comma(top.Uniques))
		}
		kinds := page.id("by-mix").tags("tbody")[0].tags("tr")
		same(t, "kinds", len(kinds), len(want.Mix))
		for i, row := range kinds {
			same(t, "kind", row.tags("td")[0].text()+" "+row.tags("td")[1].text(),
				humanize.Comma(want.Mix[i].Count)+" "+want.Mix[i].Pct.Fixed()+"%")
		}
		if all := fmt.Sprintf("4 links · %s views and %s downloads in total", humanize.Comma(want.AllTime.Views),
			humanize.Comma(want.AllTime.Downloads)); !strings.Contains(page.text(), all) {
			t.Errorf("the page lacks %q", all)
		}
		o.sameFiles(t, "/analytics?range="+rg, &want.Summary)
	}
}

func sameSummary(t *testing.T, page document, want *report.Summary) {
	t.Helper()
	value := func(card string) string { return page.id("card-" + card).class("value")[0].text() }
	same(t, "views", value("views"), humanize.Comma(want.Totals.Views))
	same(t, "uniques", value("uniques"), humanize.Comma(want.Totals.Uniques))
	note := func(card string) string {
		notes := page.id("card-" + card).class("note")
		return notes[len(notes)-1].text()
	}
	if want.Range.Key == report.RangeAll { // no number is there twice
		same(t, "the begin of all", note("downloads"), "since "+want.Range.From.Format("2 Jan 2006"))
		same(t, "the begin of all views", note("views"), note("downloads"))
	} else {
		same(t, "all-time downloads", note("downloads"), humanize.Comma(want.Totals.Downloads)+" all-time")
	}
	for _, tile := range page.class("value") {
		notes := tile.Parent
		same(t, "lines of notes", len(document{notes}.class("note")) > 0 &&
			document{notes}.class("note")[len(document{notes}.class("note"))-1].text() != "", true)
	}
	same(t, "all-time downloads over all time", want.Range.Key != report.RangeAll ||
		value("downloads") == humanize.Comma(want.Totals.Downloads), true)
	deltas := page.id("card-downloads").class("delta")
	same(t, "no changes beside few views or for a young link", len(deltas) == 0,
		want.Range.Key == report.RangeAll || want.Younger || want.Previous.Views < 30)
	if pct := want.Deltas.Downloads.Pct; len(deltas) > 0 && pct != nil {
		now, _ := strconv.ParseInt(strings.ReplaceAll(value("downloads"), ",", ""), 10, 64)
		change := page.id("card-downloads").class("heard")[0].text()
		var was int64
		if _, after, ok := strings.Cut(change, "from "); ok {
			was, _ = strconv.ParseInt(strings.ReplaceAll(strings.Fields(after)[0], ",", ""), 10, 64)
			same(t, "the change of downloads", math.Round(100*float64(now-was)/float64(was)), float64(*pct))
		}
	}
	same(t, "QR scans", value("qr"), humanize.Comma(want.Totals.QRScans))
	same(t, "bounces", value("bounce"), want.Totals.BouncePct.String()+"%")
	same(t, "returning", value("returning"), want.Totals.ReturningPct.String()+"%")
	completion := "–"
	if want.Totals.CompletionPct != nil {
		completion = want.Totals.CompletionPct.String() + "%"
	}
	same(t, "completion", value("completion"), completion)
	excluded, rest := "No views excluded", ""
	if n := want.Totals.BotsExcluded; n > 0 {
		excluded = fmt.Sprintf("%d bot view", n)
	}
	if n := want.Totals.Views - want.Totals.Sessions; n > 0 { // the rest of the views have a session
		rest = fmt.Sprintf(" · %d of %d views not in averages", n, want.Totals.Views)
	}
	if summary := page.id("ledger").tags("summary")[0].text(); !strings.HasPrefix(summary, excluded) ||
		!strings.HasSuffix(summary, rest) || strings.Contains(summary, "· 0 ") {
		t.Errorf("summary of the excluded views = %q for %+v", summary, want.Totals)
	}
	var left int64
	for _, row := range page.id("ledger").tags("tr") {
		if cells := row.tags("td"); len(cells) > 0 {
			n, _ := strconv.ParseInt(cells[1].text(), 10, 64)
			left += n
		}
	}
	same(t, "the ledger's sum", left, want.Totals.BotsExcluded+want.Totals.OwnExcluded)
	rows := page.id("series").tags("tbody")[0].tags("tr")
	same(t, "points", len(rows), len(want.Series))
	for i, row := range rows {
		data := row.tags("data")
		same(t, "date", row.tags("time")[0].attr("datetime"), want.Series[i].Date.Time().Format("2006-01-02"))
		same(t, "views of a point", data[0].attr("value"), fmt.Sprint(want.Series[i].Views))
		same(t, "uniques of a point", data[1].attr("value"), fmt.Sprint(want.Series[i].Uniques))
	}
	b := &want.Breakdowns
	for id, buckets := range map[string][]report.Bucket{"countries": b.Countries, "cities": b.Cities,
		"sources": b.Sources, "referrers": b.Referrers, "devices": b.Devices,
		"browsers": b.Browsers, "os": b.OS, "screens": b.Screens} {
		var rows []document
		for _, body := range page.id("by-" + id).tags("tbody") {
			rows = body.tags("tr")
		}
		same(t, id, len(rows), len(buckets))
		for i, row := range rows {
			same(t, id, row.tags("td")[0].text()+" "+row.tags("td")[1].text(),
				humanize.Comma(buckets[i].Count)+" "+buckets[i].Pct.Fixed()+"%")
		}
	}
	for i, row := range page.class("heat")[0].tags("tbody")[0].tags("tr") {
		day := (i + 1) % 7
		for hour, cell := range row.tags("td")[:24] {
			same(t, "hour", cell.text(), humanize.Comma(want.Timing.Heat[day][hour]))
		}
	}
	same(t, "insights", len(page.class("tips")) == 1,
		slices.ContainsFunc(want.Insights, func(i report.Insight) bool { return i.ID == "top_source" }))
}

func sameContent(t *testing.T, page document, want *report.Content) {
	t.Helper()
	var marks []report.Mark
	switch {
	case want.Pages != nil:
		rows := page.id("pages").tags("tbody")[0].tags("tr")
		same(t, "pages", len(rows), len(want.Pages.Pages))
		drop := want.Pages.Dropoff
		for i, row := range rows {
			p := want.Pages.Pages[i]
			want := p.ReachPct.Fixed() + "%"
			if after := drop.AfterPage; after != nil && *after == p.Page {
				want += " " + drop.LostPct.String() + "% stopped here"
			}
			same(t, "reach", row.tags("td")[0].text(), want)
			same(t, "seen", strings.HasSuffix(row.text(), " "+humanize.Comma(p.Views)), true)
		}
		return
	case want.Media != nil:
		marks = append([]report.Mark{{ReachPct: want.Media.PlayedPct}}, want.Media.Quartiles...)
	case want.Scroll != nil:
		marks = append([]report.Mark{{ReachPct: 1000}}, want.Scroll.Depths...)
	default:
		same(t, "content", len(page.all(func(e document) bool { return e.attr("id") == "content-title" })), 0)
		return
	}
	section := page.all(func(e document) bool { return e.attr("aria-labelledby") == "content-title" })[0]
	rows := section.tags("tbody")[0].tags("tr")
	same(t, "marks", len(rows), len(marks))
	for i, row := range rows {
		same(t, "reach", row.tags("td")[0].text(), marks[i].ReachPct.Fixed()+"%")
	}
}

// file returns the CSV file of a card.
func (o *reportSite) file(t *testing.T, path, card string) [][]string {
	t.Helper()
	r := o.status(o.get(path+"&format=csv&card="+card, o.cookie), http.StatusOK)
	if got := r.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/csv") {
		t.Errorf("%s: Content-Type = %s", card, got)
	}
	if got := r.Header.Get("Content-Disposition"); !strings.HasPrefix(got, "attachment; filename=") ||
		!strings.Contains(got, card) {
		t.Errorf("%s: Content-Disposition = %q", card, got)
	}
	if !strings.HasSuffix(r.body, "\r\n") {
		t.Errorf("%s does not end with CRLF", card)
	}
	rows, err := csv.NewReader(strings.NewReader(r.body)).ReadAll()
	o.check(err)
	return rows
}

func (o *reportSite) sameFiles(t *testing.T, path string, want *report.Summary) {
	t.Helper()
	series := o.file(t, path, "series")[1:]
	same(t, "series", len(series), len(want.Series))
	for i, row := range series {
		p := want.Series[i]
		same(t, "point", strings.Join(row[:3], " "), fmt.Sprintf("%s %d %d", p.Date.Time().Format("2006-01-02"),
			p.Views, p.Uniques))
		if row[3] != "" || p.AvgEngagedS != 0 { // empty: no session
			same(t, "time", row[3], fmt.Sprint(p.AvgEngagedS))
		}
	}
	same(t, "totals", o.file(t, path, "totals")[1][2], fmt.Sprint(want.Totals.Views))
	same(t, "hours", len(o.file(t, path, "timing")), 1+7*24)
	countries := o.file(t, path, "countries")[1:]
	for i, b := range want.Breakdowns.Countries {
		same(t, "country", strings.Join(countries[i], " "), fmt.Sprintf("%s %d %s", b.Key, b.Count, b.Pct))
	}
}

// TestStatsFilesAreHarmless checks that spreadsheets take no cell of a file for
// a formula.
func TestStatsFilesAreHarmless(t *testing.T) {
	o := newReportSite(t)
	tame := 0
	check := func(path string, cards ...string) {
		for _, card := range cards {
			for _, row := range o.file(t, path, card) {
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
	for kind, l := range o.links {
		cards := append([]string{"recent"}, common...)
		if kind != report.ContentNone {
			cards = append(cards, "content")
		}
		check(statsPath(l)+"?range=all", cards...)
	}
	check("/analytics?range=all", append([]string{"top_links", "mix"}, common...)...)
	if tame < 4 {
		t.Errorf("%d cells were escaped, want at least 4, or the test checks nothing", tame)
	}
	l := o.links[report.ContentNone]
	for _, path := range []string{statsPath(l) + "?format=csv&card=content", statsPath(l) + "?format=csv&card=nothing",
		statsPath(l) + "?format=xls&card=series", statsPath(l) + "?card=series",
		statsPath(l) + "?format=csv&card=top_links", "/analytics?format=csv&card=recent"} {
		o.status(o.get(path, o.cookie), http.StatusNotFound)
	}
}

// TestStatsOfOthers checks that another account's link gets the answer of an
// unknown one, and that visitors are redirected to the sign-in.
func TestStatsOfOthers(t *testing.T) {
	o := newReportSite(t)
	l := o.links[report.ContentPages]
	other := o.signIn(o.member)
	text := func(r reply) string {
		return strings.NewReplacer(r.Header.Get("X-Request-Id"), "", string(l.Slug), "SLUG", "nothing-here",
			"SLUG").Replace(o.parse(r.body).text())
	}
	foreign, unknown := o.status(o.get(statsPath(l), other), http.StatusNotFound),
		o.status(o.get("/links/nothing-here/analytics", other), http.StatusNotFound)
	same(t, "a foreign link", text(foreign), text(unknown))
	o.status(o.get(statsPath(l)+"/pulse", other), http.StatusNotFound)
	o.status(o.get(statsPath(l)+"?format=csv&card=series", other), http.StatusNotFound)
	for _, path := range []string{statsPath(l), "/analytics"} {
		r := o.status(o.get(path+"?range=7d"), http.StatusSeeOther)
		same(t, "the way in", r.Header.Get("Location"),
			"/sign-in?next="+strings.NewReplacer("/", "%2F", "?", "%3F", "=", "%3D").Replace(path+"?range=7d"))
		o.status(o.get(path+"/pulse"), http.StatusUnauthorized)
		o.status(o.get(path+"?range=8d", o.cookie), http.StatusBadRequest)
	}
}

// TestStatsSample checks that an account whose plan has no analytics sees a
// sample that is marked as one and does not depend on its links' views.
func TestStatsSample(t *testing.T) {
	o := newReportSite(t)
	check := func(path string) (page, numbers string) {
		t.Helper()
		r := o.status(o.get(path, o.cookie), http.StatusOK)
		doc := o.parse(r.body)
		if !strings.HasPrefix(doc.tags("title")[0].text(), "Sample: ") ||
			!strings.HasPrefix(doc.tags("h1")[0].text(), "Sample: ") ||
			!strings.Contains(doc.class("ribbon")[0].text(), "Sample data.") {
			t.Errorf("%s does not say that it is a sample", path)
		}
		if !strings.Contains(r.body, `href="/plans"`) || strings.Contains(r.body, `id="live"`) ||
			strings.Contains(r.body, "format=csv") {
			t.Errorf("%s lacks the link to the plans, or has something that a sample does not have", path)
		}
		return doc.text(), doc.id("stats").text()
	}
	o.setPlan(vitrine.PlanFree)
	l := o.links[report.ContentPages]
	o.openNow(l, 7)
	_, before := check(statsPath(l) + "?range=90d")
	_, all := check("/analytics?range=90d")
	o.readBy(l, 99)
	if _, now := check(statsPath(l) + "?range=90d"); now != before {
		t.Error("real views change the sample of a link")
	}
	page, now := check("/analytics?range=90d")
	if now != all {
		t.Error("real views change the sample of an account")
	}
	if strings.Contains(page, l.Title) {
		t.Error("the account's sample contains a real link")
	}
	for _, path := range []string{statsPath(l), "/analytics"} {
		o.status(o.get(path+"/pulse", o.cookie), http.StatusForbidden)
		o.status(o.get(path+"?format=csv&card=series", o.cookie), http.StatusForbidden)
	}
	o.status(o.get("/links/nothing-here/analytics", o.cookie), http.StatusNotFound)
	for kind, l := range o.links {
		for _, rg := range []string{"7d", "14d", "30d", "all"} {
			if _, numbers := check(statsPath(l) + "?range=" + rg); !strings.Contains(numbers, "Top source") {
				t.Errorf("the sample of %s has no numbers", kind)
			}
		}
	}
}

func (o *reportSite) setPlan(p vitrine.Plan) {
	o.t.Helper()
	_, err := o.server.Accounts.SetPlan(o.t.Context(), o.account.Email, p, nil, vitrine.Decision{By: vitrine.Operator})
	o.check(err)
}

// TestStatsPulse checks that the pulse changes when a number does, and only
// then, and that requesting it counts no view.
func TestStatsPulse(t *testing.T) {
	o := newReportSite(t)
	l, other := o.links[report.ContentScroll], o.links[report.ContentNone]
	ask := func(path, tag string, want int) string {
		t.Helper()
		return o.status(o.get(path, o.cookie, "If-None-Match: "+tag), want).Header.Get("ETag")
	}
	own, all := statsPath(l)+"/pulse?range=all", "/analytics/pulse?range=all"
	first, firstAll := ask(own, "", http.StatusOK), ask(all, "", http.StatusOK)
	page := o.parse(o.get(statsPath(l)+"?range=all", o.cookie).body)
	same(t, "the page's version", `"`+page.id("stats").attr("data-version")+`"`, first)
	same(t, "the page's pulse", page.id("live").attr("data-pulse"), own)
	ask(own, first, http.StatusNotModified)
	ask(all, firstAll, http.StatusNotModified)
	before := o.counts(l)
	o.openNow(other, 4711)
	ask(own, first, http.StatusNotModified)
	if second := ask(all, firstAll, http.StatusOK); second == firstAll {
		t.Error("the account's pulse did not change after a view")
	}
	same(t, "views", o.counts(l), before)
	o.openNow(l, 4711)
	ask(own, first, http.StatusOK)
	same(t, "views of the page as it is now", o.parse(o.status(o.get(page.id("live").attr("data-now"), o.cookie),
		http.StatusOK).body).id("card-views").class("value")[0].text(),
		humanize.Comma(before.Views+1))

	// An open page does not extend the session.
	o.ahead.Add(int64(vitrine.SessionLife - time.Hour))
	o.status(o.get(own, o.cookie), http.StatusOK)
	o.status(o.get(page.id("live").attr("data-now"), o.cookie), http.StatusOK)
	o.ahead.Add(int64(2 * time.Hour))
	o.status(o.get(own, o.cookie), http.StatusUnauthorized)
	o.status(o.get(page.id("live").attr("data-now"), o.cookie), http.StatusUnauthorized)
}

// TestStatsPlace checks that in the navigation a link's report belongs to the
// links and names the link, and that the account's report has its own entry.
func TestStatsPlace(t *testing.T) {
	o := newReportSite(t)
	l := o.links[report.ContentPages]
	here := func(page document) string {
		for _, a := range page.tags("a") {
			if a.attr("aria-current") == "page" {
				return a.attr("href")
			}
		}
		return ""
	}
	page := o.parse(o.status(o.get(statsPath(l), o.cookie), http.StatusOK).body)
	same(t, "the place", here(page), "/links")
	same(t, "the way", page.class("crumb")[0].text(), "Links")
	page = o.parse(o.status(o.get("/analytics", o.cookie), http.StatusOK).body)
	same(t, "the place", here(page), "/analytics")

	// The counts of links and views are right, in the singular, too.
	d := newDesk(t)
	one := d.publish("notes.txt", samples["notes.txt"])
	d.openNow(one, 1)
	in := d.signIn(d.member)
	if got := d.parse(d.get("/analytics", in).body).id("about").text(); !strings.Contains(got,
		"1 link · 1 view and 0 downloads in total") {
		t.Errorf("summary = %q", got)
	}
}

// importedModule matches an import of another module.
var importedModule = regexp.MustCompile(`\bimport\b[^;"]*"(\.{1,2}/[^"]+)"`)
