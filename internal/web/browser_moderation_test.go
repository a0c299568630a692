package web_test

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
	"vitrine/internal/web/app"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// arrives waits until a condition holds on the next page.
func (tb *tab) arrives(condition string) {
	tb.t.Helper()
	eventually(tb.t, condition, func() bool {
		var ok bool
		return chromedp.Run(tb.ctx, chromedp.Evaluate(`document.readyState === "complete" && (`+condition+`)`,
			&ok)) == nil && ok
	})
}

// press sends keys to a page once it accepts decisions by keys.
func (tb *tab) press(keys string) {
	tb.t.Helper()
	tb.arrives(`"ready" in document.body.dataset`)
	tb.run(chromedp.KeyEvent(keys))
}

// switchKeys turns the keys of the page on or off, in the list of keys.
func (tb *tab) switchKeys(on bool) {
	tb.t.Helper()
	tb.press("?")
	tb.until(`document.querySelector("#keys:popover-open")?.getAnimations().length === 0`)
	tb.run(chromedp.Click("#keys-on"))
	tb.until(fmt.Sprintf(`document.querySelector("#keys-on").checked === %t`, on))
	tb.press("\x1b")
	tb.until(`document.querySelector("#keys:popover-open") === null`)
}

// moderatorTab returns a tab that is signed in as a moderator. The cookie stays
// in the browser, but is not valid for the site of another test.
func (s *site) moderatorTab(a *vitrine.Account, actions ...chromedp.Action) *tab {
	s.t.Helper()
	tb := newTab(s.t, actions...)
	tb.run(chromedp.Navigate(s.url+s.signInLink(a)), chromedp.Click(`button[type="submit"]`))
	tb.arrives(`location.pathname === "/dashboard"`)
	tb.run(chromedp.Navigate(s.url + "/moderation"))
	return tb
}

func at(l *vitrine.Link) string { return fmt.Sprintf("location.pathname === %q", casePath(l)) }

// TestBrowserModerationKeys works through the queue with the keyboard: it
// opens, approves, rejects, undoes and skips.
func TestBrowserModerationKeys(t *testing.T) {
	d := newDesk(t)
	mod := d.join("mod@example.org", vitrine.RoleModerator)
	a, b, c := d.held("notes.txt", vitrine.ReasonSuspicious), d.held("picture.png", vitrine.ReasonAbuse),
		d.held("data.json", vitrine.ReasonScanLate)
	public := func(l *vitrine.Link, want int) { t.Helper(); d.status(d.get("/p/"+string(l.Slug)), want) }
	tb := d.moderatorTab(mod)
	tb.press("a") // without a current row the key does nothing
	tb.until(`document.querySelector("#toast").textContent.includes("Go to a link first")`)
	tb.press("jjk\r")
	tb.arrives(at(a))
	tb.press("a")
	tb.arrives(at(b) + ` && document.querySelector(".done").innerText.includes("Approved notes.txt")`)
	public(a, 200)
	tb.until(`document.querySelector("#heard").textContent === "Approved notes.txt /p/` + string(a.Slug) + `"`)
	tb.run(chromedp.KeyEvent("m"), chromedp.KeyEvent("cr, it shocks\x1b"))
	tb.until(`document.querySelector("#note").value.endsWith("cr, it shocks") && document.activeElement === document.body`)
	tb.press("r")
	tb.arrives(at(c) + ` && document.querySelector(".done").innerText.includes("Rejected picture.png")`)
	public(b, 410)
	tb.press("u")
	tb.arrives(at(b) + ` && document.querySelector(".done").innerText.includes("Undone")`)
	public(b, 404)
	tb.press("n")
	tb.arrives(at(c))
	tb.press("?")
	tb.until(`document.querySelector("#keys:popover-open") !== null`)
	tb.press("a\x1b") // while the list of keys is open the key does nothing
	tb.until(`document.querySelector("#keys:popover-open") === null`)
	tb.switchKeys(false)
	tb.press("a")
	tb.run(chromedp.Reload())
	tb.press("a") // nor on later pages in this browser
	if got := d.stateOf(c); got != vitrine.StateReview {
		t.Errorf("state after a disabled key = %s, want review", got)
	}
	tb.switchKeys(true)
	tb.press("q")
	tb.arrives(`location.pathname === "/moderation" && document.querySelectorAll(".review-rows li").length === 2`)
	tb.press("jjx") // the undone link is the first of the queue again
	tb.until(`document.querySelector("#chosen").textContent === "1 selected"`)
	tb.press("kr") // applies to the selected rows, not the current one
	tb.arrives(`document.querySelector(".done")?.innerText.includes("Rejected data.json") && document.querySelectorAll(".review-rows li").length === 1`)
	public(c, 410)
	public(b, 404)
	tb.press("u")
	tb.arrives(at(c))
	tb.quiet()
	for _, l := range []*vitrine.Link{b, c} {
		d.countOpens(l, 0)
	}
}

// TestBrowserModerationHaste checks that a key which is held down, or pressed
// before the page can have been seen, decides nothing.
func TestBrowserModerationHaste(t *testing.T) {
	d := newDesk(t)
	a, b := d.held("notes.txt", vitrine.ReasonSuspicious), d.held("data.json", vitrine.ReasonSuspicious)
	// The page's clock does not move, so that the page always looks as if it
	// had just loaded.
	tb := d.moderatorTab(d.owner, chromedp.ActionFunc(onNewDocument(`performance.now = () => 1e12`)))
	tb.run(chromedp.Navigate(d.url + casePath(a) + "?queue=all"))
	tb.press("a")
	tb.until(`document.querySelector("#toast").textContent.includes("You pressed the key very early")`)
	tb.run(chromedp.Evaluate(`dispatchEvent(new KeyboardEvent("keydown", {key: "r", repeat: true, bubbles: true}))`,
		nil))
	for _, l := range []*vitrine.Link{a, b} {
		if got := d.stateOf(l); got != vitrine.StateReview {
			t.Errorf("state = %s, want review", got)
		}
	}
}

// TestBrowserModerationWithoutScripting checks that everything works without
// scripting.
func TestBrowserModerationWithoutScripting(t *testing.T) {
	d := newDeskWith(t, siteOptions{content: true})
	_, err := d.server.Keys.Create(t.Context(), d.member.Email, auth.KeyRequest{Name: "second", Scope: vitrine.ScopeFull})
	d.check(err)
	a, b, c := d.held("notes.txt", vitrine.ReasonSuspicious), d.held("picture.png", vitrine.ReasonScanLate),
		d.held("data.json", vitrine.ReasonScanLate)
	tb := d.moderatorTab(d.owner, emulation.SetScriptExecutionDisabled(true))
	tb.run(chromedp.Click(".review-rows .case"), chromedp.SendKeys("#note", "Fine."),
		chromedp.Click(`button[formaction$="/clear"]`), chromedp.WaitVisible(".done"))
	d.status(d.get("/p/"+string(a.Slug)), 200)
	_, err = chromedp.RunResponse(tb.ctx, chromedp.Click(".done button")) // waits for the next page
	d.check(err)
	if d.stateOf(a) != vitrine.StateReview {
		t.Error("the decision was not undone")
	}
	tb.run(chromedp.Navigate(d.url+"/moderation?reason=scan_late"), chromedp.Click(`[value="clear-late"]`),
		chromedp.WaitVisible(".empty"))
	for _, l := range []*vitrine.Link{b, c} {
		d.status(d.get("/p/"+string(l.Slug)), 200)
	}
	tb.run(chromedp.Navigate(d.url+"/moderation"), chromedp.Click(`.review-rows [type="checkbox"]`),
		chromedp.Click(`.review-bulk [value="reject"]`), chromedp.WaitVisible(".done"))
	d.status(d.get("/p/"+string(a.Slug)), 410)
	tb.run(chromedp.Navigate(d.url+casePath(b)), chromedp.Click(`//summary[contains(., "Suspend")]`),
		chromedp.Click(`form[action$="/suspend"] button`), chromedp.WaitVisible(".done"))
	d.status(d.get("/p/"+string(b.Slug)), 410)
	d.status(d.get("/p/"+string(c.Slug)), 410)
	tb.run(chromedp.Click(".who-button"), chromedp.Click("#me form button"), chromedp.WaitVisible("#password"))
	tb.quiet()
}

// TestBrowserModerationHTML checks that a user's web page runs no scripts for a
// moderator and makes no requests to other hosts.
func TestBrowserModerationHTML(t *testing.T) {
	d := newDesk(t)
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
	l := d.submit("page.html", []byte(strings.ReplaceAll(`<!doctype html><html><head><title>x</title><link rel="preconnect" href="OUT"><link rel="dns-prefetch" href="OUT"><link rel="stylesheet" href="OUT/a.css">
<link rel="prefetch" href="OUT/f"><meta http-equiv="refresh" content="0;url=OUT/r"><style>@import "OUT/i.css"; body { background: url(OUT/b) } @font-face { font-family: x; src: url(OUT/x) } p { font-family: x }</style></head>
<body><p id="text">Still.</p><script>text.textContent = "It ran."; parent.postMessage("ran", "*"); fetch("OUT/s")</script><script src="OUT/c.js"></script>
<img src="OUT/d.png" onerror="text.textContent = 'It ran.'"><video src="OUT/v" autoplay></video><iframe src="OUT/f"></iframe><object data="OUT/o"></object><embed src="OUT/e">
<svg><image href="OUT/g"/><use href="OUT/u#a"/></svg><a id="away" href="OUT/l" ping="OUT/p">away</a><form action="OUT/h" method="post"><button id="send">send</button></form></body></html>`, "OUT", outside.URL)))
	if l.State != vitrine.StateReview {
		d.hold(l, "html_password_form", "")
	}
	tb := d.moderatorTab(d.owner, chromedp.ActionFunc(onNewDocument(`window.heard = []; addEventListener("message", (e) => heard.push(e.data))`)))
	tb.run(chromedp.Navigate(d.url + casePath(l)))
	f := tb.frame("/examine")
	var text string
	f.run(chromedp.Text("#text", &text))
	if text != "Still." {
		t.Errorf("the page shows %q, want Still.", text)
	}
	f.run(chromedp.Click("#away"), chromedp.Click("#send"))
	tb.linger(500 * time.Millisecond)
	var messages int
	tb.run(chromedp.Evaluate(`heard.length`, &messages))
	var still string
	f.run(chromedp.Text("#text", &still))
	if greeted.Load() > 0 || messages > 0 || still != "Still." {
		t.Errorf("%d connections, %d messages, page shows %q", greeted.Load(), messages, still)
	}
	res, err := http.Get(outside.URL) // checks that connections are counted
	d.check(err)
	res.Body.Close()
	if greeted.Load() != 1 {
		t.Errorf("%d connections counted, want 1", greeted.Load())
	}
	d.countOpens(l, 0)
}

// TestBrowserModerationPDF checks that a moderator sees the pages of a document
// that is not public, from the content origin.
func TestBrowserModerationPDF(t *testing.T) {
	var requestCount atomic.Int64 // requests for the bytes of a file
	d := newDeskWith(t, siteOptions{content: true, around: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/file") {
				requestCount.Add(1)
			}
			next.ServeHTTP(w, r)
		})
	}})
	l := d.held("report.pdf", "pdf_launch_action")
	tb := d.moderatorTab(d.owner)
	tb.run(chromedp.Navigate(d.url + casePath(l)))
	f := tb.frame("/view")
	f.until(`document.querySelector(".page canvas") !== null`)
	tb.leave()
	requestCount.Store(0)
	video := d.held("clip.webm", vitrine.ReasonScanSlow)
	tb.run(chromedp.Navigate(d.url + casePath(video)))
	v := tb.frame("/examine")
	v.run(chromedp.WaitVisible("video"))
	if n := requestCount.Load(); n > 0 {
		t.Errorf("%d requests for a video that is not played, want 0", n)
	}
	v.run(chromedp.Evaluate(`void document.querySelector("video").play()`, nil))
	v.arrives(`document.querySelector("video").currentTime > 0`)
	tb.quiet()
	d.countOpens(l, 0)
	d.countOpens(video, 0)
}

// TestBrowserModerationSuspend checks that the links of a suspended member, and
// the pages of a suspended moderator, are gone at once.
func TestBrowserModerationSuspend(t *testing.T) {
	d := newDesk(t)
	mod := d.join("mod@example.org", vitrine.RoleModerator)
	key, err := d.server.Keys.Create(t.Context(), d.member.Email, auth.KeyRequest{Name: "second", Scope: vitrine.ScopeFull})
	d.check(err)
	l := d.publish("notes.txt", samples["notes.txt"])
	tb := d.moderatorTab(mod)
	tb.run(chromedp.Navigate(d.url+accountPath(d.member)), chromedp.SendKeys(`[name="note"]`, "Spam"),
		chromedp.Click(`form[action$="/suspend"] button`))
	tb.arrives(`document.querySelector(".done")?.innerText.includes("Suspended")`)
	d.status(d.get("/p/"+string(l.Slug)), 410)
	d.status(d.get("/api/v1/links", "Authorization: Bearer "+string(key.Text)), 403)
	tb.press("u")
	tb.arrives(`document.querySelector(".done")?.innerText.includes("Suspension lifted")`)
	d.status(d.get("/p/"+string(l.Slug)), 200)
	d.status(d.get("/api/v1/links", "Authorization: Bearer "+string(key.Text)), 200)
	_, err = d.server.Accounts.SetBanned(t.Context(), mod.Email, true, vitrine.Decision{By: vitrine.Operator})
	d.check(err)
	tb.run(chromedp.Reload())
	tb.arrives(`location.pathname === "/sign-in"`)
}

// TestBrowserModerationAxe checks that every page for moderators is accessible
// and fits into each window.
func TestBrowserModerationAxe(t *testing.T) {
	d := newDesk(t)
	d.notices = []app.Notice{{Text: "NO MALWARE SCANNER IS CONFIGURED: files are checked by inspection alone.",
		Warning: true}, {Text: "Signatures 27412"}}
	mod := d.join("mod@example.org", vitrine.RoleModerator)
	paths := map[string]string{"queue": "/moderation", "late": "/moderation?reason=scan_late",
		"none for a reason": "/moderation?reason=encrypted_archive", "history": "/moderation/history",
		"account": accountPath(d.member), "own account": accountPath(mod),
		"not found": casePath(&vitrine.Link{Slug: "nothing-here"}), "how to": "/sign-in", "offer": d.signInLink(mod)}
	for name := range samples {
		l := d.held(name, vitrine.ReasonScanLate)
		paths["case "+name] = casePath(l) + "?queue=all"
	}
	reported := d.publish("again.txt", samples["notes.txt"], titled(strings.Repeat("A title without an end ", 8)))
	d.hold(reported, vitrine.ReasonAbuse, strings.Repeat("detail", 30))
	d.check(d.server.Abuse.Store.Update(t.Context(), func(tx vitrine.Tx) error {
		return tx.AddAbuseReport(&vitrine.AbuseReport{Link: reported.ID, Reporter: 1, Reason: vitrine.AbuseOther,
			Note: strings.Repeat("note", 200), At: d.server.Now()})
	}))
	paths["reported"] = casePath(reported)
	live, spammer := d.publish("live.txt", []byte("Live.")), d.join("spammer@example.org", vitrine.RoleMember)
	paths["live"], paths["suspended"] = casePath(live), accountPath(spammer)
	_, err := d.server.Accounts.SetBanned(t.Context(), spammer.Email, true,
		vitrine.Decision{By: vitrine.Moderator(mod), Note: "Spam"})
	d.check(err)
	cleared := d.held("song.mp3", vitrine.ReasonSuspicious)
	r := d.decide(cleared, "clear", "A note.", d.signIn(mod))
	paths["cleared"] = d.status(r, 303).Header.Get("Location")
	tb := d.moderatorTab(mod)
	for name, path := range paths {
		tb.visit(d.url + path)
		tb.checkWindows(name)
	}
	tb.visit(d.url+"/moderation", chromedp.Evaluate(`document.getElementById("keys").showPopover()`, nil))
	tb.checkWindows("keys")
	tb.visit(d.url+casePath(reported), chromedp.Evaluate(`document.querySelectorAll("details").forEach((e) => (e.open = true))`, nil))
	tb.checkWindows("all open")
	tb.run(chromedp.Click(".who-button"), chromedp.Click("#me form button"))
	tb.arrives(`location.pathname === "/sign-in"`)
	tb.visit(d.url + "/moderation")
	tb.checkWindows("not signed in")
	tb.run(network.ClearBrowserCookies(), chromedp.Navigate(d.url+d.signInLink(d.member)),
		chromedp.Click(`button[type="submit"]`))
	tb.arrives(`location.pathname === "/dashboard"`)
	tb.visit(d.url + "/moderation")
	tb.arrives(`document.querySelector("h1").textContent === "Moderators only"`)
	tb.checkWindows("a member")
}
