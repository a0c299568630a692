package web_test

import (
	"bytes"
	"net/http"
	"net/url"
	"reflect"
	"testing"
	"time"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/app/auth"
)

// newHostingFixture returns a fixture with hosts of websites and a key of a
// plan.
func newHostingFixture(t testing.TB, p vitrine.Plan) (*fixture, caller) {
	t.Helper()
	f := newFixture(t)
	f.server.SitesURL = &url.URL{Scheme: "http", Host: "*.localhost:" + f.server.PublicURL.Port()}
	t.Cleanup(f.audit)
	return f, caller{f, f.account(p)}
}

// newWebsite creates a website of the caller's account.
func (c caller) newWebsite(title string) *vitrine.Site {
	c.t.Helper()
	a, err := c.server.Accounts.ByEmail(c.t.Context(), c.emails[c.key])
	c.check(err)
	site, err := c.server.Sites.Create(c.t.Context(), a, title, "")
	c.check(err)
	return site
}

// deploy deploys a ZIP of files, given as "path=content", through the API.
func (c caller) deploy(slug vitrine.Slug, files ...string) answer {
	c.t.Helper()
	content := string(packed(c.t, files...))
	file := siteZIP.with(fields{"size": len(content), "website": slug})
	return c.complete(c.stored(c.key, file, content), file)
}

var siteZIP = fields{"name": "website.zip", "type": "application/zip", "size": 100}

// TestWebsiteByAPI deploys two versions of a website with the Go client. The
// answers are the website, and visitors see the last one.
func TestWebsiteByAPI(t *testing.T) {
	f, c := newHostingFixture(t, vitrine.PlanPro)
	garden := c.newWebsite("Garden")
	api, err := client.New(f.url, c.key)
	f.check(err)
	list, err := api.Websites(t.Context())
	f.check(err)
	if len(list) != 1 || list[0].Slug != string(garden.Slug) || list[0].Status != "empty" ||
		!list[0].DeployedAt.IsZero() || list[0].URL != f.server.SitesURL.Scheme+"://"+string(garden.Slug)+
		".localhost:"+f.server.PublicURL.Port()+"/" {
		t.Errorf("websites = %+v", list)
	}
	for _, page := range []string{"<p>Spring", "<p>Summer"} {
		content := packed(t, "index.html="+page)
		made, err := api.Upload(t.Context(), client.File{Name: "website.zip", Size: int64(len(content)),
			Content: bytes.NewReader(content)}, client.Options{Website: string(garden.Slug), LinkName: "ignored",
			Slug: "ignored", ViewOnly: true})
		f.check(err)
		if made.Slug != string(garden.Slug) || made.Title != "Garden" || made.URL != list[0].URL || made.Review {
			t.Errorf("deployed %+v", made)
		}
		f.shows(garden, http.StatusOK, page)
		f.clock.Advance(time.Minute)
	}
	list, err = api.Websites(t.Context())
	f.check(err)
	if len(list) != 1 || list[0].Status != "live" || list[0].Versions != 2 || list[0].SizeBytes == 0 ||
		!list[0].DeployedAt.After(list[0].CreatedAt) || list[0].Pending {
		t.Errorf("websites = %+v", list)
	}
	if links, err := api.Links(t.Context(), "", client.Query{}); err != nil || len(links.Links) != 0 {
		t.Errorf("links = %+v, %v, want none", links, err)
	}
}

// TestWebsiteByAPILeavesOut checks that the answer to a deploy names the files
// that the website does not serve, also when the request is repeated.
func TestWebsiteByAPILeavesOut(t *testing.T) {
	_, c := newHostingFixture(t, vitrine.PlanPro)
	garden := c.newWebsite("Garden")
	content := string(packed(t, "index.html=<p>Spring", "tool.exe=MZ", ".well-known/security.txt=x"))
	file := siteZIP.with(fields{"size": len(content), "website": garden.Slug})
	path := c.stored(c.key, file, content)
	for range 2 {
		made := c.complete(path, file).want(200, "").json()
		want := []any{
			map[string]any{"path": "tool.exe", "reason": "program", "meaning": "program or server script"},
			map[string]any{"path": ".well-known/security.txt", "reason": "hidden", "meaning": "hidden file"}}
		if !reflect.DeepEqual(made["leftOut"], want) || made["leftOutTotal"] != 2.0 {
			t.Errorf("deployed %v", made)
		}
	}
	if made := c.deploy(garden.Slug, "index.html=<p>Summer").want(200, "").json(); made["leftOut"] != nil {
		t.Errorf("deployed %v", made)
	}
}

// TestWebsiteByAPIHeld checks that a held version is reported as such, and that
// visitors see the one before.
func TestWebsiteByAPIHeld(t *testing.T) {
	f, c := newHostingFixture(t, vitrine.PlanPro)
	garden := c.newWebsite("Garden")
	c.deploy(garden.Slug, "index.html=<p>Spring").want(200, "")
	f.clock.Advance(time.Minute)
	held := c.deploy(garden.Slug, `index.html=<form action="https://evil.example"><input type="password"></form>`).
		want(200, "").json()
	if held["review"] != true || held["reason"] == nil || held["slug"] != string(garden.Slug) {
		t.Errorf("held = %v", held)
	}
	f.shows(garden, http.StatusOK, "<p>Spring")
	site := f.call(c.key, "GET", "/websites", nil).want(200, "").json()["websites"].([]any)[0].(map[string]any)
	if site["status"] != "live" || site["pending"] != true {
		t.Errorf("website = %v", site)
	}
}

// TestWebsiteByAPIRefused checks what a deploy through the API refuses. Nothing
// is deployed, and a mistake in step 3 keeps the bytes.
func TestWebsiteByAPIRefused(t *testing.T) {
	f, c := newHostingFixture(t, vitrine.PlanPro)
	garden := c.newWebsite("Garden")
	to := siteZIP.with(fields{"website": garden.Slug})
	begin := func(file fields) answer { return f.call(c.key, "POST", "/uploads", file) }
	for field, value := range map[string]any{"slug": "my-own", "replace": "other"} {
		if a := begin(to.with(fields{field: value})).want(400, "invalid_request"); a.text("field") != field {
			t.Errorf("step 1 with %s: field %q", field, a.text("field"))
		}
	}
	begin(to.with(fields{"name": "a.pdf", "type": "application/pdf"})).want(400, "unsupported_type")
	begin(to.with(fields{"name": "a.pdf", "type": "application/pdf", "website": "nope"})).want(400, "unsupported_type")
	begin(to.with(fields{"website": 5})).want(400, "invalid_request")
	other := caller{f, f.account(vitrine.PlanPro)}
	unknown, foreign := begin(to.with(fields{"website": "nope"})), f.call(other.key, "POST", "/uploads", to)
	unknown.want(404, "not_found")
	if foreign.want(404, "not_found"); !bytes.Equal(unknown.Body, foreign.Body) {
		t.Errorf("another account's website: %s, an unknown one: %s", foreign.Body, unknown.Body)
	}

	content := string(packed(t, "index.html=<p>Spring"))
	file := to.with(fields{"size": len(content)})
	path := c.stored(c.key, file, content)
	for field, value := range map[string]any{"slug": "my-own", "replace": "other", "linkName": "x",
		"allowDownload": false, "expiresAt": "never"} {
		if a := c.complete(path, file.with(fields{field: value})).want(400, "invalid_request"); a.text("field") != field {
			t.Errorf("step 3 with %s: field %q", field, a.text("field"))
		}
	}
	for _, slug := range []any{nil, c.newWebsite("Other").Slug} {
		if a := c.complete(path, file.with(fields{"website": slug})).want(400,
			"idempotency_mismatch"); a.text("field") != "website" {
			t.Errorf("step 3 for %v: field %q", slug, a.text("field"))
		}
	}
	if a := c.complete(c.stored(c.key, noteFile, note), noteFile.with(fields{"website": garden.Slug})).want(400,
		"idempotency_mismatch"); a.text("field") != "website" {
		t.Errorf("a link's upload as a website: field %q", a.text("field"))
	}
	f.shows(garden, http.StatusNotFound, "")
	c.complete(path, file).want(200, "")
	f.shows(garden, http.StatusOK, "<p>Spring")
	c.deploy(garden.Slug, "about.html=<p>No first page").want(400, "content_mismatch")
	f.shows(garden, http.StatusOK, "<p>Spring")
}

// TestWebsiteByAPILimitedKey checks that a key that limits its links deploys no
// website, which would have no end, in neither step.
func TestWebsiteByAPILimitedKey(t *testing.T) {
	f, c := newHostingFixture(t, vitrine.PlanPro)
	garden := c.newWebsite("Garden")
	k, err := f.server.Keys.Create(t.Context(), f.emails[c.key], auth.KeyRequest{Name: "agent",
		Scope: vitrine.ScopePublish, LinkLife: time.Hour})
	f.check(err)
	content := string(packed(t, "index.html=<p>Spring"))
	file := siteZIP.with(fields{"size": len(content), "website": garden.Slug})
	path := c.stored(c.key, file, content)
	limited := caller{f, string(k.Text)}
	f.call(limited.key, "POST", "/uploads", file).want(403, "forbidden")
	limited.complete(path, file).want(403, "forbidden")
	f.shows(garden, http.StatusNotFound, "")
}

// TestWebsiteByAPIRetries checks that retries with one idempotency key deploy
// one version.
func TestWebsiteByAPIRetries(t *testing.T) {
	f, c := newHostingFixture(t, vitrine.PlanPro)
	garden := c.newWebsite("Garden")
	content := string(packed(t, "index.html=<p>Spring"))
	file := siteZIP.with(fields{"size": len(content), "website": garden.Slug,
		"idempotencyKey": "123e4567-e89b-12d3-a456-426614174000"})
	path := c.stored(c.key, file, content)
	for range 2 {
		c.complete(path, file).want(200, "")
	}
	existing := f.call(c.key, "POST", "/uploads", file).want(200, "").json()["existing"].(map[string]any)
	if existing["slug"] != string(garden.Slug) || existing["title"] != "Garden" {
		t.Errorf("existing = %v", existing)
	}
	other := c.newWebsite("Other")
	f.call(c.key, "POST", "/uploads", file.with(fields{"website": other.Slug})).want(400, "idempotency_mismatch")
	f.call(c.key, "POST", "/uploads", file.with(fields{"website": nil})).want(400, "idempotency_mismatch")
	if a, err := f.server.Accounts.ByEmail(t.Context(), f.emails[c.key]); err != nil {
		t.Error(err)
	} else if facts, err := f.server.Sites.BySlug(t.Context(), a, string(garden.Slug)); err != nil ||
		len(facts.Versions) != 1 {
		t.Errorf("website = %+v, %v, want one version", facts, err)
	}
}
