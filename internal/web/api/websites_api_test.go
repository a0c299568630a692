package api_test

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
	"vitrine/internal/test/webtest"
)

// newHostingFixture returns a fixture with hosts of websites and a key of a
// plan.
func newHostingFixture(t testing.TB, p vitrine.Plan) (*webtest.Fixture, caller) {
	t.Helper()
	f := webtest.NewFixture(t)
	f.Server.SitesURL = &url.URL{Scheme: "http", Host: "*.localhost:" + f.Server.PublicURL.Port()}
	t.Cleanup(f.Audit)
	return f, caller{f, f.Account(p)}
}

// webtest.NewWebsite creates a website of the caller's account.
func (c caller) newWebsite(title string) *vitrine.Site {
	c.T.Helper()
	a, err := c.Server.Accounts.ByEmail(c.T.Context(), c.Emails[c.key])
	c.Check(err)
	site, err := c.Server.Sites.Create(c.T.Context(), a, title, "")
	c.Check(err)
	return site
}

// deploy deploys a ZIP of files, given as "path=content", through the API.
func (c caller) deploy(slug vitrine.Slug, files ...string) webtest.Answer {
	c.T.Helper()
	content := string(webtest.Packed(c.T, files...))
	file := siteZIP.With(webtest.Fields{"size": len(content), "website": slug})
	return c.complete(c.Stored(c.key, file, content), file)
}

var siteZIP = webtest.Fields{"name": "website.zip", "type": "application/zip", "size": 100}

// TestWebsiteByAPI deploys two versions of a website with the Go client. The
// answers are the website, and visitors see the last one.
func TestWebsiteByAPI(t *testing.T) {
	f, c := newHostingFixture(t, vitrine.PlanPro)
	garden := c.newWebsite("Garden")
	api, err := client.New(f.URL, c.key)
	f.Check(err)
	list, err := api.Websites(t.Context())
	f.Check(err)
	if len(list) != 1 || list[0].Slug != string(garden.Slug) || list[0].Status != "empty" ||
		!list[0].DeployedAt.IsZero() || list[0].URL != f.Server.SitesURL.Scheme+"://"+string(garden.Slug)+
		".localhost:"+f.Server.PublicURL.Port()+"/" {
		t.Errorf("websites = %+v", list)
	}
	for _, page := range []string{"<p>Spring", "<p>Summer"} {
		content := webtest.Packed(t, "index.html="+page)
		made, err := api.Upload(t.Context(), client.File{Name: "website.zip", Size: int64(len(content)),
			Content: bytes.NewReader(content)}, client.Options{Website: string(garden.Slug), LinkName: "ignored",
			Slug: "ignored", ViewOnly: true})
		f.Check(err)
		if made.Slug != string(garden.Slug) || made.Title != "Garden" || made.URL != list[0].URL || made.Review {
			t.Errorf("deployed %+v", made)
		}
		f.Shows(garden, http.StatusOK, page)
		f.Clock.Advance(time.Minute)
	}
	list, err = api.Websites(t.Context())
	f.Check(err)
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
	content := string(webtest.Packed(t, "index.html=<p>Spring", "tool.exe=MZ", ".well-known/security.txt=x"))
	file := siteZIP.With(webtest.Fields{"size": len(content), "website": garden.Slug})
	path := c.Stored(c.key, file, content)
	for range 2 {
		made := c.complete(path, file).Want(200, "").JSON()
		want := []any{
			map[string]any{"path": "tool.exe", "reason": "program", "meaning": "program or server script"},
			map[string]any{"path": ".well-known/security.txt", "reason": "hidden", "meaning": "hidden file"}}
		if !reflect.DeepEqual(made["leftOut"], want) || made["leftOutTotal"] != 2.0 {
			t.Errorf("deployed %v", made)
		}
	}
	if made := c.deploy(garden.Slug, "index.html=<p>Summer").Want(200, "").JSON(); made["leftOut"] != nil {
		t.Errorf("deployed %v", made)
	}
}

// TestWebsiteByAPIHeld checks that a held version is reported as such, and that
// visitors see the one before.
func TestWebsiteByAPIHeld(t *testing.T) {
	f, c := newHostingFixture(t, vitrine.PlanPro)
	garden := c.newWebsite("Garden")
	c.deploy(garden.Slug, "index.html=<p>Spring").Want(200, "")
	f.Clock.Advance(time.Minute)
	held := c.deploy(garden.Slug, `index.html=<form action="https://evil.example"><input type="password"></form>`).
		Want(200, "").JSON()
	if held["review"] != true || held["reason"] == nil || held["slug"] != string(garden.Slug) {
		t.Errorf("held = %v", held)
	}
	f.Shows(garden, http.StatusOK, "<p>Spring")
	site := f.Call(c.key, "GET", "/websites", nil).Want(200, "").JSON()["websites"].([]any)[0].(map[string]any)
	if site["status"] != "live" || site["pending"] != true {
		t.Errorf("website = %v", site)
	}
}

// TestWebsiteByAPIRefused checks what a deploy through the API refuses. Nothing
// is deployed, and a mistake in step 3 keeps the bytes.
func TestWebsiteByAPIRefused(t *testing.T) {
	f, c := newHostingFixture(t, vitrine.PlanPro)
	garden := c.newWebsite("Garden")
	to := siteZIP.With(webtest.Fields{"website": garden.Slug})
	begin := func(file webtest.Fields) webtest.Answer { return f.Call(c.key, "POST", "/uploads", file) }
	for field, value := range map[string]any{"slug": "my-own", "replace": "other"} {
		if a := begin(to.With(webtest.Fields{field: value})).Want(400, "invalid_request"); a.Text("field") != field {
			t.Errorf("step 1 with %s: field %q", field, a.Text("field"))
		}
	}
	begin(to.With(webtest.Fields{"name": "a.pdf", "type": "application/pdf"})).Want(400, "unsupported_type")
	begin(to.With(webtest.Fields{"name": "a.pdf", "type": "application/pdf", "website": "nope"})).Want(400,
		"unsupported_type")
	begin(to.With(webtest.Fields{"website": 5})).Want(400, "invalid_request")
	other := caller{f, f.Account(vitrine.PlanPro)}
	unknown, foreign := begin(to.With(webtest.Fields{"website": "nope"})), f.Call(other.key, "POST", "/uploads", to)
	unknown.Want(404, "not_found")
	if foreign.Want(404, "not_found"); !bytes.Equal(unknown.Body, foreign.Body) {
		t.Errorf("another account's website: %s, an unknown one: %s", foreign.Body, unknown.Body)
	}

	content := string(webtest.Packed(t, "index.html=<p>Spring"))
	file := to.With(webtest.Fields{"size": len(content)})
	path := c.Stored(c.key, file, content)
	for field, value := range map[string]any{"slug": "my-own", "replace": "other", "linkName": "x",
		"allowDownload": false, "expiresAt": "never"} {
		if a := c.complete(path, file.With(webtest.Fields{field: value})).Want(400,
			"invalid_request"); a.Text("field") != field {
			t.Errorf("step 3 with %s: field %q", field, a.Text("field"))
		}
	}
	for _, slug := range []any{nil, c.newWebsite("Other").Slug} {
		if a := c.complete(path, file.With(webtest.Fields{"website": slug})).Want(400,
			"idempotency_mismatch"); a.Text("field") != "website" {
			t.Errorf("step 3 for %v: field %q", slug, a.Text("field"))
		}
	}
	if a := c.complete(c.Stored(c.key, webtest.NoteFile, webtest.Note),
		webtest.NoteFile.With(webtest.Fields{"website": garden.Slug})).Want(400,
		"idempotency_mismatch"); a.Text("field") != "website" {
		t.Errorf("a link's upload as a website: field %q", a.Text("field"))
	}
	f.Shows(garden, http.StatusNotFound, "")
	c.complete(path, file).Want(200, "")
	f.Shows(garden, http.StatusOK, "<p>Spring")
	c.deploy(garden.Slug, "about.html=<p>No first page").Want(400, "content_mismatch")
	f.Shows(garden, http.StatusOK, "<p>Spring")
}

// TestWebsiteByAPILimitedKey checks that a key that limits its links deploys no
// website, which would have no end, in neither step.
func TestWebsiteByAPILimitedKey(t *testing.T) {
	f, c := newHostingFixture(t, vitrine.PlanPro)
	garden := c.newWebsite("Garden")
	k, err := f.Server.Keys.CreateFor(t.Context(), f.Emails[c.key], auth.KeyRequest{Name: "agent",
		Scope: vitrine.ScopePublish, LinkLife: time.Hour})
	f.Check(err)
	content := string(webtest.Packed(t, "index.html=<p>Spring"))
	file := siteZIP.With(webtest.Fields{"size": len(content), "website": garden.Slug})
	path := c.Stored(c.key, file, content)
	limited := caller{f, string(k.Text)}
	f.Call(limited.key, "POST", "/uploads", file).Want(403, "forbidden")
	limited.complete(path, file).Want(403, "forbidden")
	f.Shows(garden, http.StatusNotFound, "")
}

// TestWebsiteByAPIRetries checks that retries with one idempotency key deploy
// one version.
func TestWebsiteByAPIRetries(t *testing.T) {
	f, c := newHostingFixture(t, vitrine.PlanPro)
	garden := c.newWebsite("Garden")
	content := string(webtest.Packed(t, "index.html=<p>Spring"))
	file := siteZIP.With(webtest.Fields{"size": len(content), "website": garden.Slug,
		"idempotencyKey": "123e4567-e89b-12d3-a456-426614174000"})
	path := c.Stored(c.key, file, content)
	for range 2 {
		c.complete(path, file).Want(200, "")
	}
	existing := f.Call(c.key, "POST", "/uploads", file).Want(200, "").JSON()["existing"].(map[string]any)
	if existing["slug"] != string(garden.Slug) || existing["title"] != "Garden" {
		t.Errorf("existing = %v", existing)
	}
	other := c.newWebsite("Other")
	f.Call(c.key, "POST", "/uploads", file.With(webtest.Fields{"website": other.Slug})).Want(400,
		"idempotency_mismatch")
	f.Call(c.key, "POST", "/uploads", file.With(webtest.Fields{"website": nil})).Want(400, "idempotency_mismatch")
	if a, err := f.Server.Accounts.ByEmail(t.Context(), f.Emails[c.key]); err != nil {
		t.Error(err)
	} else if facts, err := f.Server.Sites.BySlug(t.Context(), a, string(garden.Slug)); err != nil ||
		len(facts.Versions) != 1 {
		t.Errorf("website = %+v, %v, want one version", facts, err)
	}
}
