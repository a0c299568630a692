package app_test

import (
	"fmt"
	"net/http"
	"testing"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/test/webtest"
	"vitrine/internal/web/httpx"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestBrowserSignUp creates an account by mail, signs out and signs in again
// with the password, and arrives at the page that was requested first.
func TestBrowserSignUp(t *testing.T) {
	t.Parallel()
	d := webtest.NewAccountSite(t, auth.SignUpOpen, true)
	tb := webtest.NewVisitor(t, chromedp.Navigate(d.URL+"/sign-up"))
	tb.Run(webtest.Type(`[name=email]`, "bob@example.org\r"))
	tb.Arrives(`document.querySelector("h1").textContent === "Check your e-mail"`)
	tb.Run(chromedp.Navigate(d.URL+d.SentMail.Path(t)), webtest.Type(`#password`, webtest.Words),
		chromedp.Click(`[data-shows]`))
	tb.Until(`document.querySelector("#password").type === "text" && document.querySelector("[data-shows]").textContent === "Hide"`)
	tb.Run(chromedp.Click(`button[type=submit]`))
	tb.Arrives(`location.pathname === "/dashboard" && document.querySelector(".who-button").textContent.includes("bob@example.org")`)
	tb.Run(chromedp.Evaluate(`document.querySelector("#me form").requestSubmit()`, nil))
	tb.Arrives(`location.pathname === "/sign-in"`)
	tb.Run(chromedp.Navigate(d.URL + "/keys"))
	tb.Arrives(`location.pathname === "/sign-in"`)
	tb.Run(webtest.Type(`[name=email]`, "bob@example.org"), webtest.Type(`#password`, webtest.Words+"\r"))
	tb.Arrives(`location.pathname === "/keys"`)
	tb.Quiet()
}

// The time zone is chosen from a list by region, and kept. Links of a key
// expire if the key publishes.
func TestBrowserChoices(t *testing.T) {
	t.Parallel()
	d := webtest.NewAccountSite(t, auth.SignUpInvite, false)
	tb := webtest.NewMember(t, d.Site, d.Member)
	tb.Run(chromedp.Navigate(d.URL + "/account"))
	tb.Until(`document.querySelector("select#timezone optgroup[label=Europe] [value='Europe/Berlin']") !== null`)
	webtest.Same(t, "today's names of zones", tb.Text(`["Asia/Kolkata", "Asia/Calcutta", "Europe/Kyiv", "Europe/Kiev"].filter((name) => document.querySelector("#timezone").querySelector("[value='" + name + "']")).join()`),
		"Asia/Kolkata,Europe/Kyiv")
	tb.Run(chromedp.SetValue(`#timezone`, "Europe/Berlin"),
		chromedp.Evaluate(`document.querySelector("#timezone").form.requestSubmit()`, nil))
	tb.Arrives(`location.search.includes("saved") && document.querySelector("select#timezone")?.value === "Europe/Berlin"`)
	tb.Run(chromedp.Navigate(d.URL + "/keys"))
	const life = `document.querySelector("[name=linkLife]").checkVisibility()`
	tb.Until(life)
	tb.Run(chromedp.Evaluate(`document.querySelector("[name=scope][value=full]").click()`, nil))
	tb.Until("!" + life)
	tb.Quiet()
}

// TestBrowserKeys creates a key, which is shown once, copies it, and uses it
// from a program. Then it rotates and revokes it.
func TestBrowserKeys(t *testing.T) {
	t.Parallel()
	d := webtest.NewAccountSite(t, auth.SignUpInvite, false)
	tb := webtest.NewMember(t, d.Site, d.Member)
	api := func(key string, want int) {
		t.Helper()
		d.Status(d.Get("/api/v1/links", "Authorization: Bearer "+key), want)
	}
	tb.Run(chromedp.Navigate(d.URL+"/keys"), webtest.Type(`[name=name]`, "Nightly\r"))
	tb.Arrives(`document.getElementById("key") !== null`)
	var key, selected string
	tb.Run(chromedp.Text(`#key`, &key), chromedp.Evaluate(`getSelection().toString().trim()`, &selected))
	if selected != key {
		t.Errorf("selected text = %q, want the key", selected)
	}
	api(key, http.StatusOK)
	tb.Run(chromedp.Evaluate(`window.copied = "", navigator.clipboard.writeText = async (text) => { window.copied = text }`, nil), chromedp.Click(`[data-copy=key]`))
	tb.Until(fmt.Sprintf(`window.copied === %q`, key))
	tb.Run(chromedp.Click(`[data-copy=curl]`))
	tb.Until(fmt.Sprintf(`window.copied.includes("Bearer %s")`, key))
	tb.Run(chromedp.Reload())
	tb.Arrives(`document.getElementById("key") === null && document.querySelectorAll(".key-rows > li").length === 2`)
	tb.Run(chromedp.Click(`.key-rows > li [popovertarget^=roll]`, chromedp.ByQuery))
	tb.Until(`document.querySelector(":popover-open") !== null`)
	tb.Run(chromedp.Click(`:popover-open [value=now]`, chromedp.ByQuery),
		chromedp.Click(`:popover-open button[type=submit]`, chromedp.ByQuery))
	tb.Arrives(`document.getElementById("key") !== null`)
	api(key, http.StatusUnauthorized)
	tb.Run(chromedp.Text(`#key`, &key))
	api(key, http.StatusOK)
	tb.Run(chromedp.Click(`.key-rows > li [popovertarget^=revoke]`, chromedp.ByQuery))
	tb.Until(`document.querySelector(":popover-open") !== null`)
	tb.Run(chromedp.Click(`:popover-open button[type=submit]`, chromedp.ByQuery))
	tb.Arrives(`document.querySelector(".banner")?.textContent === "Key revoked."`)
	api(key, http.StatusUnauthorized)
	tb.Quiet()
}

// TestBrowserSessionRevoked checks that a browser whose session was revoked
// elsewhere is signed out with its next request.
func TestBrowserSessionRevoked(t *testing.T) {
	t.Parallel()
	d := webtest.NewAccountSite(t, auth.SignUpInvite, false)
	here, there := webtest.NewMember(t, d.Site, d.Member), webtest.NewMember(t, d.Site, d.Member)
	there.Run(chromedp.Navigate(d.URL + "/links"))
	here.Run(chromedp.Navigate(d.URL + "/account"))
	here.Arrives(`document.querySelector(".sessions").children.length === 2`)
	here.Run(chromedp.Click(`.sessions button`, chromedp.ByQuery))
	here.Arrives(`document.querySelector(".sessions").children.length === 1 && document.querySelector(".banner") !== null`)
	there.Run(chromedp.Evaluate(`document.querySelector(".sections a[href='/links']").click()`, nil))
	there.Arrives(`location.pathname === "/sign-in" && document.querySelector("[name=next]").value === "/links"`)
	here.Quiet()
	there.Quiet()
}

// TestBrowserDialogs checks that a dialog focuses the button that changes
// nothing, and returns the focus when it closes. A dialog whose form was
// refused is open again with the error.
func TestBrowserDialogs(t *testing.T) {
	t.Parallel()
	d := webtest.NewAccountSite(t, auth.SignUpInvite, false)
	l := d.Publish("notes.txt", webtest.Samples["notes.txt"])
	_, err := d.Server.Keys.CreateFor(t.Context(), d.Member.Email, auth.KeyRequest{Name: "A key",
		Scope: vitrine.ScopeFull})
	d.Check(err)
	tb := webtest.NewMember(t, d.Site, d.Member)
	for _, look := range []struct{ path, opener, focus string }{
		{webtest.LinkPath(l) + "/settings", "[popovertarget=delete]", `textContent === "Cancel"`},
		{"/keys", "[popovertarget^=roll]", `value === "day"`},
		{"/keys", "[popovertarget^=revoke]", `textContent === "Keep it"`},
		{"/account", "[popovertarget=close]", `name === "email"`},
	} {
		tb.Run(chromedp.Navigate(d.URL+look.path), chromedp.Focus(look.opener, chromedp.ByQuery),
			webtest.Keys("\r"))
		tb.Until(`document.querySelector(":popover-open")?.contains(document.activeElement) && document.activeElement.` + look.focus)
		tb.Run(webtest.Keys(kb.Escape))
		tb.Until(`document.querySelector(":popover-open") === null && document.activeElement.matches("` + look.opener +
			`")`)
	}
	tb.Run(webtest.Keys("\r"))
	tb.Until(`document.activeElement.name === "email"`)
	tb.Run(webtest.Keys("other@example.org\r"))
	tb.Arrives(`document.querySelector("#close:popover-open .wrong")?.checkVisibility() && document.activeElement.matches("#close [name=email]")`)
	tb.Run(webtest.Keys(kb.Escape))
	tb.Until(`document.querySelector(":popover-open") === null && document.activeElement.matches("[popovertarget=close]")`)
}

// TestBrowserAccountAxe checks that the account pages are accessible and fit
// into each window.
func TestBrowserAccountAxe(t *testing.T) {
	t.Parallel()
	d := webtest.NewAccountSite(t, auth.SignUpOpen, true)
	d.WithPassword(d.Owner)
	key, err := d.Server.Keys.CreateFor(t.Context(), d.Owner.Email, auth.KeyRequest{Name: "A key",
		Scope: vitrine.ScopeFull})
	d.Check(err)
	d.Status(d.Get("/api/v1/links", "Authorization: Bearer "+string(key.Text)), 200)
	list, err := d.Server.Keys.List(t.Context(), d.Owner.Email)
	d.Check(err)
	_, err = d.Server.Keys.RotateFor(t.Context(), d.Owner.Email, list[0].ID, 0)
	d.Check(err)
	invited, err := d.Server.Accounts.Invite(t.Context(), "friend@example.org", vitrine.PlanPro,
		vitrine.Decision{By: vitrine.Administrator})
	d.Check(err)
	reset, err := d.Server.Accounts.OfferReset(t.Context(), d.Member.Email)
	d.Check(err)
	d.SignIn(d.Owner) // in another browser
	out := []string{"/sign-in", "/sign-up", "/reset", httpx.TokenURL("", vitrine.TokenInvite, invited),
		httpx.TokenURL("", vitrine.TokenPassword, reset), "/sign-up/used", d.SignInLink(d.Member)}
	in := []string{"/account", "/keys", "/people"}
	visitor, owner := webtest.NewVisitor(t), webtest.NewMember(t, d.Site, d.Owner)
	for tb, paths := range map[*webtest.Tab][]string{visitor: out, owner: in} {
		for _, path := range paths {
			tb.Visit(d.URL + path)
			tb.CheckWindows(path)
		}
	}
	owner.Visit(d.URL+"/keys", webtest.Type(`[name=name]`, "New\r"))
	owner.Arrives(`document.getElementById("key") !== null`)
	owner.CheckWindows("a new key")
	for path, dialog := range map[string]string{"/keys": "[popovertarget^=roll]",
		"/people": "[popovertarget^=person]"} {
		owner.Visit(d.URL+path, chromedp.Click(dialog, chromedp.ByQuery))
		owner.CheckWindows(path + ", its dialog")
	}
	visitor.Visit(d.URL+"/sign-in", webtest.Type(`[name=email]`, "nobody@example.org"),
		webtest.Type(`#password`, "wrong\r"))
	visitor.Arrives(`document.querySelector(".banner.is-alarm") !== null`)
	visitor.CheckWindows("wrong password")
}
