package app_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/publish"
	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
)

// dropText is a script that drops a file on a part of the page.
const dropText = `(() => {
	const data = new DataTransfer();
	data.items.add(new File(["dropped"], "dropped.txt", {type: "text/plain"}));
	const at = document.querySelector("footer"), send = (type) => at.dispatchEvent(new DragEvent(type, {bubbles: true,
		cancelable: true, dataTransfer: data}));
	send("dragenter");
	send("dragover");
	const seen = !document.querySelector("#overlay").hidden;
	send("drop");
	return seen && document.querySelector("#overlay").hidden;
})()`

const pasteText = `document.body.dispatchEvent((() => {
	const data = new DataTransfer();
	data.items.add(new File(["pasted"], "pasted.txt", {type: "text/plain"}));
	return new ClipboardEvent("paste", {bubbles: true, cancelable: true, clipboardData: data});
})())`

// TestBrowserUpload uploads several files at once by picker, drop and paste,
// and checks that each gets a link that can be copied.
func TestBrowserUpload(t *testing.T) {
	d := webtest.NewDesk(t)
	most := d.Server.Uploads.Plans[vitrine.PlanPro]
	most.Links = 12
	d.Server.Uploads.Plans[vitrine.PlanPro] = most
	tb := d.MemberTab(d.Member, "/dashboard")
	tb.Until(`document.querySelector(".first") !== null`)
	tb.Run(chromedp.Evaluate(`navigator.clipboard.writeText = async (text) => { window.copied = text; }`, nil))
	tb.Choose("notes.txt", "picture.png", "report.pdf", "data.json")
	for _, name := range []string{"notes.txt", "picture.png", "report.pdf", "data.json"} {
		tb.WaitForState(name, "live")
	}
	tb.Until(`document.querySelector(".first") === null`)
	tb.Until(`document.querySelector("#next").innerText === "Send the link. Visits appear under Analytics."`)
	var over bool
	tb.Run(chromedp.Evaluate(dropText, &over), chromedp.Evaluate(pasteText, nil))
	if !over {
		t.Error("the overlay does not appear while a file is dragged over the page, or it stays")
	}
	tb.WaitForState("dropped.txt", "live")
	tb.WaitForState("pasted.txt", "live")
	links := d.LinksOf(d.Member)
	if len(links) != 6 {
		t.Fatalf("%d links, want 6", len(links))
	}
	for _, l := range links {
		r := webtest.FileRow(l.Name)
		address := d.URL + "/p/" + string(l.Slug)
		if got := tb.Text(r + `.querySelector(".file-address a").href`); got != address {
			t.Errorf("%s: address = %q, want %q", l.Name, got, address)
		}
		if got := tb.Text(r + `.querySelector(".open").href + " " + ` + r +
			`.querySelector(".analytics").pathname`); got != address+" /links/"+string(l.Slug)+"/analytics" {
			t.Errorf("%s: links = %s", l.Name, got)
		}
	}
	tb.Run(chromedp.Evaluate(webtest.FileRow("report.pdf")+`.querySelector(".copy-it").click()`, nil))
	tb.Until(`document.querySelector("#toast").textContent === "Copied"`)
	copied := tb.Text(`window.copied`)
	if want := tb.Text(webtest.FileRow("report.pdf") + `.querySelector(".file-address a").href`); copied != want {
		t.Errorf("copied %q, want %q", copied, want)
	}
	tb.Until(`document.querySelector(".usage").innerText.includes("6 of 12")`)
	tb.Quiet()
}

// TestBrowserUploadPending checks that a file which was chosen before sign-in
// is uploaded after it, only once.
func TestBrowserUploadPending(t *testing.T) {
	d := webtest.NewDesk(t)
	tb := d.MemberTab(d.Member, "/links")
	tb.Run(chromedp.Evaluate(webtest.KeepText, nil, webtest.Awaited),
		chromedp.Evaluate(`sessionStorage.setItem("pending", "yes")`, nil), chromedp.Navigate(d.URL+"/dashboard"))
	tb.WaitForState("kept.txt", "live")
	tb.Run(chromedp.Reload())
	tb.Until(`document.querySelector("#recent") !== null && document.querySelector(".link-rows").innerText.includes("kept")`)
	if n := len(d.LinksOf(d.Member)); n != 1 {
		t.Errorf("%d links, want 1", n)
	}
}

// TestBrowserUploadLarge checks that neither the page nor the server keeps a
// large file in memory.
func TestBrowserUploadLarge(t *testing.T) {
	d := webtest.NewDesk(t)
	tb := d.MemberTab(d.Member, "/dashboard")
	tb.Run(chromedp.Evaluate(holding, nil))
	var held largest
	var received atomic.Int64
	d.Handler = held.bodies(d.Handler, &received)
	path, size := largeText(t, "large.txt", 40_000_000)
	tb.Run(chromedp.SetUploadFiles("#files", []string{path}, chromedp.ByQuery))
	tb.WaitForState("large.txt", "live")
	tb.HeldByPage(size)
	if received.Load() < int64(size) || held.Load() > 1<<20 {
		t.Errorf("the server read %[2]d of %[1]d bytes, %[3]d at once", size, received.Load(), held.Load())
	}
}

// faulty answers requests to a path with 503 a given number of times.
type faulty struct {
	path  atomic.Pointer[string]
	times atomic.Int64
}

func (f *faulty) around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := f.path.Load(); p != nil && strings.HasPrefix(r.URL.Path, *p) && r.Method != http.MethodGet &&
			f.times.Add(-1) >= 0 {
			w.Header().Set("Retry-After", "0")
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (f *faulty) at(path string, times int64) {
	f.times.Store(times)
	f.path.Store(&path)
}

// TestBrowserUploadAgain checks that each step that fails temporarily is
// retried and that one link results.
func TestBrowserUploadAgain(t *testing.T) {
	var f faulty
	d := webtest.NewDeskWith(t, webtest.SiteOptions{Around: f.around})
	tb := d.MemberTab(d.Member, "/dashboard")
	tb.Run(chromedp.Evaluate(`{ const wait = setTimeout; setTimeout = (f, ms) => wait(f, ms < 5000 ? ms / 100 : ms); }`,
		nil)) // jstest tests the waits
	for i, path := range []string{"/dashboard/uploads", "/storage/", "/dashboard/uploads/complete"} {
		f.at(path, 1)
		name := fmt.Sprintf("again-%d.txt", i)
		tb.Choose(name)
		tb.WaitForState(name, "live")
		if n := len(d.LinksOf(d.Member)); n != i+1 || f.times.Load() >= 1 {
			t.Errorf("after a failure of %s: %d links", path, n)
		}
	}
}

// TestBrowserUploadTurns checks that three files are uploaded at once while the
// others wait, and that an upload can be stopped and resumed. While files are
// being uploaded, the page asks before it is left.
func TestBrowserUploadTurns(t *testing.T) {
	gate := make(chan struct{})
	d := webtest.NewDeskWith(t, webtest.SiteOptions{Around: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/storage/") {
				<-gate
			}
			next.ServeHTTP(w, r)
		})
	}})
	open := sync.OnceFunc(func() { close(gate) })
	t.Cleanup(open) // the server stops after it has answered
	tb := d.MemberTab(d.Member, "/dashboard")
	names := []string{"one.txt", "two.txt", "three.txt", "four.txt", "five.txt"}
	tb.Choose(names...)
	states := `[...document.querySelectorAll("#rows li")].map((li) => li.dataset.state).sort().join(" ")`
	tb.Until(states + ` === "uploading uploading uploading waiting waiting"`)
	var asks bool
	leaves := `!dispatchEvent(new Event("beforeunload", {cancelable: true}))`
	if tb.Run(chromedp.Evaluate(leaves, &asks)); !asks {
		t.Error("the page does not ask before leaving while files are being uploaded")
	}
	tb.Run(chromedp.Evaluate(webtest.FileRow("one.txt")+`.querySelector(".cancel").click(), `+webtest.FileRow("five.txt")+
		`.querySelector(".cancel").click()`, nil))
	tb.Until(states + ` === "cancelled cancelled uploading uploading uploading"`)
	// A cancelled file takes no place of the plan any more.
	webtest.Eventually(t, "three links are used", func() bool {
		used, err := d.Server.Uploads.Usage(t.Context(), d.Member)
		d.Check(err)
		return used.Links == 3
	})
	open()
	for _, name := range names[1:4] {
		tb.WaitForState(name, "live")
	}
	if tb.Run(chromedp.Evaluate(leaves, &asks)); asks {
		t.Error("the page asks before leaving without an upload")
	}
	tb.Run(chromedp.Evaluate(webtest.FileRow("one.txt")+`.querySelector(".retry").click()`, nil))
	tb.WaitForState("one.txt", "live")
	if n := len(d.LinksOf(d.Member)); n != 4 {
		t.Errorf("%d links, want 4", n)
	}
}

// TestBrowserUploadExpired checks that the page requests a new signed URL if
// the first one has expired.
func TestBrowserUploadExpired(t *testing.T) {
	var d *webtest.Site
	var late atomic.Bool
	d = webtest.NewDeskWith(t, webtest.SiteOptions{Around: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/storage/") && late.CompareAndSwap(false, true) {
				d.Ahead.Add(int64(vitrine.URLLife + time.Minute))
			}
			next.ServeHTTP(w, r)
		})
	}})
	tb := d.MemberTab(d.Member, "/dashboard")
	tb.Choose("late.txt")
	tb.WaitForState("late.txt", "live")
	if n := len(d.LinksOf(d.Member)); n != 1 {
		t.Errorf("%d links, want 1", n)
	}
}

// TestBrowserUploadRefused checks that a refused file shows the reason and what
// to do, and that a button retries what can succeed.
func TestBrowserUploadRefused(t *testing.T) {
	d := webtest.NewDesk(t)
	d.Server.Uploads.Plans[vitrine.PlanFree] = vitrine.Limits{Links: 1, FileBytes: 2000, StorageBytes: 10_000,
		HourlyUploads: 20}
	free, err := d.Server.Accounts.SetPlan(t.Context(), d.Member.Email, vitrine.PlanFree, nil,
		vitrine.Decision{By: vitrine.Administrator})
	d.Check(err)
	tb := d.MemberTab(free, "/dashboard")
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
	dir := t.TempDir()
	large := filepath.Join(dir, "large.txt")
	d.Check(os.WriteFile(large, make([]byte, 3000), 0o600))
	tb.Run(chromedp.SetUploadFiles("#files", []string{large}, chromedp.ByQuery))
	tb.Choose("setup.exe")
	d.Check(os.WriteFile(large, nil, 0o600))
	tb.Run(chromedp.SetUploadFiles("#files", []string{large}, chromedp.ByQuery))
	tb.Until(`document.querySelectorAll("#refused li").length === 3`)
	if got := tb.Text(`document.querySelector("#refused").innerText`); !strings.Contains(got,
		"3 files were not uploaded") || !strings.Contains(got,
		"large.txt It has 3.0 kB. The limit is 2.0 kB per file") ||
		!strings.Contains(got, "setup.exe Programs") || !strings.Contains(got, "large.txt The file is empty.") ||
		!strings.Contains(got, "Compare the plans") {
		t.Errorf("refused files: %s", got)
	}
	tb.Until(`document.querySelectorAll("#rows li").length === 0`)
	tb.Choose("setup.exe.gz") // the server has the final decision
	refused("setup.exe.gz", false, "Programs")
	tb.Run(chromedp.Navigate(d.URL + "/dashboard"))
	first := d.Publish("notes.txt", []byte("the one link of the plan")) // the page does not know about it
	tb.Choose("second.txt")
	refused("second.txt", true, "Your account’s one link is in use", "Delete a link", "Compare the plans")
	tb.Until(`document.querySelector("#full").checkVisibility() && !document.querySelector("#drop").checkVisibility()`)
	tb.Choose("third.txt")
	tb.Until(`document.querySelector("#toast").textContent === "Your account’s one link is in use." && document.querySelectorAll("#rows li").length === 1`)
	d.Check(d.Server.Links.Delete(t.Context(), string(first.Slug), vitrine.Decision{By: vitrine.Owner(free.ID)}))
	tb.Run(chromedp.Evaluate(webtest.FileRow("second.txt")+`.querySelector(".retry").click()`, nil))
	tb.WaitForState("second.txt", "live")
	if links := d.LinksOf(free); len(links) != 1 || links[0].Name != "second.txt" {
		t.Errorf("links = %v, want second.txt", links)
	}
	if !strings.Contains(tb.Text(`document.querySelector("#before").textContent`), "Pro lets you choose it") {
		t.Error("the page on Free does not say how to get a custom address")
	}
}

// TestBrowserUploadStates checks that a video has its address at once and is
// followed until it is published, and that a held file shows the reason.
func TestBrowserUploadStates(t *testing.T) {
	d := webtest.NewDesk(t)
	tb := d.MemberTab(d.Member, "/dashboard")
	tb.Choose("clip.webm")
	tb.WaitForState("clip.webm", "processing")
	if tb.Text(webtest.FileRow("clip.webm")+`.querySelector(".file-address a").href`) == "" {
		t.Error("the video has no address")
	}
	u := d.Server.Uploads
	d.Check((&publish.Scans{Store: u.Store, Blobs: u.Blobs, Scanner: u.Scanner, Now: u.Now}).Pending(t.Context()))
	tb.WaitForState("clip.webm", "live")
	dir := t.TempDir()
	form := filepath.Join(dir, "form.html")
	d.Check(os.WriteFile(form, []byte(`<!doctype html><title>x</title><form action="https://example.org"><input type="password"></form>`), 0o600))
	tb.Run(chromedp.SetUploadFiles("#files", []string{form}, chromedp.ByQuery))
	tb.WaitForState("form.html", "review")
	if got := tb.Text(webtest.FileRow("form.html") + `.querySelector(".state").innerText`); !strings.Contains(got,
		access.OwnerMeaning("html_password_form")) {
		t.Errorf("state of a held file = %q", got)
	}
	tb.Quiet()
}

// TestBrowserUploadOptions sets title, address and downloads before and after
// an upload. While the user types an address, the page checks it.
func TestBrowserUploadOptions(t *testing.T) {
	d := webtest.NewDesk(t)
	other := d.Join("other@example.org", vitrine.RoleMember)
	d.Account = other
	taken := d.Publish("notes.txt", []byte("somebody else’s"))
	d.Account = d.Member
	tb := d.MemberTab(d.Member, "/dashboard")
	tb.Run(chromedp.Evaluate(`document.querySelector("#before").open = true`, nil),
		webtest.Type(`#before [name=slug]`, string(taken.Slug)))
	tb.Until(`document.querySelector("#before .slug-says").textContent.includes("taken")`)
	tb.Run(chromedp.Evaluate(`document.querySelector("#before [name=slug]").value = ""`, nil),
		webtest.Type(`#before [name=slug]`, "My-Report"))
	tb.Until(`document.querySelector("#before .slug-says").textContent.includes("free")`)
	tb.Run(webtest.Type(`#before [name=title]`, "The report"), webtest.Type(`#before [name=password]`, "open sesame"),
		chromedp.Click(`#before [name=download]`))
	tb.Choose("notes.txt")
	tb.WaitForState("The report", "live")
	l := d.LinksOf(d.Member)[0]
	if l.Slug != "my-report" || l.Title != "The report" || l.AllowDownload || l.Access.Password == "" {
		t.Errorf("link = %+v", l)
	}
	r := webtest.FileRow("The report")
	tb.Run(chromedp.Evaluate(r+`.querySelector("details").open = true`, nil),
		chromedp.Evaluate(`for (const [n, v] of [["title", "Renamed"], ["slug", "renamed"]]) `+r+
			`.querySelector(".before [name=" + n + "]").value = v`, nil),
		chromedp.Evaluate(r+`.querySelector("[name=download]").click()`, nil),
		chromedp.Evaluate(r+`.querySelector(".save").click()`, nil))
	tb.Until(webtest.FileRow("Renamed") + ` !== undefined`)
	if l = d.LinksOf(d.Member)[0]; l.Slug != "renamed" || l.Title != "Renamed" || !l.AllowDownload {
		t.Errorf("link = %+v", l)
	}
	if got := tb.Text(webtest.FileRow("Renamed") + `.querySelector(".file-address a").href`); got != d.URL+"/p/renamed" {
		t.Errorf("address = %s", got)
	}
	tb.Quiet()
}

// TestBrowserLinksAxe checks that the pages of links are accessible and fit
// into each window, with any dialog open.
func TestBrowserLinksAxe(t *testing.T) {
	d := webtest.NewDesk(t)
	l := d.Publish("report.pdf", webtest.Samples["report.pdf"],
		webtest.Titled("A report with a title that is long enough to be cut off on a telephone, and longer"))
	held := d.Held("picture.png", vitrine.ReasonSuspicious)
	off := d.Publish("notes.txt", webtest.Samples["notes.txt"])
	_, err := d.Server.Links.Disable(t.Context(), string(off.Slug), vitrine.Decision{By: vitrine.Owner(d.Member.ID)})
	d.Check(err)
	d.Post("/links", url.Values{"action": {"label"}, "label": {"Investors of the first round"},
		"link": {string(l.Slug), string(off.Slug)}}, d.SignIn(d.Member))
	tb := d.MemberTab(d.Member, "/dashboard")
	for _, tab := range []string{"", "/share", "/settings"} {
		tb.Visit(d.URL + webtest.LinkPath(l) + tab)
		tb.CheckWindows("a link" + tab)
	}
	tb.Visit(d.URL+"/links", chromedp.Evaluate(`document.querySelector(".row-menu").click()`, nil))
	tb.CheckWindows("/links, a menu open")
	tb.Visit(d.URL + "/dashboard")
	tb.Choose("setup.exe", "notes.txt", "setup.exe.gz", "setup.dwg")
	tb.WaitForState("notes.txt", "live")
	tb.WaitForState("setup.exe.gz", "failed")
	tb.Until(`document.querySelectorAll("#refused li").length === 2`)
	tb.Run(chromedp.Evaluate(`document.querySelectorAll("main details").forEach((x) => x.open = true); scrollTo(0, 0)`, nil))
	tb.CheckWindows("/dashboard")
	for _, path := range []string{"/links?q=nothing", webtest.LinkPath(held), webtest.LinkPath(off) + "/settings"} {
		tb.Visit(d.URL + path)
		tb.CheckWindows(path)
	}
	tb.Visit(d.URL+"/links", chromedp.Evaluate(`document.querySelector(".row-menu").click(), document.querySelector(".alarming").click()`, nil))
	tb.CheckWindows("/links, about to delete")
	tb.Visit(d.URL+webtest.LinkPath(l)+"/settings", chromedp.Evaluate(`const f = document.querySelector("form[action$=settings]"); f.slug.value = "no--good"; f.noValidate = true; f.requestSubmit()`, nil))
	tb.Arrives(`document.querySelector("#wrong-slug") !== null`)
	tb.CheckWindows("a form that is wrong")
}
