package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"
	"vitrine/report"
)

// TestFirefox signs in with Firefox, uploads a file, opens its link as a
// reader, and finds the view in the report.
func TestFirefox(t *testing.T) {
	d := webtest.NewDesk(t)
	const password = "correct horse battery staple"
	d.Check(d.Server.Accounts.SetPassword(t.Context(), d.Member.Email, password))
	b := vitrinetest.StartFirefox(t)

	owner := b.Visitor()
	owner.Go(d.URL + "/sign-in")
	owner.Click(`input[name="email"]`)
	owner.Type(d.Member.Email + vitrinetest.Tabulator + password + vitrinetest.Enter)
	owner.Until(`location.pathname === "/dashboard" && document.body.classList.contains("has-script")`)
	file := filepath.Join(t.TempDir(), "report.pdf")
	d.Check(os.WriteFile(file, webtest.Samples["report.pdf"], 0o600))
	owner.Choose("#files", file)
	owner.Until(webtest.FileRow("report.pdf") + `?.dataset.state === "live"`)
	address := owner.Text(webtest.FileRow("report.pdf") + `.querySelector(".file-address a").href`)
	l := d.LinksOf(d.Member)[0]
	if address != d.URL+"/p/"+string(l.Slug) {
		t.Fatalf("address of the link = %s", address)
	}
	owner.Quiet()

	reader := b.Visitor()
	reader.Go(address)
	pages := reader.Frame("/view")
	pages.Until(`document.querySelector(".page canvas") && document.getElementById("count").textContent === "12" && document.getElementById("status").hidden`)
	pages.Until(`document.querySelector(".text span")?.textContent === "Page 1"`)
	reader.Until(`document.activeElement.tagName === "IFRAME"`)
	reader.Type(vitrinetest.ArrowRight)
	pages.Until(`document.getElementById("page").value === "2"`)
	pages.Until(`(window.print = () => (window.printed = document.querySelectorAll("#paper img").length))`) // instead of the system's dialog
	reader.Click("#print")
	pages.Until(`window.printed === 12`)
	d.Session(t, l, "a reader in Firefox", func(s *report.Session) bool { return s.EngagedMs >= 1000 })
	reader.Quiet()

	owner.Front()
	owner.Go(d.URL + "/links/" + string(l.Slug) + "/analytics")
	owner.Until(`document.body.innerText.includes("1 all-time") && document.body.innerText.includes("Firefox")`)
	owner.Quiet()
}

// TestFirefoxViewers checks that the viewers show the same in Firefox as in
// Chromium, without errors of the browser.
func TestFirefoxViewers(t *testing.T) {
	s := webtest.NewSite(t)
	b := vitrinetest.StartFirefox(t)
	for name, shown := range map[string]string{
		"picture.png":  `document.querySelector(".picture img").naturalWidth > 0`,
		"clip.webm":    `document.querySelector("video").readyState > 0 && !document.getElementById("speed").hidden`,
		"view-only.md": `document.querySelector("article.sheet h2")?.textContent.includes("Title")`,
		"data.json":    `document.querySelector("article.sheet").textContent.includes("a")`,
	} {
		reader := b.Visitor()
		reader.Window(390, 844)
		reader.Go(s.URL + "/p/" + string(s.Publish(name, webtest.Samples[name]).Slug))
		reader.Until(shown)
		reader.Until(`document.documentElement.scrollWidth <= innerWidth`)
		reader.Quiet()
	}
	pdf := b.Visitor()
	pdf.Window(390, 844)
	pdf.Go(s.URL + "/p/" + string(s.Publish("letter.pdf", webtest.Letter()).Slug))
	f := pdf.Frame("/view")
	f.Until(`document.querySelector(".page canvas") !== null && !document.getElementById("bar").hidden`)
	f.Click("#read")
	f.Until(`document.querySelector(".page p")?.textContent.includes("The spring exhibition stayed open for longer")`)
	f.Until(`document.documentElement.scrollWidth <= innerWidth`)
	f.Quiet()

	table := b.Visitor()
	table.Go(s.URL + "/p/" + string(s.Publish("visitors.csv", webtest.ManyRows()).Slug))
	table.Until(`!document.getElementById("finder").hidden`)
	table.Type(vitrinetest.End)
	table.Until(`document.querySelector(".grid").scrollTop > 1000 && scrollY === 0`)
	table.Click(".grid thead th:nth-child(3) button")
	table.Until(`document.querySelector("th[aria-sort]") !== null && document.querySelector(".grid").scrollTop === 0`)
	table.Quiet()

	reader := b.Visitor()
	reader.Go(s.URL + "/p/" + string(s.Publish("page.html", webtest.Samples["page.html"]).Slug))
	reader.Frame("/frame").Until(`document.body.textContent.includes("You are invited.")`)
	reader.Quiet()
}

// TestFirefoxTimes checks the time on each section of Markdown and of a web
// page, as TestBrowserTimes does in Chromium. A heading that scrolls past
// within a second was not read.
func TestFirefoxTimes(t *testing.T) {
	b := vitrinetest.StartFirefox(t)
	for name, content := range map[string][]byte{"guide.md": webtest.Guide, "page.html": webtest.GuidePage} {
		t.Run(name, func(t *testing.T) {
			s := webtest.NewTimed(t, nil)
			l := s.Publish(name, content)
			reader := b.Visitor()
			reader.Before(webtest.FakeClock)
			reader.Before(`addEventListener("message", ({ data }) => {
				if (data?.vitrine?.edges) window.edges = data.vitrine.edges;
			})`)
			reader.Go(s.URL + "/p/" + string(l.Slug))
			read := func(d time.Duration) { s.TickWith(d, reader.Run) }
			to := func(part int) {
				reader.Run(fmt.Sprintf(`new Promise((done) => {
					addEventListener("scroll", () => done(true), { once: true });
					const r = document.querySelector("[data-part='%d']").getBoundingClientRect();
					scrollBy({ top: r.top, behavior: "instant" });
				})`, part))
			}
			if name == "page.html" {
				frame := reader.Frame("/frame")
				reader.Until(`window.edges?.length === 5`)
				to = func(part int) {
					frame.Run(fmt.Sprintf(`void scrollBy({ top: document.getElementById("part%d").getBoundingClientRect().top,
						behavior: "instant" })`, part))
					reader.Until(fmt.Sprintf(`Math.abs(window.edges?.[%d]) < 2`, part-1))
				}
			}
			session := func() *report.Session {
				if all := s.Views(l); len(all) == 1 {
					return all[0].Session
				}
				return nil
			}
			webtest.Eventually(t, "the tracker runs", func() bool { return session() != nil })
			read(3 * time.Second)
			to(2)
			read(5 * time.Second)
			to(3)
			read(999 * time.Millisecond)
			to(4)
			read(2 * time.Second)
			reader.Close()
			want := []report.PageTime{{Page: 1, Ms: 3000}, {Page: 2, Ms: 5000}, {Page: 4, Ms: 2000}}
			webtest.Eventually(t, "all was sent", func() bool { return session().EngagedMs == 10_999 })
			if got := session(); !got.Outlined || !slices.Equal(got.Pages, want) {
				t.Errorf("session = %+v, want the sections %v", got, want)
			}
		})
	}
}
