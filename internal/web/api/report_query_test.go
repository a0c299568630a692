package api_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/app/auth"
	"vitrine/internal/test/webtest"
	"vitrine/report"

	"github.com/getkin/kin-openapi/openapi3filter"
)

func init() {
	openapi3filter.RegisterBodyDecoder("application/x-ndjson", openapi3filter.FileBodyDecoder)
}

// TestFilteredReports checks that a report with a filter has the matching
// views: each bucket of a card equals the report filtered by it, and the
// negated filter has the rest.
func TestFilteredReports(t *testing.T) {
	o := webtest.NewReportSite(t)
	for _, path := range []string{"/analytics", "/links/" + string(o.Links[report.ContentPages].Slug) + "/analytics"} {
		all := o.Ask(path + "?range=all").JSON()
		views := all["totals"].(map[string]any)["views"].(float64)
		for card, dimension := range map[string]string{"countries": "country", "cities": "city", "sources": "source",
			"devices": "device", "os": "os", "referrers": "referrer"} {
			for _, b := range all["breakdowns"].(map[string]any)[card].([]any) {
				bucket := b.(map[string]any)
				of := func(word string) float64 {
					filter := dimension + ":" + word + ":" + bucket["key"].(string)
					r := o.Ask(path + "?range=all&filter=" + url.QueryEscape(filter)).JSON()
					webtest.Same(t, "the filter that "+path+" says it has", fmt.Sprint(r["filter"]),
						fmt.Sprint([]string{filter}))
					return r["totals"].(map[string]any)["views"].(float64)
				}
				webtest.Same(t, path+", views of "+fmt.Sprint(bucket), of("is"), bucket["count"].(float64))
				webtest.Same(t, path+", other views than of "+fmt.Sprint(bucket), of("is_not"),
					views-bucket["count"].(float64))
			}
		}
	}
	kinds := o.Ask("/analytics?range=all&filter=kind:is:pdf&filter=kind:is:video").JSON()
	webtest.Same(t, "links of two kinds", len(kinds["top_links"].([]any)), 2)
	slug := string(o.Links[report.ContentScroll].Slug)
	one, alone := o.Ask("/analytics?range=all&filter=link:is:"+slug).JSON(),
		o.Ask("/links/"+slug+"/analytics?range=all").JSON()
	for _, name := range []string{"series", "breakdowns", "timing", "previous"} {
		webtest.Same(t, name+" of an account with one link and of the link", fmt.Sprint(one[name]),
			fmt.Sprint(alone[name]))
	}
}

// TestReportValues checks that a condition with a value that views cannot have
// is an error that says how to write it, in the API and on the pages.
func TestReportValues(t *testing.T) {
	o := webtest.NewReportSite(t)
	root := "/links/" + string(o.Links[report.ContentScroll].Slug)
	for condition, want := range map[string]string{
		"country:is:Germany":      "Write DE for Germany.",
		"country:is_not:uk":       "Write GB for United Kingdom.",
		"country:is:Atlantis":     "such as DE for Germany.",
		"city:is:Berlin":          "such as Berlin, DE.",
		"source:is:linkedin":      `Write "LinkedIn".`,
		"device:is:phone":         "Desktop, Mobile, Tablet, TV, Other.",
		"screen:is:1920":          "1440-1919, 1920+.",
		"browser:is:chrome":       `Write "Chrome".`,
		"os:is:Mac OS":            `Write "macOS".`,
		"os:is:TempleOS":          "Reports name those that occur.",
		"kind:is:presentation":    "pdf, image, video,",
		"link:is:nope":            `There is no link "nope".`,
		"country:is:\u202eFrance": `No view has the country "\u202eFrance".`,
	} {
		query := "?range=all&filter=country:is:DE&filter=" + url.QueryEscape(condition)
		paths := []string{"/analytics" + query}
		if !strings.HasPrefix(condition, "kind:") && !strings.HasPrefix(condition, "link:") {
			paths = append(paths, root+"/analytics"+query, root+"/visits"+query)
		}
		for _, path := range paths {
			r := o.Status(o.Get("/api/v1"+path, "Authorization: Bearer "+o.Key), http.StatusBadRequest)
			var refused struct{ Error, Code, Field string }
			o.Check(json.Unmarshal([]byte(r.Text), &refused))
			if refused.Code != "invalid_request" || refused.Field != "filter" || !strings.Contains(refused.Error,
				want) {
				t.Errorf("%s: %+v, want %q", path, refused, want)
			}
		}
		o.Status(o.Get("/analytics"+query, o.Cookie), http.StatusBadRequest)
	}
	for _, condition := range []string{"country:is:AQ", "city:is:Lyon, FR", "browser:is:Lynx", "device:is:TV",
		"screen:is:1920+", "source:is:our newsletter", "os:is_not:Haiku", "country:is:", "campaign:is:none yet"} {
		o.Ask("/analytics?filter=" + url.QueryEscape(condition))
	}
}

// TestReportValuesThatOccur checks that a value which only an imported view has
// selects it at any time.
func TestReportValuesThatOccur(t *testing.T) {
	o := webtest.NewReportSite(t)
	l := o.Links[report.ContentScroll]
	at := o.Server.Now().AddDate(0, 0, -40).UnixMilli()
	_, err := o.Log.Append(t.Context(), vitrine.Batch{Views: []vitrine.ViewRecord{{Account: l.Account,
		View: report.View{
			ID: int64(vitrine.ViewIDAt(at, 900)), At: at, Link: int64(l.ID), Viewer: 9000, Country: "Germany",
			Device: "phone", City: "Berlin", Source: "linkedin", Browser: "chrome", OS: "mac os"}}}})
	o.Check(err)
	for _, condition := range []string{"country:is:Germany", "device:is:phone", "city:is:Berlin, Germany",
		"source:is:linkedin", "browser:is:chrome", "os:is:mac os"} {
		for _, path := range []string{"/analytics", "/links/" + string(l.Slug) + "/analytics"} {
			for days, want := range map[string]float64{"90d": 1, "7d": 0} {
				r := o.Ask(path + "?range=" + days + "&filter=" + url.QueryEscape(condition)).JSON()
				webtest.Same(t, path+" "+days+" "+condition, r["totals"].(map[string]any)["views"].(float64), want)
			}
		}
	}
}

// TestReportParameters checks that each optional parameter changes only what it
// names.
func TestReportParameters(t *testing.T) {
	o := webtest.NewReportSite(t)
	path := "/links/" + string(o.Links[report.ContentMedia].Slug) + "/analytics"
	today := report.DayOf(o.Server.Now().UnixMilli())
	dates := fmt.Sprintf("?from=%v&to=%v", today-6, today)
	week, plain := o.Ask(path+dates).JSON(), o.Ask(path+"?range=7d").JSON()
	webtest.Same(t, "key", week["range"].(map[string]any)["key"], "custom")
	for name, value := range plain {
		if name != "range" {
			webtest.Same(t, name+" of seven days and of dates", fmt.Sprint(week[name]), fmt.Sprint(value))
		}
	}
	utc := o.Ask(path + "?range=7d&timezone=UTC").JSON()
	webtest.Same(t, "time zone", utc["range"].(map[string]any)["timezone"], "UTC")
	webtest.Same(t, "series in UTC", fmt.Sprint(utc["series"]), fmt.Sprint(plain["series"]))
	o.Ask(path + "?range=90d&timezone=Asia/Kolkata&compare=year&include=utm&include=curves&limit=100")
	// A zone whose clocks never change: 24 hours are 25 steps when clocks are
	// set back by half an hour.
	hours := o.Ask(path + "?granularity=hour&timezone=Asia/Kolkata").JSON()
	webtest.Same(t, "granularity", hours["granularity"], "hour")
	webtest.Same(t, "hours", len(hours["series"].([]any)), 24)
	for _, kind := range []report.ContentKind{report.ContentPages, report.ContentScroll, report.ContentNone} {
		o.Ask("/links/" + string(o.Links[kind].Slug) + "/analytics?range=all&include=curves")
	}
	curve := o.Ask(path + "?range=all&include=curves").JSON()["content"].(map[string]any)["media"].(map[string]any)
	for i, q := range curve["quartiles"].([]any) {
		mark := q.(map[string]any)
		webtest.Same(t, fmt.Sprintf("mark %d of the curve", i), curve["curve"].([]any)[int(mark["pct"].(float64))-1],
			mark["reachPct"])
	}
}

// TestVisits lists visits page by page, one by one and as an export, without
// anything that identifies a person.
func TestVisits(t *testing.T) {
	o := webtest.NewReportSite(t)
	l := o.Links[report.ContentPages]
	path := "/links/" + string(l.Slug) + "/visits"
	var ids, viewers []string
	for cursor := ""; ; {
		a := o.Ask(path + "?limit=50" + cursor)
		page := a.JSON()
		for _, v := range page["visits"].([]any) {
			ids, viewers = append(ids, v.(map[string]any)["id"].(string)),
				append(viewers, v.(map[string]any)["viewer"].(string))
		}
		next, more := page["nextCursor"].(string)
		if !more {
			break
		}
		cursor = "&cursor=" + next
	}
	var want []string
	of := map[string]uint64{}
	o.Check(o.Log.Views(t.Context(), l.ID, 0, 40_000, func(v *report.View) error {
		want = append([]string{fmt.Sprint(v.ID)}, want...)
		of[fmt.Sprint(v.ID)] = v.Viewer
		return nil
	}))
	webtest.Same(t, "visits", len(ids), len(want))
	webtest.Same(t, "visits twice", len(slices.Compact(slices.Sorted(slices.Values(ids)))), len(ids))
	names := map[uint64]string{}
	for i := range want {
		if name, known := names[of[want[i]]]; known && name != viewers[i] {
			t.Errorf("one viewer has the names %s and %s", name, viewers[i])
		}
		names[of[want[i]]] = viewers[i]
	}
	webtest.Same(t, "names of viewers", len(slices.Compact(slices.Sorted(slices.Values(viewers)))), len(names))
	one := o.Ask(path + "/" + ids[3]).JSON()
	webtest.Same(t, "viewer of one visit", one["viewer"].(string), viewers[3])
	for _, s := range one["sameViewer"].([]any) {
		i := slices.Index(ids, s.(map[string]any)["id"].(string))
		webtest.Same(t, "a visit of the same viewer", viewers[i], viewers[3])
	}
	lines := strings.Split(strings.TrimSpace(string(o.Ask(path+"?format=ndjson").Body)), "\n")
	webtest.Same(t, "lines of NDJSON", len(lines), len(ids))
	rows, err := csv.NewReader(strings.NewReader(string(o.Ask(path + "?format=csv").Body))).ReadAll()
	o.Check(err)
	webtest.Same(t, "rows of CSV", len(rows), len(ids)+1)
	for i, r := range rows[1:] {
		webtest.Same(t, "visit of a row", r[0], ids[i])
		for _, cell := range r {
			if strings.HasPrefix(cell, "=") || strings.HasPrefix(cell, "@") {
				t.Errorf("a spreadsheet would run the cell %s", cell)
			}
		}
	}
	engaged := o.Ask(path + "?engaged=true&limit=100&range=all&filter=country:is:DE").JSON()["visits"].([]any)
	for _, v := range engaged {
		webtest.Same(t, "country", v.(map[string]any)["country"], "DE")
		webtest.Same(t, "engaged", v.(map[string]any)["engaged"], true)
	}
	if len(engaged) == 0 {
		t.Error("no engaged visit from Germany")
	}
	other := o.Links[report.ContentScroll]
	if foreign := o.Ask("/links/" + string(other.Slug) +
		"/visits?limit=100").JSON()["visits"].([]any); slices.Contains(viewers,
		foreign[0].(map[string]any)["viewer"].(string)) {
		t.Error("a viewer has the same name on two links")
	}
}

// TestReportsByTheClient requests all report parameters with the Go client, and
// reads every visit.
func TestReportsByTheClient(t *testing.T) {
	o := webtest.NewReportSite(t)
	c, err := client.New(o.URL, o.Key)
	o.Check(err)
	slug := string(o.Links[report.ContentPages].Slug)
	today := report.DayOf(o.Server.Now().UnixMilli())
	q := client.ReportQuery{From: (today - 6).String(), To: today.String(), Hourly: true, Timezone: "Asia/Kolkata",
		Compare: "year", Filter: []string{"device:is:Desktop", "country:is_not:FR"}, Rows: 3,
		Include: []string{"utm", "curves", "excluded"}, Version: 1}
	path := fmt.Sprintf("?from=%v&to=%v&granularity=hour&timezone=Asia/Kolkata&compare=year&limit=3"+
		"&filter=device:is:Desktop&filter=country:is_not:FR&include=utm&include=curves&include=excluded", today-6,
		today)
	link, err := c.LinkAnalytics(t.Context(), slug, q)
	o.Check(err)
	sameJSON(t, "the report of a link", link, o.Ask("/links/"+slug+"/analytics"+path+"&version=1").Body)
	q.Version = 0
	account, err := c.Analytics(t.Context(), q)
	o.Check(err)
	sameJSON(t, "the report of the account", account, o.Ask("/analytics"+path).Body)
	for field, q := range map[string]client.ReportQuery{"range": {Range: "31d"},
		"from": {From: "1.1.2026", To: "2026-01-31"},
		"to":   {From: "2026-01-01"}, "timezone": {Timezone: "Berlin"}, "compare": {Compare: "month"},
		"filter": {Filter: []string{"country=DE"}}, "limit": {Rows: 1001}, "include": {Include: []string{"all"}},
		"version": {Version: -1}} {
		_, err := c.LinkAnalytics(t.Context(), slug, q)
		if e := new(client.Error); !errors.As(err, &e) || e.Status != 400 || e.Field != field {
			t.Errorf("wrong %s: %v, want an error of the field", field, err)
		}
	}
	n := 0
	for v, err := range c.Visits(t.Context(), slug, client.VisitQuery{Range: "all", Engaged: true}) {
		o.Check(err)
		if n++; n%100 == 1 {
			one, err := c.Visit(t.Context(), slug, v.ID)
			o.Check(err)
			sameJSON(t, "a visit", one, o.Ask("/links/"+slug+"/visits/"+v.ID).Body)
		}
	}
	lines := strings.Count(string(o.Ask("/links/"+slug+"/visits?range=all&engaged=true&format=ndjson").Body), "\n")
	if n != lines || n <= 100 {
		t.Errorf("%d visits, %d lines", n, lines)
	}
	for _, err := range c.Visits(t.Context(), "nope", client.VisitQuery{}) {
		if e := new(client.Error); !errors.As(err, &e) || e.Code != "not_found" {
			t.Errorf("visits of an unknown link: %v, want not_found", err)
		}
	}
}

// sameJSON compares a value with the JSON that it was read from: the value has
// each member, and nothing else.
func sameJSON(t *testing.T, what string, got any, want []byte) {
	t.Helper()
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	webtest.Same(t, what, canonical(t, b), canonical(t, want))
}

// canonical returns JSON with sorted members.
func canonical(t *testing.T, b []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestExcludedInTheAPI checks that a report has the excluded views on request,
// by reason and with the known programs.
func TestExcludedInTheAPI(t *testing.T) {
	s := webtest.NewSite(t)
	key, err := s.Server.Keys.CreateFor(t.Context(), s.Account.Email, auth.KeyRequest{Name: "test",
		Scope: vitrine.ScopeFull})
	s.Check(err)
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"])
	for agent, times := range map[string]int{"ChatGPT-User/1.0; +https://openai.com/bot": 3, "Claude-User/1.0": 2,
		"GPTBot/1.2": 1, webtest.Desktop: 1} {
		for range times {
			s.Status(s.Get("/p/"+string(l.Slug), "User-Agent: "+agent), 200)
		}
	}
	f := &webtest.Fixture{Site: s}
	for _, path := range []string{"/analytics", "/links/" + string(l.Slug) + "/analytics"} {
		r := f.Call(string(key.Text), "GET", path+"?include=excluded", nil).Want(200, "").JSON()
		webtest.Same(t, path, fmt.Sprint(r["excluded"]),
			"[map[count:5 pct:83.3 programs:[map[count:3 name:ChatGPT-User] "+
				"map[count:2 name:Claude-User]] reason:ai_assistant] map[count:1 pct:16.7 programs:[map[count:1 name:GPTBot]] "+
				"reason:ai_training]]")
		if plain := f.Call(string(key.Text), "GET", path, nil).JSON(); plain["excluded"] != nil {
			t.Errorf("%s has excluded views without a request for them", path)
		}
	}
}
