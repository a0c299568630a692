package web_test

import (
	"strings"
	"testing"

	"vitrine"
)

// What is null is not given, and neither is an empty slug or title. A size may be
// any integral number. Serializers write all of these.
func TestOptionalMembers(t *testing.T) {
	f := newFixture(t)
	free := f.account(vitrine.PlanFree)
	for i, more := range []string{
		`"slug":null,"idempotencyKey":null`, `"slug":""`, `"linkName":null,"allowDownload":null`, `"linkName":"","slug":""`,
	} {
		size := []string{"16", "16.0", "1.6e1", "160e-1"}[i]
		begun := f.call(free, "POST", "/uploads", `{"name":"a.txt","type":"text/plain","size":`+size+`,`+more+`}`).want(200, "")
		f.put(begun.text("signedUrl"), "text/plain", strings.NewReader(strings.Repeat("x", 16)))
		l := f.call(free, "POST", "/uploads/complete", `{"path":"`+begun.text("path")+`","name":"a.txt","type":"text/plain",`+more+`}`).want(200, "")
		if l.text("title") != "a.txt" || l.text("slug") == "" {
			t.Errorf("%s: %s", more, l.Body)
		}
	}
	for _, title := range []string{"\u200b", "\u00a0 ", "\u3164", "\u2800\ufe0f"} {
		begun := f.call(free, "POST", "/uploads", noteFile).want(200, "")
		f.call(free, "POST", "/uploads/complete", fields{"path": begun.text("path"), "name": "a.txt", "type": "text/plain", "linkName": title}).
			want(400, "invalid_request")
	}
}
