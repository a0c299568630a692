package eventpage_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/webhooks"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/webtest"
)

// TestRotationWords checks that the page of a webhook says before a rotation,
// and after it, which secrets sign.
func TestRotationWords(t *testing.T) {
	clock := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	d := webtest.NewDeskWith(t, webtest.SiteOptions{Now: func() time.Time { return clock }})
	cookie, ctx, s := d.SignIn(d.Owner), t.Context(), d.Server.Webhooks
	hook, err := s.Create(ctx, d.Owner, webhooks.Request{URL: new("https://hook.example/a")})
	d.Check(err)
	path := fmt.Sprint("/webhooks/", hook.ID)
	const both, replaced, lost, off, after = "The current one also signs for 24 hours", "stops at once",
		"The current one is lost and signs nothing.", "The webhook stays off.", "The secret before also signs until"
	says := func(what string, page webtest.Reply, all ...string) {
		t.Helper()
		text := d.Status(page, http.StatusOK).Text
		for _, words := range []string{both, replaced, lost, off, after} {
			want := false
			for _, w := range all {
				want = want || w == words
			}
			if strings.Contains(text, words) != want {
				t.Errorf("%s: %q is on the page: %v, want %v", what, words, !want, want)
			}
		}
	}
	page := func() webtest.Reply { return d.Get(path, cookie) }
	rotate := func() webtest.Reply { return d.Post(path+"/rotate", nil, cookie) }
	turn := func(on bool) {
		t.Helper()
		_, err := s.Edit(ctx, d.Owner, hook.ID, webhooks.Request{On: &on})
		d.Check(err)
	}
	says("one secret", page(), both)
	turn(false)
	says("off", page(), both, off)
	turn(true)
	says("rotated", rotate(), both, replaced, after)
	says("two secrets", page(), both, replaced)
	clock = clock.Add(24 * time.Hour)
	says("a day later", page(), both)
	was := s.Signer
	rotate()
	s.Signer = signer.New([]byte("another secret"))
	says("lost", page(), lost)
	says("rotated when lost", rotate(), both)
	s.Signer = was
	says("lost again", page(), lost)
	rotate()
	turn(false)
	s.Signer = signer.New([]byte("another secret"))
	says("lost and off", page(), lost, off)
}

// TestNewWebhookNamesRecipients checks that the form of a new webhook offers
// messages that name recipients, and keeps the other choice.
func TestNewWebhookNamesRecipients(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	cookie := d.SignIn(d.Owner)
	on := func(page webtest.Reply, want bool) {
		t.Helper()
		box := d.Attr(page.Text, `(<input [^>]*name="names"[^>]*>)`)
		webtest.Same(t, "labels of recipients are included", strings.Contains(box, "checked"), want)
	}
	on(d.Status(d.Get("/webhooks", cookie), http.StatusOK), true)
	on(d.Status(d.Post("/webhooks", url.Values{"url": {"x"}}, cookie), http.StatusBadRequest), false)
}
