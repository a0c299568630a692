package app_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/publish"
	"vitrine/internal/backend/s3"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"

	download "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
)

// bucketSite is a site with websites whose files are in a bucket, wired as in
// the program.
type bucketSite struct {
	*webtest.Site
	blobs *s3.Blobs
	ahead atomic.Int64 // ns by which the clock that signs the bucket's URLs is ahead
}

// newPublicBucketSite accepts additional parameters of the bucket's address.
func newPublicBucketSite(t *testing.T, server *vitrinetest.S3Server, parameters string) *bucketSite {
	t.Helper()
	webtest.Chromium(t) // skips the test early without Chromium
	h := &bucketSite{Site: webtest.NewHosting(t)}
	var err error
	h.blobs, err = s3.Open(t.Context(), server.Address(server.Bucket(t), "")+parameters,
		func() time.Time { return time.Now().Add(time.Duration(h.ahead.Load())) })
	h.Check(err)
	s := h.Server
	s.Blobs, s.Receiver, s.StorageOrigin, s.RedirectDownloads = h.blobs, nil, h.blobs.Origin(), true
	s.Uploads.Blobs, s.Links.Blobs, s.Captions.Blobs, s.Previews.Blobs = h.blobs, h.blobs, h.blobs, h.blobs
	h.Handler = &webtest.LiveHandler{Server: s}
	return h
}

// sentElsewhere is an expression for the other origins to which the page has
// sent requests.
const sentElsewhere = `[...new Set(performance.getEntriesByType("resource").filter((e) => e.initiatorType === "xmlhttprequest").map((e) => new URL(e.name).origin).filter((o) => o !== origin))].join()`

// TestBrowserBucketUpload uploads several files at once from the page to the
// bucket, without complaints of the browser, then a large one, which neither
// page nor server keeps in memory.
func TestBrowserBucketUpload(t *testing.T) {
	server := vitrinetest.S3(t)
	g := newGate(t, server)
	d := newPublicBucketSite(t, server, "&public="+url.QueryEscape(g.url))
	d.Check(d.blobs.Cors(t.Context(), d.URL))
	var held largest
	var received atomic.Int64
	d.Server.Uploads.Blobs = watchedBlobs{d.blobs, &held}
	d.Handler = held.bodies(d.Handler, &received)
	tb := webtest.NewMember(t, d.Site, d.Member)
	tb.Run(chromedp.ActionFunc(webtest.OnNewDocument(holding)), chromedp.Navigate(d.URL+"/dashboard"))
	tb.Arrives(`document.body.classList.contains("has-script")`)
	names := []string{"notes.txt", "picture.png", "report.pdf", "data.json", "clip.webm", "é & ü + #1.md"}
	tb.Choose(names...)
	for _, name := range names {
		state := "live"
		if name == "clip.webm" {
			state = "processing"
		}
		tb.WaitForState(name, state)
	}
	if to := tb.Text(sentElsewhere); to != d.blobs.Origin() {
		t.Errorf("the page has sent files to %q, want %s", to, d.blobs.Origin())
	}

	// A large file goes to the bucket in parts, and the page shows the
	// progress.
	path, size := largeText(t, "large.txt", 40_000_000)
	more := make(chan struct{})
	g.set(first(func(w http.ResponseWriter, r *http.Request) bool {
		// The page counts up to 10 MB in socket buffers as sent, so the three
		// parts that the test waits for end well before the file does.
		r.Body = &paced{r.Body, size / 8, size / 8, more, r.Context()}
		g.to.ServeHTTP(w, r)
		return true
	}))
	tb.Run(chromedp.Evaluate(`window.shown = 0`, nil),
		chromedp.SetUploadFiles("#files", []string{path}, chromedp.ByQuery))
	for range 3 {
		tb.Until(`((bar) => bar?.value > shown && bar.value < bar.max && (window.shown = bar.value) > 0)(` +
			webtest.FileRow("large.txt") + `?.querySelector("progress"))`)
		more <- struct{}{}
	}
	close(more)
	tb.WaitForState("large.txt", "live")
	tb.HeldByPage(size)
	if received.Load() > 100_000 {
		t.Errorf("the server received %d bytes of files, want them in the bucket", received.Load())
	}
	if held.Load() > 4<<20 {
		t.Errorf("the server read %d bytes at once, want at most 4 MiB", held.Load())
	}
	links := d.LinksOf(d.Member)
	if len(links) != len(names)+1 || links[0].Size != int64(size) {
		t.Errorf("%d links, the last has %d bytes", len(links), links[0].Size)
	}
	tb.Quiet()
}

// TestBrowserBucketPages checks pages of links whose bytes are in a bucket. The
// site serves the content, large files in ranges; downloads come from the
// bucket.
func TestBrowserBucketPages(t *testing.T) {
	d := newPublicBucketSite(t, vitrinetest.S3(t), "")
	d.Check(d.blobs.Cors(t.Context(), d.URL))
	contents := map[string]string{"report.pdf": string(webtest.MakePDF(300)), "picture.png": string(webtest.Solid(3000,
		2000)), "clip.webm": string(webtest.Samples["clip.webm"])}
	links := map[string]*vitrine.Link{}
	for name, content := range contents {
		links[name] = d.Sent(name, content)
	}
	u := d.Server.Uploads
	d.Check((&publish.Scans{Store: u.Store, Blobs: u.Blobs, Scanner: u.Scanner, Now: u.Now}).Pending(t.Context()))

	tb := webtest.NewVisitor(t, d.Page(links["picture.png"]))
	tb.Until(`document.querySelector(".picture img").naturalWidth === 3000`)
	tb.Run(d.Page(links["clip.webm"]))
	tb.Until(`document.querySelector("video").duration > 3`)
	tb.Run(chromedp.Evaluate(`{ const v = document.querySelector("video"); v.muted = true; v.currentTime = v.duration - .5; void v.play() }`, nil))
	tb.Until(`document.querySelector("video").ended`)
	tb.Run(d.Page(links["report.pdf"]))
	f := tb.Frame("/view")
	f.Opened("300")
	f.TurnTo("299")
	f.Quiet()

	dir := t.TempDir()
	here := cdp.WithExecutor(tb.Ctx, chromedp.FromContext(tb.Ctx).Browser)
	d.Check(download.SetDownloadBehavior(download.SetDownloadBehaviorBehaviorAllow).WithDownloadPath(dir).
		WithBrowserContextID(chromedp.FromContext(tb.Ctx).BrowserContextID).Do(here))
	for name, content := range contents {
		tb.Run(d.Page(links[name]), chromedp.Click(`header a[data-download]`, chromedp.ByQuery))
		webtest.Eventually(t, name+" is on the disk", func() bool {
			got, err := os.ReadFile(filepath.Join(dir, name))
			return err == nil && string(got) == content
		})
		tb.Until(`document.querySelector("header a[data-download]") !== null`) // a download does not leave the page
		webtest.Eventually(t, "a download of "+name, func() bool { return d.Counts(links[name]).Downloads == 1 })
	}
	tb.Quiet()

	// A website from a folder that was uploaded to the bucket, at its own
	// origin, and an album of the files.
	tb = webtest.NewMember(t, d.Site, d.Member)
	film := strings.Repeat("0123456789", 20_000)
	garden := folder(t, "Garden", map[string]string{"film.mp4": film, "data/é.json": `{"n": 7}`,
		"css/style.css": "h1 { color: rgb(1, 2, 3) }",
		"index.html": `<!doctype html><title>Garden</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/css/style.css"><h1>Hello</h1><script type="module">
			const n = (await (await fetch("/data/é.json")).json()).n, end = await (await fetch("/film.mp4",
				{headers: {Range: "bytes=199990-"}})).text();
			document.title = ` + "`${n} ${end}`" + `</script>`})
	tb.Run(chromedp.EmulateViewport(1440, 900), chromedp.Navigate(d.URL+"/websites"),
		chromedp.SetUploadFiles("#folder", []string{garden}, chromedp.ByQuery))
	tb.Arrives(`location.pathname.startsWith("/websites/") && document.querySelector(".banner").innerText.includes("Deployed")`)
	var address string
	tb.Run(chromedp.Value("#address", &address, chromedp.ByQuery))
	tb.Run(chromedp.Navigate(address))
	tb.Until(`document.title === "7 0123456789" && getComputedStyle(document.querySelector("h1")).color === "rgb(1, 2, 3)"`)
	album, err := d.Server.Albums.Create(t.Context(), d.Member, "Spring", "")
	d.Check(err)
	for _, l := range links {
		d.Check(d.Server.Albums.Add(t.Context(), d.Member, string(album.Slug), []string{string(l.Slug)}))
	}
	tb.Run(chromedp.Navigate(d.URL + "/a/" + string(album.Slug)))
	tb.Until(`document.querySelectorAll(".cover").length === 3 && [...document.images].every((i) => i.complete && i.naturalWidth > 0)`)
	tb.Quiet()
}

// gate is a proxy between browsers and a bucket's server, at its own address
// (public=). It can fail requests in the way that a test sets.
type gate struct {
	url    string
	to     http.Handler
	server *http.Server

	mu    sync.Mutex
	fault func(w http.ResponseWriter, r *http.Request) bool // returns true if it has answered
	puts  int
}

func newGate(t *testing.T, server *vitrinetest.S3Server) *gate {
	t.Helper()
	u, err := url.Parse(server.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{to: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = u.Scheme, u.Host
		r.Out.Host = r.In.Host // the signature covers the host
	}, ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }}}
	g.start(t)
	t.Cleanup(g.stop)
	return g
}

// start makes the gate listen again on its old address.
func (g *gate) start(t *testing.T) {
	t.Helper()
	l, err := net.Listen("tcp", cmp.Or(strings.TrimPrefix(g.url, "http://"), "127.0.0.1:0"))
	if err != nil {
		t.Fatal(err)
	}
	g.url, g.server = "http://"+l.Addr().String(), &http.Server{Handler: g}
	go func() { _ = g.server.Serve(l) }()
}

func (g *gate) stop() { _ = g.server.Close() }

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPut {
		g.mu.Lock()
		fault := g.fault
		g.puts++
		g.mu.Unlock()
		if fault != nil && fault(w, r) {
			return
		}
	}
	g.to.ServeHTTP(w, r)
}

// set sets the fault of the following requests, or none if it is nil, and
// resets the count of PUTs.
func (g *gate) set(fault func(http.ResponseWriter, *http.Request) bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.fault, g.puts = fault, 0
}

func (g *gate) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.puts
}

// first returns a fault that happens only once.
func first(fault func(w http.ResponseWriter, r *http.Request) bool) func(http.ResponseWriter, *http.Request) bool {
	var once atomic.Bool
	return func(w http.ResponseWriter, r *http.Request) bool {
		return once.CompareAndSwap(false, true) && fault(w, r)
	}
}

// TestBrowserBucketTrouble checks failures between a page and a bucket: the
// page retries temporary ones without help, and shows the others.
func TestBrowserBucketTrouble(t *testing.T) {
	t.Parallel() // the test mostly waits
	server := vitrinetest.S3(t)
	g := newGate(t, server)
	d := newPublicBucketSite(t, server, "&public="+url.QueryEscape(g.url))
	tb := webtest.NewMember(t, d.Site, d.Member)
	tb.Run(chromedp.Navigate(d.URL + "/dashboard"))
	tb.Arrives(`document.body.classList.contains("has-script")`)
	lives := 0
	live := func(name string) {
		t.Helper()
		tb.WaitForState(name, "live")
		lives++
	}
	again := func(name string) {
		t.Helper()
		tb.Run(chromedp.Evaluate(webtest.FileRow(name)+`.querySelector(".retry").click()`, nil))
	}
	refused := func(name string, again bool, texts ...string) {
		t.Helper()
		tb.WaitForState(name, "failed")
		got := tb.Text(webtest.FileRow(name) + `.querySelector(".state").innerText`)
		for _, want := range texts {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q lacks %q", name, got, want)
			}
		}
		if hidden := tb.Text(`String(` + webtest.FileRow(name) +
			`.querySelector(".retry").hidden)`); hidden != fmt.Sprint(!again) {
			t.Errorf("%s: retry button hidden = %s", name, hidden)
		}
	}

	// The bucket does not allow the site's origin, so the page sends nothing to
	// it.
	tb.Choose("forbidden.txt")
	tb.Until(webtest.FileRow("forbidden.txt") + `?.querySelector(".chip").innerText.includes("Waiting for the storage")`)
	refused("forbidden.txt", true, "rejects uploads from this page", "vitrine admin repair cors")
	if g.count() != 0 {
		t.Errorf("%d PUTs after a failed preflight, want 0", g.count())
	}
	d.Check(d.blobs.Cors(t.Context(), d.URL))
	again("forbidden.txt")
	live("forbidden.txt")

	// The signed URL expires during the upload.
	d.ahead.Store(int64(vitrine.URLLife)) // the URL is valid for a second
	var status atomic.Int64
	g.set(first(func(w http.ResponseWriter, r *http.Request) bool {
		d.ahead.Store(0)
		signed, err := time.Parse("20060102T150405Z", r.URL.Query().Get("X-Amz-Date"))
		if err != nil || r.URL.Query().Get("X-Amz-Expires") != "1" {
			t.Errorf("%v: %s, want a URL that expires in a second", err, r.URL)
		}
		<-time.After(time.Until(signed.Add(3 * time.Second))) // the signature has whole seconds
		answer := &statusRecorder{ResponseWriter: w}
		g.to.ServeHTTP(answer, r)
		status.Store(int64(answer.status))
		return true
	}))
	tb.Choose("expired.txt")
	live("expired.txt")
	if status.Load() != http.StatusForbidden || g.count() != 2 {
		t.Errorf("PUT to an expired URL: status %d after %d tries, want 403 and 2", status.Load(), g.count())
	}

	// The bucket is busy: in answers that the page may read, and in answers
	// that it may not.
	answer := func(origin string, status int, body string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			_, _ = io.Copy(io.Discard, r.Body)
			if origin != "" {
				w.Header().Set("Access-Control-Allow-Origin", origin)
			}
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(status)
			fmt.Fprint(w, body)
			return true
		}
	}
	for i, origin := range []string{d.URL, ""} {
		g.set(first(answer(origin, http.StatusServiceUnavailable,
			`<?xml version="1.0"?><Error><Code>SlowDown</Code></Error>`)))
		name := fmt.Sprintf("busy-%d.txt", i)
		tb.Choose(name)
		live(name)
		if g.count() < 2 {
			t.Errorf("%s: %d tries, want at least 2", name, g.count())
		}
	}

	// The connection breaks during the upload.
	large := func(name string) (path string) {
		path = filepath.Join(t.TempDir(), name)
		d.Check(os.WriteFile(path, bytes.Repeat([]byte("Nothing of this may be lost.\n"), 500_000), 0o600))
		tb.Run(chromedp.SetUploadFiles("#files", []string{path}, chromedp.ByQuery))
		return path
	}
	g.set(first(func(_ http.ResponseWriter, r *http.Request) bool {
		_, _ = r.Body.Read(make([]byte, 1000))
		panic(http.ErrAbortHandler)
	}))
	large("cut.txt")
	live("cut.txt")

	// The user stops the upload and resumes it. By then one of the files has
	// changed.
	for _, name := range []string{"given-up.txt", "changed.txt"} {
		gone := make(chan struct{})
		g.set(first(func(_ http.ResponseWriter, r *http.Request) bool {
			_, _ = r.Body.Read(make([]byte, 1000))
			<-gone
			return true
		}))
		path := large(name)
		tb.Until(webtest.FileRow(name) + `?.querySelector("progress").value > 0`)
		tb.Run(chromedp.Evaluate(webtest.FileRow(name)+`.querySelector(".cancel").click()`, nil))
		tb.WaitForState(name, "cancelled")
		close(gone)
		if name == "given-up.txt" {
			again(name)
			live(name)
			continue
		}
		d.Check(os.WriteFile(path, []byte("other words"), 0o600))
		again(name)
		refused(name, false, "was changed or moved")
	}

	// The bucket refuses permanently.
	g.set(answer(d.URL, http.StatusForbidden, `<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>`))
	tb.Choose("denied.txt")
	refused("denied.txt", true, "refused the file (AccessDenied)")
	g.set(answer(d.URL, http.StatusInsufficientStorage, ""))
	tb.Choose("full.txt")
	refused("full.txt", true, "refused the file (507)")

	// The bucket is unavailable and returns.
	g.set(nil)
	g.stop()
	tb.Choose("away.txt")
	tb.Until(webtest.FileRow("away.txt") + `?.querySelector(".chip").innerText.includes("Waiting for the storage")`)
	g.start(t)
	live("away.txt")
	var links []string
	for _, l := range d.LinksOf(d.Member) {
		links = append(links, l.Name)
	}
	if len(links) != lives {
		t.Errorf("%d links, want %d: %s", len(links), lives, links)
	}
}

// statusRecorder records the status of an answer.
type statusRecorder struct {
	http.ResponseWriter
	status int
}

func (a *statusRecorder) WriteHeader(status int) {
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

func (a *statusRecorder) Unwrap() http.ResponseWriter { return a.ResponseWriter }
