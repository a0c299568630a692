package webtest

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"image"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/export"
	"vitrine/internal/backend/preview"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/web/httpx"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
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

// Previewer makes previews as in the program. Previews that need a program
// which is not installed are skipped, or fail if CI is set.
func Previewer(t testing.TB, s *Site, programs ...string) {
	t.Helper()
	tier.Need(t, tier.Test, "a preview")
	for _, name := range programs {
		vitrinetest.Program(t, name)
	}
	// The compiled modules are cached for all tests and for later runs.
	m, err := preview.New(preview.Options{Cache: filepath.Join(os.TempDir(), "vitrine-test-cache")})
	s.Check(err)
	m.Warn = func(what string) { t.Log("preview: " + what) }
	s.Server.Previews.Previewer = patient{m}
}

// patient tries a preview again at once if the machine fails, which the program
// does later: on a busy machine, previews run out of time.
type patient struct{ vitrine.Previewer }

func (p patient) Preview(ctx context.Context, f vitrine.PreviewFile,
	put func(vitrine.Part, io.Reader) error) (err error) {
	for range 10 {
		if err = p.Previewer.Preview(ctx, f, put); err == nil || ctx.Err() != nil {
			break
		}
	}
	return err
}

func MakeZIP(t testing.TB, names ...string) []byte {
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

func MakeTIFF(t testing.TB) []byte {
	var b bytes.Buffer
	if err := tiff.Encode(&b, image.NewRGBA(image.Rect(0, 0, 300, 200)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// late are the resource types that a page must not need for its layout: all but
// the document and its stylesheets.
var late = []network.ResourceType{network.ResourceTypeScript, network.ResourceTypeImage, network.ResourceTypeMedia,
	network.ResourceTypeFont, network.ResourceTypeXHR, network.ResourceTypeFetch}

// Visit opens an address in the window in which the checks begin, and checks
// that nothing on the page moves while it loads. So that the result does not
// depend on the machine's load, it forces the worst order of loading: scripts,
// pictures, media and fonts are held back until the page has been painted
// without them. Tier all also does so in a wide window. The tab must be in
// front in its window, or it is not painted.
func (tb *Tab) Visit(address string, then ...chromedp.Action) {
	tb.t.Helper()
	for _, width := range tier.Pick([]int64{390}, []int64{1440, 390}) {
		tb.visitAt(width, address)
	}
	tb.Run(then...)
}

func (tb *Tab) visitAt(width int64, address string) {
	tb.t.Helper()
	var patterns []*fetch.RequestPattern
	for _, kind := range late {
		patterns = append(patterns, &fetch.RequestPattern{ResourceType: kind})
	}
	navigate := func(ctx context.Context) error {
		_, _, _, _, err := page.Navigate(address).Do(ctx)
		return err
	}
	tb.Run(InTheme("light"), chromedp.EmulateViewport(width, 844), chromedp.Evaluate(`window.leaving = true`, nil),
		fetch.Enable().WithPatterns(patterns), chromedp.ActionFunc(navigate))
	tb.Until(`window.leaving !== true && document.readyState !== "loading" && performance.getEntriesByName("first-contentful-paint").length > 0`)
	tb.Run(fetch.Disable()) // continues the requests that were held back
	tb.Until(`document.readyState === "complete"`)
	var shift struct {
		Sum   float64
		Moved []string
	}
	if tb.Run(chromedp.Evaluate(shiftOf, &shift, Awaited)); shift.Sum > 0.02 {
		var title string
		tb.Run(chromedp.Title(&title))
		tb.t.Errorf("%s, %q, %d px: layout shift %.3f: %s", address, title, width, shift.Sum,
			strings.Join(shift.Moved, "; "))
	}
}

// shiftOf is the layout shift of a page since its first paint, and what has
// moved. It leaves out a picture that is fitted into its stage, because its
// size is only known when it has loaded, and nothing else moves.
const shiftOf = `new Promise((done) => {
	let sum = 0;
	const moved = [], box = (r) => [r.x, r.y, r.width, r.height].map(Math.round).join(" ");
	const name = (n) => n ? n.nodeName + "." + (n.className ?? n.data) : "something gone";
	new PerformanceObserver((l) => l.getEntries().forEach((e) => {
		if (e.hadRecentInput || e.sources.every((s) => s.node?.matches?.(".picture img"))) return;
		sum += e.value;
		moved.push(...e.sources.map((s) => name(s.node) + " from " + box(s.previousRect) + " to " + box(s.currentRect)));
	})).observe({type: "layout-shift", buffered: true});
	const idle = window.requestIdleCallback ?? requestAnimationFrame;
	requestAnimationFrame(() => requestAnimationFrame(() => idle(() => requestAnimationFrame(() => done({sum,
		moved})))));
})`

// AsksOnly fails the test if the tab sends a request to another host.
func (tb *Tab) AsksOnly(hosts ...string) {
	chromedp.ListenTarget(tb.Ctx, func(event any) {
		e, ok := event.(*network.EventRequestWillBeSent)
		if !ok {
			return
		}
		u, err := url.Parse(e.Request.URL)
		if err == nil && (u.Scheme == "http" || u.Scheme == "https") && !slices.Contains(hosts, u.Host) {
			tb.Mu.Lock()
			defer tb.Mu.Unlock()
			tb.Complaints = append(tb.Complaints, "asked for "+e.Request.URL)
		}
	})
}

// CheckFile checks the page of a file, and what opens on it.
func (tb *Tab) CheckFile(name, form string) {
	tb.t.Helper()
	what := name + ", " + form
	var frames []func(Window, string)
	if name == "report.pdf" {
		f := tb.Frame("/view")
		f.Until(`document.querySelector(".page canvas") !== null`)
		frames = append(frames, func(w Window, where string) {
			tb.t.Helper()
			f.Run(InTheme(w.theme))
			f.axe(where+", in its frame", w.rules)
		})
	}
	tb.CheckWindows(what, frames...)
	for panel, of := range map[string]string{"share": "picture.png", "view-only": "view only"} {
		if name != of || form == "embed" && panel == "share" {
			continue
		}
		tb.Run(chromedp.Evaluate(`document.querySelector("[popovertarget=`+panel+
			`]").click(), document.querySelector("#`+panel+` details")?.setAttribute("open", "")`, nil))
		tb.CheckWindows(what+", "+panel+" open", func(Window, string) {
			tb.Until(`(r => r.left >= 0 && r.right <= innerWidth && r.bottom <= innerHeight)(document.getElementById("` + panel + `").getBoundingClientRect())`)
		})
	}
}

const Login = `index.html=<h1>Second</h1><form><input type="password"></form>`

// Suspend suspends an account, or lifts the suspension.
func (s *Site) Suspend(a *vitrine.Account, banned bool) {
	s.T.Helper()
	_, err := s.Server.Accounts.SetBanned(s.T.Context(), a.Email, banned, vitrine.Decision{By: vitrine.Administrator})
	s.Check(err)
}

func (s *Site) SetPlan(a *vitrine.Account, p vitrine.Plan) {
	s.T.Helper()
	now, err := s.Server.Accounts.SetPlan(s.T.Context(), a.Email, p, nil, vitrine.Decision{By: vitrine.Administrator})
	s.Check(err)
	*a = *now
}

// Counted returns the member's usage as the plan counts it.
func (s *Site) Counted() (n, bytes int64) {
	s.T.Helper()
	s.Check(s.Server.Links.Store.Read(s.T.Context(), func(tx vitrine.Tx) (err error) {
		n, bytes, err = tx.CountLinks(s.Member.ID)
		return err
	}))
	return n, bytes
}

// NoPages checks that a slug has none of a link's pages and forms, whatever the
// plan.
func (s *Site) NoPages(slug string) {
	s.T.Helper()
	cookie := s.SignIn(s.Member)
	for _, plan := range []vitrine.Plan{vitrine.PlanFree, vitrine.PlanPro} {
		s.SetPlan(s.Member, plan)
		for _, path := range []string{"", "/state", "/analytics", "/analytics/now",
			"/analytics?format=csv&card=series"} {
			s.Status(s.Get("/links/"+slug+path, cookie), http.StatusNotFound)
		}
		for _, path := range []string{"title", "slug", "download", "disable", "undo", "delete", "captions",
			"captions/delete"} {
			s.Status(s.Post("/links/"+slug+"/"+path, url.Values{"title": {"x"}, "slug": {"elsewhere"}}, cookie),
				http.StatusNotFound)
		}
		s.Status(s.Ask("/links/"+slug+"/edit", `{"title":"x"}`, cookie), http.StatusNotFound)
	}
	s.Status(s.Get("/links/"+slug+"/analytics/pulse", cookie), http.StatusNotFound)
}

// Exported checks files in the member's export.
func (s *Site) Exported(want map[string][2]string) {
	s.T.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	export := export.Exporter{Store: s.Server.Links.Store, Blobs: s.Server.Blobs, Analytics: s.Server.Analytics,
		Events: s.Server.Events, Now: s.Server.Now,
		URL: func(slug vitrine.Slug) string { return httpx.LinkURL(s.Server.PublicURL, slug) }}
	s.Check(export.Write(s.T.Context(), s.Member, z))
	s.Check(z.Close())
	archive, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	s.Check(err)
	for name, texts := range want {
		content, err := fs.ReadFile(archive, name)
		s.Check(err)
		if !strings.Contains(string(content), texts[0]) || strings.Contains(string(content), texts[1]) {
			s.T.Errorf("%s lacks %q, or contains %q:\n%.500s", name, texts[0], texts[1], content)
		}
	}
	for _, f := range archive.File {
		if strings.HasPrefix(f.Name, "analytics/"+string(s.Version(s.SiteOf(s.firstSite())).Slug)) {
			s.T.Errorf("the archive contains %s", f.Name)
		}
	}
}

// firstSite returns the slug of the member's newest website.
func (s *Site) firstSite() vitrine.Slug {
	s.T.Helper()
	list, err := s.Server.Sites.List(s.T.Context(), s.Member)
	s.Check(err)
	return list[0].Slug
}

func (s *Site) Due() (due []*vitrine.Link) {
	s.T.Helper()
	s.Check(s.Server.Links.Store.Read(s.T.Context(), func(tx vitrine.Tx) (err error) {
		due, err = tx.Links(vitrine.LinkQuery{PreviewDue: true})
		return err
	}))
	return due
}
