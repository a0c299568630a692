package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/links"
	"vitrine/internal/test/webtest"
)

func TestListLinks(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	var want []string
	for range 7 {
		want = append([]string{f.Published(key, webtest.NoteFile, webtest.Note)}, want...)
	}
	f.Published(f.Account(vitrine.PlanPro), webtest.NoteFile, webtest.Note) // another account's link
	var got []string
	for cursor := ""; ; {
		page := f.Call(key, "GET", "/links?limit=3&cursor="+cursor, nil).Want(200, "").JSON()
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
		if links := f.Call(key, "GET", "/links"+query, nil).Want(200, "").JSON()["links"].([]any); len(links) != n {
			t.Errorf("%q returns %d links", query, len(links))
		}
	}
}

func TestAnalyticsHeaders(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	slug := f.Published(key, webtest.NoteFile, webtest.Note)
	for _, path := range []string{"/analytics", "/links/" + slug + "/analytics", "/links/nope/analytics"} {
		a := f.Call(key, "GET", path, nil)
		if a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("Access-Control-Allow-Origin") != "*" ||
			a.Header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: headers = %v", path, a.Header)
		}
		a = f.Call("", "OPTIONS", path, nil)
		if a.Status != 204 || a.Header.Get("Access-Control-Allow-Headers") != "Authorization, Content-Type, Accept, X-Requested-With" || len(a.Body) > 0 {
			t.Errorf("%s: preflight: status %d, headers %v", path, a.Status, a.Header)
		}
	}
	for _, path := range []string{"/uploads", "/links", "/status"} {
		if a := f.Call(key, "GET", path, nil); a.Header.Get("Access-Control-Allow-Origin") != "" ||
			a.Header.Get("Content-Security-Policy") == "" || a.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: headers = %v", path, a.Header)
		}
	}
}

func TestStatusNeedsNoKey(t *testing.T) {
	f := webtest.NewFixture(t)
	if a := f.Call("", "GET", "/status", nil).Want(200, ""); a.Text("status") != "ok" || a.Text("version") == "" {
		t.Errorf("status = %s", a.Body)
	}
	a := f.Call("", "GET", "/openapi.json", nil).Want(200, "")
	if a.Text("openapi") != "3.1.0" {
		t.Errorf("openapi = %.100s, want version 3.1.0", a.Body)
	}
	var doc struct {
		Servers []struct{ URL string }
		Paths   map[string]map[string]struct{ Servers []struct{ URL string } }
	}
	if err := json.Unmarshal(a.Body, &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Servers) != 1 || doc.Servers[0].URL != f.URL+"/api/v1" {
		t.Errorf("servers = %v, want the instance's own address", doc.Servers)
	}
	if put := doc.Paths["/storage/{key}"]["put"].Servers; len(put) != 1 || put[0].URL != f.URL {
		t.Errorf("servers of the PUT = %v, want the instance's own address", put)
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		req, _ := http.NewRequest("GET", f.URL+path, nil)
		if a := f.Do(req); a.Status != 200 {
			t.Errorf("GET %s: status %d: %s", path, a.Status, a.Body)
		}
	}
}

// TestReportsMatchTheDescription checks both reports in every range against
// OpenAPI, for an account without views and for one with views.
func TestReportsMatchTheDescription(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	for _, r := range []string{"", "?range=7d", "?range=14d", "?range=30d", "?range=90d", "?range=all"} {
		f.Call(key, "GET", "/analytics"+r, nil).Want(200, "")
	}
	slug := f.Published(key, webtest.NoteFile, webtest.Note)
	f.OpenPage(slug)
	for _, r := range []string{"", "?range=7d", "?range=14d", "?range=30d", "?range=90d", "?range=all"} {
		a := f.Call(key, "GET", "/links/"+slug+"/analytics"+r, nil).Want(200, "").JSON()
		b := f.Call(key, "GET", "/analytics"+r, nil).Want(200, "").JSON()
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
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	slug := f.Published(key, webtest.NoteFile, webtest.Note)
	for range 3 {
		f.OpenPage(slug)
	}
	for most, want := range map[int]webtest.Fields{0: {"views": 3.0, "truncated": false}, 2: {"views": 2.0,
		"truncated": true}, 3: {"views": 3.0, "truncated": false}} {
		f.Server.Analytics.MaxViews = most
		for _, path := range []string{"/analytics", "/links/" + slug + "/analytics"} {
			rep := f.Call(key, "GET", path, nil).Want(200, "").JSON()
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
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	slug := f.Published(key, webtest.NoteFile, webtest.Note)
	f.OpenPage(slug)
	f.OpenPage(slug)
	f.Clock.Advance(100 * 24 * time.Hour)
	f.OpenPage(slug)
	f.Check(f.Server.Analytics.RollUp(t.Context()))
	f.Server.Analytics.KeepMonths = 1
	f.Check(f.Server.Analytics.Expire(t.Context()))
	for query, want := range map[string]webtest.Fields{"?range=all": {"views": 3.0, "truncated": false},
		"?range=all&filter=qr:is:no":             {"views": 1.0, "truncated": true},
		"?range=all&filter=qr:is:yes":            {"views": 0.0, "truncated": true},
		"?range=all&timezone=Asia/Kolkata":       {"views": 1.0, "truncated": true},
		"?range=30d&filter=qr:is:no":             {"views": 1.0, "truncated": false},
		"?range=7d&timezone=Asia/Kolkata":        {"views": 1.0, "truncated": false},
		"?range=7d&filter=qr:is:no&compare=year": {"views": 1.0, "truncated": false}} {
		for _, path := range []string{"/analytics", "/links/" + slug + "/analytics"} {
			rep := f.Call(key, "GET", path+query, nil).Want(200, "").JSON()
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
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	slug := f.Published(key, webtest.NoteFile, webtest.Note)
	f.Check(f.Log.Close())
	a := f.Call(key, "GET", "/analytics", nil).Want(503, "unavailable")
	if a.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After header")
	}
	if status := f.OpenPage(slug); status != http.StatusServiceUnavailable {
		t.Errorf("page whose view cannot be written: status %d, want 503", status)
	}
	f.Call(key, "GET", "/links", nil).Want(200, "")
}

// TestViewerKeyIsReplaced checks that after the life of a viewer key readers
// count as new viewers (engagement, The viewer).
func TestViewerKeyIsReplaced(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	slug := f.Published(key, webtest.NoteFile, webtest.Note)
	uniques := func() any {
		return f.Call(key, "GET", "/links/"+slug+"/analytics?range=all",
			nil).JSON()["totals"].(map[string]any)["uniques"]
	}
	f.OpenPage(slug)
	f.Clock.Advance(links.DefaultViewerKeyLife - time.Hour)
	f.OpenPage(slug)
	if n := uniques(); n != 1.0 {
		t.Errorf("%v viewers during the life of the key, want 1", n)
	}
	f.Clock.Advance(2 * time.Hour)
	f.OpenPage(slug)
	f.OpenPage(slug)
	if n := uniques(); n != 2.0 {
		t.Errorf("%v viewers after the life of the key, want 2", n)
	}
}

// TestPlanChangesAtOnce checks that a changed plan or a ban applies from the
// next request on (promise 9).
func TestPlanChangesAtOnce(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanFree)
	f.Call(key, "GET", "/analytics", nil).Want(403, "pro_required")
	f.SetPlan(key, vitrine.PlanLifetime)
	f.Call(key, "GET", "/analytics", nil).Want(200, "")
	path, url := f.Begun(key, webtest.NoteFile.With(webtest.Fields{"slug": "while-pro"}))
	f.SetPlan(key, vitrine.PlanFree)
	f.Put(url, "text/plain", strings.NewReader(webtest.Note)).Want(200, "")
	f.Call(key, "POST", "/uploads/complete", webtest.NoteFile.With(webtest.Fields{"path": path,
		"slug": "while-pro"})).Want(403, "pro_required")
	slug := f.Published(key, webtest.NoteFile, webtest.Note)
	f.Ban(key)
	f.Call(key, "POST", "/uploads", webtest.NoteFile).Want(403, "banned")
	if status := f.OpenPage(slug); status != http.StatusGone {
		t.Errorf("page of a suspended account's link: status %d, want 410", status)
	}
}

// TestOptionalMembers checks that null counts as missing, as do an empty slug
// and an empty title, and that a size may be any integral number. JSON
// serializers write all of these.
func TestOptionalMembers(t *testing.T) {
	f := webtest.NewFixture(t)
	free := f.Account(vitrine.PlanFree)
	for i, more := range []string{
		`"slug":null,"idempotencyKey":null`, `"slug":""`, `"linkName":null,"allowDownload":null`,
		`"linkName":"","slug":""`,
	} {
		size := []string{"16", "16.0", "1.6e1", "160e-1"}[i]
		begun := f.Call(free, "POST", "/uploads", `{"name":"a.txt","type":"text/plain","size":`+size+`,`+more+
			`}`).Want(200, "")
		f.Put(begun.Text("signedUrl"), "text/plain", strings.NewReader(strings.Repeat("x", 16)))
		l := f.Call(free, "POST", "/uploads/complete",
			`{"path":"`+begun.Text("path")+`","name":"a.txt","type":"text/plain",`+more+`}`).Want(200, "")
		if l.Text("title") != "a.txt" || l.Text("slug") == "" {
			t.Errorf("with %s: link = %s, want title a.txt and a slug", more, l.Body)
		}
	}
	for _, title := range []string{"\u200b", "\u00a0 ", "\u3164", "\u2800\ufe0f"} {
		begun := f.Call(free, "POST", "/uploads", webtest.NoteFile).Want(200, "")
		f.Call(free, "POST", "/uploads/complete", webtest.Fields{"path": begun.Text("path"), "name": "a.txt",
			"type": "text/plain", "linkName": title}).
			Want(400, "invalid_request")
	}
}

// TestListViews checks that the list contains the views of each link only on
// request and if the plan has analytics.
func TestListViews(t *testing.T) {
	f := webtest.NewFixture(t)
	pro, free := f.Account(vitrine.PlanPro), f.Account(vitrine.PlanFree)
	for _, key := range []string{pro, free} {
		begun := f.Call(key, "POST", "/uploads", webtest.NoteFile).Want(200, "")
		f.Put(begun.Text("signedUrl"), "text/plain", strings.NewReader(webtest.Note))
		slug := f.Call(key, "POST", "/uploads/complete",
			webtest.Fields{"path": begun.Text("path"), "name": "minutes.txt", "type": "text/plain"}).Want(200,
			"").Text("slug")
		for range 3 {
			f.OpenPage(slug)
		}
	}
	for query, want := range map[string]map[string]bool{"?views=true": {pro: true, free: false}, "": {pro: false},
		"?views=false": {pro: false}} {
		for key, has := range want {
			a := f.Call(key, "GET", "/links"+query, nil).Want(200, "")
			if got := strings.Contains(string(a.Body), `"views":3`); got != has || !has &&
				strings.Contains(string(a.Body), `"views"`) {
				t.Errorf("list with %q = %s", query, a.Body)
			}
		}
	}
}
