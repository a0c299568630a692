package webtest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/report"
	"vitrine/report/part"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// far is the length of one stretch of reading.
const far = 2500 * time.Millisecond

// Ways are the ways of leaving a page. Each begins with an open page and
// returns the expected session.
var Ways = map[string]func(*reading) report.Session{
	"close":    func(r *reading) report.Session { return r.readAndLeave(page.Close()) },
	"navigate": func(r *reading) report.Session { return r.readAndLeave(chromedp.Navigate("about:blank")) },
	// Back with the back-forward cache continues the same view. The time
	// between is not counted.
	"back": func(r *reading) report.Session {
		r.Read(far)
		r.Run(chromedp.Evaluate(fmt.Sprintf(`window.mark = 1; if (window.clock) clock.pass = %d`, far.Milliseconds()),
			nil))
		r.Run(chromedp.Navigate(r.s.URL + "/"))
		r.Measured(0)
		r.Away(far)
		r.Run(chromedp.ActionFunc(func(ctx context.Context) error {
			at, all, err := page.GetNavigationHistory().Do(ctx)
			if err != nil {
				return err
			}
			return page.NavigateToHistoryEntry(all[at-1].ID).Do(ctx)
		}))
		Eventually(r.t, "the page as it was kept", func() bool {
			var kept bool
			return chromedp.Run(r.Ctx, chromedp.Evaluate(`window.mark === 1 && document.visibilityState === "visible"`,
				&kept)) == nil && kept
		})
		r.Read(far)
		r.Leave()
		return r.Measured(0)
	},
	// Hidden and shown again: the time behind other windows is not counted. The
	// second time the page stays hidden.
	"hidden": func(r *reading) report.Session {
		r.Read(far)
		r.hide()
		r.Measured(0)
		r.Away(far)
		r.show()
		r.Read(far)
		r.hide()
		r.Measured(0)
		r.Away(far)
		return r.Measured(0)
	},
	// Offline for a while: the beacons that failed are sent when the network is
	// back.
	"offline": func(r *reading) report.Session {
		r.Run(offline(true))
		r.Read(far)
		r.hide() // this beacon fails
		r.Away(500 * time.Millisecond)
		r.show()
		r.Run(offline(false))
		r.Read(far)
		r.hide()
		return r.Measured(0)
	},
	// Offline to the end: everything since the last snapshot is lost, and
	// nothing else.
	"gone offline": func(r *reading) report.Session {
		r.Read(5500 * time.Millisecond)
		r.Measured(500 * time.Millisecond) // the snapshot at 5 s
		r.Run(offline(true))
		r.Read(far)
		r.Run(page.Close())
		return r.Measured(500*time.Millisecond + far)
	},
}

// readAndLeave reads the page and leaves it. If the browser ended the page
// before it could send anything, it does the same with another view.
func (r *reading) readAndLeave(leave chromedp.Action) report.Session {
	r.t.Helper()
	for range 20 {
		r.Read(far)
		if r.leaveBy(leave) {
			return r.Measured(0)
		}
		r = r.s.Open(NewTab(r.t), r.s.Sample(r.link.Name))
	}
	r.t.Fatal("the browser ended 20 pages before they could send anything")
	return report.Session{}
}

// Measures has one kind of file for each way of measuring, and a check of what
// else the session must have.
var Measures = map[string]func(report.Session) bool{
	"notes.txt":   func(n report.Session) bool { return n.Depth == 1_000_000 }, // how far down it was visible
	"picture.png": func(n report.Session) bool { return n.Depth == 1_000_000 },
	"page.html":   func(n report.Session) bool { return n.Depth == 1_000_000 }, // as its frame reports it
	"report.pdf": func(n report.Session) bool { // by pages
		first := []report.PageTime{{Page: 1, Ms: n.EngagedMs}}
		return slices.Equal(withoutBands(n.Pages), first) && n.Pages[0].Bands != (part.Bands{})
	},
	"clip.webm": func(n report.Session) bool { return n.Played > 0 && n.Reached >= n.Played },
}

// withoutBands returns the times on pages alone.
func withoutBands(pages []report.PageTime) []report.PageTime {
	pages = slices.Clone(pages)
	for i := range pages {
		pages[i].Bands = part.Bands{}
	}
	return pages
}

// linkedFile is a file with links.
type linkedFile struct {
	content []byte
	frame   string // in which it is shown
	links   int
	want    []part.Click
}

func linkedFiles() map[string]linkedFile {
	clicks := []part.Click{{Part: 1, Target: "https://a.test/b", Count: 1},
		{Part: 2, Target: "https://a.test/b", Count: 1}, {Part: 2, Target: "mailto", Count: 1}}
	return map[string]linkedFile{
		"links.md": {[]byte("## One\n\ntext [a](https://a.test/b?q=1#x)\n\n## Two\n\ntext [b](https://a.test/b) <x@a.test> [c](#one)\n"),
			"", 4, clicks},
		"links.html": {[]byte(`<h2>One</h2>text <a href="https://a.test/b?q=1#x">a</a><h2>Two</h2>text
			<a href="https://a.test/b">b</a> <a href="mailto:x@a.test">m</a> <a href="#one">c</a> <a href="other">d</a>`),
			"/frame", 4, clicks},
	}
}

// essay is a text without headings, whose first half is much higher than its
// second one with as many words.
var essay = []byte(strings.Repeat("Few.\n\n", 1500) + strings.Repeat("Many words are in each of these paragraphs. ", 188))

// readParts reads the first, second and fourth part of a text, and passes the
// third.
func readParts(t *testing.T, s *Timed, name string, content []byte) {
	r := s.Open(NewTab(t), s.Publish(name, content))
	to := func(part int) {
		r.Run(chromedp.Evaluate(fmt.Sprintf(`new Promise(done => {
			addEventListener("scroll", () => done(true), { once: true });
			const r = document.querySelector("[data-part='%d']").getBoundingClientRect();
			scrollBy({ top: r.top, behavior: "instant" });
		})`, part), nil, Awaited))
	}
	r.Read(3 * time.Second)
	to(2)
	r.Read(5 * time.Second)
	to(3)
	r.Read(999 * time.Millisecond)
	to(4)
	r.Read(2 * time.Second)
	r.hide()
	want := []report.PageTime{{Page: 1, Ms: 3000}, {Page: 2, Ms: 5000}, {Page: 4, Ms: 2000}}
	n := r.Measured(0)
	if !n.Outlined || s.witness == nil && !slices.Equal(n.Pages, want) || len(n.Pages) < 3 {
		t.Errorf("session of %s = %+v, want the parts %v", name, n, want)
	}
}

// Times has what counts as reading.
var Times = map[string]func(*testing.T, *Timed){
	// A killed browser loses what it has not yet sent, and nothing else.
	"killed": func(t *testing.T, s *Timed) {
		b := startBrowser(t)
		var all []*reading
		for name := range Measures {
			r := s.Open(b.tab(t), s.Sample(name))
			r.Read(6 * time.Second)
			r.Measured(time.Second) // what was sent at 5 s
			all = append(all, r)
		}
		b.kill(t)
		for _, r := range all {
			r.Measured(time.Second)
		}
	},
	// Time without input for half a minute does not count.
	"no input": func(t *testing.T, s *Timed) {
		r := s.Open(NewTab(t), s.Sample("notes.txt"))
		r.Read(30 * time.Second)
		r.Idles(6 * time.Second)
		r.hide()
		r.Measured(0)
	},
	"input again": func(t *testing.T, s *Timed) {
		r := s.Open(NewTab(t), s.Sample("notes.txt"))
		r.Read(30 * time.Second)
		r.Idles(6 * time.Second)
		r.Run(chromedp.Evaluate(`addEventListener("pointermove", () => (window.moved = true))`, nil),
			chromedp.MouseEvent("mouseMoved", 200, 200))
		r.Until(`window.moved`)
		r.Read(far)
		r.hide()
		r.Measured(0)
	},
	// Time does not count either while the window is visible but does not have
	// the focus.
	"no focus": func(t *testing.T, s *Timed) {
		tb := NewTab(t, chromedp.ActionFunc(OnNewDocument(`document.hasFocus = () => false`)))
		r := s.Open(tb, s.Sample("notes.txt"))
		r.Idles(far)
		r.hide()
		if n := r.Measured(0); n.EngagedMs != 0 {
			t.Errorf("session = %+v, want no engaged time", n)
		}
	},
	"music goes on": func(t *testing.T, s *Timed) {
		r := s.Open(NewTab(t), s.Sample("song.mp3"))
		r.Read(36 * time.Second)
		r.hide()
		r.Measured(0)
	},
	// The time on each page, with pauses. A page that is left within a second
	// does not count.
	"pages": func(t *testing.T, s *Timed) {
		r := s.Open(NewTab(t), s.Sample("report.pdf"))
		f := r.Frame("/view")
		want, at := map[int]time.Duration{}, 1
		turn := func(to int) {
			r.shown(chromedp.ActionFunc(func(context.Context) error {
				f.Run(chromedp.SetValue("#page", fmt.Sprint(to), chromedp.ByQuery),
					chromedp.Evaluate(`void document.getElementById("page").onchange()`, nil))
				return nil
			}))
			at = to
		}
		read := func(d time.Duration) {
			r.Read(d)
			want[at] += d
		}
		read(2 * time.Second)
		turn(4)
		read(3 * time.Second)
		turn(9)
		read(1500 * time.Millisecond)
		r.hide()
		r.Away(far)
		r.show()
		read(far)
		if s.witness == nil { // without the witness it may take longer
			turn(2)
			r.Read(999 * time.Millisecond)
		}
		turn(4)
		read(2 * time.Second)
		r.hide()
		n := r.Measured(0)
		for _, p := range n.Pages {
			if d := ms(p.Ms) - want[p.Page]; s.witness == nil && d != 0 || d < -s.witness.lost(r.link) {
				t.Errorf("page %d was read for %v, but measured %v", p.Page, want[p.Page], ms(p.Ms))
			}
			delete(want, p.Page)
		}
		if len(want) > 0 {
			t.Errorf("pages that were not measured: %v", want)
		}
	},
	// The time on each section of Markdown. One that is passed within a second
	// does not count.
	"sections": func(t *testing.T, s *Timed) { readParts(t, s, "guide.md", Guide) },
	// The time on each fifth of the words of texts without headings.
	"fifths": func(t *testing.T, s *Timed) {
		readParts(t, s, "essay.md", essay)
		readParts(t, s, "essay.txt", essay)
	},
	// The time on each section of a web page, by the headings of the file, not
	// by what its scripts make of them.
	"sections of HTML": func(t *testing.T, s *Timed) {
		r := s.Open(NewTab(t), s.Publish("page.html", GuidePage))
		f := r.Frame("/frame")
		to := func(part int) {
			f.Run(chromedp.Evaluate(fmt.Sprintf(`{
				const heading = document.getElementById("part%d");
				scrollBy({ top: heading.getBoundingClientRect().top, behavior: "instant" });
			}`, part), nil))
			r.Until(fmt.Sprintf(`Math.abs(window.edges?.[%d]) < 2`, part-1))
		}
		r.Until(`window.edges?.length === 5`)
		r.Read(3 * time.Second)
		to(2)
		r.Read(5 * time.Second)
		to(3)
		r.Read(999 * time.Millisecond)
		to(4)
		r.Read(2 * time.Second)
		r.hide()
		want := []report.PageTime{{Page: 1, Ms: 3000}, {Page: 2, Ms: 5000}, {Page: 4, Ms: 2000}}
		n := r.Measured(0)
		if !n.Outlined || s.witness == nil && !slices.Equal(n.Pages, want) || len(n.Pages) < 3 {
			t.Errorf("session = %+v, want the sections %v", n, want)
		}
	},
	// Clicks on links, by part and target, in what the page itself shows and in
	// a user's HTML. A place in the file is no target.
	"clicks": func(t *testing.T, s *Timed) {
		for name, c := range linkedFiles() {
			r := s.Open(NewTab(t), s.Publish(name, c.content))
			f := r.Tab
			if c.frame != "" {
				f = r.Frame(c.frame)
			}
			const links = `document.querySelectorAll(".prose a, h2 ~ a")`
			f.Until(fmt.Sprintf(`%s.length >= %d`, links, c.links))
			r.Read(time.Second)
			f.Run(chromedp.Evaluate(`for (const a of `+links+`) {
				a.addEventListener("click", (e) => e.preventDefault());
				a.click();
			}`, nil))
			var got []part.Click
			Eventually(t, "the clicks in "+name, func() bool {
				if all := s.Views(r.link); len(all) == 1 && all[0].Session != nil {
					got = all[0].Session.Clicks
				}
				return len(got) >= len(c.want)
			})
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: clicks %v, want %v", name, got, c.want)
			}
			r.hide()
		}
	},
	// The pages and slides of office documents are measured as those of a PDF.
	"office": func(t *testing.T, s *Timed) {
		l := s.Publish("letter.docx", MakeDOCX(t, 3, "https://elsewhere.example"))
		s.Part(l, vitrine.PartPages, MakePDF(4))
		s.Check(s.Server.Links.Store.Update(t.Context(), func(tx vitrine.Tx) error {
			now, err := tx.Link(l.ID)
			if err != nil {
				return err
			}
			now.Outline = part.Unnamed(part.Page, 4)
			return tx.PutLink(now)
		}))
		r := s.Open(NewTab(t), l)
		f := r.Frame("/view")
		turn := func(to int) {
			r.shown(chromedp.ActionFunc(func(context.Context) error {
				f.Run(chromedp.SetValue("#page", fmt.Sprint(to), chromedp.ByQuery),
					chromedp.Evaluate(`void document.getElementById("page").onchange()`, nil))
				return nil
			}))
		}
		r.Until(`window.shown > 0`)
		r.Read(3 * time.Second)
		turn(2)
		r.Read(5 * time.Second)
		turn(4)
		r.Read(2 * time.Second)
		r.hide()
		want := []report.PageTime{{Page: 1, Ms: 3000}, {Page: 2, Ms: 5000}, {Page: 4, Ms: 2000}}
		n := r.Measured(0)
		if !n.Outlined || s.witness == nil && !slices.Equal(withoutBands(n.Pages), want) || len(n.Pages) < 3 {
			t.Errorf("session = %+v, want the pages %v", n, want)
		}
	},
	// The time on each quarter of a page of which the viewport shows one half:
	// the upper one, then the lower one, then the middle.
	"quarters": func(t *testing.T, s *Timed) {
		r := s.Open(NewTab(t), s.Publish("report.pdf", MakePDF(3)))
		f := r.Frame("/view")
		to := func(quarter, mask int) {
			f.Run(chromedp.Evaluate(fmt.Sprintf(`{
				const page = document.getElementById("pages").children[1];
				const { style } = document.documentElement;
				const scale = Number(getComputedStyle(document.documentElement).getPropertyValue("--scale"));
				style.setProperty("--scale", (scale * 2 * innerHeight) / page.getBoundingClientRect().height);
				const r = page.getBoundingClientRect();
				scrollBy({ top: r.top + (r.height * %d) / 4, behavior: "instant" });
			}`, quarter), nil))
			r.Until(fmt.Sprintf(`window.bands === "[[2],[%d]]"`, mask))
		}
		to(0, 0b0011)
		r.Read(3 * time.Second)
		to(2, 0b1100)
		r.Read(5 * time.Second)
		to(1, 0b0110)
		r.Read(2 * time.Second)
		r.hide()
		want := []report.PageTime{{Page: 2, Ms: 10_000, Bands: part.Bands{1500, 2500, 3500, 2500}}}
		n := r.Measured(0)
		if s.witness == nil && !slices.Equal(n.Pages, want) || len(n.Pages) == 0 ||
			n.Pages[len(n.Pages)-1].Bands[2] < 3000 {
			t.Errorf("session = %+v, want the pages %v", n, want)
		}
	},
	// An embed on another site's page is read while part of it is in view
	// there.
	"embed in view": func(t *testing.T, s *Timed) {
		l := s.Sample("notes.txt")
		r := s.Visit(NewTab(t), l, s.Host(t, l))
		r.Away(far) // loaded, but out of view
		r.ComesIntoView(2900)
		r.Read(far)
		r.LeavesView(5000)
		r.Away(far)
		r.ComesIntoView(3100)
		r.Read(far)
		r.hide()
		if n := r.Measured(0); n.Depth != 1_000_000 {
			t.Errorf("session = %+v, want depth 1000000", n)
		}
	},
}
