package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/web/api"
	"vitrine/report"
)

// operation is a GET operation of the API, as its document describes it.
type operation struct {
	path       string // of a link that exists
	parameters []string
}

// operations lists the GET operations of the OpenAPI document with a key.
func (o *reportSite) operations() (all map[string]operation) {
	o.t.Helper()
	type parameter struct {
		Ref      string `json:"$ref"`
		Name, In string
	}
	var d struct {
		Paths map[string]map[string]struct {
			Parameters []parameter
			Security   []any
		}
		Components struct{ Parameters map[string]parameter }
	}
	o.check(json.Unmarshal(api.OpenAPI, &d))
	slug := string(o.links[report.ContentPages].Slug)
	visit := o.ask("/links/" + slug + "/visits?limit=1").json()["visits"].([]any)[0].(map[string]any)["id"].(string)
	all = map[string]operation{}
	for path, methods := range d.Paths {
		get, ok := methods["get"]
		if !ok {
			continue
		}
		op := operation{path: strings.NewReplacer("{slug}", slug, "{visit}", visit).Replace(path)}
		for _, p := range get.Parameters {
			if p.Ref != "" {
				p = d.Components.Parameters[strings.TrimPrefix(p.Ref, "#/components/parameters/")]
			}
			if p.In == "query" {
				op.parameters = append(op.parameters, p.Name)
			}
		}
		all[path] = op
	}
	if len(all) < 12 {
		o.t.Fatalf("operations = %v", all)
	}
	return all
}

// asked sends a request to the API without redirects.
func (o *reportSite) asked(path string) (status int, code, field, message string) {
	o.t.Helper()
	r := o.get("/api/v1"+path, "Authorization: Bearer "+o.key)
	var refused struct{ Error, Code, Field string }
	if r.StatusCode >= 400 {
		o.check(json.Unmarshal([]byte(r.body), &refused))
	}
	return r.StatusCode, refused.Code, refused.Field, refused.Error
}

func (o *reportSite) refuses(path, code, field, word string) {
	o.t.Helper()
	status, gotCode, gotField, message := o.asked(path)
	if status != http.StatusBadRequest || gotCode != code || gotField != field || !strings.Contains(message, word) {
		o.t.Errorf("GET %s: %d %s, field %q, %q; want 400 %s, field %q, %q", path, status, gotCode, gotField, message,
			code, field, word)
	}
}

// TestQueryOfEachOperation checks each GET operation with parameters that are
// misspelt and with queries that cannot be read: whatever selects refuses them,
// and nothing else changes.
func TestQueryOfEachOperation(t *testing.T) {
	o := newReportSite(t)
	for path, op := range o.operations() {
		plain, _, _, _ := o.asked(op.path)
		if plain >= 400 {
			t.Fatalf("GET %s: %d", op.path, plain)
		}
		selects := slices.Contains(op.parameters, "filter")
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
				if status, _, _, _ := o.asked(op.path + "?" + query); status != plain {
					t.Errorf("GET %s?%s: %d, want %d", op.path, query, status, plain)
				}
				continue
			}
			if path == "/links/{slug}/visits" && strings.HasPrefix(query, "include") {
				want = [2]string{"include", "There is no parameter"}
			}
			o.refuses(op.path+"?"+query, "invalid_request", want[0], want[1])
		}
		for query, field := range map[string]string{"limit=5;": "limit", "q=%zz": "q", "cursor=%zz": "cursor", "a;b=1": "a;b",
			"%zz=1": "", "x=%": "x", "filter=country:is:DE;filter=os:is:iOS": "filter"} {
			if len(op.parameters) > 0 {
				o.refuses(op.path+"?"+query, "invalid_request", field, "cannot be read")
			} else if status, _, _, _ := o.asked(op.path + "?" + query); status != plain {
				t.Errorf("GET %s?%s: %d, want %d", op.path, query, status, plain)
			}
		}
		for _, name := range op.parameters { // each is known, and those that select only once
			value := map[string]string{"range": "7d", "from": "2026-01-02&to=2026-01-03", "to": "2026-01-03&from=2026-01-02",
				"granularity": "hour", "timezone": "UTC", "compare": "year", "filter": "country:is:DE", "limit": "5",
				"include": "utm", "version": "1", "engaged": "true", "format": "ndjson", "q": "report", "kind": "pdf",
				"status": "live", "views": "true"}[name]
			if name == "cursor" {
				value = o.ask(op.path + "?limit=1").json()["nextCursor"].(string)
			}
			if status, _, field, message := o.asked(op.path + "?" + name + "=" + value); status != http.StatusOK {
				t.Errorf("GET %s with %s: %d, field %q, %q", op.path, name, status, field, message)
			}
			twice := op.path + "?" + name + "=" + value + "&" + name + "=" + value
			switch status, code, field, _ := o.asked(twice); {
			case name == "filter" || name == "include" || path == "/links" && (name == "limit" || name == "views"),
				path == "/links/{slug}/visits" && name == "from":
			case status != http.StatusBadRequest || field != name && name != "from" && name != "to":
				t.Errorf("GET %s: %d %s, field %q", twice, status, code, field)
			}
		}
		if selects {
			o.refuses(op.path+"?filter=", "invalid_request", "filter", "country:is:DE")
		}
	}
}

// TestWrongCursors checks that a cursor that was cut, changed or made up is
// refused, in every list that has one.
func TestWrongCursors(t *testing.T) {
	o := newReportSite(t)
	cursors := map[string]string{}
	for path, op := range o.operations() {
		if slices.Contains(op.parameters, "cursor") {
			cursors[op.path] = o.ask(op.path + "?limit=1").json()["nextCursor"].(string)
		} else if strings.Contains(path, "cursor") {
			t.Fatal(path)
		}
	}
	if len(cursors) != 2 {
		t.Fatalf("lists with cursors: %v", cursors)
	}
	for path, right := range cursors {
		wrong := []string{"rubbish", "0", "-1", "a", "zzzzzzzzzzzz", "MQ", "MS4y", right + "A", right + "=", right + right, " " + right}
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
			o.refuses(path+"?cursor="+url.QueryEscape(cursor), "invalid_request", "cursor", "nextCursor")
		}
		o.ask(path + "?cursor=" + right)
	}
	for _, page := range []string{"/links/" + string(o.links[report.ContentPages].Slug) + "/analytics/visits?cursor=rubbish"} {
		o.status(o.get(page, o.cookie), http.StatusBadRequest)
	}
}

// TestLongSearch checks that a search that is too long is refused by everything
// that searches, and that the longest one is not.
func TestLongSearch(t *testing.T) {
	o := newReportSite(t)
	f := &fixture{site: o.site}
	agent := f.tools(o.key)
	for _, text := range []string{strings.Repeat("a", 300), strings.Repeat("ﷺ", 300), strings.Repeat("%", 300),
		strings.Repeat("a b ", 75)} {
		q := url.QueryEscape(text)
		o.ask("/links?q=" + q)
		o.status(o.get("/links?q="+q, o.cookie), http.StatusOK)
		agent.must("list_links", fields{"query": string([]rune(text)[:200])}) // what the tool takes
		for _, long := range []string{text + "é", strings.Repeat(text, 20)} {
			q := url.QueryEscape(long)
			o.refuses("/links?q="+q, "invalid_request", "q", "300 characters")
			for _, page := range []string{"/links?q=", "/people?q="} {
				if r := o.get(page+q, o.cookie); r.StatusCode != http.StatusBadRequest && r.StatusCode != http.StatusNotFound {
					t.Errorf("GET %s with %d bytes: %d", page, len(long), r.StatusCode)
				}
			}
			if _, failure := agent.use("list_links", fields{"query": long}); !strings.Contains(failure, " characters.") {
				t.Errorf("list_links with %d bytes: %q", len(long), failure)
			}
		}
	}
	o.status(o.get("/api/v1/links?q=%00%ff", "Authorization: Bearer "+o.key), http.StatusOK)
}

// TestHoursInDays checks that a report of hours has daily views of its links,
// which add up to the views of its hours, and its width in days, in any zone.
func TestHoursInDays(t *testing.T) {
	o := newReportSite(t)
	today := report.DayOf(o.server.Now().UnixMilli())
	for _, zone := range []string{"", "UTC", "Asia/Kolkata", "Pacific/Kiritimati", "America/St_Johns"} {
		dates := fmt.Sprintf("&from=%v&to=%v", today-3, today-1)
		for query, days := range map[string]int{"": 1, dates: 3} {
			query += "&timezone=" + url.QueryEscape(zone)
			for _, filter := range []string{"", "&filter=country:is:DE"} {
				path := "/analytics?granularity=hour" + query + filter
				r := o.ask(path).json()
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
