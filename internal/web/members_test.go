package web_test

import (
	"strings"
	"testing"

	"vitrine"
)

// TestOptionalMembers checks that null counts as missing, as do an empty slug
// and an empty title, and that a size may be any integral number. JSON
// serializers write all of these.
func TestOptionalMembers(t *testing.T) {
	f := newFixture(t)
	free := f.account(vitrine.PlanFree)
	for i, more := range []string{
		`"slug":null,"idempotencyKey":null`, `"slug":""`, `"linkName":null,"allowDownload":null`,
		`"linkName":"","slug":""`,
	} {
		size := []string{"16", "16.0", "1.6e1", "160e-1"}[i]
		begun := f.call(free, "POST", "/uploads", `{"name":"a.txt","type":"text/plain","size":`+size+`,`+more+
			`}`).want(200, "")
		f.put(begun.text("signedUrl"), "text/plain", strings.NewReader(strings.Repeat("x", 16)))
		l := f.call(free, "POST", "/uploads/complete",
			`{"path":"`+begun.text("path")+`","name":"a.txt","type":"text/plain",`+more+`}`).want(200, "")
		if l.text("title") != "a.txt" || l.text("slug") == "" {
			t.Errorf("with %s: link = %s, want title a.txt and a slug", more, l.Body)
		}
	}
	for _, title := range []string{"\u200b", "\u00a0 ", "\u3164", "\u2800\ufe0f"} {
		begun := f.call(free, "POST", "/uploads", noteFile).want(200, "")
		f.call(free, "POST", "/uploads/complete", fields{"path": begun.text("path"), "name": "a.txt",
			"type": "text/plain", "linkName": title}).
			want(400, "invalid_request")
	}
}

// TestListViews checks that the list contains the views of each link only on
// request and if the plan has analytics.
func TestListViews(t *testing.T) {
	f := newFixture(t)
	pro, free := f.account(vitrine.PlanPro), f.account(vitrine.PlanFree)
	for _, key := range []string{pro, free} {
		begun := f.call(key, "POST", "/uploads", noteFile).want(200, "")
		f.put(begun.text("signedUrl"), "text/plain", strings.NewReader(note))
		slug := f.call(key, "POST", "/uploads/complete",
			fields{"path": begun.text("path"), "name": "minutes.txt", "type": "text/plain"}).want(200, "").text("slug")
		for range 3 {
			f.openPage(slug)
		}
	}
	for query, want := range map[string]map[string]bool{"?views=true": {pro: true, free: false}, "": {pro: false},
		"?views=false": {pro: false}} {
		for key, has := range want {
			a := f.call(key, "GET", "/links"+query, nil).want(200, "")
			if got := strings.Contains(string(a.Body), `"views":3`); got != has || !has &&
				strings.Contains(string(a.Body), `"views"`) {
				t.Errorf("list with %q = %s", query, a.Body)
			}
		}
	}
}
