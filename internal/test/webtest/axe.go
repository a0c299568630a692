package webtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"vitrine"
	"vitrine/internal/app/links"
	"vitrine/internal/test/tier"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// axeRun runs axe-core (testdata/axe.sh) in a page and returns one line for
// each violation. Frames are checked separately: those that there are must have
// an address, because an empty document has no title and no language. Targets
// that an open popover covers in part are not measured, because the page is
// also checked without it. A dialog that fades in is checked when it is there.
const axeRun = `((over) => Promise.all(document.getAnimations().filter((a) => a.playState === "running" && a.effect.getComputedTiming().endTime < Infinity).map((a) => a.finished.catch(() => {}))).then(() => axe.run(document, {%s iframes: false, preload: false, resultTypes: ["violations"], rules: {"target-size": {enabled: true}}})).then((r) =>
	r.violations.map((v) => ({...v,
		nodes: v.nodes.filter((n) => v.id !== "target-size" || !over || over.contains(document.querySelector(n.target[0])))})).filter((v) => v.nodes.length > 0).map((v) =>
		v.id + " (" + v.impact + "): " + v.help + ": " + v.nodes.map((n) => n.target.join(" ") + " " + (n.any[0]?.message ?? "")).slice(0, 8).join("; "))))(document.querySelector(":popover-open"))`

// axeColours are the rules that depend on colours, the only ones whose result
// differs between themes. axeAll are all rules; axeNone does not run axe.
const (
	axeAll     = ``
	axeColours = `runOnly: {type: "rule", values: ["color-contrast", "link-in-text-block"]},`
	axeNone    = "none"
)

// Window is a browser window in which a page is checked.
type Window struct {
	width int64
	theme string
	rules string // of axe
}

func (w Window) String() string { return fmt.Sprintf("%s, %d px", w.theme, w.width) }

// windows returns the windows in which each page is checked: the narrowest that
// WCAG requires (1.4.10), a phone, a tablet and a desktop. The markup does not
// depend on the theme, and on the width only in what a phone leaves out, so the
// gate runs all rules of axe on a phone and a desktop, and those for colours
// once more. Tier all runs all rules in each window.
func windows() []Window {
	all := []Window{{320, "light", axeNone}, {390, "light", axeAll}, {820, "light", axeNone},
		{1440, "light", axeAll}, {1440, "dark", axeColours}}
	if tier.Current() == tier.All {
		all = nil
		for _, width := range []int64{320, 390, 720, 820, 1440} { // 720 is 1440 at 200 %
			all = append(all, Window{width, "light", axeAll}, Window{width, "dark", axeColours})
		}
	}
	return all
}

// CheckWindows checks that the page in a tab is accessible and fits into each
// of the windows, without navigating again. The functions check more in each
// window.
func (tb *Tab) CheckWindows(what string, also ...func(w Window, where string)) {
	tb.t.Helper()
	for _, w := range windows() {
		where := what + ", " + w.String()
		tb.Run(InTheme(w.theme), chromedp.EmulateViewport(w.width, 844))
		var wide string
		if tb.Run(chromedp.Evaluate(fmt.Sprintf(overflow, w.width), &wide, Awaited)); wide != "" {
			tb.t.Errorf("%s: the page is too wide: %s", where, wide)
		}
		var sizes []string
		if tb.Run(chromedp.Evaluate(typeSizes, &sizes)); len(sizes) > 0 {
			tb.t.Errorf("%s: sizes of type that are not a token: %q", where, sizes)
		}
		tb.axe(where, w.rules)
		for _, check := range also {
			check(w, where)
		}
	}
}

// typeSizes lists the sizes of type of a page that are none of the tokens, each
// with an element. Code in a line of text is smaller than the line. Documents
// that viewers show have sizes of their own.
const typeSizes = `(() => {
	const probe = document.body.appendChild(document.createElement("i"));
	const tokens = ["xs", "s", "m", "base", "l", "xl", "2xl", "3xl"].map((name) => {
		probe.style.fontSize = "var(--text-" + name + ")";
		return parseFloat(getComputedStyle(probe).fontSize);
	});
	probe.remove();
	const wrong = new Map();
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (texts.nextNode()) {
		const text = texts.currentNode.data.trim(), e = texts.currentNode.parentElement;
		if (!text || e.closest("noscript, script, svg, .sheet") || !e.checkVisibility()) continue;
		const size = parseFloat(getComputedStyle(e).fontSize), factor = e.closest("code, kbd, pre") ? 0.875 : 1;
		if (![1, factor].some((f) => tokens.some((t) => Math.abs(t * f - size) < 0.02)))
			wrong.set(size, size + " px: " + e.outerHTML.slice(0, 120));
	}
	return [...wrong.values()];
})()`

// overflow returns "" once the page is loaded, because axe measures a page that
// moves wrongly, the window has its new width, and the page fits into it. A
// page that adapts by script gets some time.
const overflow = `new Promise((done) => {
	let give;
	const look = () => {
		if (document.readyState !== "complete") return setTimeout(look, 10);
		give ??= performance.now() + 5000;
		const wide = document.documentElement.scrollWidth;
		if (innerWidth === %d && wide <= innerWidth) done("");
		else if (performance.now() > give) done(wide + " px wide in a window of " + innerWidth + " px");
		else setTimeout(look, 10);
	};
	look();
})`

// Accessible checks the page in a tab against WCAG 2.2 AA and best practices.
func (tb *Tab) Accessible(what string) {
	tb.t.Helper()
	tb.axe(what, axeAll)
}

// axeRuns counts the runs of axe, which take most of the browser's time.
var axeRuns atomic.Int64

func (tb *Tab) axe(what, rules string) {
	tb.t.Helper()
	if rules == axeNone {
		return
	}
	axeRuns.Add(1)
	var found []string
	var there bool
	tb.Run(chromedp.Evaluate(`"axe" in window`, &there))
	if !there {
		tb.Run(chromedp.Evaluate(string(axe), nil))
	}
	tb.Run(chromedp.Evaluate(fmt.Sprintf(axeRun, rules), &found, Awaited))
	var empty string
	tb.Run(chromedp.Evaluate(`document.querySelector("iframe:not([src], [srcdoc])")?.outerHTML ?? ""`, &empty))
	if empty != "" {
		found = append(found, "an empty frame: "+empty)
	}
	for _, f := range found {
		tb.t.Errorf("%s: %s", what, f)
	}
}

func Awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

var axe = MustRead("testdata/axe/axe.min.js")

// MemberTab returns a tab that is signed in.
func (s *Site) MemberTab(a *vitrine.Account, path string) *Tab {
	s.T.Helper()
	name, value, _ := strings.Cut(strings.TrimPrefix(s.SignIn(a), "Cookie: "), "=")
	tb := NewTab(s.T)
	tb.Run(network.SetCookie(name, value).WithURL(s.URL).WithHTTPOnly(true), chromedp.Navigate(s.URL+path))
	tb.Arrives(`document.body.classList.contains("has-script")`)
	return tb
}

// Choose picks files as with the system's dialog.
func (tb *Tab) Choose(names ...string) {
	tb.t.Helper()
	dir := tb.t.TempDir()
	var paths []string
	for _, name := range names {
		content, ok := Samples[name]
		if !ok {
			content = []byte("what " + name + " says\n")
		}
		paths = append(paths, filepath.Join(dir, name))
		if err := os.WriteFile(paths[len(paths)-1], content, 0o600); err != nil {
			tb.t.Fatal(err)
		}
	}
	tb.Run(chromedp.SetUploadFiles("#files", paths, chromedp.ByQuery))
}

// FileRow returns an expression for the row of a file with the given title: the
// file's name, without its extension once it is a link.
func FileRow(title string) string {
	stem := strings.TrimSuffix(title, filepath.Ext(title))
	return fmt.Sprintf(`[...document.querySelectorAll("#rows li")].find((li) => [%q, %q].includes(li.querySelector(".title").textContent))`,
		title, stem)
}

// WaitForState waits until a file is in a state.
func (tb *Tab) WaitForState(title, state string) {
	tb.t.Helper()
	tb.Until(FileRow(title) + `?.dataset.state === "` + state + `"`)
}

func (tb *Tab) Text(expression string) (text string) {
	tb.t.Helper()
	tb.Run(chromedp.Evaluate(expression, &text))
	return text
}

func (s *Site) LinksOf(a *vitrine.Account) []*vitrine.Link {
	s.T.Helper()
	links, _, err := s.Server.Links.List(s.T.Context(), a.ID, links.LinkSearch{Limit: 100}, vitrine.LinkCursor{})
	s.Check(err)
	return links
}

// KeepText is a script that stores a pending file, like the front page.
const KeepText = `new Promise((done) => {
	const request = indexedDB.open("vitrine", 1);
	request.onupgradeneeded = () => request.result.createObjectStore("pending");
	request.onsuccess = () => {
		const all = request.result.transaction("pending", "readwrite");
		all.objectStore("pending").put({at: Date.now(), files: [new File(["kept"], "kept.txt", {type: "text/plain"})]},
			"files");
		all.oncomplete = () => { request.result.close(); done(true); };
	};
})`

func LinkPath(l *vitrine.Link) string { return "/links/" + string(l.Slug) }

// SignInAs signs in to an account in a tab that is signed out.
func (tb *Tab) SignInAs(d *Site, a *vitrine.Account) {
	tb.t.Helper()
	name, value, _ := strings.Cut(strings.TrimPrefix(d.SignIn(a), "Cookie: "), "=")
	tb.Run(network.SetCookie(name, value).WithURL(d.URL).WithHTTPOnly(true), chromedp.Navigate(d.URL+"/dashboard"))
	tb.Arrives(`document.body.classList.contains("has-script")`)
}

// TabTo presses Tab until an element has the focus. Each element on the way
// must show its focus.
func (tb *Tab) TabTo(selector string) {
	tb.t.Helper()
	for range 150 {
		var there, seen bool
		tb.Run(Keys(kb.Tab), chromedp.Evaluate(`document.activeElement.matches(`+"`"+selector+"`"+`)`, &there), chromedp.Evaluate(`(() => {
			const e = document.activeElement;
			if (e === document.body) return true;
			const shows = (e) => { const s = getComputedStyle(e); return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0; };
			for (let at = e; at; at = at.parentElement) if (shows(at)) return true;
			return false;
		})()`, &seen))
		if !seen {
			tb.t.Errorf("the focus is not visible on %s", tb.Text(`document.activeElement.outerHTML.slice(0, 120)`))
		}
		if there {
			return
		}
	}
	tb.t.Fatalf("Tab does not reach %s", selector)
}

// Arrives waits until a condition holds on the next page.
func (tb *Tab) Arrives(condition string) {
	tb.t.Helper()
	Eventually(tb.t, condition, func() bool {
		var ok bool
		return chromedp.Run(tb.Ctx, chromedp.Evaluate(`document.readyState === "complete" && (`+condition+`)`,
			&ok)) == nil && ok
	})
}

// Press sends keys to a page once it accepts decisions by keys.
func (tb *Tab) Press(keys string) {
	tb.t.Helper()
	tb.Arrives(`"ready" in document.body.dataset`)
	tb.Run(Keys(keys))
}

// SwitchKeys turns the keys of the page on or off, in the list of keys.
func (tb *Tab) SwitchKeys(on bool) {
	tb.t.Helper()
	tb.Press("?")
	tb.Until(`document.querySelector("#keys:popover-open")?.getAnimations().length === 0`)
	tb.Run(chromedp.Click("#keys-on"))
	tb.Until(fmt.Sprintf(`document.querySelector("#keys-on").checked === %t`, on))
	tb.Press("\x1b")
	tb.Until(`document.querySelector("#keys:popover-open") === null`)
}

// ModeratorTab returns a tab that is signed in as a moderator. The cookie stays
// in the browser, but is not valid for the site of another test.
func (s *Site) ModeratorTab(a *vitrine.Account, actions ...chromedp.Action) *Tab {
	s.T.Helper()
	tb := NewTab(s.T, actions...)
	tb.Run(chromedp.Navigate(s.URL+s.SignInLink(a)), chromedp.Click(`button[type="submit"]`))
	tb.Arrives(`location.pathname === "/dashboard"`)
	tb.Run(chromedp.Navigate(s.URL + "/moderation"))
	return tb
}

// VisitorOf returns a tab that is signed in to an account.
func (s *Site) VisitorOf(a *vitrine.Account) *Tab {
	s.T.Helper()
	tb := NewVisitor(s.T)
	name, value, _ := strings.Cut(strings.TrimPrefix(s.SignIn(a), "Cookie: "), "=")
	tb.Run(network.SetCookie(name, value).WithURL(s.URL).WithHTTPOnly(true))
	return tb
}

// SiteOf returns a website by its slug.
func (s *Site) SiteOf(slug vitrine.Slug) (site *vitrine.Site) {
	s.T.Helper()
	f, err := s.Server.Sites.BySlug(s.T.Context(), s.Account, string(slug))
	s.Check(err)
	return f.Site
}
