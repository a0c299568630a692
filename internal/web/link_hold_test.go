package web_test

import (
	"strings"
	"testing"
	"time"

	"vitrine"
)

// TestModeratorDisableHolds checks that a moderator can disable a link that its
// owner has disabled, or that has expired, and that the owner can then enable
// it neither through the API nor on its page. Undo gives it back as it was.
func TestModeratorDisableHolds(t *testing.T) {
	f := newFixture(t)
	d := f.site
	mod, err := f.server.Accounts.ByEmail(t.Context(), f.site.account.Email)
	f.check(err)
	moderator := d.signIn(mod)
	key := f.account(vitrine.PlanPro)
	owner, err := f.server.Accounts.ByEmail(t.Context(), f.emails[key])
	f.check(err)
	for what, off := range map[string]fields{"owner": {"disabled": true},
		"expired": {"expiresAt": "2026-05-04T12:30:00Z"}} {
		t.Run(what, func(t *testing.T) {
			link := "/links/" + f.published(key, noteFile, note)
			page := "/moderation" + link
			f.call(key, "PATCH", link, off).want(200, "")
			if what == "expired" {
				f.clock.Advance(31 * time.Minute)
			}
			if reason := f.call(key, "GET", link, nil).want(200, "").text("reason"); reason != what {
				t.Fatalf("reason = %s, want %s", reason, what)
			}
			shown := d.status(d.get(page, moderator), 200)
			if !strings.Contains(shown.body, page+`/disable"`) {
				t.Errorf("the case offers no button: %s", shown.body)
			}
			l, err := f.server.Links.BySlug(t.Context(), strings.TrimPrefix(link, "/links/"))
			f.check(err)
			d.status(d.decide(l, "disable", "", moderator), 303)
			for _, change := range []fields{{"disabled": false}, {"expiresAt": "never"},
				{"expiresAt": "2027-01-01T00:00:00Z"}} {
				f.call(key, "PATCH", link, change).want(200, "") // disabled is about the owner's decision
				if a := f.call(key, "GET", link, nil).want(200, ""); a.text("reason") != "moderator" ||
					a.text("status") != "disabled" {
					t.Errorf("after %v by the owner: %s", change, a.Body)
				}
			}
			cookie := d.signIn(owner)
			own := d.status(d.get(link, cookie), 200)
			if strings.Contains(own.body, link+"/undo") || !strings.Contains(own.body, "A moderator") {
				t.Errorf("the owner's page: %s", own.body)
			}
			d.status(d.post(link+"/undo", nil, cookie), 400)
			d.status(d.get("/p/"+string(l.Slug)), 410)
			d.status(d.decide(l, "undo", "", moderator), 303)
			if reason := f.call(key, "GET", link, nil).text("reason"); reason != what {
				t.Errorf("reason after the undo = %s, want %s", reason, what)
			}
		})
	}
}
