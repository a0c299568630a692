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

	"github.com/chromedp/cdproto/emulation"
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
	pages := sitePages(d)
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
				tb.run(page.BringToFront(), inTheme(s.theme),
					chromedp.EmulateViewport(s.width, s.height, chromedp.EmulateScale(s.scale)),
					emulation.SetTouchEmulationEnabled(s.width < 500), chromedp.Navigate(address),
					chromedp.Evaluate(`Promise.all([...document.images].filter((i) => i.loading !== "lazy").map((i) => i.decode().catch(() => {})))`, nil, awaited))
				switch {
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
