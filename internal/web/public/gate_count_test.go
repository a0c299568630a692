package public_test

import (
	"net/http"
	"testing"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"
)

// TestGateCounts checks that the gate counts when a browser is shown it and
// when a reader passes it, and not for programs, other addresses of the link or
// wrong passwords; and that the counts are no views.
func TestGateCounts(t *testing.T) {
	s := webtest.NewSite(t)
	s.TrustProxy()
	l := s.Publish("notes.txt", []byte("notes"))
	r := s.Recipients(l, "Anna")[0]
	s.Protect(l, "open sesame")
	here := "/p/" + string(l.Slug)
	is := func(shown, passed int64) {
		t.Helper()
		got, err := s.Server.Gates.Counts(t.Context(), l.ID)
		s.Check(err)
		vitrinetest.Equal(t, "shown and passed", got, vitrine.GateCounts{Shown: shown, Passed: passed})
	}
	for _, path := range []string{here, l.For(r).Path()} {
		s.Status(s.Get(path), 403)
		s.Status(s.Get(path, "User-Agent: Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)"), 403)
		s.Status(s.Get(path, "X-Forwarded-For: 104.47.1.7"), 403) // mail scanners
		s.Status(s.Get(path, "Sec-Fetch-Dest: image"), 403)
		s.Status(s.Get(path+"/embed"), 403)
		s.Status(s.Get(path+"/download"), 403)
		s.Status(s.Do(http.MethodHead, path, ""), 403)
	}
	is(2, 0)
	s.Status(s.Enter(l, "wrong", "192.0.2.1"), 403)
	is(2, 0)
	s.Check(s.Server.Gates.WriteCounts(t.Context()))
	pass := webtest.PassOf(s.Status(s.Enter(l, "open sesame", "192.0.2.1"), 303))
	is(2, 1)
	s.Check(s.Server.Gates.WriteCounts(t.Context()))
	is(2, 1)
	s.Status(s.Enter(l, "open sesame", "192.0.2.1", "User-Agent: Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)"),
		303)
	is(2, 1)
	s.Status(s.Get(here, pass), 200)
	is(2, 1)
	if n := len(s.Views(l)); n != 1 {
		t.Errorf("the log has %d views, want 1", n)
	}
	s.Check(s.Server.Links.Delete(t.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Administrator}))
	s.Server.Gates.CountShown(l.ID)
	s.Check(s.Server.Gates.WriteCounts(t.Context()))
	is(0, 0)
}
