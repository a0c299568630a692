package viewer_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
)

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

// TestBrowserDOCX checks that a Word document is shown completely, that its
// page reports how far it was read, and that it requests nothing from other
// hosts.
func TestBrowserDOCX(t *testing.T) {
	var requestCount atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requestCount.Add(1) }))
	t.Cleanup(elsewhere.Close)
	s := webtest.NewSite(t)
	l := s.Publish("contract.docx", webtest.MakeDOCX(t, 200, elsewhere.URL), webtest.ViewOnly)
	tb := webtest.NewTab(t, chromedp.Navigate(around(t, s.Docx(l))))
	tb.Until(`said.some((m) => m.ready)`)
	tb.Until(`said.some((m) => m.depth > 0 && m.depth < 50)`)
	f := tb.Frame("/docx")
	f.Until(`document.body.innerText.includes("Paragraph 200 says") && document.getElementById("status").hidden`)
	f.Until(`document.querySelector("section.docx").getBoundingClientRect().width > 500 && document.querySelector("section.docx img")?.naturalWidth > 0`)
	f.Until(`[...document.querySelectorAll("a")].map((a) => a.getAttribute("href")).join() === "` + elsewhere.URL +
		`/page,,"`)
	f.Until(`[...document.querySelectorAll("a[href]")].every((a) => a.target === "_blank" && a.relList.contains("noopener"))`)
	f.Run(chromedp.Evaluate(`scrollTo(0, 1e6)`, nil))
	tb.Until(`said.some((m) => m.depth === 100) && said.some((m) => m.active)`)
	tb.Run(chromedp.Evaluate(`said = []; document.querySelector("iframe").contentWindow.postMessage({ vitrine: "again" }, "*")`, nil))
	tb.Until(`said.some((m) => m.ready) && said.some((m) => m.depth === 100)`)
	tb.Run(chromedp.Evaluate(`document.querySelector("iframe").style.width = "320px"`, nil))
	f.Until(`innerWidth === 320 && document.documentElement.scrollWidth <= 320`)
	if n := requestCount.Load(); n > 0 {
		t.Errorf("%d requests to other hosts, want 0", n)
	}
	f.Quiet()
	tb.Quiet()
}

func TestBrowserDOCXTrouble(t *testing.T) {
	s := webtest.NewSite(t)
	whole := webtest.MakeDOCX(t, 1, "http://a.test")
	l := s.Publish("broken.docx", bytes.ReplaceAll(whole, []byte("word/document.xml"), []byte("word/documenx.xml")))
	tb := webtest.NewTab(t, chromedp.Navigate(around(t, s.Docx(l))))
	tb.Until(`said.some((m) => m.failed?.includes("damaged"))`)
}

// TestDOCXFrame checks that the viewer exists only for Word documents and only
// in a frame, and that its policy allows it the file and nothing else.
func TestDOCXFrame(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("contract.docx", webtest.MakeDOCX(t, 1, "http://a.test"), webtest.ViewOnly)
	address := strings.TrimPrefix(s.ContentAddress(l, "docx"), s.URL)
	r := s.Get(address)
	s.Status(r, 200)
	policy := r.Header.Get("Content-Security-Policy")
	for _, want := range []string{"sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox;",
		"default-src 'none'", "img-src blob: data:;", "connect-src " + s.URL + "/c/;", "frame-ancestors " + s.URL} {
		if !strings.Contains(policy, want) {
			t.Errorf("policy lacks %q: %q", want, policy)
		}
	}
	if strings.Contains(policy, "allow-same-origin") ||
		strings.Contains(strings.Split(policy, "style-src")[0], "unsafe") {
		t.Errorf("policy = %q", policy)
	}
	s.Status(s.Get(strings.TrimPrefix(s.ContentAddress(l, "file"), s.URL)), 200)
	s.Status(s.Get(strings.TrimPrefix(s.ContentAddress(s.Publish("notes.txt", webtest.Samples["notes.txt"]), "docx"),
		s.URL)), 404)
}
