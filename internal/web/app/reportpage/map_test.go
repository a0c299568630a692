package reportpage_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/webtest"
	"vitrine/report"
	"vitrine/report/part"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// mapped is a Markdown file of three sections of 20 words, which take 5 seconds
// each.
func mapped(o *webtest.ReportSite) *vitrine.Link {
	words := strings.Repeat("word ", 20)
	return o.Publish("plan.md", []byte("# One\n\n"+words+"\n\n# Two\n\n<script>x</script>"+words+"\n\n# Three\n\n"+words))
}

// readSections adds sessions of different viewers: all read the first section
// for 4 s and the second for 1 s, and none the third.
func readSections(o *webtest.ReportSite, l *vitrine.Link, from, to int) {
	for n := from; n <= to; n++ {
		o.ReadVersion(l, 1, n, report.Session{EngagedMs: 6000, PresentMs: 7000, Outlined: true,
			Pages: []report.PageTime{{Page: 1, Ms: 4000}, {Page: 2, Ms: 1000}}})
	}
}

// TestReadingMap checks that the map shows the text of a file by section from
// three viewers on, with what was read, skimmed and skipped; and that readers
// of a shared report who may not open the file see only the list.
func TestReadingMap(t *testing.T) {
	t.Parallel()
	o := webtest.NewReportSite(t)
	l := mapped(o)
	root := webtest.StatsPath(l)
	shared := o.Share(t, root, url.Values{"life": {"7d"}}.Encode())
	page := func(address string, headers ...string) webtest.Document {
		t.Helper()
		return o.Parse(o.Status(o.Get(address, headers...), http.StatusOK).Text)
	}
	webtest.Same(t, "before any reading", page(root+"/map", o.Cookie).Class("map-why")[0].Text(), "No reading was measured in this period.")
	readSections(o, l, 1, 2)
	if why := page(root+"/map", o.Cookie).Class("map-why"); len(why) != 1 || !strings.HasSuffix(why[0].Text(), "So far: 2.") {
		t.Error("two viewers have a map")
	}
	readSections(o, l, 3, 3)
	var r report.LinkReport
	o.API(root, &r)
	var api []string
	for _, p := range r.Content.Parts {
		api = append(api, fmt.Sprint(p.Words, " ", p.Reading))
	}
	webtest.Same(t, "parts", strings.Join(api, ", "), "20 read, 20 skimmed, 20 skipped")
	for _, m := range []webtest.Document{page(root+"/map", o.Cookie), page(shared + "/map")} {
		var got []string
		for _, li := range m.Class("reading-map")[0].Tags("li") {
			got = append(got, fmt.Sprint(li.Attribute("class"), ": ", li.Class("map-label")[0].Text(), " ", len(li.Class("map-text"))))
		}
		webtest.Same(t, "map", strings.Join(got, "; "), "is-l3: 1 One Read 4 s of 5 s Seen by 3 of 3 sessions 1; "+
			"is-l1: 2 Two Skimmed 1 s of 5 s Seen by 3 of 3 sessions 1; is-l0: 3 Three Skipped – of 5 s Seen by 0 of 3 sessions 1")
		webtest.Same(t, "scripts", len(m.Class("reading-map")[0].Tags("script")), 0)
	}
	before := o.Account
	o.Protect(l, "a password")
	o.Account = before
	closed := page(shared + "/map")
	webtest.Same(t, "texts for those who may not open it", len(closed.Class("map-text")), 0)
	webtest.Same(t, "parts for them", len(closed.Class("reading-map")[0].Tags("li")), 3)
	webtest.Same(t, "texts for the owner", len(page(root+"/map", o.Cookie).Class("map-text")), 3)
	o.Status(o.Get(root+"/map", o.SignIn(o.Member)), http.StatusNotFound)
	o.Status(o.Get(webtest.StatsPath(o.Links[report.ContentMedia])+"/map", o.Cookie), http.StatusNotFound)
}

// TestMapOfQuarters checks that the map says of pages in words how long each
// quarter was read, and that nobody measured those of others; the API has the
// same shares. Sections have no quarters.
func TestMapOfQuarters(t *testing.T) {
	t.Parallel()
	o := webtest.NewReportSite(t)
	letter := o.Publish("letter.docx", webtest.MakeDOCX(t, 3, ""))
	o.Check(o.Server.Links.Store.Update(t.Context(), func(tx vitrine.Tx) error {
		now, err := tx.Link(letter.ID)
		if err != nil {
			return err
		}
		now.Outline = part.Unnamed(part.Page, 3)
		return tx.PutLink(now)
	}))
	for name, l := range map[string]*vitrine.Link{"pdf": o.Publish("report.pdf", webtest.MakePDF(3)), "office": letter,
		"sections": mapped(o)} {
		for n := range 4 {
			s := report.Session{EngagedMs: 6000, PresentMs: 7000, Outlined: name != "pdf",
				Pages: []report.PageTime{{Page: 1, Ms: 4000}, {Page: 2, Ms: 2000}}}
			if n > 0 { // the first is from before quarters were measured
				s.Pages[0].Bands = part.Bands{2000, 1000, 1000}
			}
			o.ReadVersion(l, 1, n+1, s)
		}
		page := o.Parse(o.Status(o.Get(webtest.StatsPath(l)+"/map", o.Cookie), http.StatusOK).Text)
		var got []string
		for _, label := range page.Class("map-label") {
			_, quarters, _ := strings.Cut(label.Text(), "sessions ")
			got = append(got, quarters)
		}
		var r report.LinkReport
		o.API(webtest.StatsPath(l), &r)
		var shares any
		if name == "pdf" {
			shares = r.Content.Pages.Pages[0].BandsPct
		} else {
			shares = r.Content.Parts[0].BandsPct
		}
		words, api := "Quarters from the top: 50%, 25%, 25%, 0%|Quarters not measured then|", "[50 25 25 0]"
		if name == "sections" {
			words, api = "||", "[]"
		}
		webtest.Same(t, name, strings.Join(got, "|"), words)
		webtest.Same(t, name+" in the API", fmt.Sprint(shares), api)
		card := o.File(t, webtest.StatsPath(l)+"?range=30d", map[bool]string{true: "content", false: "parts"}[name == "pdf"])
		visits, err := csv.NewReader(strings.NewReader(o.Status(o.Get(webtest.StatsPath(l)+"/visits?show=all&format=csv",
			o.Cookie), http.StatusOK).Text)).ReadAll()
		o.Check(err)
		cell := visits[1][slices.Index(visits[0], "bands")]
		if at := slices.Index(card[0], "band1Pct"); name == "sections" {
			webtest.Same(t, "column of sections", at, -1)
		} else {
			webtest.Same(t, name+" in the file", fmt.Sprint(card[0][at:], card[1][at:], card[2][at:]),
				"[band1Pct band2Pct band3Pct band4Pct] [50 25 25 0] [   ]")
		}
		webtest.Same(t, name+" in the file of visits", cell, "1:2000:1000:1000:0")
	}
}

// TestMapOfFifths checks that the map divides a text without headings where its
// page does: by words, not by lines or by height.
func TestMapOfFifths(t *testing.T) {
	t.Parallel()
	o := webtest.NewReportSite(t)
	text, want := "", ""
	for i := range 300 {
		text += fmt.Sprint("w", i, map[bool]string{true: "\n\n", false: " "}[i < 120])
		if i%60 == 0 {
			want += fmt.Sprint("w", i, " ")
		}
	}
	for _, name := range []string{"essay.md", "essay.txt", "essay.yaml"} {
		l := o.Publish(name, []byte(text))
		readSections(o, l, 1, 3)
		got := ""
		for _, shown := range o.Parse(o.Status(o.Get(webtest.StatsPath(l)+"/map", o.Cookie), http.StatusOK).Text).Class("map-text") {
			got += strings.Fields(shown.Text())[0] + " "
		}
		webtest.Same(t, name, got, want)
	}
}

// TestMapOfPictures checks that the quarters of a page lie over its picture,
// each with a level of its own; those that were not measured do not.
func TestMapOfPictures(t *testing.T) {
	t.Parallel()
	o := webtest.NewReportSite(t)
	webtest.Previewer(t, o.Site)
	before := o.Account
	l := o.Sent("report.pdf", string(webtest.MakePDF(2)))
	o.Check(o.Server.Previews.Make(t.Context()))
	for n := range 3 {
		o.ReadVersion(l, 1, n+1, report.Session{EngagedMs: 6000, PresentMs: 7000,
			Pages: []report.PageTime{{Page: 1, Ms: 4000, Bands: part.Bands{2000, 1000, 0, 1000}}, {Page: 2, Ms: 2000}}})
	}
	o.Account = before
	page := o.Parse(o.Status(o.Get(webtest.StatsPath(l)+"/map", o.SignIn(o.Account)), http.StatusOK).Text)
	var got []string
	for _, picture := range page.Class("map-picture") {
		var levels []string
		for _, band := range picture.Tags("i") {
			levels = append(levels, band.Attribute("class"))
		}
		got = append(got, fmt.Sprint(len(picture.Tags("img")), levels))
	}
	webtest.Same(t, "pictures", strings.Join(got, ", "), "1 [is-l4 is-l2 is-l0 is-l2], 1 []")
}

// TestBrowserReadingMap opens the map from the report, in which a section is
// darker the longer it was read, and text stays readable on a phone.
func TestBrowserReadingMap(t *testing.T) {
	o := webtest.NewReportSite(t)
	l := mapped(o)
	readSections(o, l, 1, 4)
	o.Ahead.Add(int64(time.Minute))
	tb := webtest.NewMember(t, o.Site, o.Account)
	tb.Run(chromedp.EmulateViewport(390, 844), chromedp.Navigate(o.URL+webtest.StatsPath(l)+"?range=7d"))
	tb.Run(chromedp.Click(`#parts a[href*="/map"]`, chromedp.ByQuery))
	tb.Until(`document.querySelectorAll(".reading-map.of-text > li .map-text").length === 3`)
	tb.Until(`((c) => new Set(c).size === 3 && c[2] === "rgba(0, 0, 0, 0)")([...document.querySelectorAll(".reading-map > li")].map((li) => getComputedStyle(li).backgroundColor))`)
	tb.Until(`document.documentElement.scrollWidth <= innerWidth`)
	tb.Run(emulation.SetEmulatedMedia().WithMedia("print")) // with its colors and their key, without the button
	tb.Until(`document.getElementById("print").getClientRects().length === 0 &&
		[...document.querySelectorAll(".reading-map, .map-key i")].every((e) => getComputedStyle(e).printColorAdjust === "exact" && e.getClientRects().length)`)
	tb.Quiet()
}
