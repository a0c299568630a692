package app_test

import (
	"testing"

	"vitrine/internal/app/auth"
	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
)

// TestBrowserProvider signs in by the page, at a real provider, and arrives at
// the page that was requested first. Then an account with a password connects
// it by the page.
func TestBrowserProvider(t *testing.T) {
	t.Parallel()
	d := webtest.NewAccountSite(t, auth.SignUpOpen, false)
	p := webtest.NewProvider(d.Site, "/realms/acme", "")
	p.Person("u1", verified("ada@example.org"))
	tb := webtest.NewVisitor(t, chromedp.Navigate(d.URL+"/links"))
	tb.Arrives(`location.pathname === "/sign-in"`)
	atProvider := func(sub string) {
		t.Helper()
		tb.Arrives(`document.querySelector("input[name=login]") !== null`)
		tb.Run(webtest.Type(`[name=login]`, sub), webtest.Type(`[name=password]`, "x\r"))
	}
	tb.Run(chromedp.Click(`a[href^="/sign-in/with/work"]`))
	atProvider("u1")
	tb.Arrives(`location.pathname === "/links" && document.querySelector(".who-button").textContent.includes("ada@example.org")`)
	p.Person("u2", verified("elsewhere@example.org"))
	tb = webtest.NewMember(t, d.Site, d.WithPassword(d.Member))
	tb.Run(chromedp.Navigate(d.URL+"/account"), chromedp.Click(`#providers-form [name=connect]`))
	atProvider("u2")
	tb.Arrives(`location.pathname === "/account" && document.querySelector(".banner")?.textContent.startsWith("Connected")`)
	tb.Run(chromedp.Click(`[form=providers-form][name=remove]`))
	tb.Arrives(`location.search.includes("disconnected") && document.querySelector("#providers-form [name=connect]") !== null`)
}
