package webtest

import (
	"fmt"
	"slices"
	"strings"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/links"
	"vitrine/internal/app/webhooks"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// SitePage is a page of the site and the account that opens it.
type SitePage struct {
	Name, Path string
	As         *vitrine.Account // nil if nobody is signed in
	Status     int              // 0 means 200
	Then       string           // a script that opens dialogs and menus of the page
	Holds      string           // a condition that then holds in every window
}

// OpenAll opens the parts of a page that are initially closed.
const OpenAll = `document.querySelectorAll("details").forEach((d) => (d.open = true))`

// SitePages returns all pages of the site except the moderators' and those of
// files, which have their own tests.
func SitePages(d *Demo) []SitePage {
	pages := []SitePage{
		{Name: "home", Path: "/"}, {Name: "plans", Path: "/plans"}, {Name: "sign in", Path: "/sign-in"},
		{Name: "sign up", Path: "/sign-up"}, {Name: "reset", Path: "/reset"},
		{Name: "no page", Path: "/nowhere", Status: 404},
		{Name: "not yet", Path: "/p/" + string(d.Held.Slug), Status: 404},
		{Name: "no longer", Path: "/p/" + string(d.Off.Slug), Status: 410},
		{Name: "gate", Path: "/p/" + string(d.Gated.Slug), Status: 403},
		{Name: "gate in a frame", Path: "/p/" + string(d.Gated.Slug) + "/embed", Status: 403},
		{Name: "public album", Path: "/a/" + string(d.Album.Slug)}, {Name: "gallery", Path: "/dev/gallery"},
	}
	for _, path := range d.DocPaths() {
		pages = append(pages, SitePage{Name: "docs" + strings.TrimPrefix(path, "/docs"), Path: path})
	}
	member := func(a *vitrine.Account, name, path string) {
		pages = append(pages, SitePage{Name: name, Path: path, As: a})
	}
	for _, name := range []string{"annual-report.pdf", "tour.webm", "hours.md", "press-kit.tgz",
		"plan.svg"} { // the last one has no readers
		pages = append(pages, SitePage{Name: "analytics of " + name, Path: StatsPath(d.Links[name]) + "?range=90d",
			As: d.Pro, Then: OpenAll})
	}
	pages = append(pages, SitePage{Name: "analytics of poster.pdf on Free", Path: StatsPath(d.Links["poster.pdf"]),
		As: d.Free, Then: OpenAll},
		SitePage{Name: "a definition", Path: "/analytics", As: d.Pro,
			Then:  `document.querySelector("[popovertarget=means]").click()`,
			Holds: `((r) => r.left >= 0 && r.right <= innerWidth && r.top >= 0)(document.getElementById("means").getBoundingClientRect())`})
	for name, path := range map[string]string{"dashboard": "/dashboard", "links": "/links",
		"link":          "/links/" + string(d.Links["annual-report.pdf"].Slug),
		"link share":    "/links/" + string(d.Links["annual-report.pdf"].Slug) + "/share",
		"link versions": "/links/" + string(d.Links["annual-report.pdf"].Slug) + "/versions",
		"reading map":   StatsPath(d.Links["hours.md"]) + "/map?range=90d",
		"link settings": "/links/" + string(d.Links["tour.webm"].Slug) + "/settings", "analytics": "/analytics",
		"albums": "/albums", "trash": d.trashed(), "album": "/albums/" + string(d.Album.Slug), "websites": "/websites",
		"website":           "/websites/" + string(d.Website.Slug),
		"website analytics": "/websites/" + string(d.Website.Slug) + "/analytics", "keys": "/keys",
		"webhooks": "/webhooks", "webhook": d.hooked(), "events": "/events", "mails": "/events/mail",
		"account":      "/account",
		"two-step":     "/account/two-step",
		"plans of Pro": "/plans"} {
		member(d.Pro, name, path)
	}
	for name, path := range map[string]string{"dashboard on Free": "/dashboard", "analytics on Free": "/analytics",
		"account on Free": "/account", "links on Free": "/links",
		"link on Free":       "/links/" + string(d.Links["poster.pdf"].Slug) + "/settings",
		"no page, signed in": "/nowhere"} {
		member(d.Free, name, path)
	}
	for _, path := range []string{"/dashboard", "/links", "/analytics", "/albums", "/websites", "/webhooks"} {
		member(d.Fresh, path[1:]+", empty", path)
	}
	member(d.Owner, "people", "/people")
	asking := d.Links["annual-report.pdf"]
	d.Confirmed(string(asking.Slug), "a-rather-long-name.of-somebody@department.example.com")
	member(d.Pro, "link readers", "/links/"+string(asking.Slug)+"/readers")
	d.ConfirmedAt(d.Album.Door(), "a-rather-long-name.of-somebody@department.example.com")
	member(d.Pro, "album readers", "/albums/"+string(d.Album.Slug)+"/readers")
	member(d.Member, "held link", "/links/"+string(d.Held.Slug))
	l, _, err := d.Server.Logins.Begin(d.T.Context(), "vitrine 1.0", "ada-laptop", auth.AnyKey, auth.Client{})
	d.Check(err)
	member(d.Pro, "device", "/device")
	d.Asked = d.Join("asked@example.org", vitrine.RoleMember)
	d.TwoStep(d.SignIn(d.Asked))
	member(d.Asked, "code", "/two-step")
	// First, because the code expires.
	pages = slices.Insert(pages, 0, SitePage{Name: "device asks", Path: "/device?code=" + l.Code, As: d.Pro})
	member(d.Pro, "program asks", "/oauth/authorize?"+d.GrantQuery().Encode())
	for _, name := range []string{"annual-report.pdf", "tour.webm"} {
		root := StatsPath(d.Links[name]) + "/visits"
		some, err := d.Server.Analytics.Visits(d.T.Context(), d.Pro, string(d.Links[name].Slug),
			analytics.VisitQuery{N: 1})
		d.Check(err)
		member(d.Pro, "visits of "+name, root)
		member(d.Pro, "visit of "+name, root+"/"+some.Rows[0].ID)
	}
	for name, path := range map[string]string{"a number": StatsPath(d.Links["annual-report.pdf"]) +
		"/explain?range=90d&explain=/totals/bouncePct", "a number of all links": "/analytics/explain?range=90d&explain=/totals/uniques",
		"a number of a website": "/websites/" + string(d.Website.Slug) + "/analytics/explain?range=90d&explain=/totals/views"} {
		member(d.Pro, name, path)
	}
	pages = append(pages, SitePage{Name: "a shared number",
		Path: d.Shared(d.Links["annual-report.pdf"], "") + "/explain"},
		SitePage{Name: "filtered analytics",
			Path: StatsPath(d.Links["annual-report.pdf"]) + "?range=90d&filter=country:is_not:DE&filter=device:is:Desktop",
			As:   d.Pro, Then: OpenAll},
		SitePage{Name: "dates of a report", Path: "/analytics?granularity=hour", As: d.Pro,
			Then:  `document.querySelector("[popovertarget=dates]").click()`,
			Holds: `((r) => r.left >= 0 && r.right <= innerWidth && r.top >= 0)(document.getElementById("dates").getBoundingClientRect())`},
		SitePage{Name: "shared report", Path: d.Shared(d.Links["annual-report.pdf"], ""), Then: OpenAll},
		SitePage{Name: "shared report of all", Path: d.Shared(nil, "")},
		SitePage{Name: "shared chart", Path: d.Shared(d.Links["annual-report.pdf"], "") + "/embed"},
		SitePage{Name: "shared report, password", Path: d.Shared(nil, "a cafe at noon")})
	for i := range pages {
		switch {
		case pages[i].Path == "/nowhere":
			pages[i].Status = 404
		case pages[i].Name == "link":
			pages[i].Holds = levelState
		}
		if pages[i].Then == "" {
			pages[i].Then = OpenAll
		}
	}
	return pages
}

// levelState holds if the state of a link is level with the words beside it.
const levelState = `((chip, r) => { const bottom = (n) => (r.selectNodeContents(n), r.getClientRects()[0].bottom)
	return Math.abs(bottom(chip) - bottom(chip.nextSibling)) < 0.25 })(document.querySelector(".link-head .chip"), document.createRange())`

// hooked returns the path of a webhook with a log of each result.
func (d *Demo) hooked() string {
	ctx, s, now := d.T.Context(), d.Server.Webhooks, d.Server.Now()
	w, err := s.Create(ctx, d.Pro, webhooks.Request{URL: new("https://hooks.slack.com/services/T0/B0/x"),
		Label: new("Sales channel")})
	d.Check(err)
	_, err = s.Create(ctx, d.Pro, webhooks.Request{
		URL:   new("https://a-rather-long-name.department.example.com/hooks/a-rather-long-path-of-a-receiver"),
		Kinds: &[]vitrine.EventKind{vitrine.EventView}, On: new(true)})
	d.Check(err)
	d.Check(s.Store.Update(ctx, func(tx vitrine.Tx) error {
		for i, one := range []vitrine.Delivery{{State: vitrine.DeliveryDelivered, Status: 200, Answer: "ok"},
			{State: vitrine.DeliveryWaiting, Status: 500, Error: "The receiver answered 500.",
				Answer: strings.Repeat("a-long-word-of-an-answer", 20)},
			{State: vitrine.DeliveryFailed, Error: "The name of the host was not found."},
			{State: vitrine.DeliveryWaiting}} {
			one.Webhook, one.Account, one.Event, one.Kind, one.CreatedAt, one.NextAt = w.ID, w.Account, int64(i+1),
				vitrine.EventView, now, now
			if one.Error != "" || one.Status != 0 {
				one.Tries, one.TriedAt = i+1, now
			}
			if err := tx.AddDelivery(&one); err != nil {
				return err
			}
		}
		return nil
	}))
	return fmt.Sprint("/webhooks/", w.ID)
}

// trashed labels a link, deletes others, and returns the path of the trash.
func (d *Demo) trashed() string {
	ctx, before := d.T.Context(), d.Account
	defer func() { d.Account = before }()
	d.Account = d.Pro
	labels, err := links.ParseLabels([]string{"Press", "A rather long name of a client"})
	d.Check(err)
	_, err = d.Server.Links.Edit(ctx, d.Pro, string(d.Links["tour.webm"].Slug), links.Edit{Labels: &labels})
	d.Check(err)
	for _, title := range []string{"A draft", "A title that does not fit into one line of a phone, nor into one of a window"} {
		l := d.Publish("notes.txt", []byte(title), Titled(title))
		d.Check(d.Server.Links.Delete(ctx, string(l.Slug), vitrine.Decision{By: vitrine.Owner(l.Account)}))
	}
	return "/trash"
}

// Shared creates a read-only address of a report.
func (d *Demo) Shared(l *vitrine.Link, password string) string {
	d.T.Helper()
	s := &analytics.Sharing{Store: d.Server.Links.Store, Signer: d.Server.Signer, Now: d.Server.Now}
	secret, err := s.Create(d.T.Context(), d.Pro, l, analytics.SharedOptions{Label: "The board", Password: password})
	d.Check(err)
	return "/r/" + secret
}

func InTheme(theme string) chromedp.Action {
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme",
		Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"}})
}

// Cookies returns the session cookies of all accounts, created once.
func (d *Demo) Cookies() map[*vitrine.Account]string {
	c := map[*vitrine.Account]string{nil: ""}
	for _, a := range []*vitrine.Account{d.Pro, d.Free, d.Fresh, d.Owner, d.Moderator, d.Member} {
		c[a] = d.SignIn(a)
	}
	if d.Asked != nil {
		c[d.Asked] = d.SignIn(d.Asked)
	}
	return c
}
