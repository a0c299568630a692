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
	"vitrine/internal/test/webtest"

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
	pages := append(webtest.SitePages(d), states(d)...)
	for name, l := range d.Links {
		pages = append(pages, webtest.SitePage{Name: "file " + name, Path: "/p/" + string(l.Slug)})
	}
	pages = append(pages, webtest.SitePage{Name: "moderation", Path: "/moderation", As: d.Moderator},
		webtest.SitePage{Name: "moderation case", Path: webtest.CasePath(d.Held), As: d.Moderator},
		webtest.SitePage{Name: "moderation history", Path: "/moderation/history", As: d.Moderator},
		webtest.SitePage{Name: "moderation account", Path: webtest.AccountPath(d.Member), As: d.Moderator})
	screenPages := publicScreens(t, d)
	for _, p := range pages {
		screenPages = append(screenPages, screen{SitePage: p})
	}
	cookies := d.Cookies()
	for _, s := range screens {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			to := filepath.Join(dir, s.name)
			if err := os.MkdirAll(to, 0o755); err != nil {
				t.Fatal(err)
			}
			a := newAudience(t, d, cookies)
			for _, p := range screenPages {
				if !only.MatchString(p.Name) {
					continue
				}
				tb, address := a.tab(p.As), d.URL+p.Path
				if strings.HasPrefix(p.Path, "http") { // another host
					tb, address = webtest.NewVisitor(t), p.Path
				}
				var shot []byte
				window := []chromedp.EmulateViewportOption{chromedp.EmulateScale(s.scale)}
				if s.scale > 1 { // a phone
					window = append(window, chromedp.EmulateMobile, chromedp.EmulateTouch)
				}
				tb.Run(page.BringToFront(), webtest.InTheme(s.theme), chromedp.EmulateViewport(s.width, s.height,
					window...), chromedp.Navigate(address),
					chromedp.Evaluate(`Promise.all([...document.images].filter((i) => i.loading !== "lazy").map((i) => i.decode().catch(() => {})))`, nil, webtest.Awaited))
				switch {
				case p.Then != "":
					tb.Run(chromedp.Evaluate(p.Then, nil), chromedp.Sleep(2*time.Second)) // it may lead to another page
				case p.act != nil:
					p.act(tb)
					tb.Run(chromedp.Sleep(time.Second)) // a form may lead to another page
				case strings.HasSuffix(p.Name, ".pdf") && p.As == nil:
					tb.Frame("/view").Until(`document.querySelector(".page canvas") !== null`)
				case strings.HasPrefix(p.Name, "file "), strings.HasPrefix(p.Name, "embed"):
					tb.Linger(time.Second) // the viewer's frame is still drawing
				}
				tb.Run(chromedp.FullScreenshot(&shot, 100))
				name := strings.NewReplacer(" ", "-", ",", "", "/", "-").Replace(p.Name) + ".png"
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
func states(d *webtest.Demo) (pages []webtest.SitePage) {
	report, tour := "/links/"+string(d.Links["annual-report.pdf"].Slug), "/links/"+string(d.Links["tour.webm"].Slug)
	click := func(what string) string { return fmt.Sprintf(`document.querySelector(%q).click()`, what) }
	files := func(input string, names ...string) string {
		return fmt.Sprintf(`((input, names) => { const t = new DataTransfer();
			names.forEach((n) => t.items.add(new File(["WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n"], n)));
			input.files = t.files; input.dispatchEvent(new Event("change", {bubbles: true})) })(document.querySelector(%q), %q.split(" "));`,
			input, strings.Join(names, " "))
	}
	reset, err := d.Server.Accounts.OfferReset(d.T.Context(), d.Free.Email)
	d.Check(err)
	invitation, err := d.Server.Accounts.Invite(d.T.Context(), "grace@example.org", vitrine.PlanPro,
		vitrine.Decision{By: vitrine.Administrator})
	d.Check(err)
	first, setup := unsetSite(d)
	twelve := strings.Fields("one.txt two.md sales.csv sales.yaml fail.pdf six.log seven.txt eight.md nine.csv ten.txt " +
		"notes-of-the-meeting-with-the-architects-in-the-spring.txt twelve.txt")
	for _, s := range []struct {
		name string
		as   *vitrine.Account
		path string
		then string
	}{
		{"menu", d.Pro, "/dashboard", click(".who-button")},
		{"shortcuts", d.Pro, "/dashboard", click("[popovertarget=keys]")},
		{"upload options", d.Pro, "/dashboard", webtest.OpenAll},
		{"upload options on Free", d.Free, "/dashboard", webtest.OpenAll},
		{"uploads", d.Fresh, "/dashboard", files("#files", twelve...)},
		{"upload", d.Fresh, "/dashboard", files("#files", "one.txt")},
		{"refused", d.Pro, "/dashboard", files("#files", "setup.exe", "notes.xyz")},
		{"menu of a link", d.Pro, "/links", click(".link-rows .row-menu")},
		{"chosen links", d.Pro, "/links", `document.querySelectorAll(".row-pick input").forEach((c, i) => i < 3 && c.click())`},
		{"no matching links", d.Pro, "/links?q=nothing", ""},
		{"delete link", d.Pro, tour + "/settings", click("[popovertarget=delete]")},
		{"delete album", d.Pro, "/albums/" + string(d.Album.Slug), click("[popovertarget=delete]")},
		{"captions", d.Pro, tour + "/settings", files(".captions-form [type=file]", "en.vtt") +
			`document.querySelector(".captions-form [name=language]").value = "en"; document.querySelector(".captions-form").requestSubmit()`},
		{"new website", d.Pro, "/websites", webtest.OpenAll},
		{"new key", d.Pro, "/keys", `document.querySelector(".key-form [name=name]").value = "Nightly"; document.querySelector(".key-form").requestSubmit()`},
		{"close account", d.Pro, "/account", click("[popovertarget=close]")},
		{"new share", d.Pro, report + "/analytics", webtest.OpenAll + `; document.querySelector(".share-form [name=label]").value = "Partners"; document.querySelector(".share-form").requestSubmit()`},
		{"note", d.Pro, report + "/analytics", click("[popovertarget=note-0]")},
		{"call", d.Pro, report + "/analytics", click("[popovertarget=call]")},
		{"person", d.Owner, "/people", click("[popovertarget^=person-]")},
		{"invited", d.Owner, "/people", `document.querySelector("[action='/people/invite'] [name=email]").value = "eve" + Date.now() + "@example.org"; document.querySelector("[action='/people/invite']").requestSubmit()`},
		{"no such person", d.Owner, "/people?q=nobody", ""},
		{"wrong password", nil, "/sign-in", `document.querySelector("[name=email]").value = "ada@example.org"; document.querySelector("[name=password]").value = "not this one"; document.querySelector("form").requestSubmit()`},
		{"set up", nil, first.URL + "/setup/" + setup, ""},
		{"not set up", nil, first.URL + "/", ""},
		{"invitation", nil, "/sign-up/" + string(invitation), ""},
		{"new password", nil, "/password/" + string(reset), ""},
		{"sign-in link", nil, d.SignInLink(d.Member), ""},
		{"chosen cases", d.Moderator, "/moderation", click("#all")},
		{"no such case", d.Moderator, "/moderation/find?for=nothing-here", ""},
		{"disabled link", d.Member, "/links/" + string(d.Off.Slug), ""},
		{"held link, share", d.Member, "/links/" + string(d.Held.Slug) + "/share", ""},
		{"analytics of a new link", d.Pro, webtest.StatsPath(d.Links["loan-agreement.rtf"]), ""},
	} {
		pages = append(pages, webtest.SitePage{Name: s.name, As: s.as, Path: s.path, Then: s.then})
	}
	return pages
}
