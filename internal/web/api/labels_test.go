package api_test

import (
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"
)

// TestLabelsAPI sets labels, lists links by them, and refuses wrong ones with
// the field that is wrong. Readers never see them.
func TestLabelsAPI(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	slug := f.Published(key, webtest.NoteFile, webtest.Note)
	f.Published(key, webtest.NoteFile, webtest.Note)
	before := f.Call(key, "GET", "/links/"+slug, nil).Want(200, "")
	l := f.Call(key, "PATCH", "/links/"+slug, webtest.Fields{"labels": []string{"Sales", "Client A"}}).Want(200, "")
	if got := l.JSON()["labels"]; len(got.([]any)) != 2 || before.Header.Get("ETag") == l.Header.Get("ETag") {
		t.Errorf("labels = %v", got)
	}
	for query, want := range map[string]int{"?label=sales": 1, "?label=other": 0, "": 2} {
		if got := len(f.Call(key, "GET", "/links"+query, nil).Want(200, "").JSON()["links"].([]any)); got != want {
			t.Errorf("%d links with %q, want %d", got, query, want)
		}
	}
	f.Call(key, "GET", "/links?label=a&label=b", nil).Want(400, "invalid_request")
	for _, wrong := range []any{"Sales", []int{1}, []string{""}, []string{strings.Repeat("x", 41)}, []string{"a,b"}} {
		a := f.Call(key, "PATCH", "/links/"+slug, webtest.Fields{"labels": wrong}).Want(400, "invalid_request")
		if a.Text("field") != "labels" {
			t.Errorf("labels %v: %s", wrong, a.Body)
		}
	}
	if page := f.Status(f.Get("/p/"+slug), 200); strings.Contains(page.Text, "Client A") {
		t.Error("a reader sees a label")
	}
	if l := f.Call(key, "PATCH", "/links/"+slug, webtest.Fields{"labels": []string{}}).Want(200, ""); l.JSON()["labels"] != nil {
		t.Errorf("labels stay: %s", l.Body)
	}
}
