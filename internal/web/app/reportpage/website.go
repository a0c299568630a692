package reportpage

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/web/ui"
)

// What the numbers of a website mean.
const (
	meansLoads = "How often people loaded a page of the website in this period. Each load counts once, even without JavaScript. " +
		"Bots are excluded. Images, styles and other files are not counted."
	meansVisitors = "Different people, as far as this can be known without cookies: the same browser on the same network is one viewer, " +
		"however many pages it loads."
	meansPages = "Pages of the website that were loaded at least once in this period."
	meansAgain = "The share of page loads by people who had loaded the same page before."
)

// websiteCards returns the numbers of a website.
func websiteCards(n *numbers, now time.Time) []statsCard {
	r := n.summary()
	t, before := &r.Totals, &r.Previous
	ofLoads := "of " + ui.Counted(t.Views, "page load", "page loads")
	return []statsCard{
		{"views", "Page loads", ui.Figure(t.Views).String(), allTimeNote(n, n.allTimeViews()),
			newCountDelta(r, r.Deltas.Views, t.Views, before.Views, now), meansLoads, ""},
		{"uniques", "Unique viewers", ui.Figure(t.Uniques).String(), ofLoads,
			newCountDelta(r, r.Deltas.Uniques, t.Uniques, before.Uniques, now), meansVisitors, ""},
		{"pages", "Pages", ui.Figure(len(n.account.TopLinks)).String(),
			"of " + ui.Counted(n.account.AllTime.Links, "page", "pages") + " ever loaded", nil, meansPages, ""},
		{"returning", "Returning", ui.ShareOf(t.ReturningPct, t.Views),
			ofLoads, newReturningDelta(r), meansAgain, ""},
	}
}

// fillWebsite replaces the display for links by that for a website.
func (p *reportPage) fillWebsite(n *numbers, now time.Time) {
	p.Cards = websiteCards(n, now)
	tipsOfLoads(p.Tips)
	// Page loads are counted without a script, which would know the window.
	p.Bars = slices.DeleteFunc(p.Bars, func(b statsBars) bool { return b.ID == "screens" })
	for i := range p.Top {
		row := &p.Top[i]
		row.Title = pageName(row.Slug)
		if row.Slug == vitrine.OtherSitePages {
			row.Address = ""
			continue
		}
		row.Address = strings.TrimSuffix(p.Website.URL, "/") + (&url.URL{Path: row.Title}).EscapedPath()
	}
}

// tipsOfLoads changes insights about views to ones about page loads.
func tipsOfLoads(tips []statsTip) {
	for i := range tips {
		tips[i].Detail = strings.ReplaceAll(tips[i].Detail, " views", " page loads")
	}
}

// pageName returns how reports name a page.
func pageName(file string) string {
	if file == vitrine.OtherSitePages {
		return "Other pages"
	}
	return pagePath(file)
}

// ofLoads has the page of a figure speak of page loads, and leaves out figures
// that websites do not have.
func (p *explainPage) ofLoads() {
	p.Name = strings.Replace(p.Name, "Views", "Page loads", 1)
	p.Also = slices.DeleteFunc(p.Also, func(f explainedFigure) bool {
		name, _, _ := strings.Cut(f.Name, ",")
		return notOfLoads[name]
	})
	for i := range p.Others {
		p.Others[i][0] = strings.Replace(p.Others[i][0], "Views", "Page loads", 1)
	}
	for i := range p.Also {
		p.Also[i].Name = strings.Replace(p.Also[i].Name, "Views", "Page loads", 1)
	}
}

// notOfLoads are the names of figures that are about engagement, files and
// addresses of links.
var notOfLoads = func() map[string]bool {
	names := map[string]bool{}
	for name, title := range figureNames {
		switch name {
		case "views", "uniques", "returningPct", "botsExcluded", "ownExcluded", "count", "pct":
		default:
			names[title] = true
		}
	}
	return names
}()

// pagePath returns the path of a website's address at which a file is shown.
func pagePath(file string) string {
	if folder, ok := strings.CutSuffix("/"+file, "/index.html"); ok {
		return folder + "/"
	}
	return "/" + file
}
