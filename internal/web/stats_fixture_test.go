package web_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/visitor"
	"vitrine/report"

	"golang.org/x/net/html"
)

// reportSite is a site with an account whose links were viewed, one of each
// kind of content.
type reportSite struct {
	*site
	key    string // of the API
	cookie string // of the site
	links  map[report.ContentKind]*vitrine.Link
}

// officeDays is the age of its links in days. With it, a point of the range
// "all" is a week.
const officeDays = 130

// newReportSite creates links that people and bots have viewed for a long time.
// Some of their names look like formulas.
func newReportSite(t testing.TB) *reportSite {
	t.Helper()
	o := &reportSite{site: newDesk(t), links: map[report.ContentKind]*vitrine.Link{}}
	a, key, err := o.server.Accounts.Create(t.Context(), "office@example.org", vitrine.PlanPro)
	o.check(err)
	o.account, o.key = a, string(key)
	for _, name := range []string{"report.pdf", "clip.webm", "notes.txt", "archive.tgz"} {
		l := o.publish(name, samples[name])
		kind := vitrine.ContentKindOf(l.Kind)
		o.links[kind] = l
	}
	o.ahead.Add(int64(officeDays * 24 * time.Hour))
	for _, l := range o.links {
		o.readBy(l, 160)
	}
	o.cookie = o.signIn(a)
	return o
}

// readBy adds the same views of the last days each time.
func (s *site) readBy(l *vitrine.Link, n int) {
	s.t.Helper()
	r := rand.New(rand.NewPCG(uint64(n), uint64(len(l.Name))))
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	now, b := s.server.Now(), vitrine.Batch{}
	for i := range n {
		at := now.Add(-time.Duration(r.Int64N(int64(officeDays * 24 * time.Hour)))).UnixMilli()
		o := report.View{ID: int64(vitrine.ViewIDAt(at, i)), At: at, Link: int64(l.ID), Viewer: uint64(r.IntN(n)) + 1,
			Country: one("DE", "US", "BR", "", "XK"), City: one("", "São Paulo", "=1+1"),
			Source: one("", "LinkedIn", "@SUM(A1)"), Referrer: one("", "linkedin.com"),
			Device: one("Desktop", "Mobile"), Browser: one("Chrome", "Safari"), OS: one("Linux", "iOS"),
			QR: r.IntN(9) == 0}
		if r.IntN(8) == 0 {
			o.Bot = one(visitor.BotCrawler, visitor.BotLinkPreview, visitor.BotMailScanner)
		}
		if r.IntN(5) > 0 {
			engaged := r.Int64N(120_000)
			if r.IntN(6) == 0 {
				engaged = 200
			}
			s := &report.Session{EngagedMs: engaged, PresentMs: engaged + 700, Screen: one("0-575", "1920+")}
			switch vitrine.ContentKindOf(l.Kind) {
			case report.ContentPages:
				for p := range 1 + r.IntN(max(l.Pages, 1)) {
					s.Pages = append(s.Pages, report.PageTime{Page: p + 1, Ms: engaged / 2})
				}
			case report.ContentMedia:
				s.Reached = r.Int64N(1_000_001)
				s.Played = s.Reached / 2
			case report.ContentScroll:
				s.Depth = r.Int64N(1_000_001)
			}
			o.Session = s
			if r.IntN(6) == 0 && o.Bot == "" {
				s.Downloaded = true
				b.Downloads = append(b.Downloads, vitrine.Download{ID: vitrine.ViewIDAt(at+1, i), Link: l.ID,
					View: vitrine.ViewID(o.ID)})
			}
		}
		b.Views = append(b.Views, vitrine.ViewRecord{Account: l.Account, View: o})
	}
	o, err := s.log.Append(s.t.Context(), b)
	s.check(err)
	for _, err := range o.Refused {
		s.check(err)
	}
}

// openNow adds one current view of a new viewer.
func (s *site) openNow(l *vitrine.Link, viewer uint64) {
	s.t.Helper()
	at := s.server.Now().UnixMilli()
	_, err := s.log.Append(s.t.Context(), vitrine.Batch{Views: []vitrine.ViewRecord{{Account: l.Account,
		View: report.View{ID: int64(vitrine.ViewIDAt(at, int(viewer))), At: at, Link: int64(l.ID),
			Viewer: viewer, Country: "DE"}}}})
	s.check(err)
}

func statsPath(l *vitrine.Link) string { return "/links/" + string(l.Slug) + "/analytics" }

// document is a parsed page.
type document struct{ *html.Node }

func (s *site) parse(page string) document {
	s.t.Helper()
	n, err := html.Parse(strings.NewReader(page))
	s.check(err)
	return document{n}
}

func (d document) attr(name string) string {
	for _, a := range d.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// all returns the descendants for which a condition holds, in order.
func (d document) all(yes func(document) bool) (found []document) {
	for n := range d.Descendants() {
		if e := (document{n}); n.Type == html.ElementNode && yes(e) {
			found = append(found, e)
		}
	}
	return found
}

// tags returns the descendants with a tag name.
func (d document) tags(name string) []document {
	return d.all(func(e document) bool { return e.Data == name })
}

// class returns the descendants with a class.
func (d document) class(name string) []document {
	return d.all(func(e document) bool { return strings.Contains(" "+e.attr("class")+" ", " "+name+" ") })
}

// id returns the element with an ID, or an empty document.
func (d document) id(id string) document {
	for _, e := range d.all(func(e document) bool { return e.attr("id") == id }) {
		return e
	}
	return document{&html.Node{}}
}

// text returns the visible text in one line.
func (d document) text() string {
	var b strings.Builder
	for n := range d.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
			b.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
