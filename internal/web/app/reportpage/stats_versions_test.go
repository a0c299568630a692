package reportpage_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/internal/test/webtest"
	"vitrine/report"
)

// TestReportOfReplacedFile replaces a PDF with a text. Its sessions keep their
// completion and progress everywhere. The content card shows one version: the
// current one once it has sessions, and the page offers the other.
func TestReportOfReplacedFile(t *testing.T) {
	t.Parallel()
	o := webtest.NewReportSite(t)
	l := o.Publish("deck.pdf", webtest.Samples["report.pdf"])
	read := report.Session{Pages: []report.PageTime{{Page: 1, Ms: 20_000}}}
	for n := range 3 {
		o.ReadVersion(l, 1, n+1, read)
	}
	o.Ahead.Add(int64(time.Hour))
	l = o.SendReplacement(l, "notes.md", "text/markdown", []byte("# Notes\n"))
	webtest.Same(t, "the title", l.Title, "deck.pdf")
	at := webtest.StatsPath(l)
	ask := func(query string) (r report.LinkReport) {
		o.API(at+"?range=30d"+query, &r)
		return r
	}
	completion := func(r report.LinkReport) string {
		if r.Totals.CompletionPct == nil {
			return "null"
		}
		return r.Totals.CompletionPct.String()
	}
	r := ask("")
	webtest.Same(t, "completion", completion(r), "8.3")
	webtest.Same(t, "progress", r.Recent[0].Progress, "1 of 12 pages")
	webtest.Same(t, "the card", fmt.Sprintf("%s %d", r.Content.Kind, r.Content.Version), "scroll 2")
	webtest.Same(t, "sessions of version 2", *r.Content.OfVersion, 0)
	webtest.Same(t, "sessions of version 1", *ask("&version=1").Content.OfVersion, 3)
	webtest.Same(t, "pages of version 1", len(ask("&version=1").Content.Pages.Pages), 12)

	page := func(query string) webtest.Document {
		return o.Parse(o.Status(o.Get(at+"?range=30d"+query, o.Cookie), http.StatusOK).Text)
	}
	p := page("")
	text := p.Text()
	for _, want := range []string{"Page by page", "Nobody has read version 2 (Text, current, since ",
		"These numbers are of version 1.",
		"1 of 12 pages"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, never := range []string{"0% scrolled", "Scrolled on average", "Scroll depth"} {
		if strings.Contains(text, never) {
			t.Errorf("the page of a version without readers contains %q", never)
		}
	}
	webtest.Same(t, "rows of version 1", len(p.ID("pages").Tags("tbody")[0].Tags("tr")), 12)
	p = page("&version=2")
	if text = p.Text(); !strings.Contains(text, "No reading was measured yet.") ||
		strings.Contains(text, "Scrolled on average") {
		t.Error("the page of version 2 does not say that no reading was measured")
	}
	var chosen, other string
	for _, nav := range p.Tags("nav") {
		if nav.Attribute("aria-label") != "Version of the file" {
			continue
		}
		for _, a := range nav.Tags("a") {
			if a.Attribute("aria-current") == "true" {
				chosen = a.Text()
			} else {
				other = a.Text()
				webtest.Same(t, "what the other version leads to", strings.Contains(a.Attribute("href"), "version=1"),
					true)
			}
		}
	}
	if !strings.HasPrefix(chosen, "Version 2 · Text · current, since ") || !strings.HasPrefix(other,
		"Version 1 · PDF · ") {
		t.Errorf("versions = %q and %q", chosen, other)
	}

	o.ReadVersion(l, 2, 9, report.Session{Depth: 500_000})
	r = ask("")
	webtest.Same(t, "completion of four sessions", completion(r), "18.8") // 3 × 1/12, and 50 %
	webtest.Same(t, "progress of the new version", r.Recent[0].Progress, "50% scrolled")
	webtest.Same(t, "completion of version 1", completion(ask("&filter=version:is:1")), "8.3")
	webtest.Same(t, "completion of version 2", completion(ask("&filter=version:is:2")), "50")
	webtest.Same(t, "the depth of version 2", r.Content.Scroll.AvgDepthPct, 500)
	if text = page("").Text(); !strings.Contains(text, "Scrolled on average 50%") ||
		strings.Contains(text, "Nobody has read version") {
		t.Error("the page does not show the current version, which has sessions")
	}
	file := o.Status(o.Get(at+"?range=30d&version=1&format=csv&card=content", o.Cookie), http.StatusOK).Text
	webtest.Same(t, "the file of version 1", strings.HasPrefix(file, "page,"), true)

	var visits struct{ Visits []json.RawMessage }
	o.API("/links/"+string(l.Slug)+"/visits", &visits)
	for i, want := range []string{`"depthPct":50`, `"pages":[{"page":1`, `"pages":[{"page":1`} {
		if !strings.Contains(string(visits.Visits[i]), want) {
			t.Errorf("visit %d = %s, want %s", i, visits.Visits[i], want)
		}
	}
}
