package web_test

import (
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/auth"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// dropHere drops a file on the home page.
const dropHere = `(() => {
	const data = new DataTransfer();
	data.items.add(new File(["dropped before"], "early.txt", {type: "text/plain"}));
	const send = (type) => document.querySelector("footer").dispatchEvent(new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer: data}));
	send("dragenter");
	send("dragover");
	const seen = document.querySelector("#drop").classList.contains("is-over");
	send("drop");
	return seen && !document.querySelector("#drop").classList.contains("is-over");
})()`

// signInAs signs in to an account in a tab that is signed out.
func (tb *tab) signInAs(d *site, a *vitrine.Account) {
	tb.t.Helper()
	name, value, _ := strings.Cut(strings.TrimPrefix(d.signIn(a), "Cookie: "), "=")
	tb.run(network.SetCookie(name, value).WithURL(d.url).WithHTTPOnly(true), chromedp.Navigate(d.url+"/dashboard"))
	tb.arrives(`document.body.classList.contains("has-script")`)
}

// TestBrowserDropBeforeSignIn drops a file on the home page. The browser keeps
// it until the user has signed in, and then uploads it once.
func TestBrowserDropBeforeSignIn(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.server.Accounts.SignUp = auth.SignUpOpen // a visitor may choose a file
	tb := newVisitor(t, chromedp.Navigate(d.url+"/"))
	tb.arrives(`document.body.classList.contains("has-script")`)
	var over bool
	tb.run(chromedp.Evaluate(dropHere, &over))
	if !over {
		t.Error("the overlay for dropping a file does not appear, or it stays")
	}
	tb.until(`!document.querySelector("#waiting").hidden && document.querySelector("#waiting-name").textContent === "early.txt" && document.activeElement.id === "go-on"`)
	if got := tb.text(`document.querySelector("#go-on").getAttribute("href")`); got != "/sign-up?next=/dashboard" {
		t.Errorf("the button leads to %s, want /sign-up?next=/dashboard", got)
	}
	if n := len(d.linksOf(d.member)); n != 0 {
		t.Fatalf("%d links before sign-in, want 0", n)
	}
	tb.run(chromedp.Reload())
	tb.until(`!document.querySelector("#waiting").hidden`)

	tb.run(chromedp.Click("#go-on"))
	tb.arrives(`location.pathname === "/sign-up"`)
	tb.signInAs(d, d.member)
	tb.waitForState("early.txt", "live")
	tb.run(chromedp.Navigate(d.url + "/"))
	tb.arrives(`document.body.classList.contains("has-script")`)
	tb.until(`document.querySelector("#waiting").hidden`)
	if n := len(d.linksOf(d.member)); n != 1 {
		t.Errorf("%d links, want 1", n)
	}

	// A signed-in user needs only the drop.
	tb.run(chromedp.Evaluate(dropHere, nil))
	tb.arrives(`location.pathname === "/dashboard" && document.body.classList.contains("has-script")`)
	tb.until(`document.querySelectorAll('#rows li[data-state="live"]').length === 1`)
	if n := len(d.linksOf(d.member)); n != 2 {
		t.Errorf("%d links, want 2", n)
	}
	tb.quiet()
}

// TestBrowserPendingIsAskedAbout checks that a pending file of one user is not
// uploaded by the next one who signs in, unless they confirm it, and that
// signing out removes it.
func TestBrowserPendingIsAskedAbout(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.server.Accounts.SignUp = auth.SignUpOpen // a visitor may choose a file
	tb := newVisitor(t, chromedp.Navigate(d.url+"/"))
	tb.arrives(`document.body.classList.contains("has-script")`)
	leave := func() {
		t.Helper()
		tb.run(chromedp.Evaluate(dropHere, nil))
		tb.until(`!document.querySelector("#waiting").hidden`)
	}
	const asked = `document.querySelector("#asked")?.hidden === false && document.querySelector("#asked").innerText.includes("early.txt")`
	leave()
	tb.signInAs(d, d.member)
	tb.until(asked)
	tb.accessible("/dashboard, about to send what waits")
	tb.run(chromedp.Reload())
	tb.until(asked)
	if n := len(d.linksOf(d.member)); n != 0 {
		t.Fatalf("%d unconfirmed links, want 0", n)
	}
	tb.run(chromedp.Click("#asked .yes"))
	tb.waitForState("early.txt", "live")

	const none = `document.body.classList.contains("has-script") && new Promise((done) => {
		const request = indexedDB.open("vitrine", 1);
		request.onsuccess = () => {
			const count = request.result.transaction("pending").objectStore("pending").count();
			count.onsuccess = () => { request.result.close(); done(count.result === 0); };
		};
	})`
	gone := func(what string) {
		t.Helper()
		var is bool
		if tb.run(chromedp.Evaluate(none, &is, awaited)); !is {
			t.Errorf("%s: a file is still pending", what)
		}
	}
	gone("sent")
	tb.run(chromedp.Evaluate(keepText, nil, awaited), chromedp.Reload())
	tb.until(`document.querySelector("#asked")?.hidden === false`)
	tb.run(chromedp.Click("#asked .no"))
	tb.until(`document.querySelector("#asked").hidden && document.activeElement.id === "choose"`)
	gone("forgotten")
	tb.run(chromedp.Evaluate(keepText, nil, awaited),
		chromedp.Evaluate(`document.querySelector("form[action='/sign-out']").requestSubmit()`, nil))
	tb.arrives(`location.pathname !== "/dashboard"`)
	gone("signed out")
	if n := len(d.linksOf(d.member)); n != 1 {
		t.Errorf("%d links, want 1", n)
	}
	tb.quiet()
}

// TestBrowserForgetPending checks that a pending file can be discarded, and
// that it expires.
func TestBrowserForgetPending(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.server.Accounts.SignUp = auth.SignUpOpen // a visitor may choose a file
	tb := newVisitor(t, chromedp.Navigate(d.url+"/"))
	tb.arrives(`document.body.classList.contains("has-script")`)
	tb.run(chromedp.Evaluate(dropHere, nil))
	tb.until(`!document.querySelector("#waiting").hidden`)
	tb.run(chromedp.Click("#forget"))
	tb.until(`document.querySelector("#waiting").hidden`)
	tb.run(chromedp.Evaluate(dropHere, nil))
	tb.until(`!document.querySelector("#waiting").hidden`)
	tb.run(chromedp.ActionFunc(onNewDocument(`{ const now = Date.now; Date.now = () => now() + 2 * 3600e3; }`)),
		chromedp.Reload())
	tb.arrives(`document.body.classList.contains("has-script")`)
	tb.until(`document.querySelector("#waiting").hidden`)
	tb.quiet()
}

// TestBrowserDocs checks that anchors of the API reference lead to its pages
// from the overview, and that a button copies a code block.
func TestBrowserDocs(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	tb := newVisitor(t, chromedp.Navigate(s.url+"/docs/api#schema-LinkReport"))
	tb.arrives(`location.pathname + location.hash === "/docs/api/report-schemas#schema-LinkReport"`)
	tb.run(chromedp.Navigate(s.url + "/docs/api#listLinks"))
	tb.arrives(`location.pathname + location.hash === "/docs/api/links#listLinks" && document.body.classList.contains("has-script")`)
	tb.run(chromedp.Evaluate(`navigator.clipboard.writeText = async (text) => { window.copied = text; }`, nil),
		chromedp.Click(`[data-copy="curl-listLinks"]`))
	tb.until(`window.copied === ` + "`curl -sS " + s.url +
		"/api/v1/links -H \"Authorization: Bearer $VITRINE_API_KEY\"`")
	tb.quiet()
}
