package app_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"
)

// TestLabelsInApp labels links on their settings and in the list, and filters
// the list by a label.
func TestLabelsInApp(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	cookie := d.SignIn(d.Member)
	a, b := d.Publish("notes.txt", []byte("a"), webtest.Titled("First")),
		d.Publish("notes.txt", []byte("b"), webtest.Titled("Second"))
	list := func(query string) string {
		t.Helper()
		return d.Status(d.Get("/links"+query, cookie), http.StatusOK).Text
	}
	if strings.Contains(list(""), "Any label") {
		t.Error("the list has a filter by label, although there is no label")
	}
	settings := "/links/" + string(a.Slug) + "/settings"
	d.Status(d.Post(settings, url.Values{"labels": {"Sales, Client A"}}, cookie), http.StatusSeeOther)
	if page := d.Status(d.Get(settings, cookie), http.StatusOK).Text; !strings.Contains(page, `value="Client A, Sales"`) {
		t.Error("the settings do not show the labels")
	}
	wrong := d.Status(d.Post(settings, url.Values{"labels": {strings.Repeat("x", 41)}}, cookie), http.StatusBadRequest).Text
	if !strings.Contains(wrong, "A label has 1 to 40 characters") {
		t.Error("a wrong label is refused without a reason")
	}
	both := []string{string(a.Slug), string(b.Slug)}
	bulk := func(action, label, want string) {
		t.Helper()
		page := d.Status(d.Post("/links", url.Values{"action": {action}, "label": {label}, "link": both}, cookie), http.StatusOK)
		if !strings.Contains(page.Text, want) {
			t.Errorf("%s %q does not say %q", action, label, want)
		}
	}
	bulk("label", "", "Type a label first.")
	bulk("label", "urgent", "2 links labelled.")
	bulk("unlabel", "SALES", "label removed from one link.")
	for query, want := range map[string][2]bool{"?label=urgent": {true, true}, "?label=client+a": {true, false},
		"?label=sales": {false, false}} {
		page := list(query)
		for i, l := range []*vitrine.Link{a, b} {
			if has := strings.Contains(page, `value="`+string(l.Slug)+`"`); has != want[i] {
				t.Errorf("%s has link %d: %v", query, i, has)
			}
		}
	}
	if page := list("?label=urgent"); !strings.Contains(page, `href="/links?label=Client%20A"`) {
		t.Error("a row does not lead to the links with its label")
	}
}
