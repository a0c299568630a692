package app_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"vitrine/internal/app/auth"
	"vitrine/internal/test/webtest"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
)

// passkeys plugs a virtual device for passkeys into a tab, whose user touches
// and unlocks it at once.
func passkeys(t *testing.T, tb *webtest.Tab) (id webauthn.AuthenticatorID) {
	t.Helper()
	tb.Run(webauthn.Enable(), chromedp.ActionFunc(func(ctx context.Context) (err error) {
		id, err = webauthn.AddVirtualAuthenticator(&webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
			HasResidentKey: true, HasUserVerification: true, IsUserVerified: true,
			AutomaticPresenceSimulation: true}).Do(ctx)
		return err
	}))
	return id
}

// TestBrowserPasskey adds a passkey in Chromium, signs in with it alone and as
// a second step, uses it for a new key, and removes it.
func TestBrowserPasskey(t *testing.T) {
	d := webtest.NewAccountSite(t, auth.SignUpInvite, false)
	d.WithPasskeys()
	a := d.WithPassword(d.Owner)
	tb := webtest.NewVisitor(t, chromedp.Navigate(d.URL+"/sign-in"))
	id := passkeys(t, tb)
	// Otherwise the virtual user takes the passkey that the field of the
	// address offers, before anything else.
	var unoffered page.ScriptIdentifier
	silent := chromedp.ActionFunc(func(ctx context.Context) (err error) {
		unoffered, err = page.AddScriptToEvaluateOnNewDocument(
			`PublicKeyCredential.isConditionalMediationAvailable = async () => false`).Do(ctx)
		return err
	})
	password := func() {
		t.Helper()
		tb.Run(chromedp.Navigate(d.URL+"/sign-in"), webtest.Type(`[name=email]`, a.Email),
			webtest.Type(`#password`, webtest.Words+"\r"))
	}
	alone := func(path string) {
		t.Helper()
		tb.Run(chromedp.Navigate(d.URL+path), chromedp.Click(`[data-passkey]`))
	}
	out := func() {
		t.Helper()
		tb.Run(network.DeleteCookies("vitrine").WithURL(d.URL))
	}
	said := func(text string) {
		t.Helper()
		tb.Until(fmt.Sprintf(`document.body.textContent.includes(%q)`, text))
	}

	tb.Run(silent)
	password()
	tb.Arrives(`location.pathname === "/dashboard"`)
	tb.Run(chromedp.Navigate(d.URL+"/account/two-step"),
		webtest.Type(`form:has([data-new]) [name=current]`, webtest.Words),
		chromedp.SetValue(`[name=name]`, "Ann’s laptop"), chromedp.Click(`[data-new]`))
	tb.Arrives(`document.querySelector("h1").textContent === "Your recovery codes" && document.getElementById("codes") !== null`)

	out()
	password()
	tb.Arrives(`location.pathname === "/two-step"`)
	tb.Run(chromedp.Click(`[data-passkey]`))
	tb.Arrives(`location.pathname === "/dashboard"`)

	d.Ahead.Add(int64(11 * time.Minute))
	tb.Run(chromedp.Navigate(d.URL+"/keys"), webtest.Type(`[action="/keys"] [name=name]`, "Nightly"),
		chromedp.Click(`[action="/keys"] [data-passkey]`, chromedp.ByQuery))
	tb.Arrives(`document.getElementById("key") !== null`)

	out()
	alone("/sign-in?next=/keys")
	tb.Arrives(`location.pathname === "/keys"`)
	out()
	tb.Run(page.RemoveScriptToEvaluateOnNewDocument(unoffered), chromedp.Navigate(d.URL+"/sign-in?next=/links"))
	tb.Arrives(`location.pathname === "/links"`)
	tb.Run(silent)

	// The same device has one passkey of an account.
	tb.Run(chromedp.Navigate(d.URL+"/account/two-step"), chromedp.Click(`details:has([data-new]) summary`),
		chromedp.Click(`[data-new]`))
	said("This device has a passkey of your account already.")

	out()
	tb.Run(webauthn.SetUserVerified(id, false))
	alone("/sign-in")
	said("No passkey was used.")
	tb.Run(webauthn.SetUserVerified(id, true), chromedp.Click(`[data-passkey]`))
	tb.Arrives(`location.pathname === "/dashboard"`)

	tb.Run(chromedp.Navigate(d.URL+"/account/two-step"), chromedp.Click(`form:has([name=key]) [data-passkey]`))
	said("Your passkey is confirmed.")
	tb.Run(chromedp.Click(`[name=key]`))
	tb.Arrives(`location.pathname === "/account" && location.search === "?said=two-step-off"`)
	out()
	alone("/sign-in")
	tb.Arrives(`document.querySelector("[role=alert]")?.textContent.includes("This passkey does not sign in here")`)
}
