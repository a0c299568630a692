package api_test

import (
	"net/http"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/webtest"
)

// TestTrashAPI deletes, lists, restores and purges links. What is in the trash
// answers 404 everywhere else, and belongs to its account.
func TestTrashAPI(t *testing.T) {
	f := webtest.NewFixture(t)
	key, other := f.Account(vitrine.PlanPro), f.Account(vitrine.PlanPro)
	slug := f.Published(key, webtest.NoteFile.With(webtest.Fields{"slug": "one"}), webtest.Note)
	second := f.Published(key, webtest.NoteFile.With(webtest.Fields{"slug": "two"}), webtest.Note)
	listed := func(key, query, want string) (next string) {
		t.Helper()
		a := f.Call(key, "GET", "/trash"+query, nil).Want(200, "").JSON()
		got := ""
		for _, l := range a["links"].([]any) {
			l := l.(map[string]any)
			got += l["slug"].(string) + " " + l["status"].(string) + " " + l["purge_at"].(string) + "; "
		}
		if got != want {
			t.Errorf("trash = %q, want %q", got, want)
		}
		next, _ = a["nextCursor"].(string)
		return next
	}
	gone := f.Call(key, "DELETE", "/links/"+slug, nil).Want(200, "")
	at := f.Clock.Now().UTC()
	purge := func(at time.Time) string { return at.Add(30 * 24 * time.Hour).Format("2006-01-02T15:04:05.000Z") }
	if gone.Text("slug") != slug || gone.Text("purge_at") != purge(at) {
		t.Errorf("answer to DELETE = %s", gone.Body)
	}
	for _, ask := range [][2]string{{"GET", ""}, {"PATCH", ""}, {"DELETE", ""}, {"GET", "/file"}, {"GET", "/versions"},
		{"GET", "/recipients"}, {"GET", "/captions"}, {"GET", "/analytics"}, {"GET", "/visits"}} {
		var body any
		if ask[0] == "PATCH" {
			body = webtest.Fields{"title": "x"}
		}
		f.Call(key, ask[0], "/links/"+slug+ask[1], body).Want(404, "not_found")
	}
	f.Status(f.Get("/p/"+slug), http.StatusNotFound)
	f.Clock.Advance(time.Minute)
	f.Call(key, "DELETE", "/links/"+second+"?permanent=false", nil).Want(200, "")
	f.Call(key, "DELETE", "/links/"+second+"?permanent=perhaps", nil).Want(400, "invalid_request")
	later := second + " live " + purge(at.Add(time.Minute)) + "; "
	next := listed(key, "?limit=1", later)
	listed(key, "?limit=1&cursor="+next, slug+" live "+purge(at)+"; ")
	listed(other, "", "")
	f.Call(other, "POST", "/trash/"+slug+"/restore", nil).Want(404, "not_found")
	f.Call(other, "DELETE", "/links/"+slug+"?permanent=true", nil).Want(404, "not_found")
	f.Call(f.Scoped(key, vitrine.ScopePublish), "POST", "/trash/"+slug+"/restore", nil).Want(403, "forbidden")

	if l := f.Call(key, "POST", "/trash/"+slug+"/restore", nil).Want(200, ""); l.Text("status") != "live" ||
		l.Header.Get("ETag") == "" {
		t.Errorf("restored: %s", l.Body)
	}
	f.Call(key, "GET", "/links/"+slug, nil).Want(200, "")
	f.Call(key, "POST", "/trash/"+slug+"/restore", nil).Want(404, "not_found")
	listed(key, "", later)
	f.Call(key, "DELETE", "/links/"+second+"?permanent=true", nil).Want(204, "")
	f.Call(key, "DELETE", "/links/"+slug+"?permanent=true", nil).Want(204, "")
	listed(key, "", "")
	f.Call(key, "POST", "/trash/"+slug+"/restore", nil).Want(404, "not_found")
}

// The errors of the trash.
func init() {
	paths["listTrash"], paths["restoreLink"] = "/trash", "/trash/nope/restore"
	trashed := func(c caller) string {
		slug := c.Published(c.key, webtest.NoteFile, webtest.Note)
		c.Call(c.key, "DELETE", "/links/"+slug, nil).Want(200, "")
		return slug
	}
	provoked[vitrine.CodeInvalidRequest]["listTrash"] = func(c caller, op string) webtest.Answer {
		return c.Call(c.key, "GET", paths[op]+"?cursor=!!", nil)
	}
	provoked[vitrine.CodeInvalidRequest]["deleteLink"] = func(c caller, op string) webtest.Answer {
		return c.Call(c.key, "DELETE", paths[op]+"?permanent=5", nil)
	}
	for code, limits := range map[vitrine.Code]vitrine.Limits{vitrine.CodeLinkLimit: {Links: 1},
		vitrine.CodeStorageLimit: {StorageBytes: 5}} {
		provoked[code]["restoreLink"] = func(c caller, _ string) webtest.Answer {
			slug := trashed(c)
			c.Published(c.key, webtest.NoteFile, webtest.Note)
			return c.free(limits).Call(c.key, "POST", "/trash/"+slug+"/restore", nil)
		}
	}
	provoked[vitrine.CodeRateLimited]["restoreLink"] = func(c caller, _ string) webtest.Answer {
		slug := trashed(c)
		for range 15 {
			c.Call(c.key, "POST", "/trash/"+slug+"/restore", nil).Want(200, "")
			c.Call(c.key, "DELETE", "/links/"+slug, nil).Want(200, "")
		}
		return c.Call(c.key, "POST", "/trash/"+slug+"/restore", nil)
	}
}
