package moderator_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/test/webtest"
	"vitrine/internal/web/app"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

func at(l *vitrine.Link) string { return fmt.Sprintf("location.pathname === %q", webtest.CasePath(l)) }

// TestBrowserModerationKeys works through the queue with the keyboard: it
// opens, approves, rejects, undoes and skips.
func TestBrowserModerationKeys(t *testing.T) {
	d := webtest.NewDesk(t)
	mod := d.Join("mod@example.org", vitrine.RoleModerator)
	a, b, c := d.Held("notes.txt", vitrine.ReasonSuspicious), d.Held("picture.png", vitrine.ReasonAbuse),
		d.Held("data.json", vitrine.ReasonScanLate)
	public := func(l *vitrine.Link, want int) { t.Helper(); d.Status(d.Get("/p/"+string(l.Slug)), want) }
	tb := d.ModeratorTab(mod)
	tb.Press("a") // without a current row the key does nothing
	tb.Until(`document.querySelector("#toast").textContent.includes("Go to a link first")`)
	tb.Press("jjk\r")
	tb.Arrives(at(a))
	tb.Press("a")
	tb.Arrives(at(b) + ` && document.querySelector(".done").innerText.includes("Approved notes.txt")`)
	public(a, 200)
	tb.Until(`document.querySelector("#heard").textContent === "Approved notes.txt /p/` + string(a.Slug) + `"`)
	tb.Run(webtest.Keys("m"), webtest.Keys("cr, it shocks\x1b"))
	tb.Until(`document.querySelector("#note").value.endsWith("cr, it shocks") && document.activeElement === document.body`)
	tb.Press("r")
	tb.Arrives(at(c) + ` && document.querySelector(".done").innerText.includes("Rejected picture.png")`)
	public(b, 410)
	tb.Press("u")
	tb.Arrives(at(b) + ` && document.querySelector(".done").innerText.includes("Undone")`)
	public(b, 404)
	tb.Press("n")
	tb.Arrives(at(c))
	tb.Press("?")
	tb.Until(`document.querySelector("#keys:popover-open") !== null`)
	tb.Press("a\x1b") // while the list of keys is open the key does nothing
	tb.Until(`document.querySelector("#keys:popover-open") === null`)
	tb.SwitchKeys(false)
	tb.Press("a")
	tb.Run(chromedp.Reload())
	tb.Press("a") // nor on later pages in this browser
	if got := d.StateOf(c); got != vitrine.StateReview {
		t.Errorf("state after a disabled key = %s, want review", got)
	}
	tb.SwitchKeys(true)
	tb.Press("q")
	tb.Arrives(`location.pathname === "/moderation" && document.querySelectorAll(".review-rows li").length === 2`)
	tb.Press("jjx") // the undone link is the first of the queue again
	tb.Until(`document.querySelector("#chosen").textContent === "1 selected"`)
	tb.Press("kr") // applies to the selected rows, not the current one
	tb.Arrives(`document.querySelector(".done")?.innerText.includes("Rejected data.json") && document.querySelectorAll(".review-rows li").length === 1`)
	public(c, 410)
	public(b, 404)
	tb.Press("u")
	tb.Arrives(at(c))
	tb.Quiet()
	for _, l := range []*vitrine.Link{b, c} {
		d.CountViews(l, 0)
	}
}

// TestBrowserModerationHaste checks that a key which is held down, or pressed
// before the page can have been seen, decides nothing.
func TestBrowserModerationHaste(t *testing.T) {
	d := webtest.NewDesk(t)
	a, b := d.Held("notes.txt", vitrine.ReasonSuspicious), d.Held("data.json", vitrine.ReasonSuspicious)
	// The page's clock does not move, so that the page always looks as if it
	// had just loaded.
	tb := d.ModeratorTab(d.Owner, chromedp.ActionFunc(webtest.OnNewDocument(`performance.now = () => 1e12`)))
	tb.Run(chromedp.Navigate(d.URL + webtest.CasePath(a) + "?queue=all"))
	tb.Press("a")
	tb.Until(`document.querySelector("#toast").textContent.includes("You pressed the key very early")`)
	tb.Run(chromedp.Evaluate(`dispatchEvent(new KeyboardEvent("keydown", {key: "r", repeat: true, bubbles: true}))`,
		nil))
	for _, l := range []*vitrine.Link{a, b} {
		if got := d.StateOf(l); got != vitrine.StateReview {
			t.Errorf("state = %s, want review", got)
		}
	}
}

// TestBrowserModerationWithoutScripting checks that everything works without
// scripting.
func TestBrowserModerationWithoutScripting(t *testing.T) {
	d := webtest.NewDeskWith(t, webtest.SiteOptions{Content: true})
	_, err := d.Server.Keys.CreateFor(t.Context(), d.Member.Email, auth.KeyRequest{Name: "second",
		Scope: vitrine.ScopeFull})
	d.Check(err)
	a, b, c := d.Held("notes.txt", vitrine.ReasonSuspicious), d.Held("picture.png", vitrine.ReasonScanLate),
		d.Held("data.json", vitrine.ReasonScanLate)
	tb := d.ModeratorTab(d.Owner, emulation.SetScriptExecutionDisabled(true))
	tb.Run(chromedp.Click(".review-rows .case"), webtest.Type("#note", "Fine."),
		chromedp.Click(`button[formaction$="/clear"]`), chromedp.WaitVisible(".done"))
	d.Status(d.Get("/p/"+string(a.Slug)), 200)
	_, err = chromedp.RunResponse(tb.Ctx, chromedp.Click(".done button")) // waits for the next page
	d.Check(err)
	if d.StateOf(a) != vitrine.StateReview {
		t.Error("the decision was not undone")
	}
	tb.Run(chromedp.Navigate(d.URL+"/moderation?reason=scan_late"), chromedp.Click(`[value="clear-late"]`),
		chromedp.WaitVisible(".empty"))
	for _, l := range []*vitrine.Link{b, c} {
		d.Status(d.Get("/p/"+string(l.Slug)), 200)
	}
	tb.Run(chromedp.Navigate(d.URL+"/moderation"), chromedp.Click(`.review-rows [type="checkbox"]`),
		chromedp.Click(`.review-bulk [value="reject"]`), chromedp.WaitVisible(".done"))
	d.Status(d.Get("/p/"+string(a.Slug)), 410)
	tb.Run(chromedp.Navigate(d.URL+webtest.CasePath(b)), chromedp.Click(`//summary[contains(., "Suspend")]`),
		chromedp.Click(`form[action$="/suspend"] button`), chromedp.WaitVisible(".done"))
	d.Status(d.Get("/p/"+string(b.Slug)), 410)
	d.Status(d.Get("/p/"+string(c.Slug)), 410)
	tb.Run(chromedp.Click(".who-button"), chromedp.Click("#me form button"), chromedp.WaitVisible("#password"))
	tb.Quiet()
}

// TestBrowserModerationHTML checks that a user's web page runs no scripts for a
// moderator and makes no requests to other hosts.
func TestBrowserModerationHTML(t *testing.T) {
	d := webtest.NewDesk(t)
	var greeted atomic.Int64
	outside := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Logf("%s %s", r.Method, r.URL)
	}))
	outside.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			greeted.Add(1)
		}
	}
	outside.Start()
	t.Cleanup(outside.Close)
	l := d.Submit("page.html", []byte(strings.ReplaceAll(`<!doctype html><html><head><title>x</title><link rel="preconnect" href="OUT"><link rel="dns-prefetch" href="OUT"><link rel="stylesheet" href="OUT/a.css">
<link rel="prefetch" href="OUT/f"><meta http-equiv="refresh" content="0;url=OUT/r"><style>@import "OUT/i.css"; body { background: url(OUT/b) } @font-face { font-family: x; src: url(OUT/x) } p { font-family: x }</style></head>
<body><p id="text">Still.</p><script>text.textContent = "It ran."; parent.postMessage("ran",
	"*"); fetch("OUT/s")</script><script src="OUT/c.js"></script>
<img src="OUT/d.png" onerror="text.textContent = 'It ran.'"><video src="OUT/v" autoplay></video><iframe src="OUT/f"></iframe><object data="OUT/o"></object><embed src="OUT/e">
<svg><image href="OUT/g"/><use href="OUT/u#a"/></svg><a id="away" href="OUT/l" ping="OUT/p">away</a><form action="OUT/h" method="post"><button id="send">send</button></form></body></html>`, "OUT", outside.URL)))
	if l.State != vitrine.StateReview {
		d.Hold(l, "html_password_form", "")
	}
	tb := d.ModeratorTab(d.Owner, chromedp.ActionFunc(webtest.OnNewDocument(`window.heard = []; addEventListener("message", (e) => heard.push(e.data))`)))
	tb.Run(chromedp.Navigate(d.URL + webtest.CasePath(l)))
	f := tb.Frame("/examine")
	var text string
	f.Run(chromedp.Text("#text", &text))
	if text != "Still." {
		t.Errorf("the page shows %q, want Still.", text)
	}
	f.Run(chromedp.Click("#away"), chromedp.Click("#send"))
	tb.Linger(500 * time.Millisecond)
	var messages int
	tb.Run(chromedp.Evaluate(`heard.length`, &messages))
	var still string
	f.Run(chromedp.Text("#text", &still))
	if greeted.Load() > 0 || messages > 0 || still != "Still." {
		t.Errorf("%d connections, %d messages, page shows %q", greeted.Load(), messages, still)
	}
	res, err := http.Get(outside.URL) // checks that connections are counted
	d.Check(err)
	res.Body.Close()
	if greeted.Load() != 1 {
		t.Errorf("%d connections counted, want 1", greeted.Load())
	}
	d.CountViews(l, 0)
}

// TestBrowserModerationPDF checks that a moderator sees the pages of a document
// that is not public, from the content origin.
func TestBrowserModerationPDF(t *testing.T) {
	var requestCount atomic.Int64 // requests for the bytes of a file
	d := webtest.NewDeskWith(t, webtest.SiteOptions{Content: true, Around: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/file") {
				requestCount.Add(1)
			}
			next.ServeHTTP(w, r)
		})
	}})
	l := d.Held("report.pdf", "pdf_launch_action")
	tb := d.ModeratorTab(d.Owner)
	tb.Run(chromedp.Navigate(d.URL + webtest.CasePath(l)))
	f := tb.Frame("/view")
	f.Until(`document.querySelector(".page canvas") !== null`)
	tb.Leave()
	requestCount.Store(0)
	video := d.Held("clip.webm", vitrine.ReasonScanSlow)
	tb.Run(chromedp.Navigate(d.URL + webtest.CasePath(video)))
	v := tb.Frame("/examine")
	v.Run(chromedp.WaitVisible("video"))
	if n := requestCount.Load(); n > 0 {
		t.Errorf("%d requests for a video that is not played, want 0", n)
	}
	v.Run(chromedp.Evaluate(`void document.querySelector("video").play()`, nil))
	v.Arrives(`document.querySelector("video").currentTime > 0`)
	tb.Quiet()
	d.CountViews(l, 0)
	d.CountViews(video, 0)
}

// TestBrowserModerationSuspend checks that the links of a suspended member, and
// the pages of a suspended moderator, are gone at once.
func TestBrowserModerationSuspend(t *testing.T) {
	d := webtest.NewDesk(t)
	mod := d.Join("mod@example.org", vitrine.RoleModerator)
	key, err := d.Server.Keys.CreateFor(t.Context(), d.Member.Email, auth.KeyRequest{Name: "second",
		Scope: vitrine.ScopeFull})
	d.Check(err)
	l := d.Publish("notes.txt", webtest.Samples["notes.txt"])
	tb := d.ModeratorTab(mod)
	tb.Run(chromedp.Navigate(d.URL+webtest.AccountPath(d.Member)), webtest.Type(`[name="note"]`, "Spam"),
		chromedp.Click(`form[action$="/suspend"] button`))
	tb.Arrives(`document.querySelector(".done")?.innerText.includes("Suspended")`)
	d.Status(d.Get("/p/"+string(l.Slug)), 410)
	d.Status(d.Get("/api/v1/links", "Authorization: Bearer "+string(key.Text)), 403)
	tb.Press("u")
	tb.Arrives(`document.querySelector(".done")?.innerText.includes("Suspension lifted")`)
	d.Status(d.Get("/p/"+string(l.Slug)), 200)
	d.Status(d.Get("/api/v1/links", "Authorization: Bearer "+string(key.Text)), 200)
	_, err = d.Server.Accounts.SetBanned(t.Context(), mod.Email, true, vitrine.Decision{By: vitrine.Administrator})
	d.Check(err)
	tb.Run(chromedp.Reload())
	tb.Arrives(`location.pathname === "/sign-in"`)
}

// TestBrowserModerationAxe checks that every page for moderators is accessible
// and fits into each window.
func TestBrowserModerationAxe(t *testing.T) {
	d := webtest.NewDesk(t)
	d.Notices = []app.Notice{{Text: "NO MALWARE SCANNER IS CONFIGURED: files are checked by inspection alone.",
		Warning: true}, {Text: "Signatures 27412"}}
	mod := d.Join("mod@example.org", vitrine.RoleModerator)
	paths := map[string]string{"queue": "/moderation", "late": "/moderation?reason=scan_late",
		"none for a reason": "/moderation?reason=encrypted_archive", "history": "/moderation/history",
		"account": webtest.AccountPath(d.Member), "own account": webtest.AccountPath(mod),
		"not found": webtest.CasePath(&vitrine.Link{Slug: "nothing-here"}), "how to": "/sign-in",
		"offer": d.SignInLink(mod)}
	for name := range webtest.Samples {
		l := d.Held(name, vitrine.ReasonScanLate)
		paths["case "+name] = webtest.CasePath(l) + "?queue=all"
	}
	reported := d.Publish("again.txt", webtest.Samples["notes.txt"],
		webtest.Titled(strings.Repeat("A title without an end ", 8)))
	d.Hold(reported, vitrine.ReasonAbuse, strings.Repeat("detail", 30))
	d.Check(d.Server.Abuse.Store.Update(t.Context(), func(tx vitrine.Tx) error {
		return tx.AddAbuseReport(&vitrine.AbuseReport{Link: reported.ID, Reporter: 1, Reason: vitrine.AbuseOther,
			Note: strings.Repeat("note", 200), At: d.Server.Now()})
	}))
	paths["reported"] = webtest.CasePath(reported)
	live, spammer := d.Publish("live.txt", []byte("Live.")), d.Join("spammer@example.org", vitrine.RoleMember)
	paths["live"], paths["suspended"] = webtest.CasePath(live), webtest.AccountPath(spammer)
	_, err := d.Server.Accounts.SetBanned(t.Context(), spammer.Email, true,
		vitrine.Decision{By: vitrine.Moderator(mod), Note: "Spam"})
	d.Check(err)
	cleared := d.Held("song.mp3", vitrine.ReasonSuspicious)
	r := d.Decide(cleared, "clear", "A note.", d.SignIn(mod))
	paths["cleared"] = d.Status(r, 303).Header.Get("Location")
	tb := d.ModeratorTab(mod)
	for name, path := range paths {
		tb.Visit(d.URL + path)
		tb.CheckWindows(name)
	}
	tb.Visit(d.URL+"/moderation", chromedp.Evaluate(`document.getElementById("keys").showPopover()`, nil))
	tb.CheckWindows("keys")
	tb.Visit(d.URL+webtest.CasePath(reported), chromedp.Evaluate(`document.querySelectorAll("details").forEach((e) => (e.open = true))`, nil))
	tb.CheckWindows("all open")
	tb.Run(chromedp.Click(".who-button"), chromedp.Click("#me form button"))
	tb.Arrives(`location.pathname === "/sign-in"`)
	tb.Visit(d.URL + "/moderation")
	tb.CheckWindows("not signed in")
	tb.Run(network.ClearBrowserCookies(), chromedp.Navigate(d.URL+d.SignInLink(d.Member)),
		chromedp.Click(`button[type="submit"]`))
	tb.Arrives(`location.pathname === "/dashboard"`)
	tb.Visit(d.URL + "/moderation")
	tb.Arrives(`document.querySelector("h1").textContent === "Moderators only"`)
	tb.CheckWindows("a member")
}
