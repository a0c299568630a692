package web_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/backend/preview"
	"vitrine/internal/test/tier"

	"vitrine/internal/test/vitrinetest"
	"vitrine/report"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/xuri/excelize/v2"
	"golang.org/x/image/tiff"
)

// isChild reports whether this program was started to make a preview. It then
// runs in a directory without its own files.
func isChild() bool { return len(os.Args) == 3 && os.Args[1] == "preview" }

func child() {
	if isChild() {
		if err := preview.Child(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// previewer makes previews as in the program. Previews that need a program
// which is not installed are skipped, or fail if CI is set.
func previewer(t testing.TB, s *site, programs ...string) {
	t.Helper()
	tier.Need(t, tier.Test, "a preview")
	for _, name := range programs {
		vitrinetest.Program(t, name)
	}
	// The compiled modules are cached for all tests and for later runs.
	m, err := preview.New(preview.Options{Cache: filepath.Join(os.TempDir(), "vitrine-test-cache")})
	s.check(err)
	m.Warn = func(what string) { t.Log("preview: " + what) }
	s.server.Previews.Previewer = m
}

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

func makeZIP(t testing.TB, names ...string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte("text of " + name))
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

// makeFax returns a TIFF of three pages.
func makeFax() []byte {
	var pages []vitrinetest.TIFFPage
	for _, gray := range []byte{0xff, 0x80, 0xc0} {
		pages = append(pages, vitrinetest.TIFFPage{Chunks: [][]byte{bytes.Repeat([]byte{gray}, vitrinetest.TIFFSide*vitrinetest.TIFFSide)},
			Tags: vitrinetest.TIFFTags{254: {2}, 258: {8}, 262: {1}}})
	}
	return vitrinetest.TIFF(vitrinetest.TIFFForm{}, pages...)
}

func makeTIFF(t testing.TB) []byte {
	var b bytes.Buffer
	if err := tiff.Encode(&b, image.NewRGBA(image.Rect(0, 0, 300, 200)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
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
		{name: "contract.docx", content: makeDOCX(t, 100, "https://elsewhere.example"), waited: ".page canvas",
			at: "/view", later: ".page canvas", frame: "/view", scrolls: true, programs: []string{"soffice"}},
		{name: "sales.xlsx", content: makeXLSX(t, 100), waited: "table td", at: "/preview",
			later: "article.sheet table td", scrolls: true, noPicture: true},
		{name: "project.zip", content: makeZIP(t, "project/readme.txt", "project/src/main.txt"),
			waited: "details summary", at: "/preview", later: "article.sheet details summary", noPicture: true},
		{name: "fax.tiff", content: makeFax(), waited: ".page canvas", at: "/view", later: ".page canvas", frame: "/view",
			scrolls: true},
		{name: "scan.tiff", content: makeTIFF(t), waited: `img.whole`, at: "/preview", later: ".picture img",
			scrolls: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			previewer(t, s, c.programs...)
			l := s.publish(c.name, c.content)
			tb := newTab(t, chromedp.ActionFunc(onNewDocument(`addEventListener("message", (e) => (window.told = true))`)), s.page(l))
			var frame string
			tb.run(chromedp.AttributeValue("iframe", "src", &frame, nil))
			if r := s.status(s.get(frame), 200); !strings.Contains(r.body, "A preview is being made") ||
				r.Header.Get("Refresh") == "" {
				t.Fatalf("the page does not wait for a preview:\n%s", r.body)
			}
			s.check(s.server.Previews.Make(t.Context()))
			tb.until(`window.told`) // sent by the frame once it shows the preview
			shown := tb.frame(c.at)
			shown.until(fmt.Sprintf(`document.querySelector(%q) !== null`, c.waited))
			enough := func(n *report.Session) bool { return n.EngagedMs >= 1000 && (!c.scrolls || n.Depth > 0) }
			tb.linger(1500 * time.Millisecond)
			tb.leave()
			s.session(t, l, "a document that was waited for", enough)
			tb.quiet()

			tb = newTab(t, s.page(l))
			shown = tb
			if c.frame != "" {
				shown = tb.frame(c.frame)
			}
			shown.until(fmt.Sprintf(`document.querySelector(%q) !== null`, c.later))
			tb.linger(1500 * time.Millisecond)
			tb.leave()
			eventually(t, "a second open with its session", func() bool {
				all := s.views(l)
				return len(all) == 2 && all[1].Session != nil && enough(all[1].Session)
			})
			tb.quiet()

			p := s.status(s.get("/p/"+string(l.Slug)+"/picture"), 200)
			if jpeg := p.Header.Get("Content-Type") == "image/jpeg"; jpeg == c.noPicture {
				t.Errorf("Content-Type of the picture = %s", p.Header.Get("Content-Type"))
			}
			s.setState(l, vitrine.StateDisabled)
			s.status(s.get("/p/"+string(l.Slug)+"/picture"), 410)
		})
	}
}

// TestPartsAreTheLinks checks that the parts made of a file are as public as
// the file: those of a link that is not public are not served, nor are parts
// that are not for display.
func TestPartsAreTheLinks(t *testing.T) {
	s := newSite(t)
	previewer(t, s)
	l := s.publish("scan.tiff", makeTIFF(t), viewOnly)
	s.check(s.server.Previews.Make(t.Context()))
	body := s.status(s.get("/p/"+string(l.Slug)), 200).body
	image := s.contentOf(body)
	if !strings.HasSuffix(image, "/part/image") {
		t.Fatalf("the page shows %s, want /part/image", image)
	}
	if r := s.status(s.get(image), 200); r.Header.Get("Content-Type") != "image/jpeg" ||
		r.Header.Get("Content-Security-Policy") != "default-src 'none'; sandbox" {
		t.Errorf("headers = %v", r.Header)
	}
	s.status(s.get(image, "Sec-Fetch-Dest: document"), 303)
	for _, other := range []string{"pages", "entries", "image~x", "sheets"} {
		s.status(s.get(strings.TrimSuffix(image, "image")+other), 404)
	}
	s.setState(l, vitrine.StateReview)
	s.status(s.get(image), 404)
	s.status(s.get("/p/"+string(l.Slug)+"/picture"), 404)
	s.setState(l, vitrine.StateDisabled)
	s.status(s.get(image), 410)
}

// TestLostPart checks that the page of a link with a lost part is served
// without it, and that the part is made again.
func TestLostPart(t *testing.T) {
	s := newSite(t)
	previewer(t, s)
	l := s.publish("project.zip", makeZIP(t, "readme.txt"))
	tree := func() bool { return strings.Contains(s.status(s.get("/p/"+string(l.Slug)), 200).body, "readme.txt") }
	s.check(s.server.Previews.Make(t.Context()))
	if !tree() {
		t.Fatal("no tree on the page")
	}
	s.check(s.server.Blobs.DeletePart(t.Context(), l.Upload, vitrine.PartEntries))
	s.check(s.server.Links.Store.Update(t.Context(),
		func(vitrine.Tx) error { return nil })) // invalidates cached pages
	s.ahead.Store(int64(time.Hour))
	if tree() {
		t.Error("the page shows the tree of a lost part")
	}
	s.check(s.server.Previews.Make(t.Context()))
	if !tree() {
		t.Error("the part is not made again")
	}
}

// TestBrowserGlimpse checks that a picture of the document's beginning is shown
// while the document loads, and stays without scripts. It moves nothing, and
// disappears when the page is there.
func TestBrowserGlimpse(t *testing.T) {
	s := newSite(t)
	previewer(t, s)
	l := s.publish("report.pdf", samples["report.pdf"])
	s.check(s.server.Previews.Make(t.Context()))
	tb := newTab(t, emulation.SetScriptExecutionDisabled(true), s.page(l))
	var box *dom.BoxModel
	tb.run(chromedp.WaitVisible(".glimpse", chromedp.ByQuery), chromedp.Dimensions(".glimpse", &box, chromedp.ByQuery))
	if box.Width < 500 || box.Height < 250 {
		t.Errorf("box of the picture = %+v", box)
	}
	tb.quiet()

	frame := s.contentOf(s.status(s.get("/p/"+string(l.Slug)), 200).body)
	if body := s.status(s.get(frame), 200).body; !strings.Contains(body, `<img id="glimpse" src="part/picture"`) {
		t.Errorf("no picture while the document loads:\n%s", body)
	}
	picture := strings.TrimSuffix(frame, "view") + "part/picture"
	if r := s.status(s.get(picture), 200); r.Header.Get("Content-Type") != "image/jpeg" {
		t.Errorf("headers = %v", r.Header)
	}
	tb = newTab(t, s.page(l))
	f := tb.frame("/view")
	f.opened("12")
	f.until(`document.getElementById("glimpse") === null`)
	f.quiet()
	s.setState(l, vitrine.StateDisabled)
	s.status(s.get(picture), 410)
}

// TestViewOnlyDocument checks that the file of a view-only document that is
// shown as pages is not served, so that hidden content stays with its owner.
func TestViewOnlyDocument(t *testing.T) {
	s := newSite(t)
	previewer(t, s, "soffice")
	l := s.publish("contract.docx", makeDOCX(t, 3, "https://elsewhere.example"), viewOnly)
	s.check(s.server.Previews.Make(t.Context()))
	frame := s.contentOf(s.status(s.get("/p/"+string(l.Slug)), 200).body)
	if !strings.HasSuffix(frame, "/view") {
		t.Fatal(frame)
	}
	s.status(s.get(strings.TrimSuffix(frame, "view")+"file"), 404)
	s.status(s.get(strings.TrimSuffix(frame, "view")+"part/pages"), 200)
}

// TestPreviewOfNothing checks that a file without a preview is shown as before,
// once making one was tried.
func TestPreviewOfNothing(t *testing.T) {
	s := newSite(t)
	previewer(t, s, "soffice")
	l := s.publish("book.epub", makeEPUB(t))
	s.check(s.server.Previews.Make(t.Context()))
	if body := s.status(s.get("/p/"+string(l.Slug)), 200).body; !strings.Contains(body,
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
