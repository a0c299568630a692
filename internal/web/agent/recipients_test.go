package agent_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"
)

// TestRecipientTools adds addresses of a link by a tool, opens one, and reads
// them again, 25 a call.
func TestRecipientTools(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	slug := f.Published(key, webtest.NoteFile, webtest.Note)
	a := f.Tools(key)
	var labels []string
	for i := range 50 {
		labels = append(labels, fmt.Sprint("Reader ", i))
	}
	rows := func(out map[string]any) (list []map[string]any) {
		of, added := out["added"].([]any)
		if !added {
			of = out["recipients"].([]any)
		}
		for _, r := range of {
			list = append(list, r.(map[string]any))
		}
		return list
	}
	once := webtest.Fields{"slug": slug, "labels": labels, "expires": "30d",
		"idempotency_key": "123e4567-e89b-12d3-a456-426614174000"}
	added := rows(a.Must("add_recipients", once))
	if len(added) != 50 || added[49]["label"] != "Reader 49" {
		t.Fatalf("added %v", added)
	}
	if again := rows(a.Must("add_recipients", once)); len(again) != 50 || again[7]["url"] != added[7]["url"] {
		t.Errorf("a retry adds others: %v", again)
	}
	a.Must("add_recipients", webtest.Fields{"slug": slug, "labels": []string{"LinkedIn"}})
	req, err := http.NewRequest("GET", added[7]["url"].(string), nil)
	f.Check(err)
	req.Header.Set("User-Agent", webtest.Desktop)
	f.Do(req).Want(200, "")
	first := a.Must("list_recipients", webtest.Fields{"slug": slug})
	second := a.Must("list_recipients", webtest.Fields{"slug": slug, "cursor": first["next_cursor"]})
	third := a.Must("list_recipients", webtest.Fields{"slug": slug, "cursor": second["next_cursor"]})
	if list := rows(first); len(list) != 25 || list[7]["lastAt"] == nil || list[8]["lastAt"] != nil {
		t.Errorf("the first page = %v", list)
	}
	if list := rows(third); len(list) != 1 || list[0]["label"] != "LinkedIn" || third["next_cursor"] != nil {
		t.Errorf("the last page = %v", third)
	}
	if list := rows(a.Must("list_recipients", webtest.Fields{"slug": slug, "unopened": true})); len(list) != 24 {
		t.Errorf("%d of the first 25 are not opened, want 24", len(list))
	}
	for what, labels := range map[string]any{"none": []string{}, "51": append(labels, "x"), "no text": []any{5},
		"no list": "Anna", "an empty label": []string{""}, "nothing": nil} {
		if _, failure := a.Use("add_recipients", webtest.Fields{"slug": slug,
			"labels": labels}); !strings.HasPrefix(failure, "invalid_request: ") || !strings.Contains(failure, "labels") {
			t.Errorf("%s: %q, want invalid_request about labels", what, failure)
		}
	}
}
