package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/importer"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"
	"vitrine/internal/visitor"
	"vitrine/report"
	"vitrine/report/part"
)

// carriedLinks are links of each kind of content, in the form of an import. The
// slides get their outline from readers of it.
const carriedLinks = `{"slug":"pages","title":"Pages","kind":"pdf","pagesTotal":5}
{"slug":"unknown","title":"Unknown","kind":"pdf"}
{"slug":"sections","title":"Sections","kind":"text","sections":["One","Two","Three"]}
{"slug":"slides","title":"Slides","kind":"document"}
{"slug":"picture","title":"Picture","kind":"image"}
{"slug":"film","title":"Film","kind":"video"}
{"slug":"archive","title":"Archive","kind":"archive"}`

// TestImportOfExport checks that the NDJSON file of visits, imported on another
// instance, is the same file there, and makes the same report. The import
// format does not carry names of viewers and reasons of excluded views.
func TestImportOfExport(t *testing.T) {
	r := rand.New(rand.NewPCG(vitrinetest.Seed(t), 11))
	var places [2]carried
	for i := range places {
		places[i] = newCarried(t)
	}
	from, to := places[0], places[1]
	var lines bytes.Buffer
	for _, slug := range from.slugs {
		from.addRandom(r, slug)
		for row := range strings.Lines(from.export(slug)) {
			lines.WriteString(importLineOf(t, slug, row))
		}
	}
	_, err := to.in.Views(t.Context(), &lines)
	to.Check(err)
	for _, slug := range from.slugs {
		if want, got := from.export(slug), to.export(slug); got != want {
			t.Errorf("%s: the file is\n%s\nwant\n%s", slug, got, want)
		}
		for _, query := range []string{"", "&include=curves&include=utm", "&filter=device:is:Desktop", "&timezone=Asia/Tokyo"} {
			if want, got := from.report(slug, query), to.report(slug, query); got != want {
				t.Errorf("%s%s: the report is\n%s\nwant\n%s", slug, query, got, want)
			}
		}
	}
	to.Audit()
}

// carried is an instance with the links of carriedLinks.
type carried struct {
	*webtest.Fixture
	key   string
	in    importer.Importer
	slugs []string
}

func newCarried(t *testing.T) carried {
	c := carried{Fixture: webtest.NewFixture(t)}
	c.key = c.Account(vitrine.PlanPro)
	c.in = importer.Importer{Store: c.Server.Links.Store, Log: c.Log, Now: c.Server.Now}
	for line := range strings.Lines(carriedLinks) {
		var l map[string]any
		c.Check(json.Unmarshal([]byte(line), &l))
		l["account"], l["createdAt"] = c.Emails[c.key], "2026-01-01T00:00:00Z"
		b, err := json.Marshal(l)
		c.Check(err)
		_, err = c.in.Links(t.Context(), bytes.NewReader(b))
		c.Check(err)
		c.slugs = append(c.slugs, l["slug"].(string))
	}
	c.Check(c.Server.Links.Store.Update(t.Context(), func(tx vitrine.Tx) error {
		l, err := tx.LinkBySlug("slides")
		if err != nil {
			return err
		}
		l.Outline = part.Unnamed(part.Slide, 4)
		return tx.PutLink(l)
	}))
	return c
}

// addRandom adds views of people and programs to a link, each of a millisecond
// of its own.
func (c carried) addRandom(r *rand.Rand, slug string) {
	l, err := vitrine.Read(c.T.Context(), c.Server.Links.Store, func(tx vitrine.Tx) (*vitrine.Link, error) {
		return tx.LinkBySlug(vitrine.Slug(slug))
	})
	c.Check(err)
	word := func(name string) string { return []string{"", name + " 1", name + " 2"}[r.IntN(3)] }
	var b vitrine.Batch
	for n := range 80 {
		at := c.Server.Now().Add(-time.Duration(n*30+r.IntN(20)) * time.Minute).UnixMilli()
		v := report.View{ID: int64(vitrine.ViewIDAt(at, 0)), At: at, Link: int64(l.ID), Viewer: r.Uint64N(20),
			Country: word("C"), City: word("City"), Referrer: word("host"), Source: "Source " + word("x"),
			Device: []string{"Desktop", "Mobile"}[r.IntN(2)], Browser: word("Browser"), OS: word("OS"),
			Campaign: word("c"), Medium: word("m"), Content: word("n"), Term: word("t"), Version: 1,
			QR: r.IntN(4) == 0, Returning: r.IntN(3) == 0}
		if r.IntN(5) == 0 {
			v.Bot, v.Product = report.BotCrawler, word("Bot")
		}
		if r.IntN(4) > 0 {
			v.Session = randomReading(r, l)
			if v.Session.Downloaded = r.IntN(3) == 0; v.Session.Downloaded && v.Bot == "" {
				b.Downloads = append(b.Downloads, vitrine.Download{ID: vitrine.ViewIDAt(at, 1), Link: l.ID,
					View: vitrine.ViewID(v.ID)})
			}
		}
		b.Views = append(b.Views, vitrine.ViewRecord{Account: l.Account, View: v})
	}
	o, err := c.Log.Append(c.T.Context(), b)
	c.Check(err)
	for _, err := range o.Refused {
		c.Check(err)
	}
}

// randomReading returns how a file was read, in the tenths of a percent that
// files of visits have.
func randomReading(r *rand.Rand, l *vitrine.Link) *report.Session {
	const tenth = report.Whole / 1000
	screens := append(visitor.ScreenRanges(), "")
	s := &report.Session{EngagedMs: r.Int64N(90_000), Screen: screens[r.IntN(len(screens))]}
	s.PresentMs = s.EngagedMs + r.Int64N(5000)
	content := report.ContentOf(l.Kind)
	most := max(l.Pages, l.Outline.Len())
	if content == report.ContentPages && most == 0 {
		most = 7
	}
	if content == report.ContentPages || content == report.ContentScroll {
		for at := range most + 1 {
			if r.IntN(4) == 0 {
				s.Clicks = append(s.Clicks, part.Click{Part: at, Target: []string{"https://a.example/", "mailto"}[r.IntN(2)],
					Count: 1 + r.Int64N(3)})
			}
		}
	}
	if s.Unmeasured = content != report.ContentNone && r.IntN(6) == 0; s.Unmeasured {
		return s
	}
	switch content {
	case report.ContentMedia:
		s.Played = r.Int64N(1001) * tenth
		s.Reached = min(s.Played+r.Int64N(1001)*tenth, report.Whole)
		s.Parts.AddRange(r.IntN(report.PartCount), r.IntN(report.PartCount))
		s.Parts = s.Parts.Within(s.Played, s.Reached)
	case report.ContentScroll:
		s.Depth = r.Int64N(1001) * tenth
		if s.Outlined = most > 0 && r.IntN(4) > 0; !s.Outlined {
			return s
		}
	}
	if r.IntN(6) == 0 {
		return s // nothing was read
	}
	left := s.EngagedMs
	for page := 1; page <= most; page++ {
		if r.IntN(3) == 0 {
			continue
		}
		seen := report.PageTime{Page: page, Ms: r.Int64N(left + 1)}
		left -= seen.Ms
		if r.IntN(3) > 0 {
			for band := range seen.Bands {
				seen.Bands[band] = r.Int64N(seen.Ms + 1)
			}
			seen.Bands = seen.Bands.Within(seen.Ms)
		}
		s.Pages = append(s.Pages, seen)
	}
	return s
}

// importLineOf returns the line of an import for a visit, which has the same
// members, with those of its engagement together.
func importLineOf(t *testing.T, slug, visit string) string {
	t.Helper()
	var of map[string]any
	if err := json.Unmarshal([]byte(visit), &of); err != nil {
		t.Fatal(err)
	}
	line, session := map[string]any{"slug": slug, "bot": of["excluded"] != ""}, map[string]any{}
	for name, value := range of {
		switch name {
		case "engagedMs", "presentMs", "screen", "downloaded", "pages", "parts", "clicks", "playedPct", "reachedPct", "playedIn":
			session[name] = value
		case "depthPct":
			session["scrollPct"] = value
		case "id", "progress", "atypical", "engaged", "excluded": // which an import does not have
		default:
			line[name] = value
		}
	}
	if of["engaged"] == true {
		line["session"] = session
	}
	b, err := json.Marshal(line)
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + "\n"
}

// export returns all visits of a link. Viewers have the numbers of their first
// visits, and the views of programs the reason that imported ones have.
func (c carried) export(slug string) string {
	c.T.Helper()
	file := string(c.Call(c.key, "GET", "/links/"+slug+"/visits?range=all&format=ndjson", nil).Want(200, "").Body)
	return c.plain(strings.ReplaceAll(file, `"excluded":"`+report.BotCrawler+`"`, `"excluded":"`+report.BotImported+`"`))
}

func (c carried) report(slug, query string) string {
	c.T.Helper()
	return c.plain(string(c.Call(c.key, "GET", "/links/"+slug+"/analytics?range=all"+query, nil).Want(200, "").Body))
}

// plain returns a text of an instance without its address and its names of
// viewers.
func (c carried) plain(text string) string {
	text = strings.ReplaceAll(text, c.URL, "")
	const member = `"viewer":"`
	rest, names := text, map[string]string{}
	for {
		_, after, ok := strings.Cut(rest, member)
		if !ok {
			break
		}
		name, _, _ := strings.Cut(after, `"`)
		if names[name] == "" {
			names[name] = fmt.Sprint("v", len(names))
			text = strings.ReplaceAll(text, member+name+`"`, member+names[name]+`"`)
		}
		rest = after
	}
	return text
}
