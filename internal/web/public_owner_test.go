package web_test

import (
	"regexp"
	"strings"
	"testing"

	"vitrine"
)

// TestOwnerOfALinkThatIsNotShown checks that the page of a link that is not
// public is the same for everyone, signed in or not, except for its owner, who
// sees what to do.
func TestOwnerOfALinkThatIsNotShown(t *testing.T) {
	d := newDesk(t)
	l := d.publish("report.pdf", samples["report.pdf"], titled("Secret plans"))
	path := "/p/" + string(l.Slug)
	owner, other := d.signIn(d.member), d.signIn(d.join("other@example.org", vitrine.RoleMember))
	moderator := d.signIn(d.owner)
	const dashboard = ` <a class="button" href="/dashboard">[^<]*</a>` // for everyone who is signed in
	varying := regexp.MustCompile(`nonce="[^"]*"|Request ID [0-9a-f]+|\n<p class="ways">` + dashboard + `</p>|` + dashboard)
	same := func(status int, path string) {
		t.Helper()
		unknown := varying.ReplaceAllString(d.status(d.get(path), status).body, "")
		for _, who := range []string{other, moderator, "Cookie: vitrine=rubbish"} {
			if got := varying.ReplaceAllString(d.status(d.get(path, who), status).body, ""); got != unknown {
				t.Errorf("page for %s:\n%s\nwant\n%s", who, got, unknown)
			}
		}
	}
	_, err := d.server.Links.Disable(t.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Owner(d.member.ID)})
	d.check(err)
	same(410, path)
	r := d.status(d.get(path, owner), 410)
	enable := `action="/links/` + string(l.Slug) + `/undo"`
	if !strings.Contains(r.body, "You disabled this link.") || !strings.Contains(r.body, enable) ||
		!strings.Contains(r.Header.Get("Content-Security-Policy"), "form-action 'self'") ||
		r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers %v\n%s", r.Header, r.body)
	}
	if body := d.status(d.get(path+"/embed", owner), 410).body; strings.Contains(body, "You disabled") {
		t.Errorf("an embed reveals the link's owner:\n%s", body)
	}
	d.status(d.post("/links/"+string(l.Slug)+"/undo", nil, owner), 303)
	d.status(d.get(path), 200)

	d.hold(l, "html_password_form", "")
	same(404, path)
	if body := d.status(d.get(path, owner), 404).body; !strings.Contains(body, "held for review") ||
		strings.Contains(body, enable) || !strings.Contains(body, `href="/links/`+string(l.Slug)+`"`) {
		t.Errorf("page of a held link: %s", body)
	}
	_, err = d.server.Links.Reject(t.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Moderator(d.owner)})
	d.check(err)
	if body := d.status(d.get(path, owner), 410).body; !strings.Contains(body, "cannot enable it yourself") ||
		strings.Contains(body, enable) {
		t.Errorf("page of a link that a moderator disabled: %s", body)
	}
	imported := d.publish("imported.txt", []byte("only its history is here"))
	_, err = d.server.Links.Disable(t.Context(), string(imported.Slug),
		vitrine.Decision{By: vitrine.Owner(d.member.ID)})
	d.check(err)
	d.check(d.server.Links.Store.Update(t.Context(), func(tx vitrine.Tx) error {
		m, err := tx.Link(imported.ID)
		if err != nil {
			return err
		}
		m.HasBytes = false
		return tx.PutLink(m)
	}))
	if body := d.status(d.get("/p/"+string(imported.Slug), owner), 410).body; strings.Contains(body, "cannot enable it yourself") ||
		!strings.Contains(body, "You disabled this link. Its file is not available here.") {
		t.Errorf("page of a link without a file: %s", body)
	}
	if body := d.status(d.get("/p/no-such-link", owner), 404).body; strings.Contains(body, "Manage") {
		t.Errorf("page of an unknown link: %s", body)
	}
	d.check(d.server.Links.Delete(t.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Owner(d.member.ID)}))
	same(404, path)
	if body := d.status(d.get(path, owner), 404).body; strings.Contains(body, "Manage") {
		t.Errorf("page of a deleted link: %s", body)
	}
}
