package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/publish"
	"vitrine/report"
)

// sendReplacement uploads a file as the next version of a link.
func (s *site) sendReplacement(l *vitrine.Link, name, mime string, content []byte) *vitrine.Link {
	s.t.Helper()
	u := s.server.Uploads
	b, err := u.Create(s.t.Context(), s.account, publish.UploadRequest{Name: name, Type: mime,
		Size: int64(len(content)), Replaces: string(l.Slug)})
	s.check(err)
	s.status(s.do(http.MethodPut, b.SignedURL, string(content), "Content-Type: "+mime), http.StatusOK)
	l, err = u.Complete(s.t.Context(), s.account, publish.CompleteRequest{Path: string(b.Path), Name: name, Type: mime,
		Replaces: string(l.Slug)})
	s.check(err)
	return l
}

// readVersion adds a current session of a version of a link.
func (s *site) readVersion(l *vitrine.Link, version, n int, session report.Session) {
	s.t.Helper()
	at := s.server.Now().UnixMilli()
	session.EngagedMs, session.PresentMs = 20_000, 21_000
	_, err := s.log.Append(s.t.Context(), vitrine.Batch{Views: []vitrine.ViewRecord{{Account: l.Account,
		View: report.View{ID: int64(vitrine.ViewIDAt(at, n)), At: at, Link: int64(l.ID), Viewer: uint64(n),
			Version: version, Session: &session}}}})
	s.check(err)
}

// TestReportOfReplacedFile replaces a PDF with a text. Its sessions keep their
// completion and progress everywhere. The content card shows one version: the
// current one once it has sessions, and the page offers the other.
func TestReportOfReplacedFile(t *testing.T) {
	t.Parallel()
	o := newReportSite(t)
	l := o.publish("deck.pdf", samples["report.pdf"])
	read := report.Session{Pages: []report.PageTime{{Page: 1, Ms: 20_000}}}
	for n := range 3 {
		o.readVersion(l, 1, n+1, read)
	}
	o.ahead.Add(int64(time.Hour))
	l = o.sendReplacement(l, "notes.md", "text/markdown", []byte("# Notes\n"))
	same(t, "the title", l.Title, "deck.pdf")
	at := statsPath(l)
	ask := func(query string) (r report.LinkReport) {
		o.api(at+"?range=30d"+query, &r)
		return r
	}
	completion := func(r report.LinkReport) string {
		if r.Totals.CompletionPct == nil {
			return "null"
		}
		return r.Totals.CompletionPct.String()
	}
	r := ask("")
	same(t, "completion", completion(r), "8.3")
	same(t, "progress", r.Recent[0].Progress, "1 of 12 pages")
	same(t, "the card", fmt.Sprintf("%s %d", r.Content.Kind, r.Content.Version), "scroll 2")
	same(t, "sessions of version 2", *r.Content.OfVersion, 0)
	same(t, "sessions of version 1", *ask("&version=1").Content.OfVersion, 3)
	same(t, "pages of version 1", len(ask("&version=1").Content.Pages.Pages), 12)

	page := func(query string) document {
		return o.parse(o.status(o.get(at+"?range=30d"+query, o.cookie), http.StatusOK).body)
	}
	p := page("")
	text := p.text()
	for _, want := range []string{"Page by page", "Nobody has read version 2 (Text, current, since ",
		"These numbers are of version 1.",
		"1 of 12 pages"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, never := range []string{"0% scrolled", "Scrolled on average", "How far it was scrolled"} {
		if strings.Contains(text, never) {
			t.Errorf("the page of a version without readers contains %q", never)
		}
	}
	same(t, "rows of version 1", len(p.id("pages").tags("tbody")[0].tags("tr")), 12)
	p = page("&version=2")
	if text = p.text(); !strings.Contains(text, "No reading was measured yet.") ||
		strings.Contains(text, "Scrolled on average") {
		t.Error("the page of version 2 does not say that no reading was measured")
	}
	var chosen, other string
	for _, nav := range p.tags("nav") {
		if nav.attr("aria-label") != "Version of the file" {
			continue
		}
		for _, a := range nav.tags("a") {
			if a.attr("aria-current") == "true" {
				chosen = a.text()
			} else {
				other = a.text()
				same(t, "what the other version leads to", strings.Contains(a.attr("href"), "version=1"), true)
			}
		}
	}
	if !strings.HasPrefix(chosen, "Version 2 · Text · current, since ") || !strings.HasPrefix(other, "Version 1 · PDF · ") {
		t.Errorf("versions = %q and %q", chosen, other)
	}

	o.readVersion(l, 2, 9, report.Session{Depth: 500_000})
	r = ask("")
	same(t, "completion of four sessions", completion(r), "18.8") // 3 × 1/12, and 50 %
	same(t, "progress of the new version", r.Recent[0].Progress, "50% scrolled")
	same(t, "completion of version 1", completion(ask("&filter=version:is:1")), "8.3")
	same(t, "completion of version 2", completion(ask("&filter=version:is:2")), "50")
	same(t, "the depth of version 2", r.Content.Scroll.AvgDepthPct, 500)
	if text = page("").text(); !strings.Contains(text, "Scrolled on average 50%") ||
		strings.Contains(text, "Nobody has read version") {
		t.Error("the page does not show the current version, which has sessions")
	}
	file := o.status(o.get(at+"?range=30d&version=1&format=csv&card=content", o.cookie), http.StatusOK).body
	same(t, "the file of version 1", strings.HasPrefix(file, "page,"), true)

	var visits struct{ Visits []json.RawMessage }
	o.api("/links/"+string(l.Slug)+"/visits", &visits)
	for i, want := range []string{`"depthPct":50`, `"pages":[{"page":1`, `"pages":[{"page":1`} {
		if !strings.Contains(string(visits.Visits[i]), want) {
			t.Errorf("visit %d = %s, want %s", i, visits.Visits[i], want)
		}
	}
}
