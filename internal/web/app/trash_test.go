package app_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"
)

// TestTrashPage deletes links on their pages and in the list, and restores and
// deletes them on the page of the trash, where nobody else sees or changes
// them.
func TestTrashPage(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	cookie := d.SignIn(d.Member)
	a, b := d.Publish("notes.txt", []byte("a"), webtest.Titled("First")),
		d.Publish("notes.txt", []byte("b"), webtest.Titled("Second"))
	trash := func(who string) string {
		t.Helper()
		return d.Status(d.Get("/trash", who), http.StatusOK).Text
	}
	has := func(page string, want ...string) {
		t.Helper()
		for _, title := range []string{"First", "Second"} {
			if strings.Contains(page, ">"+title+"<") != slices.Contains(want, title) {
				t.Errorf("the page has %q: %v", title, !slices.Contains(want, title))
			}
		}
	}
	if page := trash(cookie); !strings.Contains(page, "The trash is empty.") {
		t.Error("an empty trash does not say so")
	}
	r := d.Post("/links/"+string(a.Slug)+"/delete", url.Values{}, cookie)
	if r.StatusCode != http.StatusSeeOther || !strings.Contains(r.Header.Get("Location"), "link-trashed") {
		t.Errorf("deleting answers %d, %s", r.StatusCode, r.Header.Get("Location"))
	}
	page := d.Status(d.Post("/links", url.Values{"action": {"delete"}, "link": {string(b.Slug)}}, cookie), http.StatusOK)
	if !strings.Contains(page.Text, `<a href="/trash">Open the trash</a>`) {
		t.Error("the list does not lead to the trash")
	}
	has(trash(cookie), "First", "Second")
	d.Status(d.Get("/p/"+string(a.Slug)), http.StatusNotFound)
	d.Status(d.Get("/links/"+string(a.Slug), cookie), http.StatusNotFound)

	other := d.SignIn(d.Join("stranger@example.org", vitrine.RoleMember))
	has(trash(other))
	for _, deed := range []string{"restore", "delete"} {
		d.Status(d.Post("/trash/"+string(a.Slug)+"/"+deed, url.Values{}, other), http.StatusNotFound)
	}
	has(trash(cookie), "First", "Second")

	r = d.Post("/trash/"+string(a.Slug)+"/restore", url.Values{}, cookie)
	if r.StatusCode != http.StatusSeeOther || !strings.HasPrefix(r.Header.Get("Location"), "/links/"+string(a.Slug)) {
		t.Errorf("restoring answers %d, %s", r.StatusCode, r.Header.Get("Location"))
	}
	d.Status(d.Get("/p/"+string(a.Slug)), http.StatusOK)
	has(trash(cookie), "Second")
	d.Status(d.Post("/trash/"+string(b.Slug)+"/delete", url.Values{}, cookie), http.StatusSeeOther)
	has(trash(cookie))
	d.Status(d.Post("/trash/"+string(b.Slug)+"/restore", url.Values{}, cookie), http.StatusNotFound)

	d.Status(d.Post("/links/"+string(a.Slug)+"/delete", url.Values{}, cookie), http.StatusSeeOther)
	d.Server.Links.Plans[d.Member.Plan] = vitrine.Limits{Links: 1}
	d.Publish("notes.txt", []byte("c"))
	full := d.Post("/trash/"+string(a.Slug)+"/restore", url.Values{}, cookie)
	if full.StatusCode != http.StatusForbidden || !strings.Contains(full.Text, "All links of your account are in use") {
		t.Errorf("restoring without a free place answers %d", full.StatusCode)
	}
}
