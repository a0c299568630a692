package reportpage_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/webtest"
	"vitrine/report"
)

// TestReportsAgree asks for everything that a random history of an account
// leads to: the account's report, those of its links, all visits, files and
// shared reports. Links are replaced by files of other kinds. Each number must
// be what a plain recount of the listed visits makes.
func TestReportsAgree(t *testing.T) {
	t.Parallel()
	seeds := uint64(3)
	if tier.Current() == tier.All {
		seeds = 20
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { reportsAgree(t, seed) })
	}
}

// FuzzReportsAgree is TestReportsAgree for any seed.
func FuzzReportsAgree(f *testing.F) {
	f.Add(uint64(99))
	f.Fuzz(reportsAgree)
}

// past is an account with a random history.
type past struct {
	*webtest.ReportSite
	t     *testing.T
	r     *rand.Rand
	links []*vitrine.Link
	files map[vitrine.LinkID][]report.File
	views map[string]report.View // by the ID of the visit
}

// agreeNow is two days after clocks in Europe were set forward.
var agreeNow = time.Date(2026, 3, 31, 15, 20, 0, 0, time.UTC)

func reportsAgree(t *testing.T, seed uint64) {
	o := &webtest.ReportSite{Site: webtest.NewDeskWith(t,
		webtest.SiteOptions{Now: func() time.Time { return agreeNow }})}
	a, key, err := o.Server.Accounts.Create(t.Context(), "past@example.org", vitrine.PlanPro)
	o.Check(err)
	o.Account, o.Key = a, string(key)
	p := &past{ReportSite: o, t: t, r: rand.New(rand.NewPCG(seed, 17)), files: map[vitrine.LinkID][]report.File{},
		views: map[string]report.View{}}
	p.publishSome()
	o.Cookie = o.SignIn(a)
	for range 2 {
		p.happen()
		o.Check(o.Server.Analytics.RollUp(t.Context())) // of what is past
	}
	p.compare("range=all")
	for range 6 {
		p.compare(p.query())
	}
	p.compareShared()
}

// publishSome publishes links and replaces some of them.
func (p *past) publishSome() {
	names := []string{"report.pdf", "picture.png", "song.mp3", "notes.txt", "page.html", "archive.tgz"}
	for range 3 + p.r.IntN(2) {
		name := pickOf(p.r, append(names, "clip.webm")...)
		l := p.Publish(name, webtest.Samples[name])
		p.files[l.ID] = []report.File{p.fileOf(l)}
		for range p.r.IntN(3) {
			name := pickOf(p.r, names...)
			l = p.SendReplacement(l, name, mime.TypeByExtension(path.Ext(name)), p.content(name))
			if l.Version > len(p.files[l.ID]) { // not the same file again
				p.files[l.ID] = append(p.files[l.ID], p.fileOf(l))
			}
		}
		p.links = append(p.links, l)
	}
	p.Ahead.Add(int64(70 * 24 * time.Hour))
}

// content returns a sample. Documents differ in their number of pages.
func (p *past) content(name string) []byte {
	if name == "report.pdf" {
		return webtest.MakePDF(1 + p.r.IntN(9))
	}
	return webtest.Samples[name]
}

func (p *past) fileOf(l *vitrine.Link) report.File {
	return report.File{Kind: string(l.Kind), Content: report.ContentOf(l.Kind), Pages: l.Pages}
}

func pickOf[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// happen adds views and downloads of the last 69 days.
func (p *past) happen() {
	r, b, now := p.r, vitrine.Batch{}, p.Server.Now()
	for range 60 {
		l := p.links[r.IntN(len(p.links))]
		at := now.Add(-time.Duration(r.Int64N(int64(69 * 24 * time.Hour)))).UnixMilli()
		if r.IntN(3) == 0 { // close to a midnight
			at = at/86_400_000*86_400_000 + r.Int64N(3)*1_800_000
		}
		n := r.IntN(len(p.files[l.ID]))
		v := report.View{ID: int64(vitrine.ViewIDAt(at, len(p.views))), At: at, Link: int64(l.ID),
			Viewer: 1 + r.Uint64N(20), Country: pickOf(r, "DE", "FR", ""), Source: pickOf(r, "", "LinkedIn"),
			Device: pickOf(r, "Desktop", "Mobile"), QR: r.IntN(6) == 0, Version: n + 1}
		if n == 0 && r.IntN(2) == 0 {
			v.Version = 0
		}
		switch r.IntN(9) {
		case 0:
			v.Bot = report.BotCrawler
		case 1:
			v.Own, v.Bot = true, report.BotOwn
		}
		if r.IntN(3) > 0 {
			v.Session = p.session(p.files[l.ID][n])
		}
		p.views[strconv.FormatInt(v.ID, 36)] = v
		b.Views = append(b.Views, vitrine.ViewRecord{Account: l.Account, View: v})
		if v.Bot == "" && r.IntN(5) == 0 {
			b.Downloads = append(b.Downloads, vitrine.Download{ID: vitrine.ViewID(v.ID), Link: l.ID,
				View: vitrine.ViewID(v.ID), Account: l.Account})
		}
	}
	_, err := p.Log.Append(p.t.Context(), b)
	p.Check(err)
}

func (p *past) session(f report.File) *report.Session {
	r := p.r
	s := &report.Session{EngagedMs: pickOf[int64](r, 0, 900, 4999, 5000, r.Int64N(90_000)), Screen: pickOf(r, "0-575",
		"1920+")}
	s.PresentMs = s.EngagedMs + pickOf[int64](r, 0, 1500, 60_000)
	switch f.Content {
	case report.ContentPages:
		for n := range f.Pages {
			if r.IntN(2) == 0 {
				s.Pages = append(s.Pages, report.PageTime{Page: n + 1, Ms: r.Int64N(1 + s.EngagedMs)})
			}
		}
	case report.ContentMedia:
		s.Reached = r.Int64N(1_000_001)
		s.Played = r.Int64N(1 + s.Reached)
	case report.ContentScroll:
		s.Depth = r.Int64N(1_000_001)
	}
	return s
}

// query returns random parameters of a report.
func (p *past) query() string {
	r, v := p.r, url.Values{}
	switch r.IntN(4) {
	case 0:
		last := report.DayOf(p.Server.Now().UnixMilli()) - report.Day(1+r.IntN(20))
		v.Set("from", (last - report.Day(r.IntN(40))).String())
		v.Set("to", last.String())
	default:
		v.Set("range", pickOf(r, "7d", "30d", "90d", "all"))
	}
	if r.IntN(2) == 0 {
		v.Set("timezone", pickOf(r, "Asia/Kolkata", "Europe/Berlin", "Pacific/Kiritimati", "America/St_Johns"))
	}
	for range r.IntN(3) {
		v.Add("filter", pickOf(r, "country:is:DE", "country:is_not:FR", "country:is:", "qr:is:yes", "returning:is:no",
			"source:is:Direct", "version:is:2", "version:is_not:1", "device:is:Mobile", "screen:is:1920+"))
	}
	return v.Encode()
}

// tallied are the numbers of a report that are recounted.
type tallied struct {
	Views, Uniques, Sessions, TotalEngagedMs, QrScans, BotsExcluded, OwnExcluded, Atypical int64
	CompletionPct                                                                          string
	Kinds, Countries                                                                       string
}

// visit is a line of the file of visits.
type visit struct {
	report.VisitRow
	link vitrine.LinkID
}

// visits returns all visits of a link that a query selects.
func (p *past) visits(l *vitrine.Link, query string) (list []visit) {
	r := p.Status(p.Get("/api/v1/links/"+string(l.Slug)+"/visits?format=ndjson&"+query, "Authorization: Bearer "+p.Key),
		http.StatusOK)
	for line := range strings.Lines(r.Text) {
		v := visit{link: l.ID}
		p.Check(json.Unmarshal([]byte(line), &v.VisitRow))
		list = append(list, v)
	}
	return list
}

func (p *past) file(v visit) report.File { return p.files[v.link][v.Version-1] }

// recount counts visits in the plainest way.
func (p *past) recount(list []visit) (n tallied) {
	viewers, kinds, countries := map[uint64]bool{}, map[string]int64{}, map[string]int64{}
	sum, measured := new(big.Rat), int64(0)
	for _, v := range list {
		atypical := v.Engaged && v.Excluded != report.BotOwn &&
			(v.Excluded != "" || v.EngagedMs < 1000 && v.PresentMs < 2000)
		if atypical {
			n.Atypical++
		}
		switch {
		case v.Excluded == report.BotOwn:
			n.OwnExcluded++
			continue
		case v.Excluded != "":
			n.BotsExcluded++
			continue
		}
		n.Views++
		if v.QR {
			n.QrScans++
		}
		viewers[p.views[v.ID].Viewer] = true
		kinds[p.file(v).Kind]++
		if v.Country != "" {
			countries[v.Country]++
		}
		if !v.Engaged || atypical {
			continue
		}
		n.Sessions++
		n.TotalEngagedMs += v.EngagedMs
		if c := completionOf(p.file(v), p.views[v.ID].Session); c != nil {
			sum.Add(sum, c)
			measured++
		}
	}
	n.Uniques, n.Kinds, n.Countries, n.CompletionPct = int64(len(viewers)), counted(kinds), counted(countries), "null"
	if measured > 0 {
		n.CompletionPct = strings.TrimSuffix(sum.Mul(sum, big.NewRat(100, measured)).FloatString(1), ".0")
	}
	return n
}

// completionOf returns how far a session got in a file, or nil.
func completionOf(f report.File, s *report.Session) *big.Rat {
	switch f.Kind {
	case "pdf":
		return big.NewRat(int64(len(s.Pages)), int64(f.Pages))
	case "video", "audio":
		return big.NewRat(s.Played, 1_000_000)
	case "archive":
		return nil
	}
	return big.NewRat(s.Depth, 1_000_000)
}

func counted(counts map[string]int64) string {
	var list []string
	for key, n := range counts {
		list = append(list, fmt.Sprint(key, " ", n))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

func bucketsOf(list []report.Bucket) string {
	counts := map[string]int64{}
	for _, b := range list {
		counts[b.Key] = b.Count
	}
	return counted(counts)
}

func completionText(t *report.Tenths) string {
	if t == nil {
		return "null"
	}
	return t.String()
}

// told returns the numbers of a report, with kinds if it has them.
func told(s *report.Summary, kinds string) tallied {
	n := s.Totals
	return tallied{n.Views, n.Uniques, n.Sessions, n.TotalEngagedMs, n.QRScans, n.BotsExcluded, n.OwnExcluded,
		n.Atypical, completionText(n.CompletionPct), kinds, bucketsOf(s.Breakdowns.Countries)}
}

// compare asks for the reports of a query.
func (p *past) compare(query string) {
	var all []visit
	reports, downloads := map[string]*report.LinkReport{}, int64(0)
	for _, l := range p.links {
		list := p.visits(l, query)
		all = append(all, list...)
		r := new(report.LinkReport)
		p.API("/links/"+string(l.Slug)+"/analytics?limit=100&"+query, r)
		want := p.recount(list)
		webtest.Same(p.t, "link, "+query, told(&r.Summary, want.Kinds), want)
		p.consistent(query, &r.Summary)
		p.compareContent(l, query, r, list)
		reports[string(l.Slug)] = r
		downloads += r.Totals.RangeDownloads
	}
	var a report.AccountReport
	p.API("/analytics?limit=100&"+query, &a)
	webtest.Same(p.t, "account, "+query, told(&a.Summary, bucketsOf(a.Mix)), p.recount(all))
	webtest.Same(p.t, "downloads, "+query, a.Totals.RangeDownloads, downloads)
	p.consistent(query, &a.Summary)
	for _, top := range a.TopLinks {
		n := reports[top.Slug].Totals
		webtest.Same(p.t, "row of the account, "+query, [4]int64{top.Views, top.Uniques, top.Sessions,
			top.AvgEngagedMs}, [4]int64{n.Views, n.Uniques, n.Sessions, n.AvgEngagedMs})
		webtest.Same(p.t, "completion in the row, "+query, completionText(top.CompletionPct),
			completionText(n.CompletionPct))
	}
	p.compareTotalsFile("/analytics?"+query, &a.Summary)
	for _, c := range []string{"kind:is:" + string(p.links[0].Kind), "kind:is_not:" + p.files[p.links[0].ID][0].Kind,
		"link:is:" + string(p.links[1].Slug)} {
		p.compareOf(query, c, all)
	}
}

// compareOf asks for the account's report of the links that a condition has.
func (p *past) compareOf(query, condition string, all []visit) {
	f, err := report.ParseFilter([]string{condition})
	p.Check(err)
	some := slices.DeleteFunc(slices.Clone(all), func(v visit) bool {
		slug := ""
		for _, l := range p.links {
			if l.ID == v.link {
				slug = string(l.Slug)
			}
		}
		return !f.MatchLink(slug, p.file(v).Kind)
	})
	var a report.AccountReport
	query += "&filter=" + condition
	p.API("/analytics?limit=100&"+query, &a)
	webtest.Same(p.t, "account, "+query, told(&a.Summary, bucketsOf(a.Mix)), p.recount(some))
	p.consistent(query, &a.Summary)
}

// compareContent compares the content card with the visits of its version.
func (p *past) compareContent(l *vitrine.Link, query string, r *report.LinkReport, list []visit) {
	c := &r.Content
	if webtest.Same(p.t, "the card has a version, "+query, c.Version > 0, len(p.files[l.ID]) > 1); c.Version == 0 {
		return
	}
	shown := slices.DeleteFunc(slices.Clone(list), func(v visit) bool { return v.Version != c.Version })
	want := p.recount(shown)
	webtest.Same(p.t, "sessions of the card, "+query, *c.OfVersion, want.Sessions)
	webtest.Same(p.t, "kind of the card, "+query, c.Kind, p.files[l.ID][c.Version-1].Content)
	if want.Sessions == 0 {
		want.CompletionPct = "0"
	}
	switch {
	case c.Media != nil:
		webtest.Same(p.t, "played, "+query, c.Media.AvgPlayedPct.String(), want.CompletionPct)
	case c.Scroll != nil:
		webtest.Same(p.t, "scrolled, "+query, c.Scroll.AvgDepthPct.String(), want.CompletionPct)
	}
}

// consistent compares the cards of a report with each other.
func (p *past) consistent(query string, s *report.Summary) {
	var series, heat, sources int64
	for _, point := range s.Series {
		series += point.Views
	}
	for _, hours := range s.Timing.Heat {
		for _, n := range hours {
			heat += n
		}
	}
	for _, b := range s.Breakdowns.Sources {
		sources += b.Count
	}
	webtest.Same(p.t, "views by day, by hour and by source, "+query, [3]int64{series, heat, sources},
		[3]int64{s.Totals.Views, s.Totals.Views, s.Totals.Views})
}

// compareTotalsFile compares the file of the totals with the report.
func (p *past) compareTotalsFile(page string, s *report.Summary) {
	row := p.ReportSite.File(p.t, page, "totals")[1]
	n := &s.Totals
	webtest.Same(p.t, "file of "+page, strings.Join(row[2:5], " ")+" "+row[8], fmt.Sprintf("%d %d %d %s", n.Views,
		n.Uniques, n.Sessions, strings.Replace(completionText(n.CompletionPct), "null", "", 1)))
}

// compareShared compares the numbers of shared pages with those of their owner.
func (p *past) compareShared() {
	for _, page := range []string{"/analytics", webtest.StatsPath(p.links[0])} {
		shared := p.Share(p.t, page, "label=Everyone&life=7d")
		query := "range=" + pickOf(p.r, "7d", "30d", "all") // readers choose only that, and days are UTC's
		mine := p.Parse(p.Status(p.Get(page+"?timezone=UTC&"+query, p.Cookie), http.StatusOK).Text)
		theirs := p.Parse(p.Status(p.Get(shared+"?"+query), http.StatusOK).Text)
		for _, card := range []string{"views", "uniques", "engaged", "completion", "downloads", "bounce", "returning"} {
			webtest.Same(p.t, card+" of "+page+"?"+query, theirs.ID("card-" + card).Class("value")[0].Text(),
				mine.ID("card-" + card).Class("value")[0].Text())
		}
	}
}
