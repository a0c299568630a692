package web_test

import (
	"html"
	"strings"
	"testing"

	"vitrine"
)

// Who may decide about a held file of their own is led from its page to its place in the queue. Others are not.
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
		if !strings.Contains(html.UnescapeString(page.body), vitrine.OwnerMeaning("html_password_form")) || strings.Contains(page.body, "imitate") {
			t.Errorf("%s reads: %s", c.who.Email, page.body)
		}
		address := casePath(l) + "?queue=all"
		if got := strings.Contains(page.body, `href="`+address+`">Review it</a>`); got != c.review || strings.Contains(page.body, "nothing that you need to do") == c.review {
			t.Errorf("%s is led to the case: %v", c.who.Email, got)
		}
		if c.review {
			found := d.status(d.get(address, cookie), 200)
			if !strings.Contains(html.UnescapeString(found.body), vitrine.Meaning("html_password_form")) {
				t.Errorf("the case: %s", found.body)
			}
		}
	}
}
