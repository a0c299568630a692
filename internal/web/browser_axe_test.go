package web_test

import (
	"fmt"
	"sync/atomic"

	"vitrine/internal/test/tier"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// axeRun runs axe-core (testdata/axe.sh) in a page and returns one line for
// each violation. Frames are checked separately. Targets that an open popover
// covers in part are not measured, because the page is also checked without it.
// A dialog that fades in is checked when it is there.
const axeRun = `((over) => Promise.all(document.getAnimations().filter((a) => a.playState === "running" && a.effect.getComputedTiming().endTime < Infinity).map((a) => a.finished.catch(() => {}))).then(() => axe.run(document, {%s iframes: false, preload: false, resultTypes: ["violations"], rules: {"page-has-heading-one": {enabled: self === top}, "target-size": {enabled: true}}})).then((r) =>
	r.violations.map((v) => ({...v, nodes: v.nodes.filter((n) => v.id !== "target-size" || !over || over.contains(document.querySelector(n.target[0])))})).filter((v) => v.nodes.length > 0).map((v) =>
		v.id + " (" + v.impact + "): " + v.help + ": " + v.nodes.map((n) => n.target.join(" ") + " " + (n.any[0]?.message ?? "")).slice(0, 8).join("; "))))(document.querySelector(":popover-open"))`

// axeColours are the rules that depend on colours, the only ones whose result
// differs between themes. axeAll are all rules; axeNone does not run axe.
const (
	axeAll     = ``
	axeColours = `runOnly: {type: "rule", values: ["color-contrast", "link-in-text-block"]},`
	axeNone    = "none"
)

// window is a browser window in which a page is checked.
type window struct {
	width int64
	theme string
	rules string // of axe
}

func (w window) String() string { return fmt.Sprintf("%s, %d px", w.theme, w.width) }

// windows returns the windows in which each page is checked: the narrowest that
// WCAG requires (1.4.10), a phone, a tablet and a desktop. The markup does not
// depend on the theme, and on the width only in what a phone leaves out, so the
// gate runs all rules of axe on a phone and a desktop, and those for colours
// once more. Tier all runs all rules in each window.
func windows() []window {
	all := []window{{320, "light", axeNone}, {390, "light", axeAll}, {820, "light", axeNone},
		{1440, "light", axeAll}, {1440, "dark", axeColours}}
	if tier.Current() == tier.All {
		all = nil
		for _, width := range []int64{320, 390, 720, 820, 1440} { // 720 is 1440 at 200 %
			all = append(all, window{width, "light", axeAll}, window{width, "dark", axeColours})
		}
	}
	return all
}

// checkWindows checks that the page in a tab is accessible and fits into each
// of the windows, without navigating again. The functions check more in each
// window.
func (tb *tab) checkWindows(what string, also ...func(w window, where string)) {
	tb.t.Helper()
	for _, w := range windows() {
		where := what + ", " + w.String()
		tb.run(inTheme(w.theme), chromedp.EmulateViewport(w.width, 844))
		var wide string
		if tb.run(chromedp.Evaluate(fmt.Sprintf(overflow, w.width), &wide, awaited)); wide != "" {
			tb.t.Errorf("%s: the page is too wide: %s", where, wide)
		}
		var sizes []string
		if tb.run(chromedp.Evaluate(typeSizes, &sizes)); len(sizes) > 0 {
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

// overflow returns "" once the window has its new width and the page fits into
// it. A page that adapts by script gets some time.
const overflow = `new Promise((done) => {
	const give = performance.now() + 5000;
	const look = () => {
		const wide = document.documentElement.scrollWidth;
		if (innerWidth === %d && wide <= innerWidth) done("");
		else if (performance.now() > give) done(wide + " px wide in a window of " + innerWidth + " px");
		else setTimeout(look, 10);
	};
	look();
})`

// accessible checks the page in a tab against WCAG 2.2 AA and best practices.
func (tb *tab) accessible(what string) {
	tb.t.Helper()
	tb.axe(what, axeAll)
}

// axeRuns counts the runs of axe, which take most of the browser's time.
var axeRuns atomic.Int64

func (tb *tab) axe(what, rules string) {
	tb.t.Helper()
	if rules == axeNone {
		return
	}
	axeRuns.Add(1)
	var found []string
	var there bool
	tb.run(chromedp.Evaluate(`"axe" in window`, &there))
	if !there {
		tb.run(chromedp.Evaluate(string(axe), nil))
	}
	tb.run(chromedp.Evaluate(fmt.Sprintf(axeRun, rules), &found, awaited))
	for _, f := range found {
		tb.t.Errorf("%s: %s", what, f)
	}
}

func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

var axe = mustRead("testdata/axe/axe.min.js")
