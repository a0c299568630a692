package web_test

import (
	"fmt"
	"net/http"
	"testing"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/web/httpx"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestBrowserSignUp creates an account by mail, signs out and signs in again
// with the password, and arrives at the page that was requested first.
func TestBrowserSignUp(t *testing.T) {
	t.Parallel()
	d := newAccountSite(t, auth.SignUpOpen, true)
	tb := newVisitor(t, chromedp.Navigate(d.url+"/sign-up"))
	tb.run(chromedp.SendKeys(`[name=email]`, "bob@example.org\r"))
	tb.arrives(`document.querySelector("h1").textContent === "Check your e-mail"`)
	tb.run(chromedp.Navigate(d.url+d.sentMail.path(t)), chromedp.SendKeys(`#password`, words),
		chromedp.Click(`[data-shows]`))
	tb.until(`document.querySelector("#password").type === "text" && document.querySelector("[data-shows]").textContent === "Hide"`)
	tb.run(chromedp.Click(`button[type=submit]`))
	tb.arrives(`location.pathname === "/dashboard" && document.querySelector(".who-button").textContent.includes("bob@example.org")`)
	tb.run(chromedp.Evaluate(`document.querySelector("#me form").requestSubmit()`, nil))
	tb.arrives(`location.pathname === "/sign-in"`)
	tb.run(chromedp.Navigate(d.url + "/keys"))
	tb.arrives(`location.pathname === "/sign-in"`)
	tb.run(chromedp.SendKeys(`[name=email]`, "bob@example.org"), chromedp.SendKeys(`#password`, words+"\r"))
	tb.arrives(`location.pathname === "/keys"`)
	tb.quiet()
}

// The time zone is chosen from a list by region, and kept. Links of a key
// expire if the key publishes.
func TestBrowserChoices(t *testing.T) {
	t.Parallel()
	d := newAccountSite(t, auth.SignUpInvite, false)
	tb := newMember(t, d.site, d.member)
	tb.run(chromedp.Navigate(d.url + "/account"))
	tb.until(`document.querySelector("select#timezone optgroup[label=Europe] [value='Europe/Berlin']") !== null`)
	same(t, "today's names of zones", tb.text(`["Asia/Kolkata", "Asia/Calcutta", "Europe/Kyiv", "Europe/Kiev"].filter((name) => document.querySelector("#timezone").querySelector("[value='" + name + "']")).join()`),
		"Asia/Kolkata,Europe/Kyiv")
	tb.run(chromedp.SetValue(`#timezone`, "Europe/Berlin"),
		chromedp.Evaluate(`document.querySelector("#timezone").form.requestSubmit()`, nil))
	tb.arrives(`location.search.includes("saved") && document.querySelector("select#timezone")?.value === "Europe/Berlin"`)
	tb.run(chromedp.Navigate(d.url + "/keys"))
	const life = `document.querySelector("[name=linkLife]").checkVisibility()`
	tb.until(life)
	tb.run(chromedp.Evaluate(`document.querySelector("[name=scope][value=full]").click()`, nil))
	tb.until("!" + life)
	tb.quiet()
}

// TestBrowserKeys creates a key, which is shown once, copies it, and uses it
// from a program. Then it rotates and revokes it.
func TestBrowserKeys(t *testing.T) {
	t.Parallel()
	d := newAccountSite(t, auth.SignUpInvite, false)
	tb := newMember(t, d.site, d.member)
	api := func(key string, want int) {
		t.Helper()
		d.status(d.get("/api/v1/links", "Authorization: Bearer "+key), want)
	}
	tb.run(chromedp.Navigate(d.url+"/keys"), chromedp.SendKeys(`[name=name]`, "Nightly\r"))
	tb.arrives(`document.getElementById("key") !== null`)
	var key, selected string
	tb.run(chromedp.Text(`#key`, &key), chromedp.Evaluate(`getSelection().toString().trim()`, &selected))
	if selected != key {
		t.Errorf("selected text = %q, want the key", selected)
	}
	api(key, http.StatusOK)
	tb.run(chromedp.Evaluate(`window.copied = "", navigator.clipboard.writeText = async (text) => { window.copied = text }`, nil), chromedp.Click(`[data-copy=key]`))
	tb.until(fmt.Sprintf(`window.copied === %q`, key))
	tb.run(chromedp.Click(`[data-copy=curl]`))
	tb.until(fmt.Sprintf(`window.copied.includes("Bearer %s")`, key))
	tb.run(chromedp.Reload())
	tb.arrives(`document.getElementById("key") === null && document.querySelectorAll(".key-rows > li").length === 2`)
	tb.run(chromedp.Click(`.key-rows > li [popovertarget^=roll]`, chromedp.ByQuery))
	tb.until(`document.querySelector(":popover-open") !== null`)
	tb.run(chromedp.Click(`:popover-open [value=now]`, chromedp.ByQuery),
		chromedp.Click(`:popover-open button[type=submit]`, chromedp.ByQuery))
	tb.arrives(`document.getElementById("key") !== null`)
	api(key, http.StatusUnauthorized)
	tb.run(chromedp.Text(`#key`, &key))
	api(key, http.StatusOK)
	tb.run(chromedp.Click(`.key-rows > li [popovertarget^=revoke]`, chromedp.ByQuery))
	tb.until(`document.querySelector(":popover-open") !== null`)
	tb.run(chromedp.Click(`:popover-open button[type=submit]`, chromedp.ByQuery))
	tb.arrives(`document.querySelector(".banner")?.textContent === "Key revoked."`)
	api(key, http.StatusUnauthorized)
	tb.quiet()
}

// TestBrowserSessionRevoked checks that a browser whose session was revoked
// elsewhere is signed out with its next request.
func TestBrowserSessionRevoked(t *testing.T) {
	t.Parallel()
	d := newAccountSite(t, auth.SignUpInvite, false)
	here, there := newMember(t, d.site, d.member), newMember(t, d.site, d.member)
	there.run(chromedp.Navigate(d.url + "/links"))
	here.run(chromedp.Navigate(d.url + "/account"))
	here.arrives(`document.querySelector(".sessions").children.length === 2`)
	here.run(chromedp.Click(`.sessions button`, chromedp.ByQuery))
	here.arrives(`document.querySelector(".sessions").children.length === 1 && document.querySelector(".banner") !== null`)
	there.run(chromedp.Evaluate(`document.querySelector(".sections a[href='/links']").click()`, nil))
	there.arrives(`location.pathname === "/sign-in" && document.querySelector("[name=next]").value === "/links"`)
	here.quiet()
	there.quiet()
}

// TestBrowserDialogs checks that a dialog focuses the button that changes
// nothing, and returns the focus when it closes. A dialog whose form was
// refused is open again with the error.
func TestBrowserDialogs(t *testing.T) {
	t.Parallel()
	d := newAccountSite(t, auth.SignUpInvite, false)
	l := d.publish("notes.txt", samples["notes.txt"])
	_, err := d.server.Keys.Create(t.Context(), d.member.Email, auth.KeyRequest{Name: "A key", Scope: vitrine.ScopeFull})
	d.check(err)
	tb := newMember(t, d.site, d.member)
	for _, look := range []struct{ path, opener, focus string }{
		{linkPath(l) + "/settings", "[popovertarget=delete]", `textContent === "Cancel"`},
		{"/keys", "[popovertarget^=roll]", `value === "day"`},
		{"/keys", "[popovertarget^=revoke]", `textContent === "Keep it"`},
		{"/account", "[popovertarget=close]", `name === "email"`},
	} {
		tb.run(chromedp.Navigate(d.url+look.path), chromedp.Focus(look.opener, chromedp.ByQuery),
			chromedp.KeyEvent("\r"))
		tb.until(`document.querySelector(":popover-open")?.contains(document.activeElement) && document.activeElement.` + look.focus)
		tb.run(chromedp.KeyEvent(kb.Escape))
		tb.until(`document.querySelector(":popover-open") === null && document.activeElement.matches("` + look.opener +
			`")`)
	}
	tb.run(chromedp.KeyEvent("\r"))
	tb.until(`document.activeElement.name === "email"`)
	tb.run(chromedp.KeyEvent("somebody@example.org\r"))
	tb.arrives(`document.querySelector("#close:popover-open .wrong")?.checkVisibility() && document.activeElement.matches("#close [name=email]")`)
	tb.run(chromedp.KeyEvent(kb.Escape))
	tb.until(`document.querySelector(":popover-open") === null && document.activeElement.matches("[popovertarget=close]")`)
}

// TestBrowserAccountAxe checks that the account pages are accessible and fit
// into each window.
func TestBrowserAccountAxe(t *testing.T) {
	t.Parallel()
	d := newAccountSite(t, auth.SignUpOpen, true)
	d.withPassword(d.owner)
	key, err := d.server.Keys.Create(t.Context(), d.owner.Email, auth.KeyRequest{Name: "A key", Scope: vitrine.ScopeFull})
	d.check(err)
	d.status(d.get("/api/v1/links", "Authorization: Bearer "+string(key.Text)), 200)
	list, err := d.server.Keys.List(t.Context(), d.owner.Email)
	d.check(err)
	_, err = d.server.Keys.Rotate(t.Context(), d.owner.Email, list[0].ID, 0)
	d.check(err)
	invited, err := d.server.Accounts.Invite(t.Context(), "friend@example.org", vitrine.PlanPro,
		vitrine.Decision{By: vitrine.Operator})
	d.check(err)
	reset, err := d.server.Accounts.OfferReset(t.Context(), d.member.Email)
	d.check(err)
	d.signIn(d.owner) // in another browser
	out := []string{"/sign-in", "/sign-up", "/reset", httpx.TokenURL("", vitrine.TokenInvite, invited),
		httpx.TokenURL("", vitrine.TokenPassword, reset), "/sign-up/used", d.signInLink(d.member)}
	in := []string{"/account", "/keys", "/people"}
	visitor, owner := newVisitor(t), newMember(t, d.site, d.owner)
	for tb, paths := range map[*tab][]string{visitor: out, owner: in} {
		for _, path := range paths {
			tb.visit(d.url + path)
			tb.checkWindows(path)
		}
	}
	owner.visit(d.url+"/keys", chromedp.SendKeys(`[name=name]`, "New\r"))
	owner.arrives(`document.getElementById("key") !== null`)
	owner.checkWindows("a new key")
	for path, dialog := range map[string]string{"/keys": "[popovertarget^=roll]",
		"/people": "[popovertarget^=person]"} {
		owner.visit(d.url+path, chromedp.Click(dialog, chromedp.ByQuery))
		owner.checkWindows(path + ", its dialog")
	}
	visitor.visit(d.url+"/sign-in", chromedp.SendKeys(`[name=email]`, "nobody@example.org"),
		chromedp.SendKeys(`#password`, "wrong\r"))
	visitor.arrives(`document.querySelector(".banner.is-alarm") !== null`)
	visitor.checkWindows("wrong password")
}
