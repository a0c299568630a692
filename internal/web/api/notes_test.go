package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/webtest"
)

// today returns the date of the instance's clock.
func (c caller) today() string { return c.Server.Now().UTC().Format(time.DateOnly) }

// addNote adds a note to a link.
func (c caller) addNote(key, slug string) webtest.Answer {
	return c.Call(key, "POST", "/links/"+slug+"/notes", webtest.Fields{"day": c.today(), "text": "Sent to the board"})
}

// TestNotes adds, lists and deletes notes, and finds them in the report.
func TestNotes(t *testing.T) {
	f := webtest.NewFixture(t)
	c := caller{f, f.Account(vitrine.PlanPro)}
	other := f.Account(vitrine.PlanPro)
	slug := c.Published(c.key, webtest.NoteFile, webtest.Note)
	notes := "/links/" + slug + "/notes"
	for field, note := range map[string]webtest.Fields{
		"day":  {"day": "yesterday", "text": "x"},
		"text": {"day": c.today(), "text": strings.Repeat("x", 201)},
	} {
		if a := c.Call(c.key, "POST", notes, note).Want(400, "invalid_request"); a.Text("field") != field {
			t.Errorf("field = %q, want %q", a.Text("field"), field)
		}
	}
	c.Call(c.key, "POST", notes, webtest.Fields{"day": "2020-01-01", "text": "x"}).Want(400, "invalid_request")
	id := c.addNote(c.key, slug).Want(200, "").JSON()["id"]
	html := webtest.Fields{"day": c.today(), "text": "<b>Talk</b>"}
	c.Call(c.key, "POST", notes, html).Want(200, "")
	c.Call(other, "GET", notes, nil).Want(404, "not_found")
	c.Call(other, "DELETE", fmt.Sprint(notes, "/", id), nil).Want(404, "not_found")
	c.Call(c.key, "DELETE", notes+"/01", nil).Want(404, "not_found")
	c.Call(c.key, "DELETE", fmt.Sprint(notes, "/", id), nil).Want(204, "")
	want := fmt.Sprintf(`[map[day:%s kind:note note:2 text:<b>Talk</b>]]`, c.today())
	if got := fmt.Sprint(c.Call(c.key, "GET", "/links/"+slug+"/analytics", nil).JSON()["marks"]); got != want {
		t.Errorf("marks = %s, want %s", got, want)
	}
}
