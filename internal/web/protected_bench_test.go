package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/links"
	"vitrine/internal/app/recipients"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"
	"vitrine/report"
)

// BenchmarkProtected requests the page of a link that is open, of one that a
// browser has a pass for, of one that limits its readers, and of one by the
// address of a recipient.
func BenchmarkProtected(b *testing.B) {
	s := webtest.NewSite(b)
	s.TrustProxy()
	content := webtest.Samples["report.pdf"]
	open, word, few := s.Publish("open.pdf", content), s.Publish("word.pdf", content), s.Publish("few.pdf", content)
	to := open.For(s.Recipients(open, "Anna")[0]).Path()
	many := access.MaxReaders
	changed, err := s.Server.Links.Edit(b.Context(), s.Account, string(few.Slug),
		links.Edit{Access: &access.Change{Readers: &many}})
	s.Check(err)
	s.Protect(word, "right")
	pass := webtest.PassOf(s.Status(s.Enter(word, "right", "192.0.2.1"), 303))
	place := webtest.PassOf(s.Status(s.Get("/p/"+string(changed.Slug)), 200))
	h := s.Server.Handler()
	for _, c := range []struct{ name, path, cookie string }{{"open", open.Path(), ""}, {"pass", word.Path(), pass},
		{"place", few.Path(), place}, {"recipient", to, ""}} {
		b.Run(c.name, func(b *testing.B) {
			r := httptest.NewRequest(http.MethodGet, c.path, nil)
			r.Header.Set("Accept-Encoding", "gzip")
			r.Header.Set("User-Agent", webtest.Desktop)
			if c.cookie != "" {
				r.Header.Set("Cookie", c.cookie[len("Cookie: "):])
			}
			measure(b, h, r)
		})
	}
}

// BenchmarkRecipients requests what an owner sees of a link with 500 recipients
// and 20,000 views, and for comparison the API's answer with the same numbers.
func BenchmarkRecipients(b *testing.B) {
	const all, views = 500, 20_000
	d := webtest.NewDesk(b)
	l := d.Publish("report.pdf", webtest.Samples["report.pdf"])
	var add recipients.Addition
	for i := range all {
		add.Recipients = append(add.Recipients, recipients.Request{Label: fmt.Sprint("Address ", i)})
	}
	_, list, err := d.Server.Recipients.Add(b.Context(), d.Member, string(l.Slug), add)
	d.Check(err)
	g := vitrinetest.NewTraffic(1, 60_000)
	some := make([]vitrine.ViewRecord, views)
	for i := range some {
		some[i] = g.Imported()
		some[i].Account, some[i].Link, some[i].Recipient = l.Account, int64(l.ID), int64(list[i%all].ID)
	}
	d.Check(d.Log.Import(b.Context(), vitrine.ImportReceipt{File: [32]byte{1}, Lines: views}, some))
	h, cookie := d.Server.Handler(), d.SignIn(d.Member)
	key, err := d.Server.Keys.CreateFor(b.Context(), d.Member.Email, auth.KeyRequest{Name: "b", Scope: vitrine.ScopeFull})
	d.Check(err)
	b.Run("api", func(b *testing.B) {
		r := httptest.NewRequest(http.MethodGet, "/api/v1/links/"+string(l.Slug)+"/recipients?limit=100", nil)
		r.Header.Set("Authorization", "Bearer "+string(key.Text))
		measure(b, h, r)
	})
	one := "?range=all&filter=recipient:is:" + report.IDText(int64(list[7].ID))
	for name, path := range map[string]string{"report": "/analytics?range=all", "filter": "/analytics" + one,
		"share": "/share"} {
		b.Run(name, func(b *testing.B) {
			r := httptest.NewRequest(http.MethodGet, webtest.LinkPath(l)+path, nil)
			r.Header.Set("Accept-Encoding", "gzip")
			r.Header.Set("Cookie", cookie[len("Cookie: "):])
			measure(b, h, r)
		})
	}
}
