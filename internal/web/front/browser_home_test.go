package front_test

import (
	"testing"

	"vitrine/internal/app/auth"
	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
)

// dropHere drops a file on the home page.
const dropHere = `(() => {
	const data = new DataTransfer();
	data.items.add(new File(["dropped before"], "early.txt", {type: "text/plain"}));
	const send = (type) => document.querySelector("footer").dispatchEvent(new DragEvent(type, {bubbles: true,
		cancelable: true, dataTransfer: data}));
	send("dragenter");
	send("dragover");
	const seen = document.querySelector("#drop").classList.contains("is-over");
	send("drop");
	return seen && !document.querySelector("#drop").classList.contains("is-over");
})()`

// TestBrowserDropBeforeSignIn drops a file on the home page. The browser keeps
// it until the user has signed in, and then uploads it once.
func TestBrowserDropBeforeSignIn(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	d.Server.Accounts.SignUp = auth.SignUpOpen // a visitor may choose a file
	tb := webtest.NewVisitor(t, chromedp.Navigate(d.URL+"/"))
	tb.Arrives(`document.body.classList.contains("has-script")`)
	var over bool
	tb.Run(chromedp.Evaluate(dropHere, &over))
	if !over {
		t.Error("the overlay for dropping a file does not appear, or it stays")
	}
	tb.Until(`!document.querySelector("#waiting").hidden && document.querySelector("#waiting-name").textContent === "early.txt" && document.activeElement.id === "go-on"`)
	if got := tb.Text(`document.querySelector("#go-on").getAttribute("href")`); got != "/sign-up?next=/dashboard" {
		t.Errorf("the button leads to %s, want /sign-up?next=/dashboard", got)
	}
	if n := len(d.LinksOf(d.Member)); n != 0 {
		t.Fatalf("%d links before sign-in, want 0", n)
	}
	tb.Run(chromedp.Reload())
	tb.Until(`!document.querySelector("#waiting").hidden`)

	tb.Run(chromedp.Click("#go-on"))
	tb.Arrives(`location.pathname === "/sign-up"`)
	tb.SignInAs(d, d.Member)
	tb.WaitForState("early.txt", "live")
	tb.Run(chromedp.Navigate(d.URL + "/"))
	tb.Arrives(`document.body.classList.contains("has-script")`)
	tb.Until(`document.querySelector("#waiting").hidden`)
	if n := len(d.LinksOf(d.Member)); n != 1 {
		t.Errorf("%d links, want 1", n)
	}

	// A signed-in user needs only the drop.
	tb.Run(chromedp.Evaluate(dropHere, nil))
	tb.Arrives(`location.pathname === "/dashboard" && document.body.classList.contains("has-script")`)
	tb.Until(`document.querySelectorAll('#rows li[data-state="live"]').length === 1`)
	if n := len(d.LinksOf(d.Member)); n != 2 {
		t.Errorf("%d links, want 2", n)
	}
	tb.Quiet()
}

// TestBrowserPendingIsAskedAbout checks that a pending file of one user is not
// uploaded by the next one who signs in, unless they confirm it, and that
// signing out removes it.
func TestBrowserPendingIsAskedAbout(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	d.Server.Accounts.SignUp = auth.SignUpOpen // a visitor may choose a file
	tb := webtest.NewVisitor(t, chromedp.Navigate(d.URL+"/"))
	tb.Arrives(`document.body.classList.contains("has-script")`)
	leave := func() {
		t.Helper()
		tb.Run(chromedp.Evaluate(dropHere, nil))
		tb.Until(`!document.querySelector("#waiting").hidden`)
	}
	const asked = `document.querySelector("#asked")?.hidden === false && document.querySelector("#asked").innerText.includes("early.txt")`
	leave()
	tb.SignInAs(d, d.Member)
	tb.Until(asked)
	tb.Accessible("/dashboard, about to send what waits")
	tb.Run(chromedp.Reload())
	tb.Until(asked)
	if n := len(d.LinksOf(d.Member)); n != 0 {
		t.Fatalf("%d unconfirmed links, want 0", n)
	}
	tb.Run(chromedp.Click("#asked .yes"))
	tb.WaitForState("early.txt", "live")

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
		if tb.Run(chromedp.Evaluate(none, &is, webtest.Awaited)); !is {
			t.Errorf("%s: a file is still pending", what)
		}
	}
	gone("sent")
	tb.Run(chromedp.Evaluate(webtest.KeepText, nil, webtest.Awaited), chromedp.Reload())
	tb.Until(`document.querySelector("#asked")?.hidden === false`)
	tb.Run(chromedp.Click("#asked .no"))
	tb.Until(`document.querySelector("#asked").hidden && document.activeElement.id === "choose"`)
	gone("discarded")
	tb.Run(chromedp.Evaluate(webtest.KeepText, nil, webtest.Awaited),
		chromedp.Evaluate(`document.querySelector("form[action='/sign-out']").requestSubmit()`, nil))
	tb.Arrives(`location.pathname !== "/dashboard"`)
	gone("signed out")
	if n := len(d.LinksOf(d.Member)); n != 1 {
		t.Errorf("%d links, want 1", n)
	}
	tb.Quiet()
}

// TestBrowserDiscardPending checks that a pending file can be discarded, and
// that it expires.
func TestBrowserDiscardPending(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	d.Server.Accounts.SignUp = auth.SignUpOpen // a visitor may choose a file
	tb := webtest.NewVisitor(t, chromedp.Navigate(d.URL+"/"))
	tb.Arrives(`document.body.classList.contains("has-script")`)
	tb.Run(chromedp.Evaluate(dropHere, nil))
	tb.Until(`!document.querySelector("#waiting").hidden`)
	tb.Run(chromedp.Click("#discard"))
	tb.Until(`document.querySelector("#waiting").hidden`)
	tb.Run(chromedp.Evaluate(dropHere, nil))
	tb.Until(`!document.querySelector("#waiting").hidden`)
	tb.Run(chromedp.ActionFunc(webtest.OnNewDocument(`{ const now = Date.now; Date.now = () => now() + 2 * 3600e3; }`)),
		chromedp.Reload())
	tb.Arrives(`document.body.classList.contains("has-script")`)
	tb.Until(`document.querySelector("#waiting").hidden`)
	tb.Quiet()
}

// TestBrowserDocs checks that anchors of the API reference lead to its pages
// from the overview, and that a button copies a code block.
func TestBrowserDocs(t *testing.T) {
	t.Parallel()
	s := webtest.NewSite(t)
	tb := webtest.NewVisitor(t, chromedp.Navigate(s.URL+"/docs/api#schema-LinkReport"))
	tb.Arrives(`location.pathname + location.hash === "/docs/api/report-schemas#schema-LinkReport"`)
	tb.Run(chromedp.Navigate(s.URL + "/docs/api#listLinks"))
	tb.Arrives(`location.pathname + location.hash === "/docs/api/links#listLinks" && document.body.classList.contains("has-script")`)
	tb.Run(chromedp.Evaluate(`navigator.clipboard.writeText = async (text) => { window.copied = text; }`, nil),
		chromedp.Click(`[data-copy="curl-listLinks"]`))
	tb.Until(`window.copied === ` + "`curl -sS " + s.URL +
		"/api/v1/links -H \"Authorization: Bearer $VITRINE_API_KEY\"`")
	tb.Quiet()
}
