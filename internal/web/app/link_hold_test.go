package app_test

import (
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/webtest"
)

// TestModeratorDisableHolds checks that a moderator can disable a link that its
// owner has disabled, or that has expired, and that the owner can then enable
// it neither through the API nor on its page. Undo gives it back as it was.
func TestModeratorDisableHolds(t *testing.T) {
	f := webtest.NewFixture(t)
	d := f.Site
	mod, err := f.Server.Accounts.ByEmail(t.Context(), f.Site.Account.Email)
	f.Check(err)
	moderator := d.SignIn(mod)
	key := f.Account(vitrine.PlanPro)
	owner, err := f.Server.Accounts.ByEmail(t.Context(), f.Emails[key])
	f.Check(err)
	for what, off := range map[string]webtest.Fields{"owner": {"disabled": true},
		"expired": {"expiresAt": "2026-05-04T12:30:00Z"}} {
		t.Run(what, func(t *testing.T) {
			link := "/links/" + f.Published(key, webtest.NoteFile, webtest.Note)
			page := "/moderation" + link
			f.Call(key, "PATCH", link, off).Want(200, "")
			if what == "expired" {
				f.Clock.Advance(31 * time.Minute)
			}
			if reason := f.Call(key, "GET", link, nil).Want(200, "").Text("reason"); reason != what {
				t.Fatalf("reason = %s, want %s", reason, what)
			}
			shown := d.Status(d.Get(page, moderator), 200)
			if !strings.Contains(shown.Text, page+`/disable"`) {
				t.Errorf("the case offers no button: %s", shown.Text)
			}
			l, err := f.Server.Links.BySlug(t.Context(), strings.TrimPrefix(link, "/links/"))
			f.Check(err)
			d.Status(d.Decide(l, "disable", "", moderator), 303)
			for _, change := range []webtest.Fields{{"disabled": false}, {"expiresAt": "never"},
				{"expiresAt": "2027-01-01T00:00:00Z"}} {
				f.Call(key, "PATCH", link, change).Want(200, "") // disabled is about the owner's decision
				if a := f.Call(key, "GET", link, nil).Want(200, ""); a.Text("reason") != "moderator" ||
					a.Text("status") != "disabled" {
					t.Errorf("after %v by the owner: %s", change, a.Body)
				}
			}
			cookie := d.SignIn(owner)
			own := d.Status(d.Get(link, cookie), 200)
			if strings.Contains(own.Text, link+"/undo") || !strings.Contains(own.Text, "A moderator") {
				t.Errorf("the owner's page: %s", own.Text)
			}
			d.Status(d.Post(link+"/undo", nil, cookie), 400)
			d.Status(d.Get("/p/"+string(l.Slug)), 410)
			d.Status(d.Decide(l, "undo", "", moderator), 303)
			if reason := f.Call(key, "GET", link, nil).Text("reason"); reason != what {
				t.Errorf("reason after the undo = %s, want %s", reason, what)
			}
		})
	}
}
