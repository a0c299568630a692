//go:build screens

package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// screens are the windows of the screenshots.
var screens = []struct {
	name          string
	width, height int64
	scale         float64
	theme         string
}{
	{"light", 1440, 900, 1, "light"},
	{"dark", 1440, 900, 1, "dark"},
	{"phone", 390, 844, 2, "light"},
	{"phone-dark", 390, 844, 2, "dark"},
}

// TestScreens takes a full screenshot of every page of the site with the demo's
// data, light and dark, desktop and phone, in the directory VITRINE_SCREENS
// ("make screens", which also sets the build tag "screens").
// VITRINE_SCREENS_ONLY is a regular expression for the names of pages.
func TestScreens(t *testing.T) {
	dir := os.Getenv("VITRINE_SCREENS")
	only := regexp.MustCompile(os.Getenv("VITRINE_SCREENS_ONLY"))
	d := newPicturedDemo(t)
	pages := append(sitePages(d), states(d)...)
	for name, l := range d.links {
		pages = append(pages, sitePage{name: "file " + name, path: "/p/" + string(l.Slug)})
	}
	pages = append(pages, sitePage{name: "moderation", path: "/moderation", as: d.moderator},
		sitePage{name: "moderation case", path: casePath(d.held), as: d.moderator},
		sitePage{name: "moderation history", path: "/moderation/history", as: d.moderator},
		sitePage{name: "moderation account", path: accountPath(d.member), as: d.moderator})
	screenPages := publicScreens(t, d)
	for _, p := range pages {
		screenPages = append(screenPages, screen{sitePage: p})
	}
	cookies := d.cookies()
	for _, s := range screens {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			to := filepath.Join(dir, s.name)
			if err := os.MkdirAll(to, 0o755); err != nil {
				t.Fatal(err)
			}
			a := newAudience(t, d, cookies)
			for _, p := range screenPages {
				if !only.MatchString(p.name) {
					continue
				}
				tb, address := a.tab(p.as), d.url+p.path
				if strings.HasPrefix(p.path, "http") { // another host
					tb, address = newVisitor(t), p.path
				}
				var shot []byte
				window := []chromedp.EmulateViewportOption{chromedp.EmulateScale(s.scale)}
				if s.scale > 1 { // a phone
					window = append(window, chromedp.EmulateMobile, chromedp.EmulateTouch)
				}
				tb.run(page.BringToFront(), inTheme(s.theme), chromedp.EmulateViewport(s.width, s.height, window...),
					chromedp.Navigate(address),
					chromedp.Evaluate(`Promise.all([...document.images].filter((i) => i.loading !== "lazy").map((i) => i.decode().catch(() => {})))`, nil, awaited))
				switch {
				case p.then != "":
					tb.run(chromedp.Evaluate(p.then, nil), chromedp.Sleep(2*time.Second)) // it may lead to another page
				case p.act != nil:
					p.act(tb)
					tb.run(chromedp.Sleep(time.Second)) // a form may lead to another page
				case strings.HasSuffix(p.name, ".pdf") && p.as == nil:
					tb.frame("/view").until(`document.querySelector(".page canvas") !== null`)
				case strings.HasPrefix(p.name, "file "), strings.HasPrefix(p.name, "embed"):
					tb.linger(time.Second) // the viewer's frame is still drawing
				}
				tb.run(chromedp.FullScreenshot(&shot, 100))
				name := strings.NewReplacer(" ", "-", ",", "", "/", "-").Replace(p.name) + ".png"
				if err := os.WriteFile(filepath.Join(to, name), shot, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			fmt.Println(to)
		})
	}
}

// states returns pages after a step of their user: with a dialog, a menu, a
// message or an upload.
func states(d *demo) (pages []sitePage) {
	report, tour := "/links/"+string(d.links["annual-report.pdf"].Slug), "/links/"+string(d.links["tour.webm"].Slug)
	click := func(what string) string { return fmt.Sprintf(`document.querySelector(%q).click()`, what) }
	files := func(input string, names ...string) string {
		return fmt.Sprintf(`((input, names) => { const t = new DataTransfer();
			names.forEach((n) => t.items.add(new File(["WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n"], n)));
			input.files = t.files; input.dispatchEvent(new Event("change", {bubbles: true})) })(document.querySelector(%q), %q.split(" "));`,
			input, strings.Join(names, " "))
	}
	reset, err := d.server.Accounts.OfferReset(d.t.Context(), d.free.Email)
	d.check(err)
	invitation, err := d.server.Accounts.Invite(d.t.Context(), "grace@example.org", vitrine.PlanPro, vitrine.Decision{By: vitrine.Operator})
	d.check(err)
	first, setup := unsetSite(d)
	twelve := strings.Fields("one.txt two.md sales.csv sales.yaml fail.pdf six.log seven.txt eight.md nine.csv ten.txt " +
		"notes-of-the-meeting-with-the-architects-in-the-spring.txt twelve.txt")
	for _, s := range []struct {
		name string
		as   *vitrine.Account
		path string
		then string
	}{
		{"menu", d.pro, "/dashboard", click(".who-button")},
		{"shortcuts", d.pro, "/dashboard", click("[popovertarget=keys]")},
		{"upload options", d.pro, "/dashboard", openAll},
		{"upload options on Free", d.free, "/dashboard", openAll},
		{"uploads", d.fresh, "/dashboard", files("#files", twelve...)},
		{"upload", d.fresh, "/dashboard", files("#files", "one.txt")},
		{"refused", d.pro, "/dashboard", files("#files", "setup.exe", "notes.xyz")},
		{"menu of a link", d.pro, "/links", click(".link-rows .row-menu")},
		{"chosen links", d.pro, "/links", `document.querySelectorAll(".row-pick input").forEach((c, i) => i < 3 && c.click())`},
		{"no matching links", d.pro, "/links?q=nothing", ""},
		{"delete link", d.pro, tour + "/settings", click("[popovertarget=delete]")},
		{"delete album", d.pro, "/albums/" + string(d.album.Slug), click("[popovertarget=delete]")},
		{"captions", d.pro, tour + "/settings", files(".captions-form [type=file]", "en.vtt") +
			`document.querySelector(".captions-form [name=language]").value = "en"; document.querySelector(".captions-form").requestSubmit()`},
		{"new website", d.pro, "/websites", openAll},
		{"new key", d.pro, "/keys", `document.querySelector(".key-form [name=name]").value = "Nightly"; document.querySelector(".key-form").requestSubmit()`},
		{"close account", d.pro, "/account", click("[popovertarget=close]")},
		{"new share", d.pro, report + "/analytics", openAll + `; document.querySelector(".share-form [name=label]").value = "Partners"; document.querySelector(".share-form").requestSubmit()`},
		{"call", d.pro, report + "/analytics", click("[popovertarget=call]")},
		{"person", d.owner, "/people", click("[popovertarget^=person-]")},
		{"invited", d.owner, "/people", `document.querySelector("[action='/people/invite'] [name=email]").value = "eve" + Date.now() + "@example.org"; document.querySelector("[action='/people/invite']").requestSubmit()`},
		{"no such person", d.owner, "/people?q=nobody", ""},
		{"wrong password", nil, "/sign-in", `document.querySelector("[name=email]").value = "ada@example.org"; document.querySelector("[name=password]").value = "not this one"; document.querySelector("form").requestSubmit()`},
		{"set up", nil, first.url + "/setup/" + setup, ""},
		{"not set up", nil, first.url + "/", ""},
		{"invitation", nil, "/sign-up/" + string(invitation), ""},
		{"new password", nil, "/password/" + string(reset), ""},
		{"sign-in link", nil, d.signInLink(d.member), ""},
		{"chosen cases", d.moderator, "/moderation", click("#all")},
		{"no such case", d.moderator, "/moderation/find?for=nothing-here", ""},
		{"disabled link", d.member, "/links/" + string(d.off.Slug), ""},
		{"held link, share", d.member, "/links/" + string(d.held.Slug) + "/share", ""},
		{"analytics of a new link", d.pro, statsPath(d.links["loan-agreement.rtf"]), ""},
	} {
		pages = append(pages, sitePage{name: s.name, as: s.as, path: s.path, then: s.then})
	}
	return pages
}
