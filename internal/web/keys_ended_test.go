package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/auth"
)

// TestEndedKeys checks that the page of keys lists the newest 20 expired or
// revoked keys and counts the others.
func TestEndedKeys(t *testing.T) {
	d := newDesk(t)
	for i := range 25 {
		_, err := d.server.Keys.Create(t.Context(), d.member.Email, auth.KeyRequest{Name: fmt.Sprint("old ", i)})
		d.check(err)
		keys, err := d.server.Keys.List(t.Context(), d.member.Email)
		d.check(err)
		err = d.server.Keys.Revoke(t.Context(), d.member.Email, keys[len(keys)-1].ID)
		d.check(err)
	}
	page := d.status(d.get("/keys", d.signIn(d.member)), http.StatusOK).body
	if n := strings.Count(page, `>old `); n != 20 || !strings.Contains(page, "25 keys that have ended") ||
		!strings.Contains(page, "The 20 newest are listed.") ||
		!strings.Contains(page, ">old 24<") || strings.Contains(page, ">old 4<") {
		t.Errorf("%d ended keys are listed, want 20:\n%s", n, page)
	}
}

// TestOwnerChangesTooOften checks that the page shows the rate limit for
// changes of a link's state.
func TestOwnerChangesTooOften(t *testing.T) {
	d := newDesk(t)
	l := d.publish("notes.txt", samples["notes.txt"])
	cookie := d.signIn(d.member)
	for i := range 30 {
		d.status(d.post("/links/"+string(l.Slug)+"/"+[]string{"disable", "undo"}[i%2], nil, cookie),
			http.StatusSeeOther)
	}
	r := d.status(d.post("/links/"+string(l.Slug)+"/disable", nil, cookie), http.StatusTooManyRequests)
	if !strings.Contains(r.body, "30 times within an hour") || r.Header.Get("Retry-After") == "" {
		t.Errorf("the page does not show the limit; Retry-After = %q", r.Header.Get("Retry-After"))
	}
	if now, err := d.server.Links.BySlug(t.Context(), string(l.Slug)); err != nil || now.State != vitrine.StateLive {
		t.Errorf("link = %v, %v", now, err)
	}
}
