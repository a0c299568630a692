package web_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// axeRun runs axe-core (testdata/axe.sh) in a page and tells each violation in a line. What is in frames is tried apart.
const axeRun = `axe.run(document, {%s iframes: false, preload: false, resultTypes: ["violations"], rules: {"page-has-heading-one": {enabled: self === top}}}).then((r) =>
	r.violations.map((v) => v.id + " (" + v.impact + "): " + v.help + ": " + v.nodes.map((n) => n.target.join(" ") + " " + (n.any[0]?.message ?? "")).slice(0, 3).join("; ")))`

// axeColours are the rules that ask for colours, which are all that themes differ in.
const axeColours = `runOnly: {type: "rule", values: ["color-contrast", "link-in-text-block"]},`

// accessible checks what a tab shows, as WCAG 2.2 AA and good practice have it.
func (tb *tab) accessible(what string) {
	tb.t.Helper()
	tb.axe(what, "")
}

// accessibleIn is accessible of what a test looks at in each of the themes: in the first by all rules, in the other by those for colours.
func (tb *tab) accessibleIn(theme, what string) {
	tb.t.Helper()
	if theme == themes[0] {
		tb.accessible(what)
	} else {
		tb.axe(what, axeColours)
	}
}

func (tb *tab) axe(what, rules string) {
	tb.t.Helper()
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

// Every kind of page, by day and by night, on a phone, a tablet and a desk, has nothing that would keep somebody out.
func TestBrowserAxe(t *testing.T) {
	s := newSite(t)
	paths := map[string]string{"no page": "/nowhere", "unknown": "/p/nothing-here", "unknown, framed": "/p/nothing-here/embed"}
	for name, content := range samples {
		l := s.publish(name, content, titled("The title of "+name))
		paths[name] = "/p/" + string(l.Slug)
		paths[name+", framed"] = "/p/" + string(l.Slug) + "/embed"
	}
	only := s.publish("notes.txt", samples["notes.txt"], viewOnly)
	paths["view only"], paths["view only, framed"] = "/p/"+string(only.Slug), "/p/"+string(only.Slug)+"/embed"
	for state, name := range map[vitrine.LinkState]string{vitrine.StateReview: "not yet", vitrine.StateDisabled: "no longer"} {
		l := s.publish("notes.txt", samples["notes.txt"])
		s.setState(l, state)
		paths[name] = "/p/" + string(l.Slug)
	}
	look := func(tb *tab, theme string, width int64, name, path string) {
		tb.t.Helper()
		tb.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"}}),
			chromedp.EmulateViewport(width, 844), chromedp.Navigate(s.url+path))
		where := fmt.Sprintf("%s, %s, %d px", name, theme, width)
		if strings.HasPrefix(name, "report.pdf") {
			f := tb.frame("/view")
			f.until(`document.querySelector(".page canvas") !== null`)
			f.accessibleIn(theme, where+", in its frame")
		}
		tb.accessibleIn(theme, where)
		for panel, button := range map[string]string{"share": "[popovertarget=share]", "view-only": "[popovertarget=view-only]"} {
			var there bool
			if tb.run(chromedp.Evaluate(`document.querySelector("`+button+`") !== null`, &there)); !there || panel == "share" && name != "picture.png" && name != "view only" {
				continue
			}
			tb.run(chromedp.Evaluate(`document.querySelector("`+button+`").click(), document.querySelector("#`+panel+` details")?.setAttribute("open", "")`, nil))
			tb.accessibleIn(theme, where+", "+panel+" open")
			tb.until(`(r => r.left >= 0 && r.right <= innerWidth && r.bottom <= innerHeight)(document.getElementById("` + panel + `").getBoundingClientRect())`)
			tb.run(chromedp.Evaluate(`document.getElementById("`+panel+`").hidePopover()`, nil))
		}
		tb.until(`document.documentElement.scrollWidth <= innerWidth`)
	}
	for _, theme := range themes {
		for _, width := range []int64{390, 820, 1440} {
			t.Run(fmt.Sprint(theme, width), func(t *testing.T) {
				t.Parallel()
				tb := newTab(t)
				for name, path := range paths {
					look(tb, theme, width, name, path)
				}
			})
		}
	}
}
