package api_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/test/webtest"
	"vitrine/report"
)

func TestThreeSteps(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanFree)
	path, url := f.Begun(key, webtest.NoteFile)
	a := f.Put(url, "text/plain", strings.NewReader(webtest.Note)).Want(200, "")
	if a.Header.Get("ETag") == "" || a.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("PUT: headers = %v", a.Header)
	}
	a = f.Call(key, "POST", "/uploads/complete", webtest.Fields{"path": path, "name": "minutes.txt",
		"type": "text/plain", "linkName": "Minutes"}).Want(200, "")
	slug := a.Text("slug")
	if a.Text("title") != "Minutes" || a.Text("url") != f.URL+"/p/"+slug {
		t.Errorf("link = %s", a.Body)
	}
	links := f.Call(key, "GET", "/links", nil).Want(200, "").JSON()["links"].([]any)
	if len(links) != 1 {
		t.Fatalf("%d links, want 1", len(links))
	}
	item := links[0].(map[string]any)
	if item["slug"] != slug || item["kind"] != "text" || item["size_bytes"] != float64(len(webtest.Note)) ||
		item["status"] != "live" {
		t.Errorf("list entry = %v", item)
	}
	if _, err := time.Parse(time.RFC3339, item["created_at"].(string)); err != nil {
		t.Error(err)
	}
	f.Audit()
}

// TestErrors checks each row of the contract's table of errors.
func TestErrors(t *testing.T) {
	f := webtest.NewFixture(t)
	free, pro := f.Account(vitrine.PlanFree), f.Account(vitrine.PlanPro)
	slugged := f.Published(pro, webtest.NoteFile.With(webtest.Fields{"slug": "taken-slug"}), webtest.Note)
	foreign := f.Published(free, webtest.NoteFile, webtest.Note)
	banned := f.Account(vitrine.PlanPro)
	f.Ban(banned)
	revoked := f.Account(vitrine.PlanPro)
	f.Revoke(revoked)

	up := func(more webtest.Fields) webtest.Fields { return webtest.NoteFile.With(more) }
	deep := strings.Repeat(`{"a":`, 8) + "1" + strings.Repeat("}", 8)
	type row struct {
		name, key, method, path string
		body                    any
		status                  int
		code, field             string
	}
	rows := []row{
		{"not JSON", pro, "POST", "/uploads", "name=x", 400, "invalid_json", ""},
		{"no body", pro, "POST", "/uploads", "", 400, "invalid_json", ""},
		{"an array", pro, "POST", "/uploads", "[]", 400, "invalid_json", ""},
		{"null", pro, "POST", "/uploads", "null", 400, "invalid_json", ""},
		{"trailing data", pro, "POST", "/uploads", `{"name":"a.txt"} {}`, 400, "invalid_json", ""},
		{"duplicate names", pro, "POST", "/uploads", `{"name":"a.txt","name":"b.txt","type":"text/plain","size":1}`,
			400, "invalid_json", ""},
		{"bad UTF-8", pro, "POST", "/uploads", "{\"name\":\"\xff.txt\",\"type\":\"text/plain\",\"size\":1}", 400,
			"invalid_json", ""},
		{"lone surrogate", pro, "POST", "/uploads", `{"name":"\ud800.txt","type":"text/plain","size":1}`, 400,
			"invalid_json", ""},
		{"too large", pro, "POST", "/uploads", `{"name":"` + strings.Repeat("a", 17<<10) + `"}`, 400, "invalid_json",
			""},
		{"too deep", pro, "POST", "/uploads", `{"x":` + deep + `}`, 400, "invalid_json", ""},
		{"no name", pro, "POST", "/uploads", up(webtest.Fields{"name": nil}), 400, "invalid_request", "name"},
		{"names match by case", pro, "POST", "/uploads", up(webtest.Fields{"name": nil, "Name": "a.txt"}), 400,
			"invalid_request", "name"},
		{"name is a number", pro, "POST", "/uploads", up(webtest.Fields{"name": 5}), 400, "invalid_request", "name"},
		{"no type", pro, "POST", "/uploads", up(webtest.Fields{"type": nil}), 400, "invalid_request", "type"},
		{"no size", pro, "POST", "/uploads", up(webtest.Fields{"size": nil}), 400, "invalid_request", "size"},
		{"size is text", pro, "POST", "/uploads", up(webtest.Fields{"size": "5"}), 400, "invalid_request", "size"},
		{"name is null", pro, "POST", "/uploads", `{"name":null,"type":"text/plain","size":1}`, 400, "invalid_request",
			"name"},
		{"size not integral", pro, "POST", "/uploads", `{"name":"a.txt","type":"text/plain","size":3.000001}`, 400,
			"invalid_size", "size"},
		{"empty name", pro, "POST", "/uploads", up(webtest.Fields{"name": ""}), 400, "invalid_name", "name"},
		{"path in name", pro, "POST", "/uploads", up(webtest.Fields{"name": "../a.txt"}), 400, "invalid_name", "name"},
		{"bidi override in name", pro, "POST", "/uploads", up(webtest.Fields{"name": "a\u202etxt.pdf"}), 400,
			"invalid_name", "name"},
		{"no extension", pro, "POST", "/uploads", up(webtest.Fields{"name": "minutes"}), 400, "invalid_name", "name"},
		{"256 bytes of name", pro, "POST", "/uploads", up(webtest.Fields{"name": strings.Repeat("a", 252) + ".txt"}),
			400, "invalid_name", "name"},
		{"executable", pro, "POST", "/uploads", up(webtest.Fields{"name": "a.exe"}), 400, "unsupported_type", "name"},
		{"hidden executable", pro, "POST", "/uploads", up(webtest.Fields{"name": "report.exe.gz",
			"type": "application/gzip"}), 400, "unsupported_type", "name"},
		{"macro document", pro, "POST", "/uploads", up(webtest.Fields{"name": "a.xlsb"}), 400, "unsupported_type",
			"name"},
		{"unknown extension", pro, "POST", "/uploads", up(webtest.Fields{"name": "a.xyz"}), 400, "unsupported_type",
			"name"},
		{"type of another extension", pro, "POST", "/uploads", up(webtest.Fields{"type": "image/png"}), 400,
			"type_mismatch", "type"},
		{"size 0", pro, "POST", "/uploads", up(webtest.Fields{"size": 0}), 400, "invalid_size", "size"},
		{"size negative", pro, "POST", "/uploads", up(webtest.Fields{"size": -1}), 400, "invalid_size", "size"},
		{"size broken", pro, "POST", "/uploads", up(webtest.Fields{"size": 1.5}), 400, "invalid_size", "size"},
		{"size huge", pro, "POST", "/uploads", `{"name":"a.txt","type":"text/plain","size":1e99}`, 400, "invalid_size",
			"size"},
		{"bad slug", pro, "POST", "/uploads", up(webtest.Fields{"slug": "-"}), 400, "invalid_slug", "slug"},
		{"reserved slug", pro, "POST", "/uploads", up(webtest.Fields{"slug": "admin"}), 400, "invalid_slug", "slug"},
		{"slug taken", pro, "POST", "/uploads", up(webtest.Fields{"slug": "Taken-Slug"}), 400, "slug_taken", "slug"},
		{"bad idempotency key", pro, "POST", "/uploads", up(webtest.Fields{"idempotencyKey": "1"}), 400,
			"invalid_idempotency_key", "idempotencyKey"},
		{"unknown path", pro, "POST", "/uploads/complete",
			webtest.Fields{"path": "nope", "name": "a.txt", "type": "text/plain"}, 400, "upload_not_found", "path"},
		{"no path", pro, "POST", "/uploads/complete", webtest.Fields{"name": "a.txt", "type": "text/plain"}, 400,
			"invalid_request", "path"},
		{"bad range", pro, "GET", "/analytics?range=1d", nil, 400, "bad_range", "range"},
		{"empty range", pro, "GET", "/analytics?range=", nil, 400, "bad_range", "range"},
		{"unreadable query", pro, "GET", "/analytics?range=7d;", nil, 400, "bad_range", "range"},
		{"unreadable escape", pro, "GET", "/analytics?range=%7d%zz", nil, 400, "bad_range", "range"},
		{"two ranges", pro, "GET", "/links/" + slugged + "/analytics?range=7d&range=7d", nil, 400, "bad_range",
			"range"},
		{"bad range before unknown slug", pro, "GET", "/links/nope/analytics?range=x", nil, 400, "bad_range", "range"},
		{"range and dates", pro, "GET", "/analytics?range=7d&from=2026-01-01&to=2026-01-02", nil, 400, "bad_range",
			"range"},
		{"no date", pro, "GET", "/analytics?from=2026-01-32&to=2026-01-02", nil, 400, "bad_range", "from"},
		{"date before 1970", pro, "GET", "/analytics?from=1969-12-31&to=2026-01-02", nil, 400, "bad_range", "from"},
		{"one date", pro, "GET", "/analytics?from=2026-01-02", nil, 400, "bad_range", "to"},
		{"dates the wrong way", pro, "GET", "/analytics?from=2026-01-02&to=2026-01-01", nil, 400, "bad_range", "to"},
		{"date to come", pro, "GET", "/analytics?from=2026-01-02&to=2999-01-01", nil, 400, "bad_range", "to"},
		{"date to come before unknown slug", pro, "GET", "/links/nope/analytics?from=2026-01-02&to=2999-01-01", nil,
			400, "bad_range", "to"},
		{"two first dates", pro, "GET", "/analytics?from=2026-01-01&from=2026-01-01&to=2026-01-02", nil, 400,
			"bad_range", "from"},
		{"hours of a range", pro, "GET", "/analytics?range=7d&granularity=hour", nil, 400, "invalid_request",
			"granularity"},
		{"hours of a month", pro, "GET", "/analytics?from=2025-01-01&to=2025-02-01&granularity=hour", nil, 400,
			"bad_range", "to"},
		{"granularity", pro, "GET", "/analytics?granularity=minute", nil, 400, "invalid_request", "granularity"},
		{"zone", pro, "GET", "/analytics?timezone=Mars/Phobos", nil, 400, "invalid_request", "timezone"},
		{"zone of the machine", pro, "GET", "/analytics?timezone=Local", nil, 400, "invalid_request", "timezone"},
		{"zone outside", pro, "GET", "/analytics?timezone=../etc/passwd", nil, 400, "invalid_request", "timezone"},
		{"zone with leap seconds", pro, "GET", "/analytics?timezone=right/UTC", nil, 400, "invalid_request",
			"timezone"},
		{"compare", pro, "GET", "/analytics?compare=decade", nil, 400, "invalid_request", "compare"},
		{"dimension", pro, "GET", "/analytics?filter=color:is:red", nil, 400, "invalid_request", "filter"},
		{"operator", pro, "GET", "/analytics?filter=country:is:DE&filter=country:was:DE", nil, 400, "invalid_request",
			"filter"},
		{"filter by link of a link", pro, "GET", "/links/nope/analytics?filter=kind:is:pdf", nil, 400,
			"invalid_request", "filter"},
		{"limit", pro, "GET", "/analytics?limit=0", nil, 400, "invalid_request", "limit"},
		{"include", pro, "GET", "/analytics?include=all", nil, 400, "invalid_request", "include"},
		{"version", pro, "GET", "/links/" + slugged + "/analytics?version=2", nil, 400, "invalid_request", "version"},
		{"visits of a bad range", pro, "GET", "/links/nope/visits?range=1d", nil, 400, "bad_range", "range"},
		{"bad cursor of visits", pro, "GET", "/links/nope/visits?cursor=!!", nil, 400, "invalid_request", "cursor"},
		{"bad format of visits", pro, "GET", "/links/nope/visits?format=xml", nil, 400, "invalid_request", "format"},
		{"visits of an unknown link", pro, "GET", "/links/nope/visits?format=csv", nil, 404, "not_found", ""},
		{"foreign visits", pro, "GET", "/links/" + foreign + "/visits", nil, 404, "not_found", ""},
		{"foreign visit", pro, "GET", "/links/" + foreign + "/visits/1", nil, 404, "not_found", ""},
		{"unknown visit", pro, "GET", "/links/" + slugged + "/visits/1", nil, 404, "not_found", ""},
		{"visits on free", free, "GET", "/links/" + foreign + "/visits", nil, 403, "pro_required", ""},
		{"bad cursor", pro, "GET", "/links?cursor=!!", nil, 400, "invalid_request", "cursor"},
		{"no key", "", "GET", "/links", nil, 401, "unauthorized", ""},
		{"mistyped key", pro[:41] + "~", "GET", "/links", nil, 401, "unauthorized", ""},
		{"unknown key", string(auth.NewKeyText()), "GET", "/analytics", nil, 401, "unauthorized", ""},
		{"revoked key", revoked, "POST", "/uploads", "rubbish", 401, "unauthorized", ""},
		{"banned", banned, "GET", "/links", nil, 403, "banned", ""},
		{"banned before the body", banned, "POST", "/uploads", "rubbish", 403, "banned", ""},
		{"free account's analytics", free, "GET", "/analytics", nil, 403, "pro_required", ""},
		{"plan before range", free, "GET", "/analytics?range=x", nil, 403, "pro_required", ""},
		{"plan before slug of a link", free, "GET", "/links/" + foreign + "/analytics", nil, 403, "pro_required", ""},
		{"custom slug on free", free, "POST", "/uploads", up(webtest.Fields{"slug": "my-own"}), 403, "pro_required",
			"slug"},
		{"custom slug on free before the name", free, "POST", "/uploads", up(webtest.Fields{"slug": "my-own",
			"name": 5}), 403, "pro_required", "slug"},
		{"custom slug on free at complete", free, "POST", "/uploads/complete",
			webtest.Fields{"path": "x", "name": "a.txt", "type": "text/plain", "slug": "my-own"}, 403, "pro_required",
			"slug"},
		{"file too large", free, "POST", "/uploads", up(webtest.Fields{"size": 25*vitrine.MB + 1}), 403,
			"file_too_large", ""},
		{"unknown link", pro, "GET", "/links/nope/analytics", nil, 404, "not_found", ""},
		{"foreign link", pro, "GET", "/links/" + foreign + "/analytics", nil, 404, "not_found", ""},
		{"unknown operation", pro, "GET", "/nope", nil, 404, "not_found", ""},
		{"wrong method", pro, "DELETE", "/links", nil, 405, "method_not_allowed", ""},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			a := f.Call(r.key, r.method, r.path, r.body).Want(r.status, r.code)
			if got := a.Text("field"); got != r.field {
				t.Errorf("field = %q, want %q: %s", got, r.field, a.Body)
			}
			if r.status == 401 && a.Header.Get("WWW-Authenticate") != "Bearer" {
				t.Error("no WWW-Authenticate header")
			}
			if _, ok := a.JSON()["upgradeUrl"]; ok != (r.key == free && r.status == 403) {
				t.Errorf("upgradeUrl: %s", a.Body)
			}
		})
	}
	unknown := f.Call(pro, "GET", "/links/nope/analytics", nil)
	other := f.Call(pro, "GET", "/links/"+foreign+"/analytics", nil)
	if !bytes.Equal(unknown.Body, other.Body) {
		t.Errorf("another account's slug: %s, an unknown one: %s, want the same", other.Body, unknown.Body)
	}
	f.Audit()
}

func TestBodyMustBeJSON(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanFree)
	for _, ct := range []string{"", "text/plain", "application/x-www-form-urlencoded", "application/json;;"} {
		req, _ := http.NewRequest("POST", f.URL+"/api/v1/uploads",
			strings.NewReader(`{"name":"a.txt","type":"text/plain","size":1}`))
		req.Header.Set("Authorization", "Bearer "+key)
		if ct != "" {
			req.Header.Set("Content-Type", ct)
		}
		f.Do(req).Want(400, "invalid_json")
	}
	req, _ := http.NewRequest("POST", f.URL+"/api/v1/uploads",
		strings.NewReader(`{"name":"a.txt","type":"text/plain","size":1}`))
	req.Header.Set("Authorization", "bearer "+key)
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	f.Do(req).Want(200, "")
}

func TestCompleteErrors(t *testing.T) {
	f := webtest.NewFixture(t)
	key, other := f.Account(vitrine.PlanPro), f.Account(vitrine.PlanPro)
	complete := func(key, path string, more webtest.Fields) webtest.Answer {
		f.T.Helper()
		return f.Call(key, "POST", "/uploads/complete", webtest.NoteFile.With(webtest.Fields{"path": path,
			"size": nil}).With(more))
	}
	path := f.Stored(key, webtest.NoteFile.With(webtest.Fields{"slug": "own-name",
		"idempotencyKey": "123e4567-e89b-12d3-a456-426614174000"}), webtest.Note)
	ok := webtest.Fields{"slug": "own-name"}
	complete(other, path, ok).Want(400, "upload_not_found")
	complete(key, path, nil).Want(400, "idempotency_mismatch")
	complete(key, path, ok.With(webtest.Fields{"name": "other.txt"})).Want(400, "idempotency_mismatch")
	complete(key, path, ok.With(webtest.Fields{"type": "text/markdown"})).Want(400, "idempotency_mismatch")
	complete(key, path, ok.With(webtest.Fields{"idempotencyKey": "123e4567-e89b-12d3-a456-426614174001"})).Want(400,
		"idempotency_mismatch")
	complete(key, path, ok.With(webtest.Fields{"linkName": "\u200b"})).Want(400, "invalid_request")
	complete(key, path, ok.With(webtest.Fields{"linkName": "a\x07"})).Want(400, "invalid_request")
	complete(key, path, ok.With(webtest.Fields{"linkName": strings.Repeat("a", 201)})).Want(400, "invalid_request")
	complete(key, path, ok.With(webtest.Fields{"allowDownload": "yes"})).Want(400, "invalid_request")
	if complete(key, path, ok).Want(200, "").Text("slug") != "own-name" { // all the errors above have lost nothing
		t.Error("the link does not have the requested slug")
	}

	// Unsafe bytes, and bytes that do not match the name, are deleted, and a
	// retry gets the same error.
	files := []struct{ name, mime, content, code string }{
		{"a.pdf", "application/pdf", "just text, no PDF at all", "content_mismatch"},
		{"a.png", "image/png", "%PDF-1.7 not a picture", "content_mismatch"},
		{"a.txt", "text/plain", "MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff\x00\x00" + strings.Repeat("\x00",
			64), "unsafe_file"},
		{"a.txt", "application/octet-stream", "#!/bin/sh\nrm -rf /\n", "unsafe_file"},
	}
	for _, c := range files {
		file := webtest.Fields{"name": c.name, "type": c.mime, "size": len(c.content)}
		path := f.Stored(key, file, c.content)
		for range 2 {
			f.Call(key, "POST", "/uploads/complete", file.With(webtest.Fields{"path": path})).Want(400, c.code)
		}
		if f.BlobExists(path) {
			t.Errorf("%s: the bytes of a refused file still exist", c.name)
		}
	}
	if n := len(f.Call(key, "GET", "/links", nil).JSON()["links"].([]any)); n != 1 {
		t.Errorf("%d links, want 1", n)
	}
	f.Audit()
}

func TestIdempotency(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanFree)
	file := webtest.NoteFile.With(webtest.Fields{"idempotencyKey": "123E4567-E89B-12D3-A456-426614174000"})
	path, url := f.Begun(key, file)
	if again, fresh := f.Begun(key,
		file.With(webtest.Fields{"idempotencyKey": "123e4567-e89b-12d3-a456-426614174000"})); again != path {
		t.Errorf("path of a retried step 1 = %s, want %s", again, path)
	} else {
		f.Put(fresh, "text/plain", strings.NewReader(webtest.Note)).Want(200, "")
	}
	f.Put(url, "text/plain", strings.NewReader(webtest.Note)).Want(200, "")
	f.Call(key, "POST", "/uploads", file.With(webtest.Fields{"size": 5})).Want(400, "idempotency_mismatch")
	f.Call(key, "POST", "/uploads", file.With(webtest.Fields{"name": "b.txt"})).Want(400, "idempotency_mismatch")

	complete := file.With(webtest.Fields{"path": path, "size": nil})
	link := f.Call(key, "POST", "/uploads/complete", complete).Want(200, "")
	for _, retry := range []webtest.Fields{complete, complete.With(webtest.Fields{"idempotencyKey": nil})} {
		if a := f.Call(key, "POST", "/uploads/complete", retry).Want(200, ""); !bytes.Equal(a.Body, link.Body) {
			t.Errorf("answer to a retry = %s, want %s", a.Body, link.Body)
		}
	}
	// The existing link is returned even when the limits are used up.
	for i := 0; i < 9; i++ {
		f.Published(key, webtest.NoteFile, webtest.Note)
	}
	f.Call(key, "POST", "/uploads", webtest.NoteFile).Want(403, "link_limit")
	existing := f.Call(key, "POST", "/uploads", file).Want(200, "").JSON()["existing"].(map[string]any)
	if existing["slug"] != link.Text("slug") || existing["url"] != link.Text("url") {
		t.Errorf("existing = %v", existing)
	}
	f.Audit()
}

// TestConcurrentCompletes checks that a hundred concurrent completes with one
// idempotency key create one link and use one slot (promise 2).
func TestConcurrentCompletes(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanFree)
	file := webtest.NoteFile.With(webtest.Fields{"idempotencyKey": "123e4567-e89b-12d3-a456-426614174000"})
	path := f.Stored(key, file, webtest.Note)
	slugs := webtest.Parallel(100, func(int) string {
		return f.Call(key, "POST", "/uploads/complete", file.With(webtest.Fields{"path": path, "size": nil})).Want(200,
			"").Text("slug")
	})
	for _, s := range slugs {
		if s != slugs[0] || s == "" {
			t.Fatalf("slugs = %q and %q, want the same", slugs[0], s)
		}
	}
	if n := len(f.Call(key, "GET", "/links?limit=100", nil).JSON()["links"].([]any)); n != 1 {
		t.Errorf("%d links, want 1", n)
	}
	f.Audit()
}

// TestLimitsUnderConcurrency lets 100 requests compete for a slot (promise 8).
func TestLimitsUnderConcurrency(t *testing.T) {
	count := func(as []webtest.Answer, code string) (ok int) {
		for _, a := range as {
			if a.Status == 200 {
				ok++
			} else if a.Text("code") != code {
				t.Errorf("status %d: %s", a.Status, a.Body)
			}
		}
		return ok
	}
	t.Run("links", func(t *testing.T) {
		f := webtest.NewFixture(t)
		f.Limits(vitrine.Limits{Links: 3, HourlyUploads: 1000})
		key := f.Account(vitrine.PlanFree)
		f.Published(key, webtest.NoteFile, webtest.Note)
		f.Published(key, webtest.NoteFile, webtest.Note)
		as := webtest.Parallel(100, func(int) webtest.Answer {
			return f.Call(key, "POST", "/uploads",
				webtest.NoteFile)
		})
		if n := count(as, "link_limit"); n != 1 {
			t.Errorf("%d of 100 succeeded, want 1", n)
		}
	})
	t.Run("storage", func(t *testing.T) {
		f := webtest.NewFixture(t)
		f.Limits(vitrine.Limits{StorageBytes: int64(3 * len(webtest.Note)), HourlyUploads: 1000})
		key := f.Account(vitrine.PlanFree)
		f.Published(key, webtest.NoteFile, webtest.Note)
		f.Published(key, webtest.NoteFile, webtest.Note)
		as := webtest.Parallel(100, func(int) webtest.Answer {
			return f.Call(key, "POST", "/uploads",
				webtest.NoteFile)
		})
		if n := count(as, "storage_limit"); n != 1 {
			t.Errorf("%d of 100 succeeded, want 1", n)
		}
	})
	t.Run("uploads an hour", func(t *testing.T) {
		f := webtest.NewFixture(t)
		f.Limits(vitrine.Limits{HourlyUploads: 3})
		key := f.Account(vitrine.PlanFree)
		f.Begun(key, webtest.NoteFile)
		f.Clock.Advance(20 * time.Minute)
		f.Begun(key, webtest.NoteFile)
		as := webtest.Parallel(100, func(int) webtest.Answer {
			return f.Call(key, "POST", "/uploads",
				webtest.NoteFile)
		})
		if n := count(as, "rate_limited"); n != 1 {
			t.Errorf("%d of 100 succeeded, want 1", n)
		}
		a := f.Call(key, "POST", "/uploads", webtest.NoteFile).Want(429, "rate_limited")
		if a.Header.Get("Retry-After") != "2400" || a.Header.Get("RateLimit") != `"uploads";r=0;t=2400` {
			t.Errorf("headers = %v", a.Header)
		}
		f.Clock.Advance(40*time.Minute + time.Second)
		f.Call(key, "POST", "/uploads", webtest.NoteFile).Want(200, "")
	})
	t.Run("slug", func(t *testing.T) {
		f := webtest.NewFixture(t)
		key := f.Account(vitrine.PlanPro)
		as := webtest.Parallel(100, func(int) webtest.Answer {
			return f.Call(key, "POST", "/uploads",
				webtest.NoteFile.With(webtest.Fields{"slug": "the-one"}))
		})
		if n := count(as, "slug_taken"); n != 1 {
			t.Errorf("%d of 100 succeeded, want 1", n)
		}
	})
}

// TestIdempotencyKeyOutlived checks that an idempotency key is valid as long as
// its link exists. Then it may begin another upload, of another file, too.
func TestIdempotencyKeyOutlived(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanFree)
	file := webtest.NoteFile.With(webtest.Fields{"idempotencyKey": "123e4567-e89b-12d3-a456-426614174000"})
	slug := f.Published(key, file, webtest.Note)
	f.Call(key, "POST", "/uploads", file.With(webtest.Fields{"name": "b.txt"})).Want(400, "idempotency_mismatch")
	f.Delete(slug)
	path, _ := f.Begun(key, file.With(webtest.Fields{"name": "b.txt"}))
	f.Clock.Advance(vitrine.UploadLife)
	if again, _ := f.Begun(key, file.With(webtest.Fields{"name": "c.txt"})); again == path {
		t.Error("yesterday's upload is continued")
	}
	f.Audit()
}

// TestRefusalIsRepeated checks that a refused step 3 is refused alike again.
func TestRefusalIsRepeated(t *testing.T) {
	f := webtest.NewFixture(t)
	f.Limits(vitrine.Limits{Links: 1, HourlyUploads: 1000})
	key := f.Account(vitrine.PlanFree)
	path := f.Stored(key, webtest.NoteFile, webtest.Note)
	f.Clock.Advance(vitrine.UploadHold)
	f.Published(key, webtest.NoteFile, webtest.Note)
	complete := func() webtest.Answer {
		return f.Call(key, "POST", "/uploads/complete", webtest.NoteFile.With(webtest.Fields{"path": path}))
	}
	first := complete().Want(403, "link_limit")
	if first.Text("upgradeUrl") == "" || first.JSON()["limit"] != 1.0 {
		t.Errorf("answer = %s", first.Body)
	}
	if again := complete(); !bytes.Equal(again.Body, first.Body) {
		t.Errorf("first answer = %s, second = %s", first.Body, again.Body)
	}
}

// TestClockSetBack checks that a token from a time when the clock was ahead is
// invalid after the clock is corrected (promise 22).
func TestClockSetBack(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	_, url := f.Begun(key, webtest.NoteFile)
	f.Clock.Advance(-time.Hour)
	f.Put(url, "text/plain", strings.NewReader(webtest.Note)).Want(403, "url_expired")
}

// TestSizesDoNotOverflow checks that huge sizes do not get around a limit.
func TestSizesDoNotOverflow(t *testing.T) {
	f := webtest.NewFixture(t)
	f.Limits(vitrine.Limits{StorageBytes: 1000})
	key := f.Account(vitrine.PlanFree)
	f.Published(key, webtest.NoteFile, webtest.Note)
	f.Call(key, "POST", "/uploads", webtest.NoteFile.With(webtest.Fields{"size": int64(1<<63 - 1)})).Want(400,
		"invalid_size")
	f.Call(key, "POST", "/uploads", webtest.NoteFile.With(webtest.Fields{"size": int64(1 << 50)})).Want(403,
		"storage_limit")
	f.Call(key, "POST", "/uploads", webtest.NoteFile).Want(200, "")
}

// TestOpenOfADeletedLink checks that a link that is deleted during a page load
// leaves nothing in the account's numbers.
func TestOpenOfADeletedLink(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	slug := f.Published(key, webtest.NoteFile, webtest.Note)
	f.OpenPage(slug)
	l, err := f.Server.Links.BySlug(t.Context(), slug)
	if err != nil {
		t.Fatal(err)
	}
	f.Delete(slug)
	late := &vitrine.ViewRecord{Account: l.Account,
		View: report.View{ID: int64(f.Server.ViewIDs.Next(f.Clock.Now())), At: f.Clock.Now().UnixMilli(),
			Link: int64(l.ID), Viewer: 7}}
	for range 2 { // within the hour after the deletion
		if err := f.Server.Views.Add(t.Context(), late); err != nil {
			t.Fatal(err)
		}
		f.Clock.Advance(45 * time.Minute)
		if err := f.Server.Links.Purge(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	rep := f.Call(key, "GET", "/analytics", nil).Want(200, "").JSON()
	if v := rep["totals"].(map[string]any)["views"]; v != 0.0 {
		t.Errorf("%v views, want 0", v)
	}
	f.Audit()
}
