package web_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/links"
	"vitrine/internal/app/publish"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// memberTab returns a tab that is signed in.
func (s *site) memberTab(a *vitrine.Account, path string) *tab {
	s.t.Helper()
	name, value, _ := strings.Cut(strings.TrimPrefix(s.signIn(a), "Cookie: "), "=")
	tb := newTab(s.t)
	tb.run(network.SetCookie(name, value).WithURL(s.url).WithHTTPOnly(true), chromedp.Navigate(s.url+path))
	tb.arrives(`document.body.classList.contains("has-script")`)
	return tb
}

// choose picks files as with the system's dialog.
func (tb *tab) choose(names ...string) {
	tb.t.Helper()
	dir := tb.t.TempDir()
	var paths []string
	for _, name := range names {
		content, ok := samples[name]
		if !ok {
			content = []byte("what " + name + " says\n")
		}
		paths = append(paths, filepath.Join(dir, name))
		if err := os.WriteFile(paths[len(paths)-1], content, 0o600); err != nil {
			tb.t.Fatal(err)
		}
	}
	tb.run(chromedp.SetUploadFiles("#files", paths, chromedp.ByQuery))
}

// fileRow returns an expression for the row of a file with the given title: the
// file's name, without its extension once it is a link.
func fileRow(title string) string {
	stem := strings.TrimSuffix(title, filepath.Ext(title))
	return fmt.Sprintf(`[...document.querySelectorAll("#rows li")].find((li) => [%q, %q].includes(li.querySelector(".title").textContent))`,
		title, stem)
}

// waitForState waits until a file is in a state.
func (tb *tab) waitForState(title, state string) {
	tb.t.Helper()
	tb.until(fileRow(title) + `?.dataset.state === "` + state + `"`)
}

func (tb *tab) text(expression string) (text string) {
	tb.t.Helper()
	tb.run(chromedp.Evaluate(expression, &text))
	return text
}

func (s *site) linksOf(a *vitrine.Account) []*vitrine.Link {
	s.t.Helper()
	links, _, err := s.server.Links.List(s.t.Context(), a.ID, links.LinkSearch{Limit: 100}, vitrine.LinkCursor{})
	s.check(err)
	return links
}

// dropText is a script that drops a file on a part of the page.
const dropText = `(() => {
	const data = new DataTransfer();
	data.items.add(new File(["dropped"], "dropped.txt", {type: "text/plain"}));
	const at = document.querySelector("footer"), send = (type) => at.dispatchEvent(new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer: data}));
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
	d := newDesk(t)
	most := d.server.Uploads.Plans[vitrine.PlanPro]
	most.Links = 12
	d.server.Uploads.Plans[vitrine.PlanPro] = most
	tb := d.memberTab(d.member, "/dashboard")
	tb.until(`document.querySelector(".first") !== null`)
	tb.run(chromedp.Evaluate(`navigator.clipboard.writeText = async (text) => { window.copied = text; }`, nil))
	tb.choose("notes.txt", "picture.png", "report.pdf", "data.json")
	for _, name := range []string{"notes.txt", "picture.png", "report.pdf", "data.json"} {
		tb.waitForState(name, "live")
	}
	tb.until(`document.querySelector(".first") === null`)
	tb.until(`document.querySelector("#next").innerText === "Send the link. Visits appear under Analytics."`)
	var over bool
	tb.run(chromedp.Evaluate(dropText, &over), chromedp.Evaluate(pasteText, nil))
	if !over {
		t.Error("the overlay does not appear while a file is dragged over the page, or it stays")
	}
	tb.waitForState("dropped.txt", "live")
	tb.waitForState("pasted.txt", "live")
	links := d.linksOf(d.member)
	if len(links) != 6 {
		t.Fatalf("%d links, want 6", len(links))
	}
	for _, l := range links {
		r := fileRow(l.Name)
		address := d.url + "/p/" + string(l.Slug)
		if got := tb.text(r + `.querySelector(".file-address a").href`); got != address {
			t.Errorf("%s: address = %q, want %q", l.Name, got, address)
		}
		if got := tb.text(r + `.querySelector(".open").href + " " + ` + r +
			`.querySelector(".analytics").pathname`); got != address+" /links/"+string(l.Slug)+"/analytics" {
			t.Errorf("%s: links = %s", l.Name, got)
		}
	}
	tb.run(chromedp.Evaluate(fileRow("report.pdf")+`.querySelector(".copy-it").click()`, nil))
	tb.until(`document.querySelector("#toast").textContent === "Copied"`)
	copied := tb.text(`window.copied`)
	if want := tb.text(fileRow("report.pdf") + `.querySelector(".file-address a").href`); copied != want {
		t.Errorf("copied %q, want %q", copied, want)
	}
	tb.until(`document.querySelector(".usage").innerText.includes("6 of 12")`)
	tb.quiet()
}

// keepText is a script that stores a pending file, like the front page.
const keepText = `new Promise((done) => {
	const request = indexedDB.open("vitrine", 1);
	request.onupgradeneeded = () => request.result.createObjectStore("pending");
	request.onsuccess = () => {
		const all = request.result.transaction("pending", "readwrite");
		all.objectStore("pending").put({at: Date.now(), files: [new File(["kept"], "kept.txt", {type: "text/plain"})]}, "files");
		all.oncomplete = () => { request.result.close(); done(true); };
	};
})`

// TestBrowserUploadPending checks that a file which was chosen before sign-in
// is uploaded after it, only once.
func TestBrowserUploadPending(t *testing.T) {
	d := newDesk(t)
	tb := d.memberTab(d.member, "/links")
	tb.run(chromedp.Evaluate(keepText, nil, awaited),
		chromedp.Evaluate(`sessionStorage.setItem("pending", "yes")`, nil), chromedp.Navigate(d.url+"/dashboard"))
	tb.waitForState("kept.txt", "live")
	tb.run(chromedp.Reload())
	tb.until(`document.querySelector("#recent") !== null && document.querySelector(".link-rows").innerText.includes("kept")`)
	if n := len(d.linksOf(d.member)); n != 1 {
		t.Errorf("%d links, want 1", n)
	}
}

// TestBrowserUploadLarge checks that neither the page nor the server keeps a
// large file in memory.
func TestBrowserUploadLarge(t *testing.T) {
	d := newDesk(t)
	tb := d.memberTab(d.member, "/dashboard")
	tb.run(chromedp.Evaluate(holding, nil))
	var held largest
	var received atomic.Int64
	d.handler = held.bodies(d.handler, &received)
	path, size := largeText(t, "large.txt", 40_000_000)
	tb.run(chromedp.SetUploadFiles("#files", []string{path}, chromedp.ByQuery))
	tb.waitForState("large.txt", "live")
	tb.heldByPage(size)
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
	d := newDeskWith(t, siteOptions{around: f.around})
	tb := d.memberTab(d.member, "/dashboard")
	tb.run(chromedp.Evaluate(`{ const wait = setTimeout; setTimeout = (f, ms) => wait(f, ms < 5000 ? ms / 100 : ms); }`,
		nil)) // jstest tests the waits
	for i, path := range []string{"/dashboard/uploads", "/storage/", "/dashboard/uploads/complete"} {
		f.at(path, 1)
		name := fmt.Sprintf("again-%d.txt", i)
		tb.choose(name)
		tb.waitForState(name, "live")
		if n := len(d.linksOf(d.member)); n != i+1 || f.times.Load() >= 1 {
			t.Errorf("after a failure of %s: %d links", path, n)
		}
	}
}

// TestBrowserUploadTurns checks that three files are uploaded at once while the
// others wait, and that an upload can be stopped and resumed. While files are
// being uploaded, the page asks before it is left.
func TestBrowserUploadTurns(t *testing.T) {
	gate := make(chan struct{})
	d := newDeskWith(t, siteOptions{around: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/storage/") {
				<-gate
			}
			next.ServeHTTP(w, r)
		})
	}})
	open := sync.OnceFunc(func() { close(gate) })
	t.Cleanup(open) // the server stops after it has answered
	tb := d.memberTab(d.member, "/dashboard")
	names := []string{"one.txt", "two.txt", "three.txt", "four.txt", "five.txt"}
	tb.choose(names...)
	states := `[...document.querySelectorAll("#rows li")].map((li) => li.dataset.state).sort().join(" ")`
	tb.until(states + ` === "uploading uploading uploading waiting waiting"`)
	var asks bool
	leaves := `!dispatchEvent(new Event("beforeunload", {cancelable: true}))`
	if tb.run(chromedp.Evaluate(leaves, &asks)); !asks {
		t.Error("the page does not ask before leaving while files are being uploaded")
	}
	tb.run(chromedp.Evaluate(fileRow("one.txt")+`.querySelector(".cancel").click(), `+fileRow("five.txt")+
		`.querySelector(".cancel").click()`, nil))
	tb.until(states + ` === "cancelled cancelled uploading uploading uploading"`)
	// A cancelled file takes no place of the plan any more.
	eventually(t, "three links are used", func() bool {
		used, err := d.server.Uploads.Usage(t.Context(), d.member)
		d.check(err)
		return used.Links == 3
	})
	open()
	for _, name := range names[1:4] {
		tb.waitForState(name, "live")
	}
	if tb.run(chromedp.Evaluate(leaves, &asks)); asks {
		t.Error("the page asks before leaving without an upload")
	}
	tb.run(chromedp.Evaluate(fileRow("one.txt")+`.querySelector(".retry").click()`, nil))
	tb.waitForState("one.txt", "live")
	if n := len(d.linksOf(d.member)); n != 4 {
		t.Errorf("%d links, want 4", n)
	}
}

// TestBrowserUploadExpired checks that the page requests a new signed URL if
// the first one has expired.
func TestBrowserUploadExpired(t *testing.T) {
	var d *site
	var late atomic.Bool
	d = newDeskWith(t, siteOptions{around: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/storage/") && late.CompareAndSwap(false, true) {
				d.ahead.Add(int64(vitrine.URLLife + time.Minute))
			}
			next.ServeHTTP(w, r)
		})
	}})
	tb := d.memberTab(d.member, "/dashboard")
	tb.choose("late.txt")
	tb.waitForState("late.txt", "live")
	if n := len(d.linksOf(d.member)); n != 1 {
		t.Errorf("%d links, want 1", n)
	}
}

// TestBrowserUploadRefused checks that a refused file shows the reason and what
// to do, and that a button retries what can succeed.
func TestBrowserUploadRefused(t *testing.T) {
	d := newDesk(t)
	d.server.Uploads.Plans[vitrine.PlanFree] = vitrine.Limits{Links: 1, FileBytes: 2000, StorageBytes: 10_000,
		HourlyUploads: 20}
	free, err := d.server.Accounts.SetPlan(t.Context(), d.member.Email, vitrine.PlanFree, nil,
		vitrine.Decision{By: vitrine.Operator})
	d.check(err)
	tb := d.memberTab(free, "/dashboard")
	refused := func(name string, again bool, texts ...string) {
		t.Helper()
		tb.waitForState(name, "failed")
		got := tb.text(fileRow(name) + `.querySelector(".state").innerText`)
		for _, want := range texts {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q lacks %q", name, got, want)
			}
		}
		if hidden := tb.text(`String(` + fileRow(name) +
			`.querySelector(".retry").hidden)`); hidden != fmt.Sprint(!again) {
			t.Errorf("%s: retry button hidden = %s", name, hidden)
		}
	}
	dir := t.TempDir()
	large := filepath.Join(dir, "large.txt")
	d.check(os.WriteFile(large, make([]byte, 3000), 0o600))
	tb.run(chromedp.SetUploadFiles("#files", []string{large}, chromedp.ByQuery))
	tb.choose("setup.exe")
	d.check(os.WriteFile(large, nil, 0o600))
	tb.run(chromedp.SetUploadFiles("#files", []string{large}, chromedp.ByQuery))
	tb.until(`document.querySelectorAll("#refused li").length === 3`)
	if got := tb.text(`document.querySelector("#refused").innerText`); !strings.Contains(got,
		"3 files were not uploaded") || !strings.Contains(got, "large.txt It has 3.0 kB. The limit is 2.0 kB per file") ||
		!strings.Contains(got, "setup.exe Programs") || !strings.Contains(got, "large.txt The file is empty.") ||
		!strings.Contains(got, "Compare the plans") {
		t.Errorf("refused files: %s", got)
	}
	tb.until(`document.querySelectorAll("#rows li").length === 0`)
	tb.choose("setup.exe.gz") // the server has the final decision
	refused("setup.exe.gz", false, "Programs")
	tb.run(chromedp.Navigate(d.url + "/dashboard"))
	first := d.publish("notes.txt", []byte("the one link of the plan")) // the page does not know about it
	tb.choose("second.txt")
	refused("second.txt", true, "Your account’s one link is in use", "Delete a link", "Compare the plans")
	tb.until(`document.querySelector("#full").checkVisibility() && !document.querySelector("#drop").checkVisibility()`)
	tb.choose("third.txt")
	tb.until(`document.querySelector("#toast").textContent === "Your account’s one link is in use." && document.querySelectorAll("#rows li").length === 1`)
	d.check(d.server.Links.Delete(t.Context(), string(first.Slug), vitrine.Decision{By: vitrine.Owner(free.ID)}))
	tb.run(chromedp.Evaluate(fileRow("second.txt")+`.querySelector(".retry").click()`, nil))
	tb.waitForState("second.txt", "live")
	if links := d.linksOf(free); len(links) != 1 || links[0].Name != "second.txt" {
		t.Errorf("links = %v, want second.txt", links)
	}
	if !strings.Contains(tb.text(`document.querySelector("#before").textContent`), "Pro lets you choose it") {
		t.Error("the page on Free does not say how to get a custom address")
	}
}

// TestBrowserUploadStates checks that a video has its address at once and is
// followed until it is published, and that a held file shows the reason.
func TestBrowserUploadStates(t *testing.T) {
	d := newDesk(t)
	tb := d.memberTab(d.member, "/dashboard")
	tb.choose("clip.webm")
	tb.waitForState("clip.webm", "processing")
	if tb.text(fileRow("clip.webm")+`.querySelector(".file-address a").href`) == "" {
		t.Error("the video has no address")
	}
	u := d.server.Uploads
	d.check((&publish.Scans{Store: u.Store, Blobs: u.Blobs, Scanner: u.Scanner, Now: u.Now}).Pending(t.Context()))
	tb.waitForState("clip.webm", "live")
	dir := t.TempDir()
	form := filepath.Join(dir, "form.html")
	d.check(os.WriteFile(form, []byte(`<!doctype html><title>x</title><form action="https://example.org"><input type="password"></form>`), 0o600))
	tb.run(chromedp.SetUploadFiles("#files", []string{form}, chromedp.ByQuery))
	tb.waitForState("form.html", "review")
	if got := tb.text(fileRow("form.html") + `.querySelector(".state").innerText`); !strings.Contains(got,
		vitrine.OwnerMeaning("html_password_form")) {
		t.Errorf("state of a held file = %q", got)
	}
	tb.quiet()
}

// TestBrowserUploadOptions sets title, address and downloads before and after
// an upload. While the user types an address, the page checks it.
func TestBrowserUploadOptions(t *testing.T) {
	d := newDesk(t)
	other := d.join("other@example.org", vitrine.RoleMember)
	d.account = other
	taken := d.publish("notes.txt", []byte("somebody else’s"))
	d.account = d.member
	tb := d.memberTab(d.member, "/dashboard")
	tb.run(chromedp.Evaluate(`document.querySelector("#before").open = true`, nil),
		chromedp.SendKeys(`#before [name=slug]`, string(taken.Slug)))
	tb.until(`document.querySelector("#before .slug-says").textContent.includes("taken")`)
	tb.run(chromedp.Evaluate(`document.querySelector("#before [name=slug]").value = ""`, nil),
		chromedp.SendKeys(`#before [name=slug]`, "My-Report"))
	tb.until(`document.querySelector("#before .slug-says").textContent.includes("free")`)
	tb.run(chromedp.SendKeys(`#before [name=title]`, "The report"), chromedp.Click(`#before [name=download]`))
	tb.choose("notes.txt")
	tb.waitForState("The report", "live")
	l := d.linksOf(d.member)[0]
	if l.Slug != "my-report" || l.Title != "The report" || l.AllowDownload {
		t.Errorf("link = %+v", l)
	}
	r := fileRow("The report")
	tb.run(chromedp.Evaluate(r+`.querySelector("details").open = true`, nil),
		chromedp.Evaluate(`for (const [n, v] of [["title", "Renamed"], ["slug", "renamed"]]) `+r+
			`.querySelector(".before [name=" + n + "]").value = v`, nil),
		chromedp.Evaluate(r+`.querySelector("[name=download]").click()`, nil),
		chromedp.Evaluate(r+`.querySelector(".save").click()`, nil))
	tb.until(fileRow("Renamed") + ` !== undefined`)
	if l = d.linksOf(d.member)[0]; l.Slug != "renamed" || l.Title != "Renamed" || !l.AllowDownload {
		t.Errorf("link = %+v", l)
	}
	if got := tb.text(fileRow("Renamed") + `.querySelector(".file-address a").href`); got != d.url+"/p/renamed" {
		t.Errorf("address = %s", got)
	}
	tb.quiet()
}

// TestBrowserLinksAxe checks that the pages of links are accessible and fit
// into each window, with any dialog open.
func TestBrowserLinksAxe(t *testing.T) {
	d := newDesk(t)
	l := d.publish("report.pdf", samples["report.pdf"],
		titled("A report with a title that is long enough to be cut off on a telephone, and longer"))
	held := d.held("picture.png", vitrine.ReasonSuspicious)
	off := d.publish("notes.txt", samples["notes.txt"])
	_, err := d.server.Links.Disable(t.Context(), string(off.Slug), vitrine.Decision{By: vitrine.Owner(d.member.ID)})
	d.check(err)
	tb := d.memberTab(d.member, "/dashboard")
	for _, tab := range []string{"", "/share", "/settings"} {
		tb.visit(d.url + linkPath(l) + tab)
		tb.checkWindows("a link" + tab)
	}
	tb.visit(d.url+"/links", chromedp.Evaluate(`document.querySelector(".row-menu").click()`, nil))
	tb.checkWindows("/links, a menu open")
	tb.visit(d.url + "/dashboard")
	tb.choose("setup.exe", "notes.txt", "setup.exe.gz", "setup.dwg")
	tb.waitForState("notes.txt", "live")
	tb.waitForState("setup.exe.gz", "failed")
	tb.until(`document.querySelectorAll("#refused li").length === 2`)
	tb.run(chromedp.Evaluate(`document.querySelectorAll("main details").forEach((x) => x.open = true); scrollTo(0, 0)`, nil))
	tb.checkWindows("/dashboard")
	for _, path := range []string{"/links?q=nothing", linkPath(held), linkPath(off) + "/settings"} {
		tb.visit(d.url + path)
		tb.checkWindows(path)
	}
	tb.visit(d.url+"/links", chromedp.Evaluate(`document.querySelector(".row-menu").click(), document.querySelector(".alarming").click()`, nil))
	tb.checkWindows("/links, about to delete")
	tb.visit(d.url+linkPath(l)+"/settings", chromedp.Evaluate(`const f = document.querySelector("form[action$=settings]"); f.slug.value = "no--good"; f.noValidate = true; f.requestSubmit()`, nil))
	tb.arrives(`document.querySelector("#wrong-slug") !== null`)
	tb.checkWindows("a form that is wrong")
}

func linkPath(l *vitrine.Link) string { return "/links/" + string(l.Slug) }
