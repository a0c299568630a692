package web_test

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

	"github.com/chromedp/chromedp"
)

// TestBulkLinks changes several links with one form. The page shows the result
// for each, and disabling can be undone.
func TestBulkLinks(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	cookie := d.signIn(d.member)
	a, b := d.publish("notes.txt", []byte("a"), titled("First")),
		d.publish("notes.txt", []byte("b"), titled("Second <2>"))
	held := d.held("data.json", vitrine.ReasonSuspicious)
	stranger := d.join("stranger@example.org", vitrine.RoleMember)
	d.account = stranger
	theirs := d.publish("notes.txt", []byte("theirs"))
	d.account = d.member
	slugs := func(links ...*vitrine.Link) (s []string) {
		for _, l := range links {
			s = append(s, string(l.Slug))
		}
		return s
	}
	send := func(action string, links []string, more ...string) document {
		t.Helper()
		f := url.Values{"action": {action}, "link": links, "back": {"/links?sort=oldest"}}
		for i := 0; i < len(more); i += 2 {
			f.Set(more[i], more[i+1])
		}
		return d.parse(d.status(d.post("/links", f, cookie), http.StatusOK).body)
	}
	outcome := func(page document) string {
		t.Helper()
		var words []string
		for _, class := range []string{"done", "is-alarm"} {
			for _, e := range page.class(class) {
				words = append(words, strings.Join(strings.Fields(e.text()), " "))
			}
		}
		return strings.Join(words, " | ")
	}
	states := func(want ...vitrine.LinkState) {
		t.Helper()
		for i, l := range []*vitrine.Link{a, b, held, theirs} {
			if got := d.stateOf(l); got != want[i] {
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
	if rows := page.class("title"); rows[0].text() != "First" { // the list keeps its order, oldest first
		t.Errorf("first row = %q, want First", rows[0].text())
	}
	var undo []string
	for _, input := range page.class("done")[0].tags("input") {
		if input.attr("name") == "link" {
			undo = append(undo, input.attr("value"))
		}
	}
	same(t, "what can be undone", fmt.Sprint(undo), fmt.Sprint(slugs(a, b)))
	same(t, "undone", outcome(send("enable", undo)), "2 links enabled.")
	states(vitrine.StateLive, vitrine.StateLive, vitrine.StateReview, vitrine.StateLive)
	same(t, "enabled again", outcome(send("enable", slugs(a, b))), "2 links were already enabled.")
	if got := outcome(send("enable", slugs(b, held))); !strings.HasPrefix(got, "1 link was already enabled.") ||
		!strings.Contains(got, "1 link was not changed:") {
		t.Errorf("enabled a link that a moderator holds: %q", got)
	}
	states(vitrine.StateLive, vitrine.StateLive, vitrine.StateReview, vitrine.StateLive)

	album, err := d.server.Albums.Create(t.Context(), d.member, "Spring", "")
	d.check(err)
	foreign, err := d.server.Albums.Create(t.Context(), stranger, "Theirs", "")
	d.check(err)
	same(t, "added", outcome(send("album", slugs(b, a), "album", string(album.Slug))),
		"2 links added to the album. Open the album")
	if got := outcome(send("album", slugs(a), "album", string(foreign.Slug))); !strings.Contains(got, "no album") {
		t.Errorf("adding to another account's album: %q", got)
	}
	unchosen := send("album", slugs(a))
	same(t, "no album", outcome(unchosen), "Choose an album first.")
	selected := func(page document) (values []string) {
		for _, e := range page.all(func(e document) bool { return e.has("checked") }) {
			if e.attr("name") == "link" {
				values = append(values, e.attr("value"))
			}
		}
		return values
	}
	same(t, "selected after that", fmt.Sprint(selected(unchosen)), fmt.Sprint(slugs(a)))
	same(t, "selected after one was not changed", fmt.Sprint(selected(send("enable", slugs(b, held)))),
		fmt.Sprint(slugs(held)))
	in := func() (f *collections.AlbumFacts) {
		f, err := d.server.Albums.BySlug(t.Context(), d.member, string(album.Slug))
		d.check(err)
		return f
	}
	same(t, "in the album", len(in().Links), 2)

	if got := outcome(send("album", slugs(theirs), "album", "+")); !strings.Contains(got, "1 link was not changed:") {
		t.Errorf("added a foreign link to a new album: %q", got)
	}
	if albums, err := d.server.Albums.List(t.Context(), d.member); err != nil || len(albums) != 1 {
		t.Errorf("albums after nothing could be added = %+v, %v; want Spring alone", albums, err)
	}
	same(t, "added to a new album", outcome(send("album", slugs(a, b), "album", "+")),
		"2 links added to the album. Open the album")
	albums, err := d.server.Albums.List(t.Context(), d.member)
	d.check(err)
	if len(albums) != 2 || !strings.HasPrefix(albums[0].Title, "2 links, ") && !strings.HasPrefix(albums[1].Title, "2 links, ") {
		t.Errorf("albums = %+v, want Spring and a new one", albums)
	}

	same(t, "nothing selected", outcome(send("delete", nil)), "Select the links first.")
	d.status(d.post("/links", url.Values{"action": {"rub out"}, "link": slugs(a)}, cookie), http.StatusBadRequest)
	d.status(d.post("/links", url.Values{"action": {"delete"}, "link": make([]string, 101)}, cookie),
		http.StatusBadRequest)
	d.status(d.do(http.MethodPost, "/links", "action=delete&link="+string(a.Slug), form,
		"Origin: https://elsewhere.example", "Sec-Fetch-Site: cross-site", cookie), http.StatusForbidden)
	states(vitrine.StateLive, vitrine.StateLive, vitrine.StateReview, vitrine.StateLive)
	if got := outcome(send("delete", slugs(a, held, theirs))); !strings.Contains(got, "2 links deleted.") ||
		!strings.Contains(got, "1 link was not changed:") {
		t.Errorf("result of deleting = %q", got)
	}
	same(t, "links that are left", len(d.linksOf(d.member)), 1)
	same(t, "in the album", len(in().Links), 1)
	same(t, "the stranger's", len(d.linksOf(stranger)), 1)
}

// TestLinkLastDay sets the last day of a link. The link is public until the day
// is over, and again with a later day or with none.
func TestLinkLastDay(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	cookie := d.signIn(d.member)
	l := d.publish("notes.txt", samples["notes.txt"])
	at := linkPath(l) + "/settings"
	day := func(n int) string { return d.server.Now().UTC().AddDate(0, 0, n).Format(time.DateOnly) }
	expires := func() time.Time {
		now, err := d.server.Links.BySlug(t.Context(), string(l.Slug))
		d.check(err)
		return now.ExpiresAt
	}
	set := func(day string) reply {
		t.Helper()
		return d.post(at, url.Values{"title": {"A note"}, "expires": {day}}, cookie)
	}
	if page := d.follow(set(day(1)), cookie).body; !strings.Contains(page, `value="`+day(1)+`"`) {
		t.Errorf("the settings lack the last day: %s", page)
	}
	same(t, "expires", expires().Format(time.RFC3339), day(2)+"T00:00:00Z")
	if page := d.get(at, cookie).body; !strings.Contains(page, "disabled at the end of "+
		expires().AddDate(0, 0, -1).Format("2 Jan 2006")+" (UTC)") {
		t.Error("the settings do not say the day")
	}
	if page := d.get(linkPath(l), cookie).body; !strings.Contains(page, "<dt>Expires</dt>") {
		t.Error("the overview lacks the expiry")
	}
	for bad, why := range map[string]string{day(-1): "would have expired already", "tomorrow": "Write the day as",
		"2026-13-40": "Write the day as"} {
		if r := d.status(set(bad), 400); !strings.Contains(r.body, why) ||
			!strings.Contains(r.body, `id="wrong-expires"`) || !strings.Contains(r.body, `value="`+bad+`"`) {
			t.Errorf("last day %s: page lacks the error or the value: %s", bad, r.body)
		}
	}
	noon := expires().Add(12 * time.Hour) // set by a program
	_, err := d.server.Links.Edit(t.Context(), d.member, string(l.Slug), links.Edit{ExpiresAt: &noon})
	d.check(err)
	d.follow(set(day(2)), cookie)
	same(t, "saved without a change", expires().Equal(noon), true)

	d.ahead.Add(int64(72 * time.Hour))
	cookie = d.signIn(d.member)
	d.status(d.get("/p/"+string(l.Slug)), http.StatusGone)
	if page := d.get(at, cookie).body; !strings.Contains(page, "The link has expired.") ||
		strings.Contains(page, "An administrator") {
		t.Errorf("settings of an expired link: %s", page)
	}
	d.follow(set(""), cookie)
	d.status(d.get("/p/"+string(l.Slug)), 200)
	same(t, "expires", expires().IsZero(), true)
}

// TestBrowserLinkList checks in a browser that the list follows what is typed
// and chosen, like its form without scripts, and that several links can be
// selected, disabled and enabled.
func TestBrowserLinkList(t *testing.T) {
	d := newDesk(t)
	for _, title := range []string{"Oak", "Oak moss", "Willow"} { // no slug contains an o
		d.publish("data.json", fmt.Appendf(nil, "%q", title), titled(title))
		d.ahead.Add(int64(time.Second))
	}
	d.publish("picture.png", samples["picture.png"], titled("Zoo"))
	tb := d.memberTab(d.member, "/links")
	titles := `[...document.querySelectorAll(".link-rows .title")].map((a) => a.textContent).join()`
	click := func(at string) chromedp.Action {
		return chromedp.Evaluate(`document.querySelector("`+at+`").click()`, nil)
	}
	is := func(want string) { t.Helper(); tb.until(titles + ` === ` + fmt.Sprintf("%q", want)) }
	tb.run(chromedp.SendKeys(`[type=search]`, "oak"))
	is("Oak moss,Oak")
	tb.run(chromedp.SendKeys(`[type=search]`, " mo"))
	is("Oak moss")
	tb.until(`location.search === "?q=oak+mo" && document.querySelector("#matches").textContent === "1 of 4 links" && document.activeElement.type === "search"`)
	tb.run(chromedp.Reload())
	is("Oak moss")
	tb.run(chromedp.Evaluate(`for (const [n, v] of [["q", ""], ["kind", "image"]]) document.querySelector("form.search").elements[n].value = v`, nil),
		chromedp.Evaluate(`document.querySelector("[name=kind]").dispatchEvent(new Event("change", {bubbles: true}))`,
			nil))
	is("Zoo")
	tb.until(`location.search === "?kind=image"`)

	tb.visit(d.url + "/links?q=oak")
	tb.until(`!document.querySelector("#bulk").checkVisibility()`)
	tb.run(click(`.row-pick input`))
	tb.until(`document.querySelector("#bulk").checkVisibility() && document.querySelector(".picked").textContent === "1 selected"`)
	tb.checkWindows("links, one selected")
	tb.until(`document.querySelector("#bulk [value=album]").disabled`)
	tb.run(chromedp.SetValue(`#bulk [name=album]`, "+"), chromedp.Evaluate(
		`document.querySelector("#bulk [name=album]").dispatchEvent(new Event("change", {bubbles: true}))`, nil))
	tb.until(`!document.querySelector("#bulk [value=album]").disabled`)
	tb.run(click(`.pick-all`))
	tb.until(`document.querySelector(".picked").textContent === "2 selected"`)
	tb.run(click(`[popovertarget=bulk-delete]`))
	tb.until(`document.querySelector("#bulk-delete h2").textContent === "Delete 2 links?"`)
	tb.run(chromedp.Evaluate(`document.querySelector("#bulk-delete").hidePopover()`, nil),
		click(`#bulk [value=disable]`))
	tb.arrives(`document.querySelector("#results .done")?.textContent.includes("2 links disabled.")`)
	is("Oak moss,Oak")
	tb.checkWindows("links, two disabled")
	tb.run(click(`#results .done button`))
	tb.arrives(`document.querySelector("#results .done")?.textContent.includes("2 links enabled.")`)
	tb.quiet()
}
