package webtest

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"image/jpeg"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/publish"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/visitor/geo"
	"vitrine/report"

	"github.com/dustin/go-humanize"
	"golang.org/x/net/html"
)

// AddCities adds a city file with London and Berlin to a site.
func (s *Site) AddCities() {
	s.T.Helper()
	s.TrustProxy()
	path := filepath.Join(s.T.TempDir(), "any.mmdb")
	s.Check(os.WriteFile(path, vitrinetest.MMDB("DBIP-City-Lite", map[string]any{
		"81.2.69.0/24":    vitrinetest.CityRecord("GB", "London"),
		"85.214.132.0/24": vitrinetest.CityRecord("DE", "Berlin (Mitte)")}), 0o600))
	s.Server.Cities = &geo.File{Path: path, Temp: s.T.TempDir(), Log: slog.New(slog.DiscardHandler)}
	s.Check(s.Server.Cities.Open(s.T.Context()))
}

// Share creates a read-only address on the page of a report and returns it
// without the host.
func (o *ReportSite) Share(t *testing.T, page, form string) string {
	t.Helper()
	r := o.Status(o.Do("POST", page+"/share", form, "Content-Type: application/x-www-form-urlencoded", o.Cookie),
		http.StatusOK)
	address := o.Parse(r.Text).ID("shared-address").Text()
	path, ok := strings.CutPrefix(address, o.Server.PublicURL.String())
	if !ok || !regexp.MustCompile(`^/r/[A-Za-z0-9_-]{22}$`).MatchString(path) {
		t.Fatalf("shared address = %q", address)
	}
	return path
}

// AddExcluded adds one current view for each product.
func (o *ReportSite) AddExcluded(l *vitrine.Link, views ...[2]string) {
	o.T.Helper()
	at, b := o.Server.Now().UnixMilli(), vitrine.Batch{}
	for i, v := range views {
		b.Views = append(b.Views, vitrine.ViewRecord{Account: l.Account,
			View: report.View{ID: int64(vitrine.ViewIDAt(at, 900+i)), At: at, Link: int64(l.ID),
				Viewer: uint64(9000 + i),
				Bot:    v[0], Product: v[1], Own: v[0] == report.BotOwn}})
	}
	_, err := o.Log.Append(o.T.Context(), b)
	o.Check(err)
}

// SameFiltered compares the page of a filter with the API, and its views with
// the bucket that links to it.
func (o *ReportSite) SameFiltered(t *testing.T, card, address, count string) {
	t.Helper()
	var want report.Summary
	o.API(address, &want)
	page := o.Parse(o.Status(o.Get(address, o.Cookie), http.StatusOK).Text)
	views := page.ID("card-views").Class("value")[0].Text()
	Same(t, card, views, humanize.Comma(want.Totals.Views))
	Same(t, card+" and its bucket", views, count)
	chips := page.Class("conditions")
	if len(chips) != 1 || len(chips[0].Tags("li")) != 2 {
		t.Fatalf("%s: %d lists of chips, want 1 with 2 items", address, len(chips))
	}
	Same(t, card+", filters", len(want.Filter), 1)
	turned := chips[0].Tags("a")[0].Attribute("href")
	u, err := url.Parse(turned)
	o.Check(err)
	Same(t, card+", turned round", u.Query()["filter"][0], strings.Replace(want.Filter[0], ":is:", ":is_not:", 1))
	for _, a := range []Document{chips[0].Class("away")[0], chips[0].Class("clear")[0].Tags("a")[0]} {
		u, err := url.Parse(a.Attribute("href"))
		o.Check(err)
		Same(t, card+", removed", u.Query().Has("filter"), false)
		Same(t, card+", and the range", u.Query().Get("range"), "90d")
	}
}

// ReportSite is a site with an account whose links were viewed, one of each
// kind of content.
type ReportSite struct {
	*Site
	Key    string // of the API
	Cookie string // of the site
	Links  map[report.ContentKind]*vitrine.Link
}

// OfficeDays is the age of its links in days. With it, a point of the range
// "all" is a week.
const OfficeDays = 130

// NewReportSite creates links that people and bots have viewed for a long time.
// Some of their names look like formulas.
func NewReportSite(t testing.TB) *ReportSite {
	t.Helper()
	o := &ReportSite{Site: NewDesk(t), Links: map[report.ContentKind]*vitrine.Link{}}
	a, key, err := o.Server.Accounts.Create(t.Context(), "office@example.org", vitrine.PlanPro)
	o.Check(err)
	o.Account, o.Key = a, string(key)
	for _, name := range []string{"report.pdf", "clip.webm", "guide.md", "archive.tgz"} {
		content := Samples[name]
		if name == "guide.md" {
			content = Guide
		}
		l := o.Publish(name, content)
		kind := report.ContentOf(l.Kind)
		o.Links[kind] = l
	}
	o.Ahead.Add(int64(OfficeDays * 24 * time.Hour))
	for _, l := range o.Links {
		o.ReadBy(l, 160)
	}
	for _, email := range []string{"ann@example.com", "bob@example.com"} {
		o.Confirmed(string(o.Links[report.ContentPages].Slug), email)
	}
	o.Recipients(o.Links[report.ContentPages], "Anna", "Bob")
	o.Cookie = o.SignIn(a)
	return o
}

// ReadBy adds the same views of the last days each time.
func (s *Site) ReadBy(l *vitrine.Link, n int) {
	s.T.Helper()
	r := rand.New(rand.NewPCG(uint64(n), uint64(len(l.Name))))
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	now, b := s.Server.Now(), vitrine.Batch{}
	for i := range n {
		at := now.Add(-time.Duration(r.Int64N(int64(OfficeDays * 24 * time.Hour)))).UnixMilli()
		v := report.View{ID: int64(vitrine.ViewIDAt(at, i)), At: at, Link: int64(l.ID), Viewer: uint64(r.IntN(n)) + 1,
			Country: one("DE", "US", "BR", "", "XK"), City: one("", "São Paulo", "=1+1"),
			Source: one("", "LinkedIn", "@SUM(A1)"), Referrer: one("", "linkedin.com"),
			Device: one("Desktop", "Mobile"), Browser: one("Chrome", "Safari"), OS: one("Linux", "iOS"),
			QR: r.IntN(9) == 0}
		if r.IntN(8) == 0 {
			v.Bot = one(report.BotCrawler, report.BotLinkPreview, report.BotMailScanner)
		}
		if r.IntN(5) > 0 {
			engaged := r.Int64N(120_000)
			if r.IntN(6) == 0 {
				engaged = 200
			}
			s := &report.Session{EngagedMs: engaged, PresentMs: engaged + 700, Screen: one("0-575", "1920+")}
			switch report.ContentOf(l.Kind) {
			case report.ContentPages:
				for p := range 1 + r.IntN(max(l.Pages, 1)) {
					s.Pages = append(s.Pages, report.PageTime{Page: p + 1, Ms: engaged / 2})
				}
			case report.ContentMedia:
				s.Reached = r.Int64N(1_000_001)
				s.Played = s.Reached / 2
			case report.ContentScroll:
				s.Depth = r.Int64N(1_000_001)
				if s.Outlined = l.Outline != "" && r.IntN(5) > 0; !s.Outlined {
					break
				}
				for p := range 1 + r.IntN(l.Outline.Len()) {
					s.Pages = append(s.Pages, report.PageTime{Page: p + 1, Ms: engaged / 2})
				}
			}
			v.Session = s
			if r.IntN(6) == 0 && v.Bot == "" {
				s.Downloaded = true
				b.Downloads = append(b.Downloads, vitrine.Download{ID: vitrine.ViewIDAt(at+1, i), Link: l.ID,
					View: vitrine.ViewID(v.ID)})
			}
		}
		b.Views = append(b.Views, vitrine.ViewRecord{Account: l.Account, View: v})
	}
	o, err := s.Log.Append(s.T.Context(), b)
	s.Check(err)
	for _, err := range o.Refused {
		s.Check(err)
	}
}

// OpenNow adds one current view of a new viewer.
func (s *Site) OpenNow(l *vitrine.Link, viewer uint64) {
	s.T.Helper()
	at := s.Server.Now().UnixMilli()
	_, err := s.Log.Append(s.T.Context(), vitrine.Batch{Views: []vitrine.ViewRecord{{Account: l.Account,
		View: report.View{ID: int64(vitrine.ViewIDAt(at, int(viewer))), At: at, Link: int64(l.ID),
			Viewer: viewer, Country: "DE"}}}})
	s.Check(err)
}

func StatsPath(l *vitrine.Link) string { return "/links/" + string(l.Slug) + "/analytics" }

// Document is a parsed page.
type Document struct{ *html.Node }

func (s *Site) Parse(page string) Document {
	s.T.Helper()
	n, err := html.Parse(strings.NewReader(page))
	s.Check(err)
	return Document{n}
}

func (d Document) Attribute(name string) string {
	for _, a := range d.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// All returns the descendants for which a condition holds, in order.
func (d Document) All(yes func(Document) bool) (found []Document) {
	for n := range d.Descendants() {
		if e := (Document{n}); n.Type == html.ElementNode && yes(e) {
			found = append(found, e)
		}
	}
	return found
}

// Tags returns the descendants with a tag name.
func (d Document) Tags(name string) []Document {
	return d.All(func(e Document) bool { return e.Data == name })
}

// Class returns the descendants with a class.
func (d Document) Class(name string) []Document {
	return d.All(func(e Document) bool { return strings.Contains(" "+e.Attribute("class")+" ", " "+name+" ") })
}

// ID returns the element with an ID, or an empty document.
func (d Document) ID(id string) Document {
	for _, e := range d.All(func(e Document) bool { return e.Attribute("id") == id }) {
		return e
	}
	return Document{&html.Node{}}
}

// Text returns the visible text in one line.
func (d Document) Text() string {
	var b strings.Builder
	for n := range d.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
			b.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// API requests from the API what a page shows.
func (o *ReportSite) API(path string, into any) {
	o.T.Helper()
	r := o.Status(o.Get("/api/v1"+path, "Authorization: Bearer "+o.Key), http.StatusOK)
	o.Check(json.Unmarshal([]byte(r.Text), into))
}

// Same reports a difference between a page and the API.
func Same[T comparable](t testing.TB, what string, page, api T) {
	t.Helper()
	if page != api {
		t.Errorf("%s: page = %v, API = %v", what, page, api)
	}
}

// CountedVisits returns the newest n visits of a link that count, by the API.
func (o *ReportSite) CountedVisits(l *vitrine.Link, query string, n int) []report.VisitRow {
	var all struct{ Visits []report.VisitRow }
	o.API("/links/"+string(l.Slug)+"/visits"+query+"&limit=100", &all)
	counted := slices.DeleteFunc(all.Visits, func(v report.VisitRow) bool { return v.Excluded != "" })
	return counted[:min(n, len(counted))]
}

// File returns the CSV file of a card.
func (o *ReportSite) File(t *testing.T, path, card string) [][]string {
	t.Helper()
	r := o.Status(o.Get(path+"&format=csv&card="+card, o.Cookie), http.StatusOK)
	if got := r.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/csv") {
		t.Errorf("%s: Content-Type = %s", card, got)
	}
	if got := r.Header.Get("Content-Disposition"); !strings.HasPrefix(got, "attachment; filename=") ||
		!strings.HasSuffix(got, `.csv"`) {
		t.Errorf("%s: Content-Disposition = %q", card, got)
	}
	if !strings.HasSuffix(r.Text, "\r\n") {
		t.Errorf("%s does not end with CRLF", card)
	}
	rows, err := csv.NewReader(strings.NewReader(r.Text)).ReadAll()
	o.Check(err)
	return rows
}

func (o *ReportSite) SameFiles(t *testing.T, path string, want *report.Summary) {
	t.Helper()
	series := o.File(t, path, "series")[1:]
	Same(t, "series", len(series), len(want.Series))
	for i, row := range series {
		p := want.Series[i]
		Same(t, "point", strings.Join(row[:3], " "), fmt.Sprintf("%s %d %d", p.Date.Time().Format("2006-01-02"),
			p.Views, p.Uniques))
		if row[3] != "" || p.AvgEngagedS != 0 { // empty: no session
			Same(t, "time", row[3], fmt.Sprint(p.AvgEngagedS))
		}
	}
	Same(t, "totals", o.File(t, path, "totals")[1][2], fmt.Sprint(want.Totals.Views))
	Same(t, "hours", len(o.File(t, path, "timing")), 1+7*24)
	countries := o.File(t, path, "countries")[1:]
	for i, b := range want.Breakdowns.Countries {
		Same(t, "country", strings.Join(countries[i], " "), fmt.Sprintf("%s %d %s", b.Key, b.Count, b.Pct))
	}
}

func (o *ReportSite) SetPlan(p vitrine.Plan) {
	o.T.Helper()
	_, err := o.Server.Accounts.SetPlan(o.T.Context(), o.Account.Email, p, nil,
		vitrine.Decision{By: vitrine.Administrator})
	o.Check(err)
}

// SendReplacement uploads a file as the next version of a link.
func (s *Site) SendReplacement(l *vitrine.Link, name, mime string, content []byte) *vitrine.Link {
	s.T.Helper()
	u := s.Server.Uploads
	b, err := u.Create(s.T.Context(), s.Account, publish.UploadRequest{Name: name, Type: mime,
		Size: int64(len(content)), Replaces: string(l.Slug)})
	s.Check(err)
	s.Status(s.Do(http.MethodPut, b.SignedURL, string(content), "Content-Type: "+mime), http.StatusOK)
	l, err = u.Complete(s.T.Context(), s.Account, publish.CompleteRequest{Path: string(b.Path), Name: name, Type: mime,
		Replaces: string(l.Slug)})
	s.Check(err)
	return l
}

// ReadVersion adds a current session of a version of a link.
func (s *Site) ReadVersion(l *vitrine.Link, version, n int, session report.Session) {
	s.T.Helper()
	at := s.Server.Now().UnixMilli()
	session.EngagedMs, session.PresentMs = 20_000, 21_000
	_, err := s.Log.Append(s.T.Context(), vitrine.Batch{Views: []vitrine.ViewRecord{{Account: l.Account,
		View: report.View{ID: int64(vitrine.ViewIDAt(at, n)), At: at, Link: int64(l.ID), Viewer: uint64(n),
			Version: version, Session: &session}}}})
	s.Check(err)
}

const (
	ReaderChrome  = "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
	ReaderFirefox = "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	SearchEngine  = "User-Agent: Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
)

// Numbers returns the report of a website.
func (s *Site) Numbers(of *vitrine.Site, rg report.Range) *report.AccountReport {
	s.T.Helper()
	q := analytics.In(rg)
	q.Rows = analytics.WebsiteRows
	r, err := s.Server.Analytics.Website(s.T.Context(), of, q)
	s.Check(err)
	return r
}

// ThumbsOn returns the URLs of the thumbnails on a page.
func (s *Site) ThumbsOn(page string) []string {
	var all []string
	for _, cell := range s.Parse(page).ID("pages").Class("thumb") {
		for _, img := range cell.Tags("img") {
			all = append(all, img.Attribute("src"))
		}
	}
	return all
}

// IsThumb checks that a URL returns a thumbnail.
func (s *Site) IsThumb(address string, headers ...string) {
	s.T.Helper()
	r := s.Status(s.Get(address, headers...), http.StatusOK)
	img, err := jpeg.Decode(bytes.NewReader([]byte(r.Text)))
	s.Check(err)
	if size := img.Bounds().Size(); max(size.X, size.Y) != 160 {
		s.T.Errorf("size of the thumbnail = %v", size)
	}
	if r.Header.Get("Content-Type") != "image/jpeg" ||
		r.Header.Get("Content-Security-Policy") != "default-src 'none'; sandbox" {
		s.T.Errorf("headers = %v", r.Header)
	}
}

// Has reports whether an element has an attribute.
func (d Document) Has(name string) bool {
	for _, a := range d.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}
