package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"
	"vitrine/internal/web/httpx"
	"vitrine/report"
)

// TestQueryOfEachOperation checks each GET operation with parameters that are
// misspelt and with queries that cannot be read: whatever selects refuses them,
// and nothing else changes.
func TestQueryOfEachOperation(t *testing.T) {
	o := webtest.NewReportSite(t)
	trashTwo(o)
	for path, op := range o.Operations() {
		plain, _, _, _ := o.Asked(op.Path)
		if plain >= 400 {
			t.Fatalf("GET %s: %d", op.Path, plain)
		}
		selects := slices.Contains(op.Parameters, "filter")
		for query, want := range map[string][2]string{
			"filters=country:is:DE": {"filters", `Use "filter".`},
			"Filter=country:is:DE":  {"Filter", `Use "filter".`},
			"filter%5B%5D=x":        {"filter[]", `Use "filter".`},
			"time_zone=UTC":         {"time_zone", `Use "timezone".`},
			"rnage=7d":              {"rnage", `Use "range".`},
			"country=DE":            {"country", "Use filter=country:is:VALUE."},
			"Country=DE":            {"Country", "Use filter=country:is:VALUE."},
			"anything=1":            {"anything", "range, from, to, "},
			"%00%ff=1":              {"\ufffd", "range, from, to, "},
			"=1":                    {"", "There is no parameter"},
			"include=utm&x":         {"x", "There is no parameter"},
		} {
			if !selects {
				if status, _, _, _ := o.Asked(op.Path + "?" + query); status != plain {
					t.Errorf("GET %s?%s: %d, want %d", op.Path, query, status, plain)
				}
				continue
			}
			if path == "/links/{slug}/visits" && strings.HasPrefix(query, "include") {
				want = [2]string{"include", "There is no parameter"}
			}
			o.Refuses(op.Path+"?"+query, "invalid_request", want[0], want[1])
		}
		for query, field := range map[string]string{"limit=5;": "limit", "q=%zz": "q", "cursor=%zz": "cursor",
			"a;b=1": "a;b", "%zz=1": "", "x=%": "x", "filter=country:is:DE;filter=os:is:iOS": "filter"} {
			if len(op.Parameters) > 0 {
				o.Refuses(op.Path+"?"+query, "invalid_request", field, "cannot be read")
			} else if status, _, _, _ := o.Asked(op.Path + "?" + query); status != plain {
				t.Errorf("GET %s?%s: %d, want %d", op.Path, query, status, plain)
			}
		}
		for _, name := range op.Parameters { // each is known, and those that select only once
			value := map[string]string{"range": "7d", "from": "2026-01-02&to=2026-01-03",
				"to":          "2026-01-03&from=2026-01-02",
				"granularity": "hour", "timezone": "UTC", "compare": "year", "filter": "country:is:DE", "limit": "5",
				"include": "utm", "version": "1", "engaged": "true", "format": "ndjson", "q": "report", "kind": "pdf", "label": "a",
				"status": "live", "views": "true", "type": "download",
				"link":    string(o.Links[report.ContentMedia].Slug),
				"explain": "/totals/views"}[name]
			if name == "cursor" && slices.Contains(op.Parameters, "explain") {
				continue // only with explain: see TestExplainedFigures
			}
			if name == "cursor" {
				value = o.Ask(op.Path + "?limit=1").JSON()["nextCursor"].(string)
			}
			if status, _, field, message := o.Asked(op.Path + "?" + name + "=" + value); status != http.StatusOK {
				t.Errorf("GET %s with %s: %d, field %q, %q", op.Path, name, status, field, message)
			}
			twice := op.Path + "?" + name + "=" + value + "&" + name + "=" + value
			switch status, code, field, _ := o.Asked(twice); {
			case name == "filter" || name == "include" || name == "type" || path == "/links" && (name == "limit" || name == "views"),
				path == "/links/{slug}/visits" && name == "from":
			case status != http.StatusBadRequest || field != name && name != "from" && name != "to":
				t.Errorf("GET %s: %d %s, field %q", twice, status, code, field)
			}
		}
		if selects {
			o.Refuses(op.Path+"?filter=", "invalid_request", "filter", "country:is:DE")
		}
	}
}

// trashTwo deletes two links, so that the trash has a next page.
func trashTwo(o *webtest.ReportSite) {
	o.T.Helper()
	for range 2 {
		l := o.Publish("notes.txt", []byte("a note"))
		o.Check(o.Server.Links.Delete(o.T.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Owner(l.Account)}))
	}
}

// TestWrongCursors checks that a cursor that was cut, changed or made up, or is
// that of another list, is refused in every list that has one. One of the
// events of another account is, too, and one that was never given.
func TestWrongCursors(t *testing.T) {
	o := webtest.NewReportSite(t)
	trashTwo(o)
	cursors := map[string]string{}
	for path, op := range o.Operations() {
		if slices.Contains(op.Parameters, "explain") {
			continue // see TestExplainedFigures
		}
		if slices.Contains(op.Parameters, "cursor") {
			cursors[op.Path] = o.Ask(op.Path + "?limit=1").JSON()["nextCursor"].(string)
		} else if strings.Contains(path, "cursor") {
			t.Fatal(path)
		}
	}
	if len(cursors) != 7 {
		t.Fatalf("lists with cursors: %v", cursors)
	}
	for path, right := range cursors {
		code := "invalid_request"
		wrong := []string{"rubbish", "0", "-1", "a", "zzzzzzzzzzzz", "MQ", "MS4y", right + "A", right + "=",
			right + right, " " + right}
		if path == "/events" {
			code = "bad_cursor"
			wrong = append(wrong, httpx.FormatEventCursor(o.Account.ID+1, 1), httpx.FormatEventCursor(o.Account.ID, 9999))
		}
		for _, other := range cursors {
			if other != right {
				wrong = append(wrong, other)
			}
		}
		for i := 1; i < len(right); i++ {
			wrong = append(wrong, right[:i], right[i:])
		}
		for i := range len(right) {
			for _, c := range []byte{'A', 'B', 'z', '0', '_'} {
				if c != right[i] {
					wrong = append(wrong, right[:i]+string(c)+right[i+1:])
				}
			}
		}
		for _, cursor := range wrong {
			o.Refuses(path+"?cursor="+url.QueryEscape(cursor), code, "cursor", "nextCursor")
		}
		o.Ask(path + "?cursor=" + right)
	}
	for _, page := range []string{"/links/" + string(o.Links[report.ContentPages].Slug) + "/analytics/visits?cursor=rubbish"} {
		o.Status(o.Get(page, o.Cookie), http.StatusBadRequest)
	}
}

// TestLongSearch checks that a search that is too long is refused by everything
// that searches, and that the longest one is not.
func TestLongSearch(t *testing.T) {
	o := webtest.NewReportSite(t)
	f := &webtest.Fixture{Site: o.Site}
	agent := f.Tools(o.Key)
	for _, text := range []string{strings.Repeat("a", 300), strings.Repeat("ﷺ", 300), strings.Repeat("%", 300),
		strings.Repeat("a b ", 75)} {
		q := url.QueryEscape(text)
		o.Ask("/links?q=" + q)
		o.Status(o.Get("/links?q="+q, o.Cookie), http.StatusOK)
		agent.Must("list_links", webtest.Fields{"query": string([]rune(text)[:200])}) // what the tool takes
		for _, long := range []string{text + "é", strings.Repeat(text, 20)} {
			q := url.QueryEscape(long)
			o.Refuses("/links?q="+q, "invalid_request", "q", "300 characters")
			for _, page := range []string{"/links?q=", "/people?q="} {
				if r := o.Get(page+q,
					o.Cookie); r.StatusCode != http.StatusBadRequest && r.StatusCode != http.StatusNotFound {
					t.Errorf("GET %s with %d bytes: %d", page, len(long), r.StatusCode)
				}
			}
			if _, failure := agent.Use("list_links", webtest.Fields{"query": long}); !strings.Contains(failure,
				" characters.") {
				t.Errorf("list_links with %d bytes: %q", len(long), failure)
			}
		}
	}
	o.Status(o.Get("/api/v1/links?q=%00%ff", "Authorization: Bearer "+o.Key), http.StatusOK)
}

// TestHoursInDays checks that a report of hours has daily views of its links,
// which add up to the views of its hours, and its width in days, in any zone.
func TestHoursInDays(t *testing.T) {
	o := webtest.NewReportSite(t)
	today := report.DayOf(o.Server.Now().UnixMilli())
	for _, zone := range []string{"", "UTC", "Asia/Kolkata", "Pacific/Kiritimati", "America/St_Johns"} {
		dates := fmt.Sprintf("&from=%v&to=%v", today-3, today-1)
		for query, days := range map[string]int{"": 1, dates: 3} {
			query += "&timezone=" + url.QueryEscape(zone)
			for _, filter := range []string{"", "&filter=country:is:DE"} {
				path := "/analytics?granularity=hour" + query + filter
				r := o.Ask(path).JSON()
				if got := r["range"].(map[string]any)["days"]; got != float64(days) {
					t.Errorf("%s: days = %v, want %d", path, got, days)
				}
				rows := r["top_links"].([]any)
				if len(rows) == 0 && filter == "" {
					t.Errorf("%s has no links", path)
				}
				for _, row := range rows {
					spark, sum := row.(map[string]any)["spark"].([]any), 0.0
					for _, n := range spark {
						sum += n.(float64)
					}
					if views := row.(map[string]any)["views"]; sum != views || len(spark) < days || len(spark) > days+1 {
						t.Errorf("%s: spark = %v, want %v views of about %d days", path, spark, views, days)
					}
				}
			}
		}
	}
}
