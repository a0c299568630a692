package api_test

import (
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"
)

// TestRecipientBadInput checks what a call that adds recipients refuses, and
// that it then adds none.
func TestRecipientBadInput(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	slug := f.Published(key, webtest.NoteFile, webtest.Note)
	path := "/links/" + slug + "/recipients"
	many := make([]string, 501)
	for i := range many {
		many[i] = "x"
	}
	row := func(more webtest.Fields) webtest.Fields {
		return webtest.Fields{"recipients": []webtest.Fields{{"label": "ok"}, more}}
	}
	for name, c := range map[string]struct {
		body  any
		field string
	}{
		"none":               {webtest.Fields{}, "recipients"},
		"an empty list":      {webtest.Fields{"recipients": []webtest.Fields{}}, "recipients"},
		"no list":            {webtest.Fields{"recipients": "Anna"}, "recipients"},
		"a list of texts":    {webtest.Fields{"recipients": []string{"Anna"}}, "recipients"},
		"501":                {named(many...), "recipients"},
		"no label":           {row(webtest.Fields{}), "recipients[1].label"},
		"an empty label":     {row(webtest.Fields{"label": ""}), "recipients[1].label"},
		"an unseen label":    {row(webtest.Fields{"label": "\u200b \u3164"}), "recipients[1].label"},
		"a long label":       {row(webtest.Fields{"label": strings.Repeat("ä", 201)}), "recipients[1].label"},
		"NUL":                {row(webtest.Fields{"label": "a\x00b"}), "recipients[1].label"},
		"lines":              {row(webtest.Fields{"label": "a\nb"}), "recipients[1].label"},
		"a direction":        {row(webtest.Fields{"label": "a\u202eb"}), "recipients[1].label"},
		"a number":           {row(webtest.Fields{"label": 5}), "recipients[1].label"},
		"another switch":     {row(webtest.Fields{"label": "x", "allowDownload": 1}), "recipients[1].allowDownload"},
		"a past time":        {row(webtest.Fields{"label": "x", "expiresAt": "2020-01-01T00:00:00Z"}), "recipients[1].expiresAt"},
		"no time":            {row(webtest.Fields{"label": "x", "expiresAt": "soon"}), "recipients[1].expiresAt"},
		"an unknown member":  {row(webtest.Fields{"label": "x", "alowDownload": false}), "recipients[1].alowDownload"},
		"null is missing":    {row(webtest.Fields{"label": nil}), "recipients[1].label"},
		"an unknown keyword": {webtest.Fields{"idempotencyKey": 7, "recipients": []webtest.Fields{{"label": "x"}}}, "idempotencyKey"},
	} {
		t.Run(name, func(t *testing.T) {
			if a := f.Call(key, "POST", path, c.body).Want(400, "invalid_request"); a.Text("field") != c.field {
				t.Errorf("field %q, want %q: %s", a.Text("field"), c.field, a.Body)
			}
		})
	}
	long := strings.Repeat("x", 100)
	full := make([]string, 500)
	for i := range full {
		full[i] = long
	}
	f.Call(key, "POST", path, named(append(full, strings.Repeat("y", 300<<10))...)).Want(400, "invalid_json")
	if rows := rowsOf(t, f.Call(key, "GET", path, nil)); len(rows) != 0 {
		t.Errorf("%d were added", len(rows))
	}
	if rows := added(f, key, slug, named(full...)); len(rows) != 500 {
		t.Errorf("%d of 500 were added", len(rows))
	}
	for _, id := range []string{"0", "-1", "x", "01", "9223372036854775808"} {
		f.Call(key, "DELETE", path+"/"+id, nil).Want(404, "not_found")
	}
}
