package web_test

import (
	"html"
	"strings"
	"testing"

	"vitrine"
)

// TestReviewOwnFile checks that the page of a held file links to its place in
// the queue only for owners who may review it.
func TestReviewOwnFile(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, c := range []struct {
		who    *vitrine.Account
		review bool
	}{{d.member, false}, {d.join("mod@example.org", vitrine.RoleModerator), false}, {d.owner, true}} {
		d.account = c.who
		l := d.held("notes.txt", "html_password_form")
		cookie := d.signIn(c.who)
		page := d.status(d.get(linkPath(l), cookie), 200)
		if !strings.Contains(html.UnescapeString(page.body), vitrine.OwnerMeaning("html_password_form")) ||
			strings.Contains(page.body, "imitate") {
			t.Errorf("page for %s: %s", c.who.Email, page.body)
		}
		address := casePath(l) + "?queue=all"
		if got := strings.Contains(page.body, `href="`+address+`">Review it</a>`); got != c.review {
			t.Errorf("the page for %s links to the case: %v", c.who.Email, got)
		}
		if c.review {
			found := d.status(d.get(address, cookie), 200)
			if !strings.Contains(html.UnescapeString(found.body), vitrine.Meaning("html_password_form")) {
				t.Errorf("case: %s", found.body)
			}
		}
	}
}

// TestReviewOwnWebsite checks the same for a version of a website: one that
// waits, and one that was public before it was held.
func TestReviewOwnWebsite(t *testing.T) {
	t.Parallel()
	d := newHosting(t)
	for _, c := range []struct {
		who   *vitrine.Account
		times int
	}{{d.member, 0}, {d.join("mod@example.org", vitrine.RoleModerator), 0}, {d.owner, 1}} {
		d.account = c.who
		cookie := d.signIn(c.who)
		waits, shown := d.newWebsite("Waits"), d.newWebsite("Shown")
		held := d.deployed(waits, login)
		reported := d.hold(d.deployed(shown, "index.html=<h1>First</h1>"), vitrine.ReasonAbuse, "")
		for site, l := range map[*vitrine.Site]*vitrine.Link{waits: held, shown: reported} {
			page := d.status(d.get("/websites/"+string(site.Slug), cookie), 200)
			address := casePath(l) + "?queue=all"
			got, all := strings.Count(page.body, `href="`+address+`">Review it</a>`),
				strings.Count(page.body, "Review it")
			if got != c.times || all != c.times {
				t.Errorf("the page for %s of %s has %d links to the case and %d to others", c.who.Email, site.Title,
					got, all-got)
			}
			if c.times > 0 {
				d.status(d.get(address, cookie), 200)
			}
		}
	}
}
