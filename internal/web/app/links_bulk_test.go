package app_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/links"
	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
)

// TestBulkLinks changes several links with one form. The page shows the result
// for each, and disabling can be undone.
func TestBulkLinks(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	cookie := d.SignIn(d.Member)
	a, b := d.Publish("notes.txt", []byte("a"), webtest.Titled("First")),
		d.Publish("notes.txt", []byte("b"), webtest.Titled("Second <2>"))
	held := d.Held("data.json", vitrine.ReasonSuspicious)
	stranger := d.Join("stranger@example.org", vitrine.RoleMember)
	d.Account = stranger
	theirs := d.Publish("notes.txt", []byte("theirs"))
	d.Account = d.Member
	slugs := func(links ...*vitrine.Link) (s []string) {
		for _, l := range links {
			s = append(s, string(l.Slug))
		}
		return s
	}
	send := func(action string, links []string, more ...string) webtest.Document {
		t.Helper()
		f := url.Values{"action": {action}, "link": links, "back": {"/links?sort=oldest"}}
		for i := 0; i < len(more); i += 2 {
			f.Set(more[i], more[i+1])
		}
		return d.Parse(d.Status(d.Post("/links", f, cookie), http.StatusOK).Text)
	}
	outcome := func(page webtest.Document) string {
		t.Helper()
		var words []string
		for _, class := range []string{"done", "is-alarm"} {
			for _, e := range page.Class(class) {
				words = append(words, strings.Join(strings.Fields(e.Text()), " "))
			}
		}
		return strings.Join(words, " | ")
	}
	states := func(want ...vitrine.LinkState) {
		t.Helper()
		for i, l := range []*vitrine.Link{a, b, held, theirs} {
			if got := d.StateOf(l); got != want[i] {
				t.Errorf("state of link %d = %s, want %s", i, got, want[i])
			}
		}
	}

	page := send("disable", append(slugs(a, b, held, theirs), "nosuch"))
	got := outcome(page)
	for _, want := range []string{"2 links disabled.", "3 links were not changed:", "It is not live: In review.",
		string(theirs.Slug) + " : Link not found", "nosuch :"} {
		if !strings.Contains(got, want) {
			t.Errorf("the result lacks %q: %q", want, got)
		}
	}
	states(vitrine.StateDisabled, vitrine.StateDisabled, vitrine.StateReview, vitrine.StateLive)
	if rows := page.Class("title"); rows[0].Text() != "First" { // the list keeps its order, oldest first
		t.Errorf("first row = %q, want First", rows[0].Text())
	}
	var undo []string
	for _, input := range page.Class("done")[0].Tags("input") {
		if input.Attribute("name") == "link" {
			undo = append(undo, input.Attribute("value"))
		}
	}
	webtest.Same(t, "what can be undone", fmt.Sprint(undo), fmt.Sprint(slugs(a, b)))
	webtest.Same(t, "undone", outcome(send("enable", undo)), "2 links enabled.")
	states(vitrine.StateLive, vitrine.StateLive, vitrine.StateReview, vitrine.StateLive)
	webtest.Same(t, "enabled again", outcome(send("enable", slugs(a, b))), "2 links were already enabled.")
	if got := outcome(send("enable", slugs(b, held))); !strings.HasPrefix(got, "1 link was already enabled.") ||
		!strings.Contains(got, "1 link was not changed:") {
		t.Errorf("enabled a link that a moderator holds: %q", got)
	}
	states(vitrine.StateLive, vitrine.StateLive, vitrine.StateReview, vitrine.StateLive)

	album, err := d.Server.Albums.Create(t.Context(), d.Member, "Spring", "")
	d.Check(err)
	foreign, err := d.Server.Albums.Create(t.Context(), stranger, "Theirs", "")
	d.Check(err)
	webtest.Same(t, "added", outcome(send("album", slugs(b, a), "album", string(album.Slug))),
		"2 links added to the album. Open the album")
	if got := outcome(send("album", slugs(a), "album", string(foreign.Slug))); !strings.Contains(got, "no album") {
		t.Errorf("adding to another account's album: %q", got)
	}
	unchosen := send("album", slugs(a))
	webtest.Same(t, "no album", outcome(unchosen), "Choose an album first.")
	selected := func(page webtest.Document) (values []string) {
		for _, e := range page.All(func(e webtest.Document) bool { return e.Has("checked") }) {
			if e.Attribute("name") == "link" {
				values = append(values, e.Attribute("value"))
			}
		}
		return values
	}
	webtest.Same(t, "selected after that", fmt.Sprint(selected(unchosen)), fmt.Sprint(slugs(a)))
	webtest.Same(t, "selected after one was not changed", fmt.Sprint(selected(send("enable", slugs(b, held)))),
		fmt.Sprint(slugs(held)))
	in := func() (f *collections.AlbumFacts) {
		f, err := d.Server.Albums.BySlug(t.Context(), d.Member, string(album.Slug))
		d.Check(err)
		return f
	}
	webtest.Same(t, "in the album", len(in().Links), 2)

	if got := outcome(send("album", slugs(theirs), "album", "+")); !strings.Contains(got, "1 link was not changed:") {
		t.Errorf("added a foreign link to a new album: %q", got)
	}
	if albums, err := d.Server.Albums.List(t.Context(), d.Member); err != nil || len(albums) != 1 {
		t.Errorf("albums after nothing could be added = %+v, %v; want Spring alone", albums, err)
	}
	webtest.Same(t, "added to a new album", outcome(send("album", slugs(a, b), "album", "+")),
		"2 links added to the album. Open the album")
	albums, err := d.Server.Albums.List(t.Context(), d.Member)
	d.Check(err)
	if len(albums) != 2 || !strings.HasPrefix(albums[0].Title, "2 links, ") && !strings.HasPrefix(albums[1].Title,
		"2 links, ") {
		t.Errorf("albums = %+v, want Spring and a new one", albums)
	}

	webtest.Same(t, "nothing selected", outcome(send("delete", nil)), "Select the links first.")
	d.Status(d.Post("/links", url.Values{"action": {"rub out"}, "link": slugs(a)}, cookie), http.StatusBadRequest)
	d.Status(d.Post("/links", url.Values{"action": {"delete"}, "link": make([]string, 101)}, cookie),
		http.StatusBadRequest)
	d.Status(d.Do(http.MethodPost, "/links", "action=delete&link="+string(a.Slug), webtest.Form,
		"Origin: https://elsewhere.example", "Sec-Fetch-Site: cross-site", cookie), http.StatusForbidden)
	states(vitrine.StateLive, vitrine.StateLive, vitrine.StateReview, vitrine.StateLive)
	if got := outcome(send("delete", slugs(a, held, theirs))); !strings.Contains(got, "2 links deleted.") ||
		!strings.Contains(got, "1 link was not changed:") {
		t.Errorf("result of deleting = %q", got)
	}
	webtest.Same(t, "links that are left", len(d.LinksOf(d.Member)), 1)
	webtest.Same(t, "in the album", len(in().Links), 1)
	webtest.Same(t, "the stranger's", len(d.LinksOf(stranger)), 1)
}

// TestLinkLastDay sets the last day of a link. The link is public until the day
// is over, and again with a later day or with none.
func TestLinkLastDay(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	cookie := d.SignIn(d.Member)
	l := d.Publish("notes.txt", webtest.Samples["notes.txt"])
	at := webtest.LinkPath(l) + "/settings"
	day := func(n int) string { return d.Server.Now().UTC().AddDate(0, 0, n).Format(time.DateOnly) }
	expires := func() time.Time {
		now, err := d.Server.Links.BySlug(t.Context(), string(l.Slug))
		d.Check(err)
		return now.ExpiresAt
	}
	set := func(day string) webtest.Reply {
		t.Helper()
		return d.Post(at, url.Values{"title": {"A note"}, "expires": {day}}, cookie)
	}
	if page := d.Follow(set(day(1)), cookie).Text; !strings.Contains(page, `value="`+day(1)+`"`) {
		t.Errorf("the settings lack the last day: %s", page)
	}
	webtest.Same(t, "expires", expires().Format(time.RFC3339), day(2)+"T00:00:00Z")
	if page := d.Get(at, cookie).Text; !strings.Contains(page, "disabled at the end of "+
		expires().AddDate(0, 0, -1).Format("2 Jan 2006")+" (UTC)") {
		t.Error("the settings do not say the day")
	}
	if page := d.Get(webtest.LinkPath(l), cookie).Text; !strings.Contains(page, "<dt>Expires</dt>") {
		t.Error("the overview lacks the expiry")
	}
	for bad, why := range map[string]string{day(-1): "would have expired already", "tomorrow": "Write the day as",
		"2026-13-40": "Write the day as"} {
		if r := d.Status(set(bad), 400); !strings.Contains(r.Text, why) ||
			!strings.Contains(r.Text, `id="wrong-expires"`) || !strings.Contains(r.Text, `value="`+bad+`"`) {
			t.Errorf("last day %s: page lacks the error or the value: %s", bad, r.Text)
		}
	}
	noon := expires().Add(12 * time.Hour) // set by a program
	_, err := d.Server.Links.Edit(t.Context(), d.Member, string(l.Slug), links.Edit{ExpiresAt: &noon})
	d.Check(err)
	d.Follow(set(day(2)), cookie)
	webtest.Same(t, "saved without a change", expires().Equal(noon), true)

	d.Ahead.Add(int64(72 * time.Hour))
	cookie = d.SignIn(d.Member)
	d.Status(d.Get("/p/"+string(l.Slug)), http.StatusGone)
	if page := d.Get(at, cookie).Text; !strings.Contains(page, "The link has expired.") ||
		strings.Contains(page, "An administrator") {
		t.Errorf("settings of an expired link: %s", page)
	}
	d.Follow(set(""), cookie)
	d.Status(d.Get("/p/"+string(l.Slug)), 200)
	webtest.Same(t, "expires", expires().IsZero(), true)
}

// TestBrowserLinkList checks in a browser that the list follows what is typed
// and chosen, like its form without scripts, and that several links can be
// selected, disabled and enabled.
func TestBrowserLinkList(t *testing.T) {
	d := webtest.NewDesk(t)
	for _, title := range []string{"Oak", "Oak moss", "Willow"} { // no slug contains an o
		d.Publish("data.json", fmt.Appendf(nil, "%q", title), webtest.Titled(title))
		d.Ahead.Add(int64(time.Second))
	}
	d.Publish("picture.png", webtest.Samples["picture.png"], webtest.Titled("Zoo"))
	tb := d.MemberTab(d.Member, "/links")
	titles := `[...document.querySelectorAll(".link-rows .title")].map((a) => a.textContent).join()`
	click := func(at string) chromedp.Action {
		return chromedp.Evaluate(`document.querySelector("`+at+`").click()`, nil)
	}
	is := func(want string) { t.Helper(); tb.Until(titles + ` === ` + fmt.Sprintf("%q", want)) }
	tb.Run(webtest.Type(`[type=search]`, "oak"))
	is("Oak moss,Oak")
	tb.Run(webtest.Type(`[type=search]`, " mo"))
	is("Oak moss")
	tb.Until(`location.search === "?q=oak+mo" && document.querySelector("#matches").textContent === "1 of 4 links" && document.activeElement.type === "search"`)
	tb.Run(chromedp.Reload())
	is("Oak moss")
	tb.Run(chromedp.Evaluate(`for (const [n, v] of [["q", ""], ["kind", "image"]]) document.querySelector("form.search").elements[n].value = v`, nil),
		chromedp.Evaluate(`document.querySelector("[name=kind]").dispatchEvent(new Event("change", {bubbles: true}))`,
			nil))
	is("Zoo")
	tb.Until(`location.search === "?kind=image"`)

	tb.Visit(d.URL + "/links?q=oak")
	tb.Until(`!document.querySelector("#bulk").checkVisibility()`)
	tb.Run(click(`.row-pick input`))
	tb.Until(`document.querySelector("#bulk").checkVisibility() && document.querySelector(".picked").textContent === "1 selected"`)
	tb.CheckWindows("links, one selected")
	tb.Until(`document.querySelector("#bulk [value=album]").disabled`)
	tb.Run(chromedp.SetValue(`#bulk [name=album]`, "+"), chromedp.Evaluate(
		`document.querySelector("#bulk [name=album]").dispatchEvent(new Event("change", {bubbles: true}))`, nil))
	tb.Until(`!document.querySelector("#bulk [value=album]").disabled`)
	tb.Run(click(`.pick-all`))
	tb.Until(`document.querySelector(".picked").textContent === "2 selected"`)
	tb.Run(click(`[popovertarget=bulk-delete]`))
	tb.Until(`document.querySelector("#bulk-delete h2").textContent === "Delete 2 links?"`)
	tb.Run(chromedp.Evaluate(`document.querySelector("#bulk-delete").hidePopover()`, nil),
		click(`#bulk [value=disable]`))
	tb.Arrives(`document.querySelector("#results .done")?.textContent.includes("2 links disabled.")`)
	is("Oak moss,Oak")
	tb.CheckWindows("links, two disabled")
	tb.Run(click(`#results .done button`))
	tb.Arrives(`document.querySelector("#results .done")?.textContent.includes("2 links enabled.")`)
	tb.Quiet()
}
