package public_test

import (
	"regexp"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"
)

// TestOwnerOfALinkThatIsNotShown checks that the page of a link that is not
// public is the same for everyone, signed in or not, except for its owner, who
// sees what to do.
func TestOwnerOfALinkThatIsNotShown(t *testing.T) {
	d := webtest.NewDesk(t)
	l := d.Publish("report.pdf", webtest.Samples["report.pdf"], webtest.Titled("Secret plans"))
	path := "/p/" + string(l.Slug)
	owner, other := d.SignIn(d.Member), d.SignIn(d.Join("other@example.org", vitrine.RoleMember))
	moderator := d.SignIn(d.Owner)
	const dashboard = ` <a class="button" href="/dashboard">[^<]*</a>` // for everyone who is signed in
	varying := regexp.MustCompile(`nonce="[^"]*"|Request ID [0-9a-f]+|\n<p class="ways">` + dashboard + `</p>|` + dashboard)
	same := func(status int, path string) {
		t.Helper()
		unknown := varying.ReplaceAllString(d.Status(d.Get(path), status).Text, "")
		for _, who := range []string{other, moderator, "Cookie: vitrine=rubbish"} {
			if got := varying.ReplaceAllString(d.Status(d.Get(path, who), status).Text, ""); got != unknown {
				t.Errorf("page for %s:\n%s\nwant\n%s", who, got, unknown)
			}
		}
	}
	_, err := d.Server.Links.Disable(t.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Owner(d.Member.ID)})
	d.Check(err)
	same(410, path)
	r := d.Status(d.Get(path, owner), 410)
	enable := `action="/links/` + string(l.Slug) + `/undo"`
	if !strings.Contains(r.Text, "You disabled this link.") || !strings.Contains(r.Text, enable) ||
		!strings.Contains(r.Header.Get("Content-Security-Policy"), "form-action 'self'") ||
		r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers %v\n%s", r.Header, r.Text)
	}
	if body := d.Status(d.Get(path+"/embed", owner), 410).Text; strings.Contains(body, "You disabled") {
		t.Errorf("an embed reveals the link's owner:\n%s", body)
	}
	d.Status(d.Post("/links/"+string(l.Slug)+"/undo", nil, owner), 303)
	d.Status(d.Get(path), 200)

	d.Hold(l, "html_password_form", "")
	same(404, path)
	if body := d.Status(d.Get(path, owner), 404).Text; !strings.Contains(body, "held for review") ||
		strings.Contains(body, enable) || !strings.Contains(body, `href="/links/`+string(l.Slug)+`"`) {
		t.Errorf("page of a held link: %s", body)
	}
	_, err = d.Server.Links.Reject(t.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Moderator(d.Owner)})
	d.Check(err)
	if body := d.Status(d.Get(path, owner), 410).Text; !strings.Contains(body, "cannot enable it yourself") ||
		strings.Contains(body, enable) {
		t.Errorf("page of a link that a moderator disabled: %s", body)
	}
	imported := d.Publish("imported.txt", []byte("only its history is here"))
	_, err = d.Server.Links.Disable(t.Context(), string(imported.Slug),
		vitrine.Decision{By: vitrine.Owner(d.Member.ID)})
	d.Check(err)
	d.Check(d.Server.Links.Store.Update(t.Context(), func(tx vitrine.Tx) error {
		m, err := tx.Link(imported.ID)
		if err != nil {
			return err
		}
		m.HasBytes = false
		return tx.PutLink(m)
	}))
	if body := d.Status(d.Get("/p/"+string(imported.Slug), owner), 410).Text; strings.Contains(body,
		"cannot enable it yourself") ||
		!strings.Contains(body, "You disabled this link. Its file is not available here.") {
		t.Errorf("page of a link without a file: %s", body)
	}
	if body := d.Status(d.Get("/p/no-such-link", owner), 404).Text; strings.Contains(body, "Manage") {
		t.Errorf("page of an unknown link: %s", body)
	}
	d.Check(d.Server.Links.Delete(t.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Owner(d.Member.ID)}))
	same(404, path)
	if body := d.Status(d.Get(path, owner), 404).Text; strings.Contains(body, "Manage") {
		t.Errorf("page of a deleted link: %s", body)
	}
}
