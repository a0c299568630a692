package web_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/backend/preview"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"
	"vitrine/report"
	"vitrine/report/part"

	"github.com/chromedp/chromedp"
)

// slides returns a presentation with a few words on each slide, as PPTX and as
// the PDF that LibreOffice exports of that.
func slides(t *testing.T, n int) (pptx, pdf []byte) {
	t.Helper()
	office, dir := vitrinetest.Program(t, "soffice"), t.TempDir()
	var flat strings.Builder
	flat.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.presentation"><office:body><office:presentation>`)
	for i := range n {
		fmt.Fprintf(&flat, `<draw:page draw:name="p%[1]d"><draw:frame svg:x="2cm" svg:y="2cm" svg:width="20cm" svg:height="5cm"><draw:text-box><text:p>Slide %[1]d%[2]s</text:p></draw:text-box></draw:frame></draw:page>`,
			i+1, strings.Repeat(" word", i))
	}
	flat.WriteString(`</office:presentation></office:body></office:document>`)
	convert := func(from, to string) []byte {
		cmd := exec.Command(office, "-env:UserInstallation=file://"+dir+"/profile", "--headless", "--convert-to", to,
			"--outdir", dir, filepath.Join(dir, from))
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("LibreOffice: %v: %s", err, said)
		}
		b, err := os.ReadFile(filepath.Join(dir, "deck."+to))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if err := os.WriteFile(filepath.Join(dir, "deck.fodp"), []byte(flat.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	pptx = convert("deck.fodp", "pptx")
	return pptx, convert("deck.pptx", "pdf")
}

// TestBrowserSlides checks that a presentation has the figures of its PDF
// export that was read in the same way: views, reach, time, attention, words
// and drop-off of each of 20 slides.
func TestBrowserSlides(t *testing.T) {
	s := webtest.NewTimed(t, nil)
	webtest.Previewer(t, s.Site, "soffice")
	pptx, pdf := slides(t, 20)
	deck, export := s.Publish("deck.pptx", pptx), s.Publish("deck.pdf", pdf)
	s.Check(s.Server.Previews.Make(t.Context()))
	const second = time.Second
	for _, l := range []*vitrine.Link{deck, export} {
		s.ReadTurning(t, l, webtest.Turn{To: 1, Stay: 3 * second}, webtest.Turn{To: 2, Stay: 5 * second},
			webtest.Turn{To: 3, Stay: 999 * time.Millisecond}, webtest.Turn{To: 7, Stay: 2 * second})
		s.ReadTurning(t, l, webtest.Turn{To: 1, Stay: 2 * second}, webtest.Turn{To: 7, Stay: 1500 * time.Millisecond},
			webtest.Turn{To: 2, Stay: second})
		s.ReadTurning(t, l, webtest.Turn{To: 20, Stay: 4 * second}, webtest.Turn{To: 1, Stay: second})
	}
	content := func(l *vitrine.Link) report.Content {
		q := analytics.In(report.Range7d)
		q.Curves = true
		r, err := s.Server.Analytics.Link(t.Context(), s.Account, string(l.Slug), q)
		s.Check(err)
		return r.Content
	}
	got, want := content(deck), content(export)
	if got.PartKind != part.Slide || len(got.Parts) != 20 || len(want.Pages.Pages) != 20 {
		t.Fatalf("%d parts (%q) and %d pages, want 20 slides and pages", len(got.Parts), got.PartKind, len(want.Pages.Pages))
	}
	for i, p := range want.Pages.Pages {
		row := report.PartRow{Part: p.Page, Views: p.Views, ReachPct: p.ReachPct, AvgMs: p.AvgMs,
			AttentionPct: p.AttentionPct, BandsPct: p.BandsPct, Words: p.Words, Reading: p.Reading}
		if !reflect.DeepEqual(got.Parts[i], row) {
			t.Errorf("slide %+v, want the page %+v", got.Parts[i], row)
		}
	}
	if w := want.Pages.Dropoff; w.AfterPage == nil || *w.AfterPage != 7 ||
		!reflect.DeepEqual(*got.PartDropoff, report.PartDropoff{AfterPart: w.AfterPage, LostPct: w.LostPct}) {
		t.Errorf("slides drop off at %+v, want after the page 7 (%+v)", got.PartDropoff, w)
	}
	if p := got.Parts[1]; p.Views != 2 || p.AvgMs != 3000 || p.Words != 3 {
		t.Errorf("slide 2 = %+v, want 3 words, seen twice for 3 s on average", p)
	}
	page := s.Status(s.Get(webtest.StatsPath(deck), s.SignIn(s.Account)), http.StatusOK).Text
	if n := len(s.Parse(page).ID("parts").Tags("img")); n != 20 || strings.Contains(page, "Scroll depth") {
		t.Errorf("the report has %d pictures of slides, or says how far it was scrolled", n)
	}
	tb := webtest.NewTab(t, s.Page(deck))
	f := tb.Frame("/view")
	f.Opened("20")
	f.Until(`["#page", "#back", ".page"].map((q) => document.querySelector(q).ariaLabel).join() ===
		"Slide,Previous slide,Slide 1"`)
}

// TestBrowserSlidesUnmeasured checks that a server without LibreOffice says of
// a presentation that its slides were not measured.
func TestBrowserSlidesUnmeasured(t *testing.T) {
	d := webtest.NewDesk(t)
	m, err := preview.New(preview.Options{Cache: filepath.Join(os.TempDir(), "vitrine-test-cache"), Office: preview.Off})
	d.Check(err)
	d.Server.Previews.Previewer = m
	pptx, _ := slides(t, 2)
	l := d.Publish("deck.pptx", pptx)
	d.Check(d.Server.Previews.Make(t.Context()))
	reader := webtest.NewTab(t, d.Page(l))
	reader.Linger(1500 * time.Millisecond)
	reader.Leave()
	d.Session(t, l, "a reader", func(n *report.Session) bool { return n.EngagedMs >= 1000 && !n.Outlined })
	tb := webtest.NewMember(t, d, d.Member)
	tb.Run(chromedp.Navigate(d.URL + webtest.StatsPath(l)))
	tb.Until(`document.body.innerText.includes("The slides were not measured.")`)
}
