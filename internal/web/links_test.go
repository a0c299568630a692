package web_test

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
	"vitrine/internal/app/audit"
)

const jsonBody = "Content-Type: application/json"

// ask sends JSON like the site's own scripts.
func (s *site) ask(path, body string, headers ...string) reply {
	s.t.Helper()
	return s.do(http.MethodPost, path, body, append([]string{jsonBody, "Origin: " + s.url,
		"Sec-Fetch-Site: same-origin"}, headers...)...)
}

var passing = regexp.MustCompile(`nonce="[^"]*"|[0-9a-f]{16}`)

// constant returns an answer without what differs between answers.
func constant(r reply, slug string) string {
	return fmt.Sprint(r.StatusCode, strings.ReplaceAll(passing.ReplaceAllString(r.body, "…"), slug, "SLUG"))
}

// TestForeignLinksAreUnknown checks that another account's link gets the same
// answer as one that does not exist, byte for byte, and is not changed.
func TestForeignLinksAreUnknown(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	theirs := d.publish("notes.txt", samples["notes.txt"])
	stranger := d.signIn(d.join("stranger@example.org", vitrine.RoleMember))
	requests := map[string]func(slug string) reply{
		"page":     func(slug string) reply { return d.get("/links/"+slug, stranger) },
		"share":    func(slug string) reply { return d.get("/links/"+slug+"/share", stranger) },
		"settings": func(slug string) reply { return d.get("/links/"+slug+"/settings", stranger) },
		"state":    func(slug string) reply { return d.get("/links/"+slug+"/state", stranger) },
		"edit":     func(slug string) reply { return d.ask("/links/"+slug+"/edit", `{"title":"mine"}`, stranger) },
		"check":    func(slug string) reply { return d.get("/dashboard/slug?slug=abc-free&for="+slug, stranger) },
	}
	for _, form := range []string{"settings", "disable", "undo", "delete"} {
		requests[form] = func(slug string) reply {
			return d.post("/links/"+slug+"/"+form,
				url.Values{"title": {"mine"}, "slug": {"mine-now"}, "download": {"no"}}, stranger)
		}
	}
	for name, ask := range requests {
		foreign, unknown := ask(string(theirs.Slug)), ask("nosuchlink")
		d.status(foreign, http.StatusNotFound)
		if a, b := constant(foreign, string(theirs.Slug)), constant(unknown, "nosuchlink"); a != b {
			t.Errorf("%s: another account's link:\n%s\nwant the answer for an unknown one:\n%s", name, a, b)
		}
	}
	now, err := d.server.Links.BySlug(t.Context(), string(theirs.Slug))
	d.check(err)
	if now.Title != theirs.Title || now.Slug != theirs.Slug || now.State != vitrine.StateLive || !now.AllowDownload {
		t.Errorf("link = %+v, want it unchanged", now)
	}
	for _, path := range []string{"/links", "/links/" + string(theirs.Slug), "/dashboard"} {
		if r := d.get(path); r.StatusCode != http.StatusSeeOther ||
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
	d := newDesk(t)
	cookie := d.signIn(d.member)
	l := d.publish("notes.txt", samples["notes.txt"])
	_, key, err := d.server.Accounts.Create(t.Context(), "key@example.org", vitrine.PlanPro)
	d.check(err)
	bearer, begin := "Authorization: Bearer "+string(key), `{"name":"a.txt","type":"text/plain","size":3}`
	d.status(d.ask("/dashboard/uploads", begin, cookie), http.StatusOK)
	d.status(d.ask("/dashboard/uploads", begin, bearer), http.StatusUnauthorized)
	d.status(d.ask("/dashboard/uploads", begin), http.StatusUnauthorized)
	d.status(d.ask("/api/v1/uploads", begin, cookie), http.StatusUnauthorized)
	d.status(d.get("/dashboard/slug?slug=abc", bearer), http.StatusUnauthorized)
	d.status(d.get("/links/"+string(l.Slug)+"/state", bearer), http.StatusUnauthorized)
	for _, path := range []string{"/dashboard/uploads", "/dashboard/uploads/complete", linkPath(l) + "/edit"} {
		r := d.do(http.MethodPost, path, begin, jsonBody, "Origin: https://elsewhere.example",
			"Sec-Fetch-Site: cross-site", cookie)
		d.status(r, http.StatusForbidden)
	}
	for _, action := range []string{"settings", "disable", "undo", "delete"} {
		r := d.do(http.MethodPost, linkPath(l)+"/"+action, "title=x&slug=xyz", form,
			"Origin: https://elsewhere.example", "Sec-Fetch-Site: cross-site", cookie)
		d.status(r, http.StatusForbidden)
	}
	if d.stateOf(l) != vitrine.StateLive {
		t.Error("another site's page disabled the link")
	}
}

// TestUploadBySession checks that an upload with a session has the steps of the
// API: one idempotency key makes one link.
func TestUploadBySession(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	cookie := d.signIn(d.member)
	const key = "123e4567-e89b-12d3-a456-426614174000"
	begin := `{"name":"a.txt","type":"text/plain","size":3,"idempotencyKey":"` + key + `"}`
	var begun struct{ Path, SignedURL string }
	d.check(json.Unmarshal([]byte(d.status(d.ask("/dashboard/uploads", begin, cookie), 200).body), &begun))
	d.status(d.do(http.MethodPut, begun.SignedURL, "abc", "Content-Type: text/plain"), 200)
	end := `{"path":"` + begun.Path + `","name":"a.txt","type":"text/plain","linkName":"A <title>","allowDownload":false,"idempotencyKey":"` + key + `"}`
	first := d.status(d.ask("/dashboard/uploads/complete", end, cookie), 200)
	again := d.status(d.ask("/dashboard/uploads/complete", end, cookie), 200)
	if first.body != again.body {
		t.Errorf("answer to a retry = %s, want %s", again.body, first.body)
	}
	if r := d.status(d.ask("/dashboard/uploads", begin, cookie), 200); !strings.Contains(r.body, `"existing":{`) {
		t.Errorf("retry of the first step: %s", r.body)
	}
	links := d.linksOf(d.member)
	if len(links) != 1 || links[0].Title != "A <title>" || links[0].AllowDownload {
		t.Fatalf("links = %+v", links)
	}
	for _, want := range []string{`"state":"live"`, `"status":"Live"`,
		`"manage":"/links/` + string(links[0].Slug) + `"`, `"allowDownload":false`} {
		if !strings.Contains(first.body, want) {
			t.Errorf("the answer lacks %s: %s", want, first.body)
		}
	}
	// Another member cannot use the path of the upload.
	other := d.signIn(d.join("other@example.org", vitrine.RoleMember))
	if r := d.ask("/dashboard/uploads/complete", end, other); r.StatusCode != 400 ||
		!strings.Contains(r.body, "upload_not_found") {
		t.Errorf("another account's upload: status %d: %s", r.StatusCode, r.body)
	}
}

// TestLinkForms changes title, downloads and slug with one form. It shows the
// result, or the form again with the errors.
func TestLinkForms(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	cookie := d.signIn(d.member)
	l := d.publish("notes.txt", samples["notes.txt"])
	at := linkPath(l)
	send := func(action string, f url.Values) reply { t.Helper(); return d.post(at+"/"+action, f, cookie) }
	if r := d.follow(send("settings", url.Values{"title": {"Ein <neuer> Titel"}}), cookie); !strings.Contains(r.body,
		"Saved.") || !strings.Contains(r.body, "Ein &lt;neuer&gt; Titel") {
		t.Errorf("after a change of the title: %s", r.body)
	}
	if r := d.status(d.get("/p/"+string(l.Slug)), 200); !strings.Contains(r.body, "Ein &lt;neuer&gt; Titel") {
		t.Error("the public page has the old title")
	}
	r := d.status(send("settings", url.Values{"title": {" "}}), 400)
	if !strings.Contains(r.body, "A title has 1 to 200 characters") ||
		!strings.Contains(r.body, `aria-invalid="true"`) {
		t.Errorf("without a title: %s", r.body)
	}
	d.follow(send("settings", url.Values{"download": {"no"}}), cookie)
	d.status(d.get("/p/"+string(l.Slug)+"/download"), 404)
	d.follow(send("settings", url.Values{"download": {"no", "yes"}}), cookie)
	d.status(d.get("/p/"+string(l.Slug)+"/download"), 200)
	r = d.status(send("settings", url.Values{"title": {"Another"}, "slug": {"no--good"}, "download": {"no"}}), 400)
	if !strings.Contains(r.body, "An address has 3 to 50 letters") || !strings.Contains(r.body, `value="no--good"`) ||
		!strings.Contains(r.body, `value="Another"`) {
		t.Errorf("with an invalid slug: %s", r.body)
	}
	if now, err := d.server.Links.BySlug(t.Context(), string(l.Slug)); err != nil || now.Title != "Ein <neuer> Titel" ||
		!now.AllowDownload {
		t.Errorf("a refused form changed the link: %+v, %v", now, err)
	}
	d.follow(send("disable", nil), cookie)
	d.status(d.get("/p/"+string(l.Slug)), 410)
	page := d.status(d.get(at+"/settings", cookie), 200)
	if !strings.Contains(page.body, at+"/undo") || strings.Contains(page.body, at+"/disable") ||
		strings.Contains(d.get(at+"/share", cookie).body, "qr.svg") {
		t.Error("the page of a disabled link does not offer to enable it, or offers a QR code")
	}
	d.status(send("disable", nil), 400)
	d.follow(send("undo", nil), cookie)
	d.status(d.get("/p/"+string(l.Slug)), 200)
	if r := d.get(at, cookie); !strings.Contains(r.body, "<b>Enable</b></p>") {
		t.Errorf("the page does not offer to enable the link: %s", r.body)
	}
	d.status(send("undo", nil), 400)
	back := d.post(at+"/disable", url.Values{"back": {"/links?q=x&page=2"}}, cookie)
	if to := back.Header.Get("Location"); to != "/links?page=2&q=x&said=link-disabled" {
		t.Errorf("redirected to %s, want the page of the list", to)
	}
	for _, elsewhere := range []string{"//evil.example/links", "https://evil.example/links", "/moderation"} {
		d.follow(d.post(at+"/undo", url.Values{"back": {elsewhere}}, cookie), cookie)
		d.follow(d.post(at+"/disable", nil, cookie), cookie)
	}
	if r := d.follow(send("delete", nil), cookie); !strings.Contains(r.body, "Link deleted.") ||
		strings.Contains(r.body, "notes.txt") {
		t.Errorf("after the deletion: %s", r.body)
	}
	d.status(d.get(at, cookie), 404)
	d.status(d.get("/p/"+string(l.Slug)), 404)
}

// TestOldAddresses checks that an old slug redirects to the new one with its
// query, that no other link can get it, and that it expires.
func TestOldAddresses(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	cookie := d.signIn(d.member)
	l := d.publish("notes.txt", samples["notes.txt"])
	move := func(from, to string) {
		t.Helper()
		d.follow(d.post("/links/"+from+"/settings", url.Values{"slug": {to}}, cookie), cookie)
	}
	leads := func(from, to string) {
		t.Helper()
		if r := d.status(d.get(from), http.StatusPermanentRedirect); r.Header.Get("Location") != to {
			t.Errorf("%s redirects to %s, want %s", from, r.Header.Get("Location"), to)
		}
	}
	first := string(l.Slug)
	move(first, "Second")
	move("second", "third")
	leads("/p/"+first+"?qr=1", "/p/third?qr=1")
	leads("/p/second/qr.svg", "/p/third/qr.svg")
	d.countOpens(l, 0)
	d.status(d.get("/p/third"), 200)
	if r := d.get("/links/second/share", cookie); r.Header.Get("Location") != "/links/third/share" {
		t.Errorf("old slug in the app: status %d, Location %s", r.StatusCode, r.Header.Get("Location"))
	}
	stranger := d.signIn(d.join("stranger@example.org", vitrine.RoleMember))
	d.status(d.get("/links/second", stranger), 404)
	free := func(slug, who string, want bool) {
		t.Helper()
		if r := d.status(d.get("/dashboard/slug?slug="+slug, who), 200); strings.Contains(r.body,
			`"free":true`) != want {
			t.Errorf("slug check of %s: %s", slug, r.body)
		}
	}
	free("second", stranger, false)
	r := d.ask("/dashboard/uploads", `{"name":"a.txt","type":"text/plain","size":3,"slug":"second"}`, stranger)
	if r.StatusCode != 400 || !strings.Contains(r.body, "slug_taken") {
		t.Errorf("a new link with an old slug: status %d: %s, want slug_taken", r.StatusCode, r.body)
	}
	if r := d.get("/moderation/find?for="+url.QueryEscape(d.url+"/p/second"),
		d.signIn(d.owner)); r.Header.Get("Location") != "/moderation/links/third" {
		t.Errorf("find the old slug: status %d, Location %s", r.StatusCode, r.Header.Get("Location"))
	}
	// Its own old slugs can be restored.
	move("third", "second")
	leads("/p/third", "/p/second")
	d.status(d.get("/p/second"), 200)
	// A disabled link does not reveal its new slug.
	d.follow(d.post("/links/second/disable", nil, cookie), cookie)
	if r := d.status(d.get("/p/third"), 410); strings.Contains(r.body, "second") {
		t.Error("the old slug of a disabled link reveals the new one")
	}
	d.follow(d.post("/links/second/undo", nil, cookie), cookie)
	d.ahead.Add(int64(vitrine.SlugRest - time.Minute))
	leads("/p/third", "/p/second")
	d.ahead.Add(int64(2 * time.Minute))
	d.status(d.get("/p/third"), 404)
	cookie, stranger = d.signIn(d.member), ""
	free("third", cookie, true)
	d.check(d.server.Links.Purge(t.Context()))
	d.status(d.get("/p/"+first), 404)
	d.status(d.get("/p/second"), 200)
	a := &audit.Checker{Store: d.server.Links.Store, Blobs: d.server.Blobs, Log: d.log, Now: d.server.Now}
	d.check(a.Run(t.Context(), func(fault string) { t.Errorf("audit: %s", fault) }))
}

// TestSlugCheck checks that the answer for a slug that is taken does not depend
// on its owner, and that only Pro accounts can check slugs.
func TestSlugCheck(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	mine := d.publish("notes.txt", samples["notes.txt"])
	d.account = d.join("other@example.org", vitrine.RoleMember)
	theirs := d.publish("notes.txt", samples["notes.txt"])
	gone := d.publish("notes.txt", []byte("to be deleted"))
	d.check(d.server.Links.Delete(t.Context(), string(gone.Slug), vitrine.Decision{By: vitrine.Operator}))
	cookie := d.signIn(d.member)
	check := func(slug, of string) string {
		t.Helper()
		return d.status(d.get("/dashboard/slug?slug="+url.QueryEscape(slug)+"&for="+of, cookie), 200).body
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
	free, err := d.server.Accounts.SetPlan(t.Context(), d.member.Email, vitrine.PlanFree, nil,
		vitrine.Decision{By: vitrine.Operator})
	d.check(err)
	if r := d.status(d.get("/dashboard/slug?slug=quite-free", d.signIn(free)), 403); !strings.Contains(r.body,
		"pro_required") {
		t.Errorf("slug check on Free: %s, want pro_required", r.body)
	}
	if r := d.status(d.post(linkPath(mine)+"/settings", url.Values{"slug": {"quite-free"}}, d.signIn(free)),
		403); !strings.Contains(r.body, "part of the Pro plan") {
		t.Errorf("on Free: %s", r.body)
	}
}

// TestOwnersDecisions checks that an owner can undo their own decisions, but
// not a moderator's.
func TestOwnersDecisions(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	mod := d.join("the-moderator@example.org", vitrine.RoleModerator)
	cookie := d.signIn(d.member)
	held := d.held("notes.txt", vitrine.ReasonSuspicious)
	for _, action := range []string{"undo", "disable"} {
		d.status(d.post(linkPath(held)+"/"+action, nil, cookie), 400)
	}
	d.status(d.post(linkPath(held)+"/clear", nil, cookie), 404)
	if d.stateOf(held) != vitrine.StateReview {
		t.Error("the owner changed the state of a link in review")
	}
	if _, err := d.server.Links.Clear(t.Context(), string(held.Slug),
		vitrine.Decision{By: vitrine.Owner(d.member.ID)}); err == nil {
		t.Error("the owner approved a link")
	}
	page := d.status(d.get(linkPath(held), cookie), 200)
	if !strings.Contains(page.body, vitrine.OwnerMeaning(vitrine.ReasonSuspicious)) ||
		strings.Contains(page.body, "/undo") || strings.Contains(page.body, "Review it") {
		t.Errorf("page of a held link: %s", page.body)
	}
	note := "a secret note about the owner"
	_, err := d.server.Links.Reject(t.Context(), string(held.Slug),
		vitrine.Decision{By: vitrine.Moderator(mod), Note: note})
	d.check(err)
	d.status(d.post(linkPath(held)+"/undo", nil, cookie), 400)
	page = d.status(d.get(linkPath(held), cookie), 200)
	for _, never := range []string{note, mod.Email, linkPath(held) + "/undo"} {
		if strings.Contains(page.body, never) {
			t.Errorf("the owner's page contains %q", never)
		}
	}
	if !strings.Contains(page.body, "A moderator") || !strings.Contains(page.body, "Rejected") {
		t.Errorf("history = %s", page.body)
	}
	reported := d.publish("data.json", samples["data.json"])
	d.check(d.server.Abuse.Report(t.Context(), reported.ID, 77, vitrine.AbusePrivate, "my neighbour wrote this"))
	d.move(reported, vitrine.Change{By: vitrine.Actor{Kind: vitrine.ActorReaders}, Action: vitrine.ActionHold,
		To: vitrine.StateReview, Reason: vitrine.ReasonAbuse, Detail: "three neighbours"})
	page = d.status(d.get(linkPath(reported), cookie), 200)
	for _, never := range []string{"neighbour", "Private data"} {
		if strings.Contains(page.body, never) {
			t.Errorf("the owner's page reveals who reported: %q", never)
		}
	}
	own := d.publish("own.txt", []byte("Mine."))
	d.status(d.post(linkPath(own)+"/disable", nil, cookie), 303)
	if page = d.status(d.get("/links", cookie), 200); !strings.Contains(page.body, "By you") {
		t.Errorf("the list does not say who disabled the link: %s", page.body)
	}
}

// TestLinkList filters the list, sorts it in five orders and pages through it.
func TestLinkList(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	cookie := d.signIn(d.member)
	if r := d.status(d.get("/links", cookie), 200); !strings.Contains(r.body, "No links yet") ||
		strings.Contains(r.body, "<select") {
		t.Errorf("empty list: %s", r.body)
	}
	for i := range 51 {
		d.publish("notes.txt", fmt.Appendf(nil, "note %d", i), titled(fmt.Sprintf("Note %02d", i)))
		d.ahead.Add(int64(time.Second))
	}
	picture := d.publish("picture.png", samples["picture.png"], titled("Zoo"))
	d.hold(picture, vitrine.ReasonSuspicious, "")
	titles := regexp.MustCompile(`data-line>([^<]+)</a>`)
	list := func(query string) (got []string) {
		t.Helper()
		r := d.status(d.get("/links"+query, cookie), 200)
		for _, m := range titles.FindAllStringSubmatch(r.body, -1) {
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
	expect("?q="+url.QueryEscape(d.url+"/p/"+string(picture.Slug)+"?qr=1"), 1, "Zoo")
	expect("?q=%25", 0, "")
	expect("?kind=nonsense&sort=rubbish", 50, "Zoo")
	twelve := d.linksOf(d.member)[39]
	for range 2 {
		d.status(d.get("/p/"+string(twelve.Slug)), 200)
	}
	expect("?sort=views", 50, twelve.Title)
	r := d.get("/links?q=zoo", cookie)
	if !strings.Contains(r.body, "Suspicious") || !strings.Contains(r.body, "In review") {
		t.Errorf("the row of a held link lacks the reason: %s", r.body)
	}
	if r := d.get("/links?q=nothing-like-it", cookie); !strings.Contains(r.body, "No matching links") ||
		!strings.Contains(r.body, "0 of 52 links") {
		t.Errorf("list without matches: %s", r.body)
	}
	free, err := d.server.Accounts.SetPlan(t.Context(), d.member.Email, vitrine.PlanFree, nil,
		vitrine.Decision{By: vitrine.Operator})
	d.check(err)
	cookie = d.signIn(free)
	expect("?sort=views", 50, "Zoo")
	if r := d.get("/links", cookie); strings.Contains(r.body, `class="spark"`) ||
		!strings.Contains(r.body, "part of Pro") {
		t.Error("the list on Free shows views, or does not name the plan that has them")
	}
}

// TestLinksInUse checks the wording for one and for several used links.
func TestLinksInUse(t *testing.T) {
	t.Parallel()
	h := newHosting(t)
	cookie := h.signIn(h.member)
	h.publish("notes.txt", []byte("one"))
	h.publish("notes.txt", []byte("two"))
	for most, want := range map[int64]string{2: "All 2 links of your account are in use",
		1: "Your account’s one link is in use"} {
		h.server.Uploads.Plans[vitrine.PlanPro] = vitrine.Limits{Links: most, FileBytes: 1000, StorageBytes: 5000,
			HourlyUploads: 2}
		for _, path := range []string{"/dashboard", "/websites"} {
			if r := h.status(h.get(path, cookie), 200); !strings.Contains(r.body, want) {
				t.Errorf("%s lacks %q", path, want)
			}
		}
	}
}

// TestDashboard checks that the upload page shows the limits of which at least
// half is used.
func TestDashboard(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.server.Uploads.Plans[vitrine.PlanFree] = vitrine.Limits{Links: 2, FileBytes: 1000, StorageBytes: 5000,
		HourlyUploads: 2}
	free, err := d.server.Accounts.SetPlan(t.Context(), d.member.Email, vitrine.PlanFree, nil,
		vitrine.Decision{By: vitrine.Operator})
	d.check(err)
	cookie := d.signIn(free)
	r := d.status(d.get("/dashboard", cookie), 200)
	for _, want := range []string{"No links yet", "vitrine put", "<noscript>", `data-file-limit="1000"`,
		`class="usage limits tabular" aria-label="Limits that you are close to" hidden`} {
		if !strings.Contains(r.body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if !strings.Contains(r.body, `id="full" class="held" hidden`) {
		t.Error("the page says that an empty plan is full")
	}
	d.publish("notes.txt", []byte("one"))
	d.publish("notes.txt", []byte("two"))
	d.ahead.Add(int64(20 * time.Minute))
	r = d.status(d.get("/dashboard", cookie), 200)
	for _, want := range []string{"Recent links", "Delete a link to make room.",
		`2 <span class="soft">of 2</span>`, "All 2 links of your account are in use", `aria-label="Upload" hidden`, "You can upload again in 40 minutes."} {
		if !strings.Contains(r.body, want) {
			t.Errorf("the page lacks %q: %s", want, r.body)
		}
	}
	if strings.Contains(r.body, `class="spark"`) || strings.Contains(r.body, `class="held" hidden`) {
		t.Error("the page on Free shows views, or does not say that the plan is full")
	}
}
