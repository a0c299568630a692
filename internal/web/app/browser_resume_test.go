package app_test

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
)

// cutting cuts some chunks of an upload once, and stops once in others until
// the test goes on. The offset of a chunk says which one it is, "" is any: a
// browser may send a request again by itself when its connection breaks.
type cutting struct {
	t         *testing.T
	mu        sync.Mutex
	received  int64
	cut, hold map[string]int64 // after how many bytes
	held      chan string      // the offsets of chunks that stop
	more      chan struct{}
}

func (c *cutting) around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := &cutBody{ReadCloser: r.Body, c: c, offset: r.Header.Get("Upload-Offset")}
		if r.Method == http.MethodPatch {
			r.Body = body
		}
		next.ServeHTTP(w, r)
		if body.isCut {
			panic(http.ErrAbortHandler)
		}
	})
}

// cutBody is the body of a chunk. A chunk that is refused is not read.
type cutBody struct {
	io.ReadCloser
	c            *cutting
	offset       string
	begun, isCut bool
	n, cut, hold int64
}

func (b *cutBody) Read(p []byte) (int, error) {
	if !b.begun {
		b.begun = true
		b.cut, b.hold = b.c.once(b.c.cut, b.offset), b.c.once(b.c.hold, b.offset)
	}
	switch {
	case b.cut > 0 && b.n == b.cut:
		b.isCut = true
		return 0, io.ErrUnexpectedEOF
	case b.hold > 0 && b.n == b.hold:
		b.hold = 0
		select {
		case b.c.held <- b.offset:
			<-b.c.more
		case <-b.c.t.Context().Done():
		}
	}
	if next := max(b.cut, b.hold); next > 0 {
		p = p[:min(int64(len(p)), next-b.n)]
	}
	n, err := b.ReadCloser.Read(p)
	b.n += int64(n)
	b.c.mu.Lock()
	defer b.c.mu.Unlock()
	b.c.received += int64(n)
	return n, err
}

// once returns the value of an offset and deletes it.
func (c *cutting) once(m map[string]int64, offset string) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range []string{offset, ""} {
		if after := m[key]; after > 0 {
			delete(m, key)
			return after
		}
	}
	return 0
}

// clocked gives a page a clock that does not move, and collects what it says
// about an upload.
const clocked = `{
	window.clock = 0;
	performance.now = () => window.clock;
	window.said = [];
	new MutationObserver(() => {
		const line = document.querySelector("#rows .facts-line");
		if (line) said.push(line.textContent);
	}).observe(document.querySelector("main"), {subtree: true, childList: true, characterData: true});
}`

// paces is what a page says about an upload, in millions of bytes.
const paces = `said.map((line) => /^([\d.]+) MB of 40 MB · ([\d.]+) (k?M?B)\/s(?: · (\d+) s left)?$/.exec(line)).filter(Boolean)
	.map(([, sent, speed, unit, left]) => ({sent: Number(sent), speed: speed * {B: 1e-6, kB: 1e-3, MB: 1}[unit],
		left: Number(left ?? 0)}))`

// TestBrowserUploadGoesOn cuts the connection of a large upload, and then
// reloads the page and chooses the file again. What has arrived is not sent
// again, and the progress, the speed and the time left count from there.
func TestBrowserUploadGoesOn(t *testing.T) {
	const mib = 1 << 20
	c := &cutting{t: t, cut: map[string]int64{strconv.Itoa(8 * mib): 3 * mib}, held: make(chan string),
		more: make(chan struct{}), hold: map[string]int64{strconv.Itoa(11 * mib): mib}}
	d := webtest.NewDeskWith(t, webtest.SiteOptions{Around: c.around})
	tb := d.MemberTab(d.Member, "/dashboard")
	tb.Run(chromedp.ActionFunc(webtest.OnNewDocument(neverAsks)), chromedp.Navigate(d.URL+"/dashboard?first"))
	tb.Arrives(`location.search !== "" && document.body.classList.contains("has-script")`)
	path, size := largeText(t, "large.txt", 40_000_000)
	choose := func() {
		tb.Run(chromedp.Evaluate(clocked, nil), chromedp.SetUploadFiles("#files", []string{path}, chromedp.ByQuery))
	}
	holdNext := func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.hold[""] = mib
	}
	// goesOn checks the next chunk of the page, which stops after a mebibyte.
	goesOn := func(how string, then func()) {
		t.Helper()
		at, err := strconv.ParseInt(<-c.held, 10, 64)
		d.Check(err)
		if c.received != at+mib {
			t.Errorf("%s: of %d bytes that have arrived, the page sends those from %d on again", how, c.received-mib, at)
		}
		tb.Until(fmt.Sprintf(`%s.querySelector("progress").value >= %d / %d`, webtest.FileRow("large.txt"), at, size))
		tb.Run(chromedp.Evaluate(`said.length = 0; clock += 1000`, nil))
		then()
		c.more <- struct{}{}
		tb.Until(`(` + paces + `).length > 0`)
		var said []struct{ Sent, Speed, Left float64 }
		tb.Run(chromedp.Evaluate(paces, &said))
		for _, p := range said { // within what rounding makes of them
			since, left := p.Sent-float64(at)/1e6, (40-p.Sent)/p.Speed
			if p.Speed < since-1 || p.Speed > since+1 || p.Left > 0 && (p.Left < left*.8-1 || p.Left > left*1.2+1) {
				t.Errorf("%s: the page says %+v, but sends from %d on for a second", how, p, at)
			}
		}
	}

	const password = `document.querySelector("#before [name=password]")`
	tb.Run(chromedp.Evaluate(password+`.value = "open sesame"`, nil))
	choose()
	goesOn("after a lost connection", holdNext)
	<-c.held
	tb.Run(chromedp.Reload())
	tb.Arrives(`document.querySelector("#unsent")?.innerText.includes("large.txt")`)
	holdNext()
	c.more <- struct{}{} // the chunk of the page that is gone ends
	choose()
	tb.Until(`document.body.innerText.includes("Enter the password for large.txt again") && document.activeElement === ` + password)
	tb.Run(webtest.Keys("open sesame"))
	choose()
	goesOn("after a reload", func() {})
	tb.WaitForState("large.txt", "live")
	if links := d.LinksOf(d.Member); len(links) != 1 || links[0].Size != int64(size) || links[0].Access.Password == "" {
		t.Errorf("%d links, want one of %d bytes with a password", len(links), size)
	}
	if c.received != int64(size) {
		t.Errorf("%d bytes were received of a file of %d", c.received, size)
	}
	if got := tb.Text(webtest.FileRow("large.txt") + `.querySelector(".facts-line").textContent`); !strings.HasPrefix(got,
		"40 MB") {
		t.Errorf("the finished row says %q", got)
	}
}
