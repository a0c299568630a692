package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine"
)

// TestEditFromPageIsWhole checks that a form's changes are saved completely or
// not at all, also under a former slug of the link.
func TestEditFromPageIsWhole(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	cookie := d.signIn(d.member)
	taken, l := d.publish("data.json", samples["data.json"]), d.publish("notes.txt", samples["notes.txt"])
	old := linkPath(l)
	d.follow(d.post(old+"/settings", url.Values{"slug": {"elsewhere"}}, cookie), cookie)
	edit := func(slug string) reply {
		t.Helper()
		return d.ask(old+"/edit", `{"title":"Renamed","slug":"`+slug+`","allowDownload":false}`, cookie)
	}
	if r := d.status(edit(string(taken.Slug)), http.StatusBadRequest); !strings.Contains(r.body, "slug_taken") {
		t.Error(r.body)
	}
	if now, err := d.server.Links.BySlug(t.Context(), "elsewhere"); err != nil || now.Title != l.Title ||
		!now.AllowDownload {
		t.Errorf("link = %+v, %v", now, err)
	}
	if r := d.status(edit("third"), http.StatusOK); !strings.Contains(r.body, `"slug":"third"`) ||
		!strings.Contains(r.body, `"Renamed"`) {
		t.Error(r.body)
	}
	d.status(d.get("/p/third/download"), http.StatusNotFound)
}

// TestLinksStayWhereModeratorsLook checks that a held link keeps its slug, and
// that moderators find a renamed link at its old one.
func TestLinksStayWhereModeratorsLook(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	member, owner := d.signIn(d.member), d.signIn(d.owner)
	held := d.held("notes.txt", vitrine.ReasonSuspicious)
	at := linkPath(held)
	if page := d.status(d.get(at+"/settings", member), http.StatusOK); strings.Contains(page.body, `name="slug"`) {
		t.Error("the page of a held link has a form for another address")
	}
	if r := d.status(d.post(at+"/settings", url.Values{"slug": {"elsewhere"}}, member),
		http.StatusBadRequest); !strings.Contains(r.body, "keeps its address") {
		t.Error(r.body)
	}
	live := d.publish("picture.png", samples["picture.png"])
	d.follow(d.post(linkPath(live)+"/settings", url.Values{"slug": {"moved"}}, member), member)
	if page := d.status(d.get(casePath(live), owner), http.StatusOK); !strings.Contains(page.body,
		"/moderation/links/moved/disable") {
		t.Error("the case of a renamed link does not decide about it")
	}
	d.status(d.post(casePath(live)+"/disable", url.Values{"seen": {d.seen(live)}}, owner), http.StatusSeeOther)
	d.status(d.get("/p/moved"), http.StatusGone)
}
