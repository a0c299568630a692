package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/links"
)

func TestListLinks(t *testing.T) {
	f := newFixture(t)
	key := f.account(vitrine.PlanPro)
	var want []string
	for range 7 {
		want = append([]string{f.published(key, noteFile, note)}, want...)
	}
	f.published(f.account(vitrine.PlanPro), noteFile, note) // another account's link
	var got []string
	for cursor := ""; ; {
		page := f.call(key, "GET", "/links?limit=3&cursor="+cursor, nil).want(200, "").json()
		for _, l := range page["links"].([]any) {
			got = append(got, l.(map[string]any)["slug"].(string))
		}
		next, ok := page["nextCursor"].(string)
		if !ok {
			break
		}
		cursor = next
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("slugs = %v, want %v", got, want)
	}
	for query, n := range map[string]int{"": 7, "?limit=0": 1, "?limit=-99999999999999999999": 1, "?limit=2": 2,
		"?limit=x": 7, "?limit=": 7, "?limit=1000": 7, "?limit=99999999999999999999": 7} {
		if links := f.call(key, "GET", "/links"+query, nil).want(200, "").json()["links"].([]any); len(links) != n {
			t.Errorf("%q returns %d links", query, len(links))
		}
	}
}

func TestAnalyticsHeaders(t *testing.T) {
	f := newFixture(t)
	key := f.account(vitrine.PlanPro)
	slug := f.published(key, noteFile, note)
	for _, path := range []string{"/analytics", "/links/" + slug + "/analytics", "/links/nope/analytics"} {
		a := f.call(key, "GET", path, nil)
		if a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("Access-Control-Allow-Origin") != "*" ||
			a.Header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: headers = %v", path, a.Header)
		}
		a = f.call("", "OPTIONS", path, nil)
		if a.Status != 204 || a.Header.Get("Access-Control-Allow-Headers") != "Authorization, Content-Type, Accept, X-Requested-With" || len(a.Body) > 0 {
			t.Errorf("%s: preflight: status %d, headers %v", path, a.Status, a.Header)
		}
	}
	for _, path := range []string{"/uploads", "/links", "/status"} {
		if a := f.call(key, "GET", path, nil); a.Header.Get("Access-Control-Allow-Origin") != "" ||
			a.Header.Get("Content-Security-Policy") == "" || a.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: headers = %v", path, a.Header)
		}
	}
}

func TestStatusNeedsNoKey(t *testing.T) {
	f := newFixture(t)
	if a := f.call("", "GET", "/status", nil).want(200, ""); a.text("status") != "ok" || a.text("version") == "" {
		t.Errorf("status = %s", a.Body)
	}
	a := f.call("", "GET", "/openapi.json", nil).want(200, "")
	if a.text("openapi") != "3.1.0" {
		t.Errorf("openapi = %.100s, want version 3.1.0", a.Body)
	}
	var doc struct {
		Servers []struct{ URL string }
		Paths   map[string]map[string]struct{ Servers []struct{ URL string } }
	}
	if err := json.Unmarshal(a.Body, &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Servers) != 1 || doc.Servers[0].URL != f.url+"/api/v1" {
		t.Errorf("servers = %v, want the instance's own address", doc.Servers)
	}
	if put := doc.Paths["/storage/{key}"]["put"].Servers; len(put) != 1 || put[0].URL != f.url {
		t.Errorf("servers of the PUT = %v, want the instance's own address", put)
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		req, _ := http.NewRequest("GET", f.url+path, nil)
		if a := f.do(req); a.Status != 200 {
			t.Errorf("GET %s: status %d: %s", path, a.Status, a.Body)
		}
	}
}

// TestReportsMatchTheDescription checks both reports in every range against
// OpenAPI, for an account without views and for one with views.
func TestReportsMatchTheDescription(t *testing.T) {
	f := newFixture(t)
	key := f.account(vitrine.PlanPro)
	for _, r := range []string{"", "?range=7d", "?range=14d", "?range=30d", "?range=90d", "?range=all"} {
		f.call(key, "GET", "/analytics"+r, nil).want(200, "")
	}
	slug := f.published(key, noteFile, note)
	f.openPage(slug)
	for _, r := range []string{"", "?range=7d", "?range=14d", "?range=30d", "?range=90d", "?range=all"} {
		a := f.call(key, "GET", "/links/"+slug+"/analytics"+r, nil).want(200, "").json()
		b := f.call(key, "GET", "/analytics"+r, nil).want(200, "").json()
		for _, rep := range []map[string]any{a, b} {
			if v := rep["totals"].(map[string]any)["views"]; v != 1.0 {
				t.Errorf("%s: %v views, want 1", r, v)
			}
		}
	}
}

// TestTruncated checks that a report with a cap on views counts the newest ones
// and says that it is truncated (promise 16).
func TestTruncated(t *testing.T) {
	f := newFixture(t)
	key := f.account(vitrine.PlanPro)
	slug := f.published(key, noteFile, note)
	for range 3 {
		f.openPage(slug)
	}
	for most, want := range map[int]fields{0: {"views": 3.0, "truncated": false}, 2: {"views": 2.0, "truncated": true},
		3: {"views": 3.0, "truncated": false}} {
		f.server.Analytics.MaxViews = most
		for _, path := range []string{"/analytics", "/links/" + slug + "/analytics"} {
			rep := f.call(key, "GET", path, nil).want(200, "").json()
			if v := rep["totals"].(map[string]any)["views"]; v != want["views"] ||
				rep["truncated"] != want["truncated"] {
				t.Errorf("%s with a cap of %d: %v views, truncated = %v", path, most, v, rep["truncated"])
			}
		}
	}
}

// TestTruncatedByExpiry checks that a report made of single views lacks the
// days whose views have expired, and says so. A report made of rollups has all
// days.
func TestTruncatedByExpiry(t *testing.T) {
	f := newFixture(t)
	key := f.account(vitrine.PlanPro)
	slug := f.published(key, noteFile, note)
	f.openPage(slug)
	f.openPage(slug)
	f.clock.Advance(100 * 24 * time.Hour)
	f.openPage(slug)
	f.check(f.server.Analytics.RollUp(t.Context()))
	f.server.Analytics.KeepMonths = 1
	f.check(f.server.Analytics.Expire(t.Context()))
	for query, want := range map[string]fields{"?range=all": {"views": 3.0, "truncated": false},
		"?range=all&filter=qr:is:no":             {"views": 1.0, "truncated": true},
		"?range=all&filter=qr:is:yes":            {"views": 0.0, "truncated": true},
		"?range=all&timezone=Asia/Kolkata":       {"views": 1.0, "truncated": true},
		"?range=30d&filter=qr:is:no":             {"views": 1.0, "truncated": false},
		"?range=7d&timezone=Asia/Kolkata":        {"views": 1.0, "truncated": false},
		"?range=7d&filter=qr:is:no&compare=year": {"views": 1.0, "truncated": false}} {
		for _, path := range []string{"/analytics", "/links/" + slug + "/analytics"} {
			rep := f.call(key, "GET", path+query, nil).want(200, "").json()
			if v := rep["totals"].(map[string]any)["views"]; v != want["views"] ||
				rep["truncated"] != want["truncated"] {
				t.Errorf("%s: %v views, truncated = %v, want %v", path+query, v, rep["truncated"], want)
			}
		}
	}
}

// TestViewLogDown checks the answers while the view log is unavailable: no page
// without its view, and no report without its numbers.
func TestViewLogDown(t *testing.T) {
	f := newFixture(t)
	key := f.account(vitrine.PlanPro)
	slug := f.published(key, noteFile, note)
	f.check(f.log.Close())
	a := f.call(key, "GET", "/analytics", nil).want(503, "unavailable")
	if a.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After header")
	}
	if status := f.openPage(slug); status != http.StatusServiceUnavailable {
		t.Errorf("page whose view cannot be written: status %d, want 503", status)
	}
	f.call(key, "GET", "/links", nil).want(200, "")
}

// TestViewerKeyIsReplaced checks that after the life of a viewer key readers
// count as new viewers (engagement, The viewer).
func TestViewerKeyIsReplaced(t *testing.T) {
	f := newFixture(t)
	key := f.account(vitrine.PlanPro)
	slug := f.published(key, noteFile, note)
	uniques := func() any {
		return f.call(key, "GET", "/links/"+slug+"/analytics?range=all",
			nil).json()["totals"].(map[string]any)["uniques"]
	}
	f.openPage(slug)
	f.clock.Advance(links.DefaultViewerKeyLife - time.Hour)
	f.openPage(slug)
	if n := uniques(); n != 1.0 {
		t.Errorf("%v viewers during the life of the key, want 1", n)
	}
	f.clock.Advance(2 * time.Hour)
	f.openPage(slug)
	f.openPage(slug)
	if n := uniques(); n != 2.0 {
		t.Errorf("%v viewers after the life of the key, want 2", n)
	}
}

// TestPlanChangesAtOnce checks that a changed plan or a ban applies from the
// next request on (promise 9).
func TestPlanChangesAtOnce(t *testing.T) {
	f := newFixture(t)
	key := f.account(vitrine.PlanFree)
	f.call(key, "GET", "/analytics", nil).want(403, "pro_required")
	f.setPlan(key, vitrine.PlanLifetime)
	f.call(key, "GET", "/analytics", nil).want(200, "")
	path, url := f.begun(key, noteFile.with(fields{"slug": "while-pro"}))
	f.setPlan(key, vitrine.PlanFree)
	f.put(url, "text/plain", strings.NewReader(note)).want(200, "")
	f.call(key, "POST", "/uploads/complete", noteFile.with(fields{"path": path, "slug": "while-pro"})).want(403,
		"pro_required")
	slug := f.published(key, noteFile, note)
	f.ban(key)
	f.call(key, "POST", "/uploads", noteFile).want(403, "banned")
	if status := f.openPage(slug); status != http.StatusGone {
		t.Errorf("page of a suspended account's link: status %d, want 410", status)
	}
}

// TestOptionalMembers checks that null counts as missing, as do an empty slug
// and an empty title, and that a size may be any integral number. JSON
// serializers write all of these.
func TestOptionalMembers(t *testing.T) {
	f := newFixture(t)
	free := f.account(vitrine.PlanFree)
	for i, more := range []string{
		`"slug":null,"idempotencyKey":null`, `"slug":""`, `"linkName":null,"allowDownload":null`,
		`"linkName":"","slug":""`,
	} {
		size := []string{"16", "16.0", "1.6e1", "160e-1"}[i]
		begun := f.call(free, "POST", "/uploads", `{"name":"a.txt","type":"text/plain","size":`+size+`,`+more+
			`}`).want(200, "")
		f.put(begun.text("signedUrl"), "text/plain", strings.NewReader(strings.Repeat("x", 16)))
		l := f.call(free, "POST", "/uploads/complete",
			`{"path":"`+begun.text("path")+`","name":"a.txt","type":"text/plain",`+more+`}`).want(200, "")
		if l.text("title") != "a.txt" || l.text("slug") == "" {
			t.Errorf("with %s: link = %s, want title a.txt and a slug", more, l.Body)
		}
	}
	for _, title := range []string{"\u200b", "\u00a0 ", "\u3164", "\u2800\ufe0f"} {
		begun := f.call(free, "POST", "/uploads", noteFile).want(200, "")
		f.call(free, "POST", "/uploads/complete", fields{"path": begun.text("path"), "name": "a.txt",
			"type": "text/plain", "linkName": title}).
			want(400, "invalid_request")
	}
}

// TestListViews checks that the list contains the views of each link only on
// request and if the plan has analytics.
func TestListViews(t *testing.T) {
	f := newFixture(t)
	pro, free := f.account(vitrine.PlanPro), f.account(vitrine.PlanFree)
	for _, key := range []string{pro, free} {
		begun := f.call(key, "POST", "/uploads", noteFile).want(200, "")
		f.put(begun.text("signedUrl"), "text/plain", strings.NewReader(note))
		slug := f.call(key, "POST", "/uploads/complete",
			fields{"path": begun.text("path"), "name": "minutes.txt", "type": "text/plain"}).want(200, "").text("slug")
		for range 3 {
			f.openPage(slug)
		}
	}
	for query, want := range map[string]map[string]bool{"?views=true": {pro: true, free: false}, "": {pro: false},
		"?views=false": {pro: false}} {
		for key, has := range want {
			a := f.call(key, "GET", "/links"+query, nil).want(200, "")
			if got := strings.Contains(string(a.Body), `"views":3`); got != has || !has &&
				strings.Contains(string(a.Body), `"views"`) {
				t.Errorf("list with %q = %s", query, a.Body)
			}
		}
	}
}
