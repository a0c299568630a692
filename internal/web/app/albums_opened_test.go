package app_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/test/webtest"
	"vitrine/internal/web/ui"
	"vitrine/report"
)

// TestViewsFromAnAlbum checks that a link that is opened from an album says so
// in its view, that the album's page and the report filtered by it have these
// views, and that the report of the account has all views once.
func TestViewsFromAnAlbum(t *testing.T) {
	h := webtest.NewHosting(t)
	h.SetPlan(h.Member, vitrine.PlanPro)
	a, b := h.Publish("notes.txt", webtest.Samples["notes.txt"]), h.Publish("report.pdf", webtest.Samples["report.pdf"])
	album, other := h.Album("Data room", a, b), h.Album("Other", b)
	without, left, gone := h.Album("Without", a), h.Album("Left", a, b), h.Album("Gone", b)
	h.Check(h.Server.Albums.Remove(t.Context(), h.Member, string(left.Slug), string(b.Slug)))
	h.Check(h.Server.Albums.Delete(t.Context(), h.Member, string(gone.Slug)))
	foreign, err := h.Server.Albums.Create(t.Context(), h.Owner, "Foreign", "")
	h.Check(err)

	page := h.Status(h.Get("/a/"+string(album.Slug)), http.StatusOK).Text
	paths := regexp.MustCompile(`class="cover" href="[^"]*(/p/[^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(paths) != 2 {
		t.Fatalf("the album has %d covers:\n%s", len(paths), page)
	}
	for _, path := range paths {
		page := h.Status(h.Get(path[1]), http.StatusOK)
		h.Ahead.Add(int64(10 * time.Second))
		h.ReadFor(page, 4000, "Accept: */*")
	}
	plain := "/p/" + string(b.Slug)
	for _, path := range []string{plain, plain + "?album=" + string(other.Slug), plain + "?album=" + string(foreign.Slug),
		plain + "?album=" + string(without.Slug), plain + "?album=" + string(left.Slug), plain + "?album=" + string(gone.Slug),
		plain + "?album=none", plain + "?album=%00", plain + "?album=" + strings.Repeat("x", 3000)} {
		h.Status(h.Get(path), http.StatusOK)
	}
	for l, want := range map[*vitrine.Link][]vitrine.AlbumID{a: {album.ID}, b: {album.ID, 0, other.ID, 0, 0, 0, 0, 0, 0, 0}} {
		views := h.CountViews(l, len(want))
		for i, v := range views {
			if v.Album != int64(want[i]) {
				t.Errorf("view %d of %s is from album %d, want %d", i, l.Slug, v.Album, want[i])
			}
		}
	}
	total := func(texts ...string) report.Totals {
		q := analytics.In(report.RangeAll)
		q.Filter, err = report.ParseFilter(texts)
		h.Check(err)
		r, err := h.Server.Analytics.Account(t.Context(), h.Member, q)
		h.Check(err)
		return r.Totals
	}
	is := "album:is:" + report.IDText(int64(album.ID))
	if all, from, none := total(), total(is), total("album:is:"); all.Views != 11 || from.Views != 2 || from.Sessions != 2 ||
		none.Views != 8 {
		t.Errorf("%d views, %d of these from the album, %d from none; want 11, 2, 8", all.Views, from.Views, none.Views)
	}
	opened, err := h.Server.Analytics.Album(t.Context(), h.Member, album.ID)
	h.Check(err)
	if got, want := opened.Totals, total(is); got.Views != want.Views || got.Uniques != want.Uniques ||
		got.Sessions != want.Sessions || got.TotalEngagedMs != want.TotalEngagedMs || len(opened.TopLinks) != 2 {
		t.Errorf("the album has %+v and %d links, want %+v and 2", got, len(opened.TopLinks), want)
	}
	cookie := h.SignIn(h.Member)
	own := h.Status(h.Get("/albums/"+string(album.Slug), cookie), http.StatusOK).Text
	for _, want := range []string{"Opened from here: 2 views by 1 unique viewer, " + ui.Lasting(8000).String() + " in all",
		" · 1 view, 1 unique viewer, " + ui.Lasting(4000).String() + " on average",
		"filter=album%3Ais%3A" + report.IDText(int64(album.ID))} {
		if !strings.Contains(own, want) {
			t.Errorf("the page lacks %q:\n%s", want, own)
		}
	}
	if r := h.Get("/analytics?range=all&filter="+is, cookie); !strings.Contains(r.Text, "Data room") {
		t.Errorf("the report does not name the album:\n%s", r.Text)
	}
	h.SetPlan(h.Member, vitrine.PlanFree)
	if own := h.Get("/albums/"+string(album.Slug), cookie).Text; strings.Contains(own, "Opened from here") {
		t.Error("the page on Free shows views")
	}
}

// TestSharedOfAnAlbum checks that a shared report of an album's views names the
// album, also after it was deleted, and never by its ID.
func TestSharedOfAnAlbum(t *testing.T) {
	h := webtest.NewHosting(t)
	h.SetPlan(h.Member, vitrine.PlanPro)
	l := h.Publish("notes.txt", webtest.Samples["notes.txt"])
	album := h.Album("Data room", l)
	id := report.IDText(int64(album.ID) + 1<<40) // long enough to be no part of another number
	for _, c := range []struct{ id, name string }{{report.IDText(int64(album.ID)), "Data room"}, {id, "a deleted album"}} {
		q := analytics.In(report.RangeAll)
		var err error
		q.Filter, err = report.ParseFilter([]string{"album:is:" + c.id})
		h.Check(err)
		secret, err := h.Server.Shared.Create(t.Context(), h.Member, l, analytics.SharedOptions{Label: c.name, Keep: &q})
		h.Check(err)
		page := h.Parse(h.Status(h.Get("/r/"+secret), http.StatusOK).Text)
		webtest.Same(t, "condition", page.Class("conditions")[0].Text(), "Album is "+c.name)
		for _, path := range []string{"", "/explain?explain=/totals/views", "/embed"} {
			if text := h.Status(h.Get("/r/"+secret+path), http.StatusOK).Text; strings.Contains(text, id) ||
				strings.Contains(text, "album:is") {
				t.Errorf("%s has the ID of an album:\n%s", path, text)
			}
		}
	}
}
