package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/audit"
	"vitrine/internal/test/webtest"
)

var passing = regexp.MustCompile(`nonce="[^"]*"|[0-9a-f]{16}`)

// constant returns an answer without what differs between answers.
func constant(r webtest.Reply, slug string) string {
	return fmt.Sprint(r.StatusCode, strings.ReplaceAll(passing.ReplaceAllString(r.Text, "…"), slug, "SLUG"))
}

// TestForeignLinksAreUnknown checks that another account's link gets the same
// answer as one that does not exist, byte for byte, and is not changed.
func TestForeignLinksAreUnknown(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	theirs := d.Publish("notes.txt", webtest.Samples["notes.txt"])
	stranger := d.SignIn(d.Join("stranger@example.org", vitrine.RoleMember))
	requests := map[string]func(slug string) webtest.Reply{
		"page":     func(slug string) webtest.Reply { return d.Get("/links/"+slug, stranger) },
		"share":    func(slug string) webtest.Reply { return d.Get("/links/"+slug+"/share", stranger) },
		"settings": func(slug string) webtest.Reply { return d.Get("/links/"+slug+"/settings", stranger) },
		"state":    func(slug string) webtest.Reply { return d.Get("/links/"+slug+"/state", stranger) },
		"edit":     func(slug string) webtest.Reply { return d.Ask("/links/"+slug+"/edit", `{"title":"mine"}`, stranger) },
		"check": func(slug string) webtest.Reply {
			return d.Get("/dashboard/slug?slug=abc-free&for="+slug,
				stranger)
		},
	}
	for _, form := range []string{"settings", "disable", "undo", "delete"} {
		requests[form] = func(slug string) webtest.Reply {
			return d.Post("/links/"+slug+"/"+form,
				url.Values{"title": {"mine"}, "slug": {"mine-now"}, "download": {"no"}}, stranger)
		}
	}
	for name, ask := range requests {
		foreign, unknown := ask(string(theirs.Slug)), ask("nosuchlink")
		d.Status(foreign, http.StatusNotFound)
		if a, b := constant(foreign, string(theirs.Slug)), constant(unknown, "nosuchlink"); a != b {
			t.Errorf("%s: another account's link:\n%s\nwant the answer for an unknown one:\n%s", name, a, b)
		}
	}
	now, err := d.Server.Links.BySlug(t.Context(), string(theirs.Slug))
	d.Check(err)
	if now.Title != theirs.Title || now.Slug != theirs.Slug || now.State != vitrine.StateLive || !now.AllowDownload {
		t.Errorf("link = %+v, want it unchanged", now)
	}
	for _, path := range []string{"/links", "/links/" + string(theirs.Slug), "/dashboard"} {
		if r := d.Get(path); r.StatusCode != http.StatusSeeOther ||
			!strings.HasPrefix(r.Header.Get("Location"), "/sign-in") {
			t.Errorf("%s, signed out: status %d, want a redirect to /sign-in", path, r.StatusCode)
		}
	}
}

// TestSessionIsNoKey checks that the site's operations accept no API key, that
// the API accepts no session, and that both refuse requests from another site's
// page.
func TestSessionIsNoKey(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	cookie := d.SignIn(d.Member)
	l := d.Publish("notes.txt", webtest.Samples["notes.txt"])
	_, key, err := d.Server.Accounts.Create(t.Context(), "key@example.org", vitrine.PlanPro)
	d.Check(err)
	bearer, begin := "Authorization: Bearer "+string(key), `{"name":"a.txt","type":"text/plain","size":3}`
	d.Status(d.Ask("/dashboard/uploads", begin, cookie), http.StatusOK)
	d.Status(d.Ask("/dashboard/uploads", begin, bearer), http.StatusUnauthorized)
	d.Status(d.Ask("/dashboard/uploads", begin), http.StatusUnauthorized)
	d.Status(d.Ask("/api/v1/uploads", begin, cookie), http.StatusUnauthorized)
	d.Status(d.Get("/dashboard/slug?slug=abc", bearer), http.StatusUnauthorized)
	d.Status(d.Get("/links/"+string(l.Slug)+"/state", bearer), http.StatusUnauthorized)
	for _, path := range []string{"/dashboard/uploads", "/dashboard/uploads/complete", webtest.LinkPath(l) + "/edit"} {
		r := d.Do(http.MethodPost, path, begin, webtest.JSONBody, "Origin: https://elsewhere.example",
			"Sec-Fetch-Site: cross-site", cookie)
		d.Status(r, http.StatusForbidden)
	}
	for _, action := range []string{"settings", "disable", "undo", "delete"} {
		r := d.Do(http.MethodPost, webtest.LinkPath(l)+"/"+action, "title=x&slug=xyz", webtest.Form,
			"Origin: https://elsewhere.example", "Sec-Fetch-Site: cross-site", cookie)
		d.Status(r, http.StatusForbidden)
	}
	if d.StateOf(l) != vitrine.StateLive {
		t.Error("another site's page disabled the link")
	}
}

// TestUploadBySession checks that an upload with a session has the steps of the
// API: one idempotency key makes one link.
func TestUploadBySession(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	cookie := d.SignIn(d.Member)
	const key = "123e4567-e89b-12d3-a456-426614174000"
	begin := `{"name":"a.txt","type":"text/plain","size":3,"idempotencyKey":"` + key + `"}`
	var begun struct{ Path, SignedURL string }
	d.Check(json.Unmarshal([]byte(d.Status(d.Ask("/dashboard/uploads", begin, cookie), 200).Text), &begun))
	d.Status(d.Do(http.MethodPut, begun.SignedURL, "abc", "Content-Type: text/plain"), 200)
	end := `{"path":"` + begun.Path + `","name":"a.txt","type":"text/plain","linkName":"A <title>","allowDownload":false,"idempotencyKey":"` + key + `"}`
	first := d.Status(d.Ask("/dashboard/uploads/complete", end, cookie), 200)
	again := d.Status(d.Ask("/dashboard/uploads/complete", end, cookie), 200)
	if first.Text != again.Text {
		t.Errorf("answer to a retry = %s, want %s", again.Text, first.Text)
	}
	if r := d.Status(d.Ask("/dashboard/uploads", begin, cookie), 200); !strings.Contains(r.Text, `"existing":{`) {
		t.Errorf("retry of the first step: %s", r.Text)
	}
	links := d.LinksOf(d.Member)
	if len(links) != 1 || links[0].Title != "A <title>" || links[0].AllowDownload {
		t.Fatalf("links = %+v", links)
	}
	for _, want := range []string{`"state":"live"`, `"status":"Live"`,
		`"manage":"/links/` + string(links[0].Slug) + `"`, `"allowDownload":false`} {
		if !strings.Contains(first.Text, want) {
			t.Errorf("the answer lacks %s: %s", want, first.Text)
		}
	}
	// Another member cannot use the path of the upload.
	other := d.SignIn(d.Join("other@example.org", vitrine.RoleMember))
	if r := d.Ask("/dashboard/uploads/complete", end, other); r.StatusCode != 400 ||
		!strings.Contains(r.Text, "upload_not_found") {
		t.Errorf("another account's upload: status %d: %s", r.StatusCode, r.Text)
	}
}

// TestLinkForms changes title, downloads and slug with one form. It shows the
// result, or the form again with the errors.
func TestLinkForms(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	cookie := d.SignIn(d.Member)
	l := d.Publish("notes.txt", webtest.Samples["notes.txt"])
	at := webtest.LinkPath(l)
	send := func(action string, f url.Values) webtest.Reply { t.Helper(); return d.Post(at+"/"+action, f, cookie) }
	if r := d.Follow(send("settings", url.Values{"title": {"Ein <neuer> Titel"}}), cookie); !strings.Contains(r.Text,
		"Saved.") || !strings.Contains(r.Text, "Ein &lt;neuer&gt; Titel") {
		t.Errorf("after a change of the title: %s", r.Text)
	}
	if r := d.Status(d.Get("/p/"+string(l.Slug)), 200); !strings.Contains(r.Text, "Ein &lt;neuer&gt; Titel") {
		t.Error("the public page has the old title")
	}
	r := d.Status(send("settings", url.Values{"title": {" "}}), 400)
	if !strings.Contains(r.Text, "A title has 1 to 200 characters") ||
		!strings.Contains(r.Text, `aria-invalid="true"`) {
		t.Errorf("without a title: %s", r.Text)
	}
	d.Follow(send("settings", url.Values{"download": {"no"}}), cookie)
	d.Status(d.Get("/p/"+string(l.Slug)+"/download"), 404)
	d.Follow(send("settings", url.Values{"download": {"no", "yes"}}), cookie)
	d.Status(d.Get("/p/"+string(l.Slug)+"/download"), 200)
	r = d.Status(send("settings", url.Values{"title": {"Another"}, "slug": {"no--good"}, "download": {"no"}}), 400)
	if !strings.Contains(r.Text, "An address has 3 to 50 letters") || !strings.Contains(r.Text, `value="no--good"`) ||
		!strings.Contains(r.Text, `value="Another"`) {
		t.Errorf("with an invalid slug: %s", r.Text)
	}
	if now, err := d.Server.Links.BySlug(t.Context(), string(l.Slug)); err != nil || now.Title != "Ein <neuer> Titel" ||
		!now.AllowDownload {
		t.Errorf("a refused form changed the link: %+v, %v", now, err)
	}
	d.Follow(send("disable", nil), cookie)
	d.Status(d.Get("/p/"+string(l.Slug)), 410)
	page := d.Status(d.Get(at+"/settings", cookie), 200)
	if !strings.Contains(page.Text, at+"/undo") || strings.Contains(page.Text, at+"/disable") ||
		strings.Contains(d.Get(at+"/share", cookie).Text, "qr.svg") {
		t.Error("the page of a disabled link does not offer to enable it, or offers a QR code")
	}
	d.Status(send("disable", nil), 400)
	d.Follow(send("undo", nil), cookie)
	d.Status(d.Get("/p/"+string(l.Slug)), 200)
	if r := d.Get(at, cookie); !strings.Contains(r.Text, "<b>Enable</b></p>") {
		t.Errorf("the page does not offer to enable the link: %s", r.Text)
	}
	d.Status(send("undo", nil), 400)
	back := d.Post(at+"/disable", url.Values{"back": {"/links?q=x&page=2"}}, cookie)
	if to := back.Header.Get("Location"); to != "/links?page=2&q=x&said=link-disabled" {
		t.Errorf("redirected to %s, want the page of the list", to)
	}
	for _, elsewhere := range []string{"//evil.example/links", "https://evil.example/links", "/moderation"} {
		d.Follow(d.Post(at+"/undo", url.Values{"back": {elsewhere}}, cookie), cookie)
		d.Follow(d.Post(at+"/disable", nil, cookie), cookie)
	}
	if r := d.Follow(send("delete", nil), cookie); !strings.Contains(r.Text, "Link deleted.") ||
		strings.Contains(r.Text, "notes.txt") {
		t.Errorf("after the deletion: %s", r.Text)
	}
	d.Status(d.Get(at, cookie), 404)
	d.Status(d.Get("/p/"+string(l.Slug)), 404)
}

// TestOldAddresses checks that an old slug redirects to the new one with its
// query, that no other link can get it, and that it expires.
func TestOldAddresses(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	cookie := d.SignIn(d.Member)
	l := d.Publish("notes.txt", webtest.Samples["notes.txt"])
	move := func(from, to string) {
		t.Helper()
		d.Follow(d.Post("/links/"+from+"/settings", url.Values{"slug": {to}}, cookie), cookie)
	}
	leads := func(from, to string) {
		t.Helper()
		if r := d.Status(d.Get(from), http.StatusPermanentRedirect); r.Header.Get("Location") != to {
			t.Errorf("%s redirects to %s, want %s", from, r.Header.Get("Location"), to)
		}
	}
	first := string(l.Slug)
	move(first, "Second")
	move("second", "third")
	leads("/p/"+first+"?qr=1", "/p/third?qr=1")
	leads("/p/second/qr.svg", "/p/third/qr.svg")
	d.CountViews(l, 0)
	d.Status(d.Get("/p/third"), 200)
	if r := d.Get("/links/second/share", cookie); r.Header.Get("Location") != "/links/third/share" {
		t.Errorf("old slug in the app: status %d, Location %s", r.StatusCode, r.Header.Get("Location"))
	}
	stranger := d.SignIn(d.Join("stranger@example.org", vitrine.RoleMember))
	d.Status(d.Get("/links/second", stranger), 404)
	free := func(slug, who string, want bool) {
		t.Helper()
		if r := d.Status(d.Get("/dashboard/slug?slug="+slug, who), 200); strings.Contains(r.Text,
			`"free":true`) != want {
			t.Errorf("slug check of %s: %s", slug, r.Text)
		}
	}
	free("second", stranger, false)
	r := d.Ask("/dashboard/uploads", `{"name":"a.txt","type":"text/plain","size":3,"slug":"second"}`, stranger)
	if r.StatusCode != 400 || !strings.Contains(r.Text, "slug_taken") {
		t.Errorf("a new link with an old slug: status %d: %s, want slug_taken", r.StatusCode, r.Text)
	}
	if r := d.Get("/moderation/find?for="+url.QueryEscape(d.URL+"/p/second"),
		d.SignIn(d.Owner)); r.Header.Get("Location") != "/moderation/links/third" {
		t.Errorf("find the old slug: status %d, Location %s", r.StatusCode, r.Header.Get("Location"))
	}
	// Its own old slugs can be restored.
	move("third", "second")
	leads("/p/third", "/p/second")
	d.Status(d.Get("/p/second"), 200)
	// A disabled link does not reveal its new slug.
	d.Follow(d.Post("/links/second/disable", nil, cookie), cookie)
	if r := d.Status(d.Get("/p/third"), 410); strings.Contains(r.Text, "second") {
		t.Error("the old slug of a disabled link reveals the new one")
	}
	d.Follow(d.Post("/links/second/undo", nil, cookie), cookie)
	d.Ahead.Add(int64(vitrine.SlugRest - time.Minute))
	leads("/p/third", "/p/second")
	d.Ahead.Add(int64(2 * time.Minute))
	d.Status(d.Get("/p/third"), 404)
	cookie, stranger = d.SignIn(d.Member), ""
	free("third", cookie, true)
	d.Check(d.Server.Links.Purge(t.Context()))
	d.Status(d.Get("/p/"+first), 404)
	d.Status(d.Get("/p/second"), 200)
	a := &audit.Checker{Store: d.Server.Links.Store, Blobs: d.Server.Blobs, Log: d.Log, Now: d.Server.Now}
	d.Check(a.Run(t.Context(), func(fault string) { t.Errorf("audit: %s", fault) }))
}

// TestSlugCheck checks that the answer for a slug that is taken does not depend
// on its owner, and that only Pro accounts can check slugs.
func TestSlugCheck(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	mine := d.Publish("notes.txt", webtest.Samples["notes.txt"])
	d.Account = d.Join("other@example.org", vitrine.RoleMember)
	theirs := d.Publish("notes.txt", webtest.Samples["notes.txt"])
	gone := d.Publish("notes.txt", []byte("to be deleted"))
	d.Check(d.Server.Links.Delete(t.Context(), string(gone.Slug), vitrine.Decision{By: vitrine.Administrator}))
	cookie := d.SignIn(d.Member)
	check := func(slug, of string) string {
		t.Helper()
		return d.Status(d.Get("/dashboard/slug?slug="+url.QueryEscape(slug)+"&for="+of, cookie), 200).Text
	}
	taken := check(string(theirs.Slug), "")
	if !strings.Contains(taken, `"free":false`) || !strings.Contains(taken, "This address is taken") {
		t.Errorf("a slug that is taken: %s", taken)
	}
	for _, other := range []string{string(mine.Slug), string(gone.Slug)} {
		if got := check(other, ""); got != taken {
			t.Errorf("%s: %s, want %s", other, got, taken)
		}
	}
	if got := check(string(mine.Slug), string(mine.Slug)); !strings.Contains(got, `"free":true`) {
		t.Errorf("the link's own slug: %s", got)
	}
	for slug, want := range map[string]string{"Quite-Free": `"free":true,"slug":"quite-free"`, "a": "3 to 50 letters",
		"admin": "reserved", "": "3 to 50 letters"} {
		if got := check(slug, ""); !strings.Contains(got, want) {
			t.Errorf("slug check of %q: %s", slug, got)
		}
	}
	free, err := d.Server.Accounts.SetPlan(t.Context(), d.Member.Email, vitrine.PlanFree, nil,
		vitrine.Decision{By: vitrine.Administrator})
	d.Check(err)
	if r := d.Status(d.Get("/dashboard/slug?slug=quite-free", d.SignIn(free)), 403); !strings.Contains(r.Text,
		"pro_required") {
		t.Errorf("slug check on Free: %s, want pro_required", r.Text)
	}
	if r := d.Status(d.Post(webtest.LinkPath(mine)+"/settings", url.Values{"slug": {"quite-free"}}, d.SignIn(free)),
		403); !strings.Contains(r.Text, "part of the Pro plan") {
		t.Errorf("on Free: %s", r.Text)
	}
}

// TestOwnersDecisions checks that an owner can undo their own decisions, but
// not a moderator's.
func TestOwnersDecisions(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	mod := d.Join("the-moderator@example.org", vitrine.RoleModerator)
	cookie := d.SignIn(d.Member)
	held := d.Held("notes.txt", vitrine.ReasonSuspicious)
	for _, action := range []string{"undo", "disable"} {
		d.Status(d.Post(webtest.LinkPath(held)+"/"+action, nil, cookie), 400)
	}
	d.Status(d.Post(webtest.LinkPath(held)+"/clear", nil, cookie), 404)
	if d.StateOf(held) != vitrine.StateReview {
		t.Error("the owner changed the state of a link in review")
	}
	if _, err := d.Server.Links.Clear(t.Context(), string(held.Slug),
		vitrine.Decision{By: vitrine.Owner(d.Member.ID)}); err == nil {
		t.Error("the owner approved a link")
	}
	page := d.Status(d.Get(webtest.LinkPath(held), cookie), 200)
	if !strings.Contains(page.Text, access.OwnerMeaning(vitrine.ReasonSuspicious)) ||
		strings.Contains(page.Text, "/undo") || strings.Contains(page.Text, "Review it") {
		t.Errorf("page of a held link: %s", page.Text)
	}
	note := "a secret note about the owner"
	_, err := d.Server.Links.Reject(t.Context(), string(held.Slug),
		vitrine.Decision{By: vitrine.Moderator(mod), Note: note})
	d.Check(err)
	d.Status(d.Post(webtest.LinkPath(held)+"/undo", nil, cookie), 400)
	page = d.Status(d.Get(webtest.LinkPath(held), cookie), 200)
	for _, never := range []string{note, mod.Email, webtest.LinkPath(held) + "/undo"} {
		if strings.Contains(page.Text, never) {
			t.Errorf("the owner's page contains %q", never)
		}
	}
	if !strings.Contains(page.Text, "A moderator") || !strings.Contains(page.Text, "Rejected") {
		t.Errorf("history = %s", page.Text)
	}
	reported := d.Publish("data.json", webtest.Samples["data.json"])
	d.Check(d.Server.Abuse.Report(t.Context(), reported.ID, 77, vitrine.AbusePrivate, "my neighbour wrote this"))
	d.Move(reported, vitrine.Change{By: vitrine.Actor{Kind: vitrine.ActorReaders}, Action: vitrine.ActionHold,
		To: vitrine.StateReview, Reason: vitrine.ReasonAbuse, Detail: "three neighbours"})
	page = d.Status(d.Get(webtest.LinkPath(reported), cookie), 200)
	for _, never := range []string{"neighbour", "Private data"} {
		if strings.Contains(page.Text, never) {
			t.Errorf("the owner's page reveals who reported: %q", never)
		}
	}
	own := d.Publish("own.txt", []byte("Mine."))
	d.Status(d.Post(webtest.LinkPath(own)+"/disable", nil, cookie), 303)
	if page = d.Status(d.Get("/links", cookie), 200); !strings.Contains(page.Text, "By you") {
		t.Errorf("the list does not say who disabled the link: %s", page.Text)
	}
}

// TestLinkList filters the list, sorts it in five orders and pages through it.
func TestLinkList(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	cookie := d.SignIn(d.Member)
	if r := d.Status(d.Get("/links", cookie), 200); !strings.Contains(r.Text, "No links yet") ||
		strings.Contains(r.Text, "<select") {
		t.Errorf("empty list: %s", r.Text)
	}
	for i := range 51 {
		d.Publish("notes.txt", fmt.Appendf(nil, "note %d", i), webtest.Titled(fmt.Sprintf("Note %02d", i)))
		d.Ahead.Add(int64(time.Second))
	}
	picture := d.Publish("picture.png", webtest.Samples["picture.png"], webtest.Titled("Zoo"))
	d.Hold(picture, vitrine.ReasonSuspicious, "")
	titles := regexp.MustCompile(`data-line>([^<]+)</a>`)
	list := func(query string) (got []string) {
		t.Helper()
		r := d.Status(d.Get("/links"+query, cookie), 200)
		for _, m := range titles.FindAllStringSubmatch(r.Text, -1) {
			got = append(got, m[1])
		}
		return got
	}
	expect := func(query string, n int, first string) {
		t.Helper()
		got := list(query)
		if len(got) != n || n > 0 && got[0] != first {
			t.Errorf("/links%s: %d links: %q", query, len(got), got)
		}
	}
	expect("", 50, "Zoo")
	expect("?page=2", 2, "Note 01")
	expect("?page=3", 0, "")
	expect("?page=-1", 50, "Zoo")
	expect("?sort=oldest", 50, "Note 00")
	expect("?sort=title&page=2", 2, "Note 50")
	expect("?sort=size", 50, "Zoo")
	expect("?kind=image", 1, "Zoo")
	expect("?status=review", 1, "Zoo")
	expect("?status=live&kind=image", 0, "")
	expect("?q=zoo", 1, "Zoo") // no slug contains an o
	expect("?q=NOTES.txt+07", 1, "Note 07")
	expect("?q="+url.QueryEscape(d.URL+"/p/"+string(picture.Slug)+"?qr=1"), 1, "Zoo")
	expect("?q=%25", 0, "")
	expect("?kind=nonsense&sort=rubbish", 50, "Zoo")
	twelve := d.LinksOf(d.Member)[39]
	for range 2 {
		d.Status(d.Get("/p/"+string(twelve.Slug)), 200)
	}
	expect("?sort=views", 50, twelve.Title)
	r := d.Get("/links?q=zoo", cookie)
	if !strings.Contains(r.Text, "Suspicious") || !strings.Contains(r.Text, "In review") {
		t.Errorf("the row of a held link lacks the reason: %s", r.Text)
	}
	if r := d.Get("/links?q=nothing-like-it", cookie); !strings.Contains(r.Text, "No matching links") ||
		!strings.Contains(r.Text, "0 of 52 links") {
		t.Errorf("list without matches: %s", r.Text)
	}
	free, err := d.Server.Accounts.SetPlan(t.Context(), d.Member.Email, vitrine.PlanFree, nil,
		vitrine.Decision{By: vitrine.Administrator})
	d.Check(err)
	cookie = d.SignIn(free)
	expect("?sort=views", 50, "Zoo")
	if r := d.Get("/links", cookie); strings.Contains(r.Text, `class="spark"`) ||
		!strings.Contains(r.Text, "part of Pro") {
		t.Error("the list on Free shows views, or does not name the plan that has them")
	}
}

// TestLinksInUse checks the wording for one and for several used links.
func TestLinksInUse(t *testing.T) {
	t.Parallel()
	h := webtest.NewHosting(t)
	cookie := h.SignIn(h.Member)
	h.Publish("notes.txt", []byte("one"))
	h.Publish("notes.txt", []byte("two"))
	for most, want := range map[int64]string{2: "All 2 links of your account are in use",
		1: "Your account’s one link is in use"} {
		h.Server.Uploads.Plans[vitrine.PlanPro] = vitrine.Limits{Links: most, FileBytes: 1000, StorageBytes: 5000,
			HourlyUploads: 2}
		for _, path := range []string{"/dashboard", "/websites"} {
			if r := h.Status(h.Get(path, cookie), 200); !strings.Contains(r.Text, want) {
				t.Errorf("%s lacks %q", path, want)
			}
		}
	}
}

// TestDashboard checks that the upload page shows the limits of which at least
// half is used.
func TestDashboard(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	d.Server.Uploads.Plans[vitrine.PlanFree] = vitrine.Limits{Links: 2, FileBytes: 1000, StorageBytes: 5000,
		HourlyUploads: 2}
	free, err := d.Server.Accounts.SetPlan(t.Context(), d.Member.Email, vitrine.PlanFree, nil,
		vitrine.Decision{By: vitrine.Administrator})
	d.Check(err)
	cookie := d.SignIn(free)
	for as, want := range map[string]bool{cookie: false, d.SignIn(d.Owner): true} { // Owner has reports
		if strings.Contains(d.Get("/dashboard", as).Text, "Unique viewers") != want {
			t.Errorf("a sample report: want %v", want)
		}
	}
	r := d.Status(d.Get("/dashboard", cookie), 200)
	for _, want := range []string{"No links yet", "vitrine put", "<noscript>", `id="full" class="held" hidden`, `data-file-limit="1000"`,
		`class="usage limits tabular" aria-label="Limits that you are close to" hidden`} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	d.Publish("notes.txt", []byte("one"))
	d.Publish("notes.txt", []byte("two"))
	d.Ahead.Add(int64(20 * time.Minute))
	r = d.Status(d.Get("/dashboard", cookie), 200)
	for _, want := range []string{"Recent links", "Delete a link to make room.",
		`2 <span class="soft">of 2</span>`, "All 2 links of your account are in use", `aria-label="Upload" hidden`, "You can upload again in 40 minutes."} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("the page lacks %q: %s", want, r.Text)
		}
	}
	if strings.Contains(r.Text, `class="spark"`) || strings.Contains(r.Text, `class="held" hidden`) {
		t.Error("the page on Free shows views, or does not say that the plan is full")
	}
}
