package viewer_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"
	"vitrine/report"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/xuri/excelize/v2"
)

func makeXLSX(t testing.TB, rows int) []byte {
	f := excelize.NewFile()
	defer f.Close()
	for i := range rows {
		if err := f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1),
			&[]any{fmt.Sprintf("Customer %d", i+1), i * 100, 0.25}); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// makeFax returns a TIFF of three pages.
func makeFax() []byte {
	var pages []vitrinetest.TIFFPage
	for _, gray := range []byte{0xff, 0x80, 0xc0} {
		pages = append(pages, vitrinetest.TIFFPage{Chunks: [][]byte{bytes.Repeat([]byte{gray},
			vitrinetest.TIFFSide*vitrinetest.TIFFSide)}, Tags: vitrinetest.TIFFTags{254: {2}, 258: {8}, 262: {1}}})
	}
	return vitrinetest.TIFF(vitrinetest.TIFFForm{}, pages...)
}

// TestBrowserPreviews checks that a page which is opened before its file's
// preview exists waits for it, and that the same view continues. A page that is
// opened later shows the preview at once. Both report how far the document was
// read.
func TestBrowserPreviews(t *testing.T) {
	for _, c := range []struct {
		name      string
		content   []byte
		waited    string // in the frame of a page that has waited
		at        string // part of that frame's URL
		later     string // on a later page, or in its frame if that is named
		frame     string
		scrolls   bool
		programs  []string
		noPicture bool
	}{
		{name: "contract.docx", content: webtest.MakeDOCX(t, 100, "https://elsewhere.example"), waited: ".page canvas",
			at: "/view", later: ".page canvas", frame: "/view", scrolls: true, programs: []string{"soffice"}},
		{name: "sales.xlsx", content: makeXLSX(t, 100), waited: "table td", at: "/preview",
			later: "article.sheet table td", scrolls: true, noPicture: true},
		{name: "project.zip", content: webtest.MakeZIP(t, "project/readme.txt", "project/src/main.txt"),
			waited: "details summary", at: "/preview", later: "article.sheet details summary", noPicture: true},
		{name: "fax.tiff", content: makeFax(), waited: ".page canvas", at: "/view", later: ".page canvas",
			frame: "/view", scrolls: true},
		{name: "scan.tiff", content: webtest.MakeTIFF(t), waited: `img.whole`, at: "/preview", later: ".picture img",
			scrolls: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := webtest.NewSite(t)
			webtest.Previewer(t, s, c.programs...)
			l := s.Publish(c.name, c.content)
			tb := webtest.NewTab(t, chromedp.ActionFunc(webtest.OnNewDocument(`addEventListener("message", (e) => (window.told = true))`)), s.Page(l))
			var frame string
			tb.Run(chromedp.AttributeValue("iframe", "src", &frame, nil))
			if r := s.Status(s.Get(frame), 200); !strings.Contains(r.Text, "A preview is being made") ||
				r.Header.Get("Refresh") == "" {
				t.Fatalf("the page does not wait for a preview:\n%s", r.Text)
			}
			s.Check(s.Server.Previews.Make(t.Context()))
			tb.Until(`window.told`) // sent by the frame once it shows the preview
			shown := tb.Frame(c.at)
			shown.Until(fmt.Sprintf(`document.querySelector(%q) !== null`, c.waited))
			enough := func(n *report.Session) bool { return n.EngagedMs >= 1000 && (!c.scrolls || n.Depth > 0) }
			tb.Linger(1500 * time.Millisecond)
			tb.Leave()
			s.Session(t, l, "a document that was waited for", enough)
			tb.Quiet()

			tb = webtest.NewTab(t, s.Page(l))
			shown = tb
			if c.frame != "" {
				shown = tb.Frame(c.frame)
			}
			shown.Until(fmt.Sprintf(`document.querySelector(%q) !== null`, c.later))
			tb.Linger(1500 * time.Millisecond)
			tb.Leave()
			webtest.Eventually(t, "a second open with its session", func() bool {
				all := s.Views(l)
				return len(all) == 2 && all[1].Session != nil && enough(all[1].Session)
			})
			tb.Quiet()

			p := s.Status(s.Get("/p/"+string(l.Slug)+"/picture"), 200)
			if jpeg := p.Header.Get("Content-Type") == "image/jpeg"; jpeg == c.noPicture {
				t.Errorf("Content-Type of the picture = %s", p.Header.Get("Content-Type"))
			}
			s.SetState(l, vitrine.StateDisabled)
			s.Status(s.Get("/p/"+string(l.Slug)+"/picture"), 410)
		})
	}
}

// TestPartsAreTheLinks checks that the parts made of a file are as public as
// the file: those of a link that is not public are not served, nor are parts
// that are not for display.
func TestPartsAreTheLinks(t *testing.T) {
	s := webtest.NewSite(t)
	webtest.Previewer(t, s)
	l := s.Publish("scan.tiff", webtest.MakeTIFF(t), webtest.ViewOnly)
	s.Check(s.Server.Previews.Make(t.Context()))
	body := s.Status(s.Get("/p/"+string(l.Slug)), 200).Text
	image := s.ContentOf(body)
	if !strings.HasSuffix(image, "/part/image") {
		t.Fatalf("the page shows %s, want /part/image", image)
	}
	if r := s.Status(s.Get(image), 200); r.Header.Get("Content-Type") != "image/jpeg" ||
		r.Header.Get("Content-Security-Policy") != "default-src 'none'; sandbox" {
		t.Errorf("headers = %v", r.Header)
	}
	s.Status(s.Get(image, "Sec-Fetch-Dest: document"), 303)
	for _, other := range []string{"pages", "entries", "image~x", "sheets"} {
		s.Status(s.Get(strings.TrimSuffix(image, "image")+other), 404)
	}
	s.SetState(l, vitrine.StateReview)
	s.Status(s.Get(image), 404)
	s.Status(s.Get("/p/"+string(l.Slug)+"/picture"), 404)
	s.SetState(l, vitrine.StateDisabled)
	s.Status(s.Get(image), 410)
}

// TestLostPart checks that the page of a link with a lost part is served
// without it, and that the part is made again.
func TestLostPart(t *testing.T) {
	s := webtest.NewSite(t)
	webtest.Previewer(t, s)
	l := s.Publish("project.zip", webtest.MakeZIP(t, "readme.txt"))
	tree := func() bool { return strings.Contains(s.Status(s.Get("/p/"+string(l.Slug)), 200).Text, "readme.txt") }
	s.Check(s.Server.Previews.Make(t.Context()))
	if !tree() {
		t.Fatal("no tree on the page")
	}
	s.Check(s.Server.Blobs.DeletePart(t.Context(), l.Upload, vitrine.PartEntries))
	s.Check(s.Server.Links.Store.Update(t.Context(),
		func(vitrine.Tx) error { return nil })) // invalidates cached pages
	s.Ahead.Store(int64(time.Hour))
	if tree() {
		t.Error("the page shows the tree of a lost part")
	}
	s.Check(s.Server.Previews.Make(t.Context()))
	if !tree() {
		t.Error("the part is not made again")
	}
}

// TestBrowserGlimpse checks that without scripts a picture of the document's
// beginning stays.
func TestBrowserGlimpse(t *testing.T) {
	s := webtest.NewSite(t)
	webtest.Previewer(t, s)
	l := s.Publish("report.pdf", webtest.Samples["report.pdf"])
	s.Check(s.Server.Previews.Make(t.Context()))
	tb := webtest.NewTab(t, emulation.SetScriptExecutionDisabled(true), s.Page(l))
	var box *dom.BoxModel
	tb.Run(chromedp.WaitVisible(".glimpse", chromedp.ByQuery), chromedp.Dimensions(".glimpse", &box, chromedp.ByQuery))
	if box.Width < 500 || box.Height < 250 {
		t.Errorf("box of the picture = %+v", box)
	}
	tb.Quiet()
}

// TestBrowserFirstPage checks that the picture of the first page can be read
// before any file of the viewer and the document has arrived, that it is
// exactly where the page is then drawn, and that the time until then counts for
// the first page. A large picture has a request of its own.
func TestBrowserFirstPage(t *testing.T) {
	var holding atomic.Pointer[chan struct{}] // closed when the viewer and the document may go
	s := webtest.NewSiteWith(t, webtest.SiteOptions{Around: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if h := holding.Load(); h != nil && (strings.HasSuffix(r.URL.Path, "/file") ||
				strings.Contains(r.URL.Path, "/viewer/pdf/") || strings.Contains(r.URL.Path, "/pdfjs/")) {
				select {
				case <-*h:
				case <-r.Context().Done():
				}
			}
			next.ServeHTTP(w, r)
		})
	}})
	webtest.Previewer(t, s)
	deck := webtest.NewPDF()
	deck.Rotate = 90
	detailed := webtest.NewPDF()
	detailed.Page("Noise", nil, noise(t))
	links := []*vitrine.Link{s.Publish("report.pdf", webtest.Samples["report.pdf"]),
		s.Publish("deck.pdf", deck.Pages(3).Bytes()), s.Publish("detailed.pdf", detailed.Bytes())}
	s.Check(s.Server.Previews.Make(t.Context()))
	const listen = `window.told = []; addEventListener("message", ({data}) => data?.vitrine?.shown && told.push(data.vitrine))`
	for _, l := range links {
		for _, width := range []int64{1440, 390} {
			held := make(chan struct{})
			holding.Store(&held)
			tb := webtest.NewTab(t, chromedp.EmulateViewport(width, 844),
				chromedp.ActionFunc(webtest.OnNewDocument(listen)), chromedp.ActionFunc(func(ctx context.Context) error {
					_, _, _, _, err := page.Navigate(s.URL + "/p/" + string(l.Slug)).Do(ctx) // the page is not loaded yet
					return err
				}))
			tb.Until(`told.length > 0 && told.at(-1).bands[0] > 0 && told.every(({ page, shown }) => page === 1 && shown.join() === "1")`)
			f := tb.Frame("/view")
			const place = `((r) => [r.left, r.top, r.width, r.height])(`
			var before, after [4]float64
			f.Until(`(() => { const e = document.querySelector(".page > #first"); return e?.complete && e.naturalWidth >= 992 && e.width > 0 && getComputedStyle(e).filter === "none" && getComputedStyle(e).opacity === "1" })()`)
			f.Run(chromedp.Evaluate(place+`document.querySelector(".page > #first").getBoundingClientRect())`, &before))
			close(held)
			f.Until(`document.getElementById("first") === null && document.querySelector('[data-number="1"] canvas') !== null`)
			f.Run(chromedp.Evaluate(place+`document.querySelector(".page canvas").getBoundingClientRect())`, &after))
			if !sameBox(before, after) {
				t.Errorf("%s, %d pixels: the page is drawn at %v, its picture was at %v", l.Name, width, after, before)
			}
			f.Quiet()
			tb.Quiet()
		}
	}
	for i, want := range []string{`src="data:image/jpeg`, `src="data:image/jpeg`, `src="part/first"`} {
		r := s.Status(s.Get(s.ContentAddress(links[i], "view")), 200)
		policy := r.Header.Get("Content-Security-Policy")
		_, nonce, _ := strings.Cut(policy, "style-src 'nonce-")
		nonce, _, _ = strings.Cut(nonce, "'")
		if !strings.Contains(r.Text, want) || nonce == "" || strings.Contains(policy, "unsafe-inline") ||
			strings.Count(r.Text, `nonce="`+nonce+`"`) != 2 {
			t.Errorf("the frame of %s lacks %s, or has another policy: %s", links[i].Name, want, policy)
		}
	}
	picture := s.ContentAddress(links[0], "part/first")
	if r := s.Status(s.Get(picture), 200); r.Header.Get("Content-Type") != "image/jpeg" {
		t.Errorf("headers = %v", r.Header)
	}
	s.SetState(links[0], vitrine.StateDisabled)
	s.Status(s.Get(picture), 410)
}

// noise returns a JPEG of 512 x 512 random pixels.
func noise(t *testing.T) []byte {
	m := image.NewRGBA(image.Rect(0, 0, 512, 512))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = byte(r.Uint32())
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sameBox reports whether the edges of two boxes differ by at most a pixel.
func sameBox(a, b [4]float64) bool {
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1 {
			return false
		}
	}
	return true
}

// TestViewOnlyDocument checks that the file of a view-only document that is
// shown as pages is not served, so that hidden content stays with its owner.
func TestViewOnlyDocument(t *testing.T) {
	s := webtest.NewSite(t)
	webtest.Previewer(t, s, "soffice")
	l := s.Publish("contract.docx", webtest.MakeDOCX(t, 3, "https://elsewhere.example"), webtest.ViewOnly)
	s.Check(s.Server.Previews.Make(t.Context()))
	frame := s.ContentOf(s.Status(s.Get("/p/"+string(l.Slug)), 200).Text)
	if !strings.HasSuffix(frame, "/view") {
		t.Fatal(frame)
	}
	s.Status(s.Get(strings.TrimSuffix(frame, "view")+"file"), 404)
	s.Status(s.Get(strings.TrimSuffix(frame, "view")+"part/pages"), 200)
}

// TestPreviewOfNothing checks that a file without a preview is shown as before,
// once making one was tried.
func TestPreviewOfNothing(t *testing.T) {
	s := webtest.NewSite(t)
	webtest.Previewer(t, s, "soffice")
	l := s.Publish("book.epub", makeEPUB(t))
	s.Check(s.Server.Previews.Make(t.Context()))
	if body := s.Status(s.Get("/p/"+string(l.Slug)), 200).Text; !strings.Contains(body,
		"A browser cannot show this kind of file") {
		t.Errorf("the page lacks the note that a browser cannot show the file: %s", body)
	}
}

// makeEPUB returns a book, for which no converter is called.
func makeEPUB(t testing.TB) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range [][2]string{
		{"mimetype", "application/epub+zip"},
		{"META-INF/container.xml", `<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`},
		{"book.opf", `<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0"></package>`},
	} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: f[0], Method: zip.Store})
		if err == nil {
			_, err = w.Write([]byte(f[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
