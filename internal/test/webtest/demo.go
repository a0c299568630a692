package webtest

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	picture "image/png"
	"math"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/auth/oidc"
	"vitrine/internal/app/links"
	"vitrine/internal/web/app"
	"vitrine/report"
)

// Demo is a site after some months: accounts of each kind, links of each kind
// with views, an album, a website, and a moderation queue.
type Demo struct {
	*Site
	Pro, Free, Fresh, Moderator *vitrine.Account
	Links                       map[string]*vitrine.Link // by file name
	Album                       *vitrine.Album
	Website                     *vitrine.Site
	Held                        *vitrine.Link    // waits for a moderator
	Off                         *vitrine.Link    // disabled by a moderator
	Gated                       *vitrine.Link    // with a password
	Asked                       *vitrine.Account // half signed in: SitePages makes it
}

const demoMarkdown = "# Opening hours\n\nThe collection is open **Tuesday to Sunday**, ten to six.\n\n| Day | From | To |\n|---|---|---|\n| Tuesday | 10:00 | 18:00 |\n| Thursday | 10:00 | 21:00 |\n\n" +
	"## Groups\n\n> Groups of more than ten are asked to write first.\n\n## Inside\n\n1. Cloakroom on the left\n2. Lift to all floors\n\n```\nGET /opening-hours\n```\n"

// NewDemo creates a demo, which only depends on the current day.
func NewDemo(t testing.TB) *Demo {
	t.Helper()
	d := &Demo{Site: NewHosting(t), Links: map[string]*vitrine.Link{}}
	ctx := t.Context()
	join := func(email string, plan vitrine.Plan) *vitrine.Account {
		a, _, err := d.Server.Accounts.Create(ctx, email, plan)
		d.Check(err)
		return a
	}
	d.Pro, d.Free, d.Fresh = join("ada@example.org", vitrine.PlanPro), join("charles@example.org", vitrine.PlanFree),
		join("new@example.org", vitrine.PlanPro)
	d.Moderator = d.Join("moderator@example.org", vitrine.RoleModerator)
	d.Server.Accounts.SignUp = auth.SignUpOpen
	atWork, err := oidc.Parse("work=https://id@login.example/?name=Acme+Museum")
	d.Check(err)
	d.Server.Providers.List = []*oidc.Provider{oidc.New(*atWork, d.Server.Now)}
	d.Check(d.Server.Store.Update(ctx, func(tx vitrine.Tx) error {
		return tx.AddIdentity(&vitrine.Identity{Account: d.Free.ID, Issuer: atWork.Issuer, Subject: "1",
			Email: "charles@museum.example", CreatedAt: d.Server.Now(), CheckedAt: d.Server.Now()})
	}))
	d.Account = d.Pro
	for _, f := range []struct {
		name, title string
		content     []byte
	}{
		{"annual-report.pdf", "Annual report", demoReport(24)},
		{"exhibition.png", "Hall of light, view from the stairs", demoPicture(1280, 800)},
		{"tour.webm", "A tour in two minutes", Samples["clip.webm"]},
		{"guide.mp3", "Audio guide, first floor", Samples["song.mp3"]},
		{"hours.md", "Opening hours", []byte(demoMarkdown)}, {"visitors.csv", "Visitors by month", demoTable()},
		{"invitation.html", "Invitation", Samples["page.html"]},
		{"loan-agreement.rtf", "Loan agreement", Samples["book.rtf"]},
		{"press-kit.tgz", "Press kit", Samples["archive.tgz"]},
		{"plan.svg", "Floor plan", Samples["drawing.svg"]},
		{"catalogue.pdf", "Catalogue of the collection, with a title that is as long as some titles are", MakePDF(96)},
	} {
		d.Links[f.name] = d.Publish(f.name, f.content, Titled(f.title))
		d.Ahead.Add(int64(9*24*time.Hour + 97*time.Minute))
	}
	d.curate(ctx)
	d.Account = d.Free
	d.Links["poster.pdf"] = d.Publish("poster.pdf", MakePDF(1), Titled("Poster"))
	d.queue()
	d.Ahead.Add(int64(30 * 24 * time.Hour))
	for i, name := range []string{"annual-report.pdf", "exhibition.png", "tour.webm", "guide.mp3", "hours.md",
		"visitors.csv", "press-kit.tgz", "catalogue.pdf", "poster.pdf"} {
		d.read(d.Links[name], 900/(i+1))
	}
	d.read(d.Links["loan-agreement.rtf"], 3)
	d.readWebsite(700)
	d.Notices = []app.Notice{{Text: "Scanner: ClamAV 1.0.7, signatures of today."}}
	d.Account = d.Pro
	return d
}

// curate notes what happened to a link, and creates an album and a website.
func (d *Demo) curate(ctx context.Context) {
	d.T.Helper()
	var err error
	for ago, text := range map[report.Day]string{31: "Sent to the board", 29: "Talk at the museum in Oslo, and a letter " +
		"to all friends of the house, who had asked for the numbers of the year", 4: "Press day"} {
		_, err := d.Server.Links.AddNote(ctx, d.Pro, string(d.Links["annual-report.pdf"].Slug),
			links.Note{Day: report.DayOf(d.Server.Now().UnixMilli()) - ago, Text: text}, nil)
		d.Check(err)
	}
	d.Album, err = d.Server.Albums.Create(ctx, d.Pro, "For the press", "")
	d.Check(err)
	var slugs []string
	for _, name := range []string{"press-kit.tgz", "exhibition.png", "annual-report.pdf", "tour.webm"} {
		slugs = append(slugs, string(d.Links[name].Slug))
	}
	d.Check(d.Server.Albums.Add(ctx, d.Pro, string(d.Album.Slug), slugs))
	d.Website = d.NewWebsite("Spring exhibition")
	d.Deployed(d.Website, "index.html=<!doctype html><title>Spring</title><h1>Spring</h1>", "style.css=h1{color:teal}")
	d.Deployed(d.Website, "index.html=<!doctype html><title>Spring</title><h1>Spring, second hang</h1>",
		"style.css=h1{color:teal}", "rooms/one.html=<h1>Room one</h1>")
}

// queue adds links that wait for review, and one that was decided.
func (d *Demo) queue() {
	d.T.Helper()
	d.Account = d.Member
	d.Held = d.Hold(d.Publish("budget.txt", []byte("Not what it seems.\n"), Titled("Budget, confidential")),
		vitrine.ReasonSuspicious, "Heuristics.Phishing.Email")
	for _, name := range []string{"picture.png", "data.json"} {
		d.Hold(d.Publish(name, Samples[name]), vitrine.ReasonAbuse, "")
		d.Ahead.Add(int64(40 * time.Minute))
	}
	d.Gated = d.Publish("notes.txt", []byte("For those who know.\n"), Titled("Offer"))
	d.Protect(d.Gated, "open sesame")
	d.Off = d.Publish("notes.txt", Samples["notes.txt"], Titled("Notes"))
	_, err := d.Server.Links.Disable(d.T.Context(), string(d.Off.Slug),
		vitrine.Decision{By: vitrine.Administrator, Note: "Asked for by its author."})
	d.Check(err)
}

// readWebsite adds at most n loads of the website's pages.
func (d *Demo) readWebsite(n int) {
	d.T.Helper()
	var account vitrine.AccountID
	var links []*vitrine.Link
	for _, path := range []string{"index.html", "rooms/one.html"} {
		d.Check(d.Server.SiteStats.Count(d.T.Context(), d.Website.ID, path, netip.Prefix{},
			report.View{Viewer: 1, Source: "Direct"}))
	}
	d.Check(d.Server.Links.Store.Read(d.T.Context(), func(tx vitrine.Tx) error {
		pages, err := tx.SitePages(d.Website.ID)
		for _, p := range pages {
			if p.Path == "" {
				account = vitrine.AccountID(p.Number)
				continue
			}
			links = append(links, &vitrine.Link{ID: vitrine.LinkID(p.Number), Account: account,
				CreatedAt: d.Website.CreatedAt})
		}
		return err
	}))
	for i, l := range links {
		d.read(l, n/(i+1))
	}
}

// read adds at most n views since a link was created, more of them recently.
func (d *Demo) read(l *vitrine.Link, n int) {
	d.T.Helper()
	r := rand.New(rand.NewPCG(uint64(n), 1851))
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	now, b := d.Server.Now(), vitrine.Batch{}
	for i := range n {
		age := time.Duration(math.Pow(r.Float64(), 1.15) * float64(now.Sub(l.CreatedAt)))
		t := now.Add(-age).UTC()
		if wd := t.Weekday(); (wd == 0 || wd == 6 || t.Hour() < 6) && r.IntN(4) > 0 {
			continue
		}
		at := t.UnixMilli()
		v := report.View{ID: int64(vitrine.ViewIDAt(at, i)), At: at, Link: int64(l.ID),
			Viewer: uint64(r.IntN(n/2+1)) + 1, Source: one("Email", "Email", "LinkedIn", "Direct", "Direct", "Slack",
				"Google", "museum.example"),
			QR: r.IntN(30) == 0, Returning: r.IntN(6) == 0}
		v.City, v.Country, _ = strings.Cut(one("London GB", "London GB", "Leeds GB", "Berlin DE", "Munich DE",
			"Boston US", "Paris FR", "Utrecht NL", "Malmö SE", "Kyoto JP"), " ")
		agent := strings.Fields(one("Desktop Chrome Windows 1440-1919", "Desktop Chrome Windows 1920+",
			"Desktop Safari macOS 1440-1919", "Desktop Firefox Linux 1200-1439", "Desktop Edge Windows 1920+",
			"Mobile Safari iOS 0-575", "Mobile Safari iOS 0-575", "Mobile Chrome Android 0-575",
			"Tablet Safari iPadOS 768-991"))
		v.Device, v.Browser, v.OS = agent[0], agent[1], agent[2]
		if r.IntN(12) == 0 {
			v.Bot = one(report.BotCrawler, report.BotLinkPreview, report.BotLinkPreview, report.BotMailScanner)
		}
		if l.Kind != "" && r.IntN(9) > 0 && (v.Bot == "" || r.IntN(6) == 0) {
			v.Session = d.session(r, l)
			v.Session.Screen = agent[3]
			if v.Session.Downloaded && v.Bot == "" {
				b.Downloads = append(b.Downloads, vitrine.Download{ID: vitrine.ViewIDAt(at+1, i), Link: l.ID,
					View: vitrine.ViewID(v.ID)})
			}
		}
		b.Views = append(b.Views, vitrine.ViewRecord{Account: l.Account, View: v})
	}
	o, err := d.Log.Append(d.T.Context(), b)
	d.Check(err)
	for _, err := range o.Refused {
		d.Check(err)
	}
}

func (d *Demo) session(r *rand.Rand, l *vitrine.Link) *report.Session {
	engaged := int64(2000 + r.ExpFloat64()*60_000)
	if r.IntN(40) == 0 {
		engaged = 300
	}
	s := &report.Session{EngagedMs: engaged, PresentMs: engaged + 900, Downloaded: r.IntN(8) == 0}
	far := min(1_000_000, int64(r.ExpFloat64()*900_000))
	switch report.ContentOf(l.Kind) {
	case report.ContentPages:
		last := 1
		for last < l.Pages && r.IntN(100) < map[bool]int{true: 60, false: 95}[last == 6] {
			last++
		}
		for p := range last {
			s.Pages = append(s.Pages, report.PageTime{Page: p + 1, Ms: max(1000, engaged/int64(last))})
		}
	case report.ContentMedia:
		s.Played, s.Reached = far*9/10, far
	case report.ContentScroll:
		s.Depth = far
	}
	return s
}

// demoReport returns a document with chapters, paragraphs, and pictures on some
// pages.
func demoReport(pages int) []byte {
	chapters := []string{"Annual report", "The year", "Visitors", "Collection", "Exhibitions", "Accounts"}
	sentences := []string{"The collection grew by 214 works, most of them on paper.",
		"More visitors came than in any year before, a third of them for the first time.",
		"The spring exhibition stayed open for two weeks longer than planned.",
		"The garden opens again in May, with new paths and a place to read.",
		"Schools booked 310 tours. One in four was in a language other than English.",
		"Entrance fees paid for less of the house than last year, and gifts for more."}
	decoded, err := picture.Decode(bytes.NewReader(demoPicture(512, 512)))
	if err != nil {
		panic(err)
	}
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, decoded, nil); err != nil {
		panic(err)
	}
	f, r := NewPDF(), rand.New(rand.NewPCG(uint64(pages), 1851))
	for i := range pages {
		var lines []string
		var image []byte
		rows := 34
		if i%3 == 0 {
			rows, image = 4, photo.Bytes()
		}
		for row := 0; row < rows; {
			line := ""
			for n := range 3 {
				for _, word := range strings.Fields(sentences[(r.IntN(2)+2*n)%len(sentences)]) {
					if len(line)+len(word) > 58 {
						lines, line, row = append(lines, line), "", row+1
					}
					line = strings.TrimSpace(line + " " + word)
				}
			}
			lines, row = append(lines, line, ""), row+2
		}
		f.Page(chapters[i%len(chapters)], lines, image)
	}
	return f.Bytes()
}

// demoPicture draws light in a hall.
func demoPicture(w, h int) []byte {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			dx, dy := float64(x)/float64(w)-.62, float64(y)/float64(h)-.2
			light := math.Exp(-6 * (dx*dx + dy*dy*.7))
			if x*9/w%2 == 1 {
				light *= .82
			}
			m.Set(x, y, color.RGBA{uint8(38 + 200*light), uint8(36 + 180*light), uint8(44 + 120*light), 255})
		}
	}
	var b bytes.Buffer
	if err := picture.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func demoTable() []byte {
	var b strings.Builder
	b.WriteString("Month,Visitors,Groups,Evening\n")
	for i := range 24 {
		t := time.Date(2024, time.Month(1+i), 1, 0, 0, 0, 0, time.UTC)
		fmt.Fprintf(&b, "%s,%d,%d,%d\n", t.Format("January 2006"), 4000+i*137%1900, 30+i*7%25, 400+i*61%350)
	}
	return []byte(b.String())
}
