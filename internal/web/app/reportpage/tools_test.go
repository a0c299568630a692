package reportpage_test

import (
	"archive/zip"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine/internal/test/webtest"
	"vitrine/report"

	"github.com/dustin/go-humanize"
)

// TestReportTools checks the bar of a report: each choice of days and each
// comparison is the report of the API, each value to filter by has as many
// views as it says, and each file is there.
func TestReportTools(t *testing.T) {
	o := webtest.NewReportSite(t)
	today := o.Server.Now().UTC()
	day := func(t time.Time) string { return t.Format(time.DateOnly) }
	first := today.AddDate(0, 0, 1-today.Day())
	for _, root := range []string{webtest.StatsPath(o.Links[report.ContentPages]), "/analytics"} {
		path := root + "?range=90d&compare=year"
		page := o.Parse(o.Status(o.Get(path, o.Cookie), http.StatusOK).Text)
		want := map[string]string{"24 hours": "granularity=hour", "Today": "granularity=hour&from=" + day(today) + "&to=" + day(today),
			"Yesterday": "granularity=hour&from=" + day(today.AddDate(0, 0, -1)) + "&to=" + day(today.AddDate(0, 0, -1)),
			"7 days":    "range=7d", "14 days": "range=14d", "30 days": "range=30d", "90 days": "range=90d",
			"This month": "from=" + day(first) + "&to=" + day(today),
			"Last month": "from=" + day(first.AddDate(0, -1, 0)) + "&to=" + day(first.AddDate(0, 0, -1)),
			"This year":  "from=" + day(today)[:4] + "-01-01&to=" + day(today), "All time": "range=all"}
		for _, a := range page.ID("dates").Tags("nav")[0].Tags("a") {
			query, err := url.ParseQuery(want[a.Text()] + "&compare=year")
			o.Check(err)
			webtest.Same(t, a.Text(), a.Attribute("href"), root+"?"+query.Encode())
			got := o.Parse(o.Status(o.Get(a.Attribute("href"), o.Cookie), http.StatusOK).Text)
			webtest.Same(t, a.Text()+" is chosen", got.ID("dates").Class("tool-list")[0].Text() != "" &&
				strings.HasPrefix(got.Class("report-tools")[0].Text(), a.Text()), true)
			delete(want, a.Text())
		}
		if len(want) > 0 {
			t.Errorf("days without a choice: %v", want)
		}
		var compared []string
		for _, a := range page.ID("compare").Tags("nav")[0].Tags("a") {
			var is report.Summary
			o.API(a.Attribute("href"), &is)
			compared = append(compared, string(is.Range.Compare))
			if none := is.Range.Compare == report.CompareNone; none != (is.Deltas.Views.Pct == nil) && none {
				t.Errorf("%s: %+v", a.Text(), is.Deltas)
			}
		}
		webtest.Same(t, "comparisons", strings.Join(compared, ","), ",year,none")
		picked := 0
		for _, row := range page.ID("add-filter").Tags("li") {
			links := row.Tags("a")
			count := row.Tags("span")
			if len(links) != 2 {
				t.Fatalf("%q has %d links, want is and is not", row.Text(), len(links))
			}
			if picked++; picked%3 != 0 || count[0].Attribute("class") == "heard" {
				continue
			}
			got := o.Parse(o.Status(o.Get(links[0].Attribute("href"), o.Cookie), http.StatusOK).Text)
			webtest.Same(t, row.Text(), got.ID("card-views").Class("value")[0].Text(), count[0].Text())
			var is, not report.Summary
			o.API(links[0].Attribute("href"), &is)
			o.API(links[1].Attribute("href"), &not)
			webtest.Same(t, row.Text()+", is and is not", humanize.Comma(is.Totals.Views+not.Totals.Views),
				page.ID("card-views").Class("value")[0].Text())
		}
		if picked < 20 {
			t.Errorf("%d values to filter by", picked)
		}
		sameFiles(t, o, page.ID("export").Tags("a")[0].Attribute("href"), page)
		for _, a := range page.ID("export").Tags("a")[1:] {
			o.Status(o.Get(a.Attribute("href"), o.Cookie), http.StatusOK)
		}
		webtest.Same(t, "files of visits", len(page.ID("export").Tags("a"))-1, map[bool]int{true: 2}[root != "/analytics"])
		webtest.Same(t, "share", page.Class("report-tools")[0].Tags("a")[0].Attribute("href"), "#share-form")
	}
}

// sameFiles checks that the files in a ZIP file are those of the cards, and
// have the names of their titles.
func sameFiles(t *testing.T, o *webtest.ReportSite, address string, page webtest.Document) {
	t.Helper()
	r := o.Status(o.Get(address, o.Cookie), http.StatusOK)
	z, err := zip.NewReader(strings.NewReader(r.Text), int64(len(r.Text)))
	o.Check(err)
	texts := map[string]string{}
	for _, f := range z.File {
		body, err := f.Open()
		o.Check(err)
		text, err := io.ReadAll(body)
		o.Check(err)
		texts[f.Name] = string(text)
	}
	for _, name := range []string{"totals.csv", "series.csv"} {
		if texts[name] == "" {
			t.Errorf("the ZIP has no %s", name)
		}
	}
	named := 0
	for _, tile := range page.Class("tile") {
		files := tile.Class("csv")
		if len(files) != 1 || len(files[0].Tags("a")) != 1 || len(tile.Tags("h2")) == 0 {
			continue
		}
		r := o.Status(o.Get(files[0].Tags("a")[0].Attribute("href"), o.Cookie), http.StatusOK)
		title := strings.ReplaceAll(strings.ToLower(tile.Tags("h2")[0].Text()), " ", "-")
		text, any := texts[title+".csv"]
		if !any { // no title of its own
			continue
		}
		named++
		webtest.Same(t, title, r.Text, text)
		if is := r.Header.Get("Content-Disposition"); !strings.Contains(is, "-"+title+"-") {
			t.Errorf("%s: %s", title, is)
		}
	}
	if named < 8 {
		t.Errorf("%d files have the title of a card", named)
	}
}

// TestWrongDates checks that wrong dates keep the report, the filter and what
// was typed, and say what is wrong beside the field.
func TestWrongDates(t *testing.T) {
	o := webtest.NewReportSite(t)
	for query, field := range map[string]string{"from=2026-03-02&to=2026-03-01": "to", "from=1.3.2026&to=2026-03-01": "from",
		"from=2026-03-01&to=9999-01-01": "to", "from=2026-03-01": "to", "range=8d": "from",
		"from=2020-01-01&to=2020-03-01&granularity=hour": "to"} {
		for _, root := range []string{webtest.StatsPath(o.Links[report.ContentPages]), "/analytics"} {
			r := o.Status(o.Get(root+"?filter=device:is:Mobile&"+query, o.Cookie), http.StatusBadRequest)
			page := o.Parse(r.Text)
			webtest.Same(t, query+": cards", len(page.Class("cards")), 1)
			webtest.Same(t, query+": filters", len(page.Class("conditions")[0].Tags("li")), 2)
			dates := page.ID("dates")
			if strings.Contains(r.Text, `id="dates" popover`) || len(dates.Class("wrong")) != 1 {
				t.Errorf("%s: %d messages", query, len(dates.Class("wrong")))
				continue
			}
			for _, in := range dates.Tags("input") {
				if name := in.Attribute("name"); name == "from" || name == "to" {
					webtest.Same(t, query+": "+name+" is wrong", in.Attribute("aria-invalid") == "true", name == field)
				}
			}
		}
	}
}
