package web_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"vitrine"

	"github.com/chromedp/chromedp"
)

// makeDOCX returns a Word document with paragraphs, a picture, links of several
// kinds, and a picture at another host.
func makeDOCX(t testing.TB, paragraphs int, elsewhere string) []byte {
	t.Helper()
	const namespaces = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ` +
		`xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"`
	const types = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	picture := func(embed string) string {
		return `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="914400" cy="914400"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic>` +
			`<pic:nvPicPr><pic:cNvPr id="1" name="p"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip ` + embed +
			`/></pic:blipFill>` +
			`<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="914400" cy="914400"/></a:xfrm></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`
	}
	link := func(id, text string) string {
		return `<w:p><w:hyperlink r:id="` + id + `"><w:r><w:t>` + text + `</w:t></w:r></w:hyperlink></w:p>`
	}
	var body strings.Builder
	body.WriteString(`<w:p><w:r><w:rPr><w:b/><w:sz w:val="48"/></w:rPr><w:t>A contract</w:t></w:r></w:p>` +
		picture(`r:embed="rId1"`) + picture(`r:embed="rId2"`) + picture(`r:link="rId2"`) +
		link("rId3", "web") + link("rId4", "script") + link("rId5", "file"))
	for i := range paragraphs {
		fmt.Fprintf(&body, `<w:p><w:r><w:t>Paragraph %d says what paragraphs of contracts say.</w:t></w:r></w:p>`, i+1)
	}
	files := [][2]string{
		{"[Content_Types].xml", `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Default Extension="png" ContentType="image/png"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`},
		{"_rels/.rels", `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="` + types + `officeDocument" Target="word/document.xml"/></Relationships>`},
		{"word/document.xml", `<?xml version="1.0"?><w:document ` + namespaces + `><w:body>` + body.String() +
			`<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440"/></w:sectPr></w:body></w:document>`},
		{"word/_rels/document.xml.rels", `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="` + types + `image" Target="media/image1.png"/>` +
			`<Relationship Id="rId2" Type="` + types + `image" Target="` + elsewhere +
			`/picture.png" TargetMode="External"/><Relationship Id="rId3" Type="` + types + `hyperlink" Target="` +
			elsewhere + `/page" TargetMode="External"/>` +
			`<Relationship Id="rId4" Type="` + types +
			`hyperlink" Target="javascript:parent.postMessage('run','*')" TargetMode="External"/><Relationship Id="rId5" Type="` + types + `hyperlink" Target="file:///etc/passwd" TargetMode="External"/></Relationships>`},
		{"word/media/image1.png", string(png)},
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		w, err := z.Create(f[0])
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(w, f[1])
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// around returns a page that has a frame and stores its messages.
func around(t *testing.T, frame string) string {
	t.Helper()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<!doctype html><link rel="icon" href="data:,"><script>var said = []; addEventListener("message", (e) => said.push(e.data?.vitrine || e.data))</script>`+
			`<iframe sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox" style="width: 900px; height: 600px" src="`+frame+`"></iframe>`)
	}))
	t.Cleanup(h.Close)
	return h.URL
}

func (s *site) docx(l *vitrine.Link) string { return s.contentAddress(l, "docx") + "?embed" }

// TestBrowserDOCX checks that a Word document is shown completely, that its
// page reports how far it was read, and that it requests nothing from other
// hosts.
func TestBrowserDOCX(t *testing.T) {
	var requestCount atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requestCount.Add(1) }))
	t.Cleanup(elsewhere.Close)
	s := newSite(t)
	l := s.publish("contract.docx", makeDOCX(t, 200, elsewhere.URL), viewOnly)
	tb := newTab(t, chromedp.Navigate(around(t, s.docx(l))))
	tb.until(`said.some((m) => m.ready)`)
	tb.until(`said.some((m) => m.depth > 0 && m.depth < 50)`)
	f := tb.frame("/docx")
	f.until(`document.body.innerText.includes("Paragraph 200 says") && document.getElementById("status").hidden`)
	f.until(`document.querySelector("section.docx").getBoundingClientRect().width > 500 && document.querySelector("section.docx img")?.naturalWidth > 0`)
	f.until(`[...document.querySelectorAll("a")].map((a) => a.getAttribute("href")).join() === "` + elsewhere.URL +
		`/page,,"`)
	f.until(`[...document.querySelectorAll("a[href]")].every((a) => a.target === "_blank" && a.relList.contains("noopener"))`)
	f.run(chromedp.Evaluate(`scrollTo(0, 1e6)`, nil))
	tb.until(`said.some((m) => m.depth === 100) && said.some((m) => m.active)`)
	tb.run(chromedp.Evaluate(`said = []; document.querySelector("iframe").contentWindow.postMessage({ vitrine: "again" }, "*")`, nil))
	tb.until(`said.some((m) => m.ready) && said.some((m) => m.depth === 100)`)
	tb.run(chromedp.Evaluate(`document.querySelector("iframe").style.width = "320px"`, nil))
	f.until(`innerWidth === 320 && document.documentElement.scrollWidth <= 320`)
	if n := requestCount.Load(); n > 0 {
		t.Errorf("%d requests to other hosts, want 0", n)
	}
	f.quiet()
	tb.quiet()
}

func TestBrowserDOCXTrouble(t *testing.T) {
	s := newSite(t)
	whole := makeDOCX(t, 1, "http://a.test")
	l := s.publish("broken.docx", bytes.ReplaceAll(whole, []byte("word/document.xml"), []byte("word/documenx.xml")))
	tb := newTab(t, chromedp.Navigate(around(t, s.docx(l))))
	tb.until(`said.some((m) => m.failed?.includes("damaged"))`)
}

// TestDOCXFrame checks that the viewer exists only for Word documents and only
// in a frame, and that its policy allows it the file and nothing else.
func TestDOCXFrame(t *testing.T) {
	s := newSite(t)
	l := s.publish("contract.docx", makeDOCX(t, 1, "http://a.test"), viewOnly)
	address := strings.TrimPrefix(s.contentAddress(l, "docx"), s.url)
	r := s.get(address)
	s.status(r, 200)
	policy := r.Header.Get("Content-Security-Policy")
	for _, want := range []string{"sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox;",
		"default-src 'none'", "img-src blob: data:;", "connect-src " + s.url + "/c/;", "frame-ancestors " + s.url} {
		if !strings.Contains(policy, want) {
			t.Errorf("policy lacks %q: %q", want, policy)
		}
	}
	if strings.Contains(policy, "allow-same-origin") ||
		strings.Contains(strings.Split(policy, "style-src")[0], "unsafe") {
		t.Errorf("policy = %q", policy)
	}
	s.status(s.get(strings.TrimPrefix(s.contentAddress(l, "file"), s.url)), 200)
	s.status(s.get(strings.TrimPrefix(s.contentAddress(s.publish("notes.txt", samples["notes.txt"]), "docx"), s.url)),
		404)
}
