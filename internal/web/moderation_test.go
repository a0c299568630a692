package web_test

import (
	"net/url"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/web/app"
)

// TestQueue checks that the queue lists held links, the longest waiting first,
// and filters by reason.
func TestQueue(t *testing.T) {
	d := newDesk(t)
	cookie := d.signIn(d.owner)
	if r := d.status(d.get("/moderation", cookie), 200); !strings.Contains(r.body, "No links waiting") ||
		strings.Contains(r.body, "<nav class=\"filters\"") {
		t.Errorf("empty queue: %s", r.body)
	}
	d.notices = []app.Notice{{Text: "NO MALWARE SCANNER <b>", Warning: true}, {Text: "Signatures 27412"}}
	first := d.held("notes.txt", vitrine.ReasonSuspicious)
	second := d.held("picture.png", vitrine.ReasonScanLate)
	for range 60 {
		d.held("data.json", vitrine.ReasonScanLate)
	}
	d.publish("song.mp3", samples["song.mp3"])
	r := d.status(d.get("/moderation", cookie), 200)
	for _, want := range []string{"62 links waiting for review", "NO MALWARE SCANNER &lt;b&gt;", "Signatures 27412",
		`href="/moderation?reason=scan_late"`, "Found clean later <b>61</b>", "Suspicious <b>1</b>",
		casePath(first) + "?queue=all", d.member.Email, "Pro"} {
		if !strings.Contains(r.body, want) {
			t.Errorf("the page lacks %q: %s", want, r.body)
		}
	}
	if a, b := strings.Index(r.body, casePath(first)), strings.Index(r.body, casePath(second)); a < 0 || b < a {
		t.Errorf("positions of the rows = %d, %d", a, b)
	}
	if strings.Contains(r.body, "song.mp3") || strings.Count(r.body, `class="case one-line"`) != 50 {
		t.Errorf("%d rows, want 50", strings.Count(r.body, `class="case one-line"`))
	}
	more := d.status(d.get(d.attr(r.body, `href="(/moderation\?after=[^"]+)"`), cookie), 200)
	if n := strings.Count(more.body, `class="case one-line"`); n != 12 || strings.Contains(more.body, `rel="next"`) ||
		!strings.Contains(more.body, "Back to the longest waiting") {
		t.Errorf("the second page has %d rows, want 12", n)
	}
	late := d.status(d.get("/moderation?reason=scan_late", cookie), 200)
	if !strings.Contains(late.body, "61 links waiting for review") || strings.Contains(late.body, casePath(first)) ||
		!strings.Contains(late.body, `value="clear-late"`) {
		t.Errorf("filtered queue: %s", late.body)
	}
	if r := d.status(d.get("/moderation?reason=encrypted_archive", cookie), 200); !strings.Contains(r.body,
		"No links are waiting for this reason") {
		t.Errorf("empty filter: %s", r.body)
	}
	d.status(d.get("/moderation?reason=<script>", cookie), 200)
}

// TestDecisions checks that each decision changes the link's state, is in its
// history with moderator and reason, and leads to the next case.
func TestDecisions(t *testing.T) {
	d := newDesk(t)
	mod := d.join("mod@example.org", vitrine.RoleModerator)
	cookie := d.signIn(mod)
	a, b, c := d.held("notes.txt", vitrine.ReasonSuspicious), d.held("picture.png", vitrine.ReasonSuspicious),
		d.held("song.mp3", vitrine.ReasonAbuse)
	public := func(l *vitrine.Link, want int) { t.Helper(); d.status(d.get("/p/"+string(l.Slug)), want) }
	public(a, 404)
	page := d.status(d.get(casePath(a)+"?queue=all", cookie), 200)
	for _, want := range []string{"Suspicious", vitrine.Meaning(vitrine.ReasonSuspicious), a.SHA256, "text/plain",
		"Plain text", d.member.Email, casePath(b) + "?queue=all", "Held for review", "The scanner"} {
		if !strings.Contains(page.body, strings.ReplaceAll(want, "+", "&#43;")) {
			t.Errorf("the page lacks %q: %s", want, page.body)
		}
	}
	inQueue := func(l *vitrine.Link, action, note, queue string) reply {
		return d.post(casePath(l)+"/"+action, url.Values{"seen": {d.seen(l)}, "note": {note}, "queue": {queue}}, cookie)
	}
	r := inQueue(a, "clear", "Looks fine.", "all")
	if !strings.HasPrefix(r.Header.Get("Location"), casePath(b)+"?done=") {
		t.Errorf("redirected to %s", r.Header.Get("Location"))
	}
	next := d.follow(r, cookie)
	if !strings.Contains(next.body, "<b>Approved</b> <a href=\""+casePath(a)) || !strings.Contains(next.body, "Undo") {
		t.Errorf("the page does not show the decision: %s", next.body)
	}
	public(a, 200)
	// The queue continues forward and starts again at its end.
	r = inQueue(c, "reject", "", "all")
	if !strings.HasPrefix(r.Header.Get("Location"), casePath(b)) {
		t.Errorf("redirected to %s", r.Header.Get("Location"))
	}
	public(c, 410)
	// Undo applies to the range of changes in the page's query.
	undone := d.follow(d.post("/moderation/undo", url.Values{"done": {d.attr(d.follow(r, cookie).body,
		`name="done" value="([^"]+)"`)}, "queue": {"all"}}, cookie), cookie)
	if !strings.Contains(undone.body, "<b>Undone</b>") || d.stateOf(c) != vitrine.StateReview {
		t.Errorf("state after undo = %s, want review", d.stateOf(c))
	}
	r = inQueue(c, "reject", "", vitrine.ReasonAbuse)
	if to := r.Header.Get("Location"); !strings.HasPrefix(to, "/moderation?done=") { // no other link has that reason
		t.Errorf("redirected to %s", to)
	}
	r = inQueue(b, "clear", "", "all")
	if page := d.follow(r, cookie); !strings.Contains(page.body, "No links waiting") {
		t.Error("the last decision does not lead to the empty queue")
	}
	// A decision outside the queue leads back to the case.
	if page := d.follow(d.decide(a, "disable", "Second thoughts.", cookie), cookie); !strings.Contains(page.body,
		"<b>Disabled</b>") || !strings.Contains(page.body, "Second thoughts.") {
		t.Errorf("page after the decision: %s", page.body)
	}
	public(a, 410)
	d.status(d.decide(a, "undo", "", cookie), 303)
	public(a, 200)
	history := d.status(d.get("/moderation/history", cookie), 200)
	for _, want := range []string{"Approved", "Rejected", "Disabled", "Undone", "Looks fine.", mod.Email,
		string(a.Slug)} {
		if !strings.Contains(history.body, want) {
			t.Errorf("the history lacks %q: %s", want, history.body)
		}
	}
	d.status(d.decide(a, "nonsense", "", cookie), 400)
	d.status(d.post("/moderation/links/unknown-link/clear", nil, cookie), 404)
	d.countOpens(a, 2) // the public's, no moderator's
}

// TestTwoModerators checks that the second of two decisions about a link is
// refused with what the first one was, and that the note is kept.
func TestTwoModerators(t *testing.T) {
	d := newDesk(t)
	mod := d.join("mod@example.org", vitrine.RoleModerator)
	one, two := d.signIn(d.owner), d.signIn(mod)
	l := d.held("notes.txt", vitrine.ReasonSuspicious)
	seen := d.attr(d.get(casePath(l), two).body, `name="seen" value="([^"]+)"`)
	d.status(d.decide(l, "reject", "", one), 303)
	for _, action := range []string{"clear", "reject", "reject-same", "undo"} {
		r := d.status(d.post(casePath(l)+"/"+action, url.Values{"seen": {seen}, "note": {"My note & <thought>"}}, two),
			409)
		if !strings.Contains(r.body, "Rejected in the meantime by "+d.owner.Email) ||
			!strings.Contains(r.body, "My note &amp; &lt;thought&gt;</textarea>") ||
			!strings.Contains(r.body, "Disabled") {
			t.Errorf("%s by the second moderator: %s", action, r.body)
		}
	}
	if d.stateOf(l) != vitrine.StateDisabled {
		t.Errorf("state = %s, want disabled", d.stateOf(l))
	}
	// The scanner changes the reason while the page is open, so the page shows
	// an outdated case.
	l = d.held("picture.png", vitrine.ReasonScanLate)
	seen = d.seen(l)
	d.hold(l, vitrine.ReasonMalware, "Eicar")
	d.status(d.post(casePath(l)+"/clear", url.Values{"seen": {seen}}, two), 409)
	r := d.follow(d.post("/moderation/decide", url.Values{"do": {"clear"},
		"link": {string(l.Slug) + " " + vitrine.ReasonScanLate}}, two), two)
	if d.stateOf(l) != vitrine.StateReview || !strings.Contains(r.Request.URL.RawQuery, "spared=1") ||
		!strings.Contains(r.body, "1 link was skipped") {
		t.Errorf("state = %s, at %s, want it in review and skipped", d.stateOf(l), r.Request.URL)
	}
	// All at once: one approval or one rejection succeeds.
	l = d.held("song.mp3", vitrine.ReasonSuspicious)
	seen = d.seen(l)
	codes := parallel(8, func(i int) int {
		return d.post(casePath(l)+"/"+[]string{"clear", "reject"}[i%2], url.Values{"seen": {seen}},
			[]string{one, two}[i/2%2]).StatusCode
	})
	done := 0
	for _, c := range codes {
		if c == 303 {
			done++
		} else if c != 409 {
			t.Errorf("status %d, want 303 or 409", c)
		}
	}
	if done != 1 {
		t.Errorf("%d decisions succeeded, want 1: %v", done, codes)
	}
}

// TestDecideMany approves and rejects several links together, and undoes it.
func TestDecideMany(t *testing.T) {
	d := newDesk(t)
	cookie := d.signIn(d.owner)
	var rows []string
	for range 3 {
		l := d.held("notes.txt", vitrine.ReasonScanLate)
		rows = append(rows, string(l.Slug)+" "+l.Reason)
	}
	other := d.held("picture.png", vitrine.ReasonSuspicious)
	states := func(want vitrine.LinkState) {
		t.Helper()
		for _, row := range rows {
			slug, _, _ := strings.Cut(row, " ")
			if l, err := d.server.Links.BySlug(t.Context(), slug); err != nil || l.State != want {
				t.Errorf("%s is %s (%v), want %s", slug, l.State, err, want)
			}
		}
	}
	page := d.get("/moderation?reason=scan_late", cookie)
	for _, row := range rows {
		if !strings.Contains(page.body, `name="link" value="`+row+`"`) {
			t.Errorf("no row %s", row)
		}
	}
	undo := func(r reply) reply {
		return d.follow(d.post("/moderation/undo", url.Values{"done": {d.attr(r.body, `name="done" value="([^"]+)"`)}},
			cookie), cookie)
	}
	r := d.follow(d.post("/moderation/decide", url.Values{"do": {"reject"}, "note": {"A heap."},
		"link": append(rows, "unknown-link x", "rubbish")}, cookie), cookie)
	if !strings.Contains(r.body, "<b>Rejected 3 links</b>") || !strings.Contains(r.body, "2 links were skipped") {
		t.Errorf("page after rejecting: %s", r.body)
	}
	states(vitrine.StateDisabled)
	if r := undo(r); !strings.Contains(r.body, "<b>Undone 3 links</b>") {
		t.Errorf("page after undoing: %s", r.body)
	}
	states(vitrine.StateReview)
	r = d.follow(d.post("/moderation/decide", url.Values{"do": {"clear-late"}, "reason": {"scan_late"}}, cookie),
		cookie)
	if !strings.Contains(r.body, "<b>Approved 3 links</b>") || d.stateOf(other) != vitrine.StateReview {
		t.Errorf("page after approving: %s", r.body)
	}
	states(vitrine.StateLive)
	// A link that has had another decision since is not undone.
	slug, _, _ := strings.Cut(rows[0], " ")
	l, err := d.server.Links.Disable(t.Context(), slug, vitrine.Decision{By: vitrine.Operator})
	d.check(err)
	if r := undo(r); !strings.Contains(r.body, "<b>Undone 2 links</b>") ||
		!strings.Contains(r.body, "1 link was skipped") || d.stateOf(l) != vitrine.StateDisabled {
		t.Errorf("state = %s: %s", d.stateOf(l), r.body)
	}
	for _, bad := range []string{"", "x", "5-2", "-1-5", "0-9223372036854775807", "0-99999999999999999999"} {
		d.status(d.post("/moderation/undo", url.Values{"done": {bad}}, cookie), 400)
		if r := d.status(d.get("/moderation?done="+bad, cookie), 200); strings.Contains(r.body, `class="done ends"`) {
			t.Errorf("?done=%q shows a decision that was not made", bad)
		}
	}
	other2 := d.join("other@example.org", vitrine.RoleModerator)
	if r := d.status(d.get(r.Request.URL.RequestURI(), d.signIn(other2)), 200); strings.Contains(r.body,
		`class="done ends"`) {
		t.Error("a moderator sees another moderator's decision as their own")
	}
	d.status(d.post("/moderation/decide", url.Values{"do": {"nonsense"},
		"link": {string(other.Slug) + " " + other.Reason}}, cookie), 400)
	d.status(d.post("/moderation/decide", url.Values{"do": {"clear"}, "note": {strings.Repeat("x", 1001)},
		"link": {string(other.Slug) + " " + other.Reason}}, cookie), 400)
	d.status(d.post("/moderation/decide", url.Values{"note": {strings.Repeat("x", 100_000)}}, cookie), 400)
}

// TestRejectSame rejects all links with the same bytes, and shows a note that
// is too long again.
func TestRejectSame(t *testing.T) {
	d := newDesk(t)
	cookie := d.signIn(d.owner)
	same := []*vitrine.Link{d.publish("notes.txt", samples["notes.txt"]), d.publish("again.txt", samples["notes.txt"]),
		d.held("notes.txt", vitrine.ReasonAbuse)}
	other := d.publish("data.json", samples["data.json"])
	page := d.get(casePath(same[2]), cookie)
	if !strings.Contains(page.body, "again.txt") || !strings.Contains(page.body, "Reject every link with this file") ||
		strings.Contains(page.body, string(other.Slug)) {
		t.Errorf("page of the case: %s", page.body)
	}
	r := d.status(d.decide(same[2], "reject-same", strings.Repeat("é", 1001), cookie), 400)
	if !strings.Contains(r.body, "longer than 1000 characters") ||
		!strings.Contains(r.body, strings.Repeat("é", 1001)+"</textarea>") {
		t.Error("the page does not show the long note again")
	}
	if page := d.follow(d.decide(same[2], "reject-same", "", cookie), cookie); !strings.Contains(page.body,
		"3 links</b>") {
		t.Errorf("page after rejecting: %s", page.body)
	}
	for _, l := range same {
		d.status(d.get("/p/"+string(l.Slug)), 410)
	}
	d.status(d.get("/p/"+string(other.Slug)), 200)
}

// TestOwnLink checks that moderators cannot decide about their own links,
// except the owner of the site.
func TestOwnLink(t *testing.T) {
	d := newDesk(t)
	mod := d.join("mod@example.org", vitrine.RoleModerator)
	for _, c := range []struct {
		account *vitrine.Account
		want    int
		files   [3]string
	}{{mod, 403, [3]string{"notes.txt", "picture.png", "song.mp3"}},
		{d.owner, 303, [3]string{"data.json", "drawing.svg", "book.rtf"}}} {
		cookie := d.signIn(c.account)
		d.account = c.account
		l := d.held(c.files[0], vitrine.ReasonSuspicious)
		page := d.get(casePath(l), cookie)
		if !strings.Contains(page.body, "This is your own link") ||
			strings.Contains(page.body, `data-key="a"`) != (c.want == 303) {
			t.Errorf("own link for %s: %s", c.account.Email, page.body)
		}
		d.follow(d.post("/moderation/decide", url.Values{"do": {"clear"}, "link": {string(l.Slug) + " " + l.Reason}},
			cookie), cookie)
		if live := d.stateOf(l) == vitrine.StateLive; live != (c.want == 303) {
			t.Errorf("%s approved their own link from the queue: %t", c.account.Email, live)
		}
		l = d.held(c.files[1], vitrine.ReasonSuspicious)
		d.status(d.decide(l, "clear", "", cookie), c.want)
		l = d.held(c.files[2], vitrine.ReasonSuspicious)
		d.status(d.decide(l, "reject", "", cookie), 303)
		d.status(d.decide(l, "undo", "", cookie), c.want)
	}
}

// TestSuspend suspends an account with a note, which applies everywhere at
// once. Moderators cannot be suspended.
func TestSuspend(t *testing.T) {
	d := newDesk(t)
	mod := d.join("mod@example.org", vitrine.RoleModerator)
	cookie := d.signIn(mod)
	key, err := d.server.Keys.Create(t.Context(), d.member.Email, auth.KeyRequest{Name: "second", Scope: vitrine.ScopeFull})
	d.check(err)
	list := func(want int) {
		t.Helper()
		d.status(d.get("/api/v1/links", "Authorization: Bearer "+string(key.Text)), want)
	}
	var links []*vitrine.Link
	for range 60 {
		links = append(links, d.publish("notes.txt", samples["notes.txt"]))
	}
	page := d.status(d.get(accountPath(d.member), cookie), 200)
	if n := strings.Count(page.body, `/moderation/links/`); n < 50 || !strings.Contains(page.body, "60 links") {
		t.Errorf("%d links: %s", n, page.body)
	}
	older := d.status(d.get(d.attr(page.body, `href="([^"]+\?after=[^"]+)"`), cookie), 200)
	if !strings.Contains(older.body, string(links[0].Slug)) {
		t.Error("the second page lacks the oldest link")
	}
	list(200)
	r := d.follow(d.post(accountPath(d.member)+"/suspend",
		url.Values{"note": {"Spam <b>"}, "case": {string(links[0].Slug)}, "queue": {"all"}}, cookie), cookie)
	if !strings.Contains(r.body, "<b>Suspended</b>") || !strings.Contains(r.Request.URL.Path, string(links[0].Slug)) ||
		!strings.Contains(r.body, "its account is suspended") {
		t.Errorf("page after suspending, %s: %s", r.Request.URL, r.body)
	}
	list(403)
	d.status(d.get("/p/"+string(links[0].Slug)), 410)
	d.status(d.get("/p/"+string(links[59].Slug)), 410)
	page = d.status(d.get(accountPath(d.member), cookie), 200)
	if !strings.Contains(page.body, "Spam &lt;b&gt;") || strings.Contains(page.body, "Live</span>") ||
		!strings.Contains(page.body, "Lift the suspension") {
		t.Errorf("page of the account: %s", page.body)
	}
	undone := d.follow(d.post("/moderation/undo", url.Values{"done": {d.attr(r.body, `name="done" value="([^"]+)"`)}},
		cookie), cookie)
	if !strings.Contains(undone.body, "<b>Suspension lifted</b>") {
		t.Errorf("page after undoing: %s", undone.body)
	}
	list(200)
	d.status(d.get("/p/"+string(links[0].Slug)), 200)
	for _, a := range []*vitrine.Account{mod, d.owner} {
		page := d.status(d.get(accountPath(a), cookie), 200)
		if strings.Contains(page.body, "/suspend") {
			t.Errorf("the page offers to suspend %s", a.Email)
		}
		r := d.status(d.post(accountPath(a)+"/suspend", url.Values{"note": {"A coup"}}, cookie), 400)
		if !strings.Contains(r.body, "only the operator can suspend them") {
			t.Errorf("answer to suspending a moderator: %s", r.body)
		}
	}
	d.status(d.get("/moderation/accounts/999", cookie), 404)
	d.status(d.get("/moderation/accounts/x", cookie), 404)
	d.status(d.post(accountPath(d.member)+"/delete", nil, cookie), 400)
}

// TestModerationUserText checks that these pages escape user text.
func TestModerationUserText(t *testing.T) {
	d := newDesk(t)
	cookie := d.signIn(d.owner)
	evil := `"><script>alert(1)</script><img src=x onerror=alert(1)>{{.Nonce}}'</title></textarea>`
	l := d.publish("a'b<i>\"&c.txt", []byte(evil), titled(evil))
	d.hold(l, vitrine.ReasonSuspicious, evil)
	d.check(d.server.Abuse.Store.Update(t.Context(), func(tx vitrine.Tx) error {
		return tx.AddAbuseReport(&vitrine.AbuseReport{Link: l.ID, Reporter: 1, Reason: vitrine.AbuseOther, Note: evil,
			At: d.server.Now()})
	}))
	again := d.publish("again.txt", []byte(evil), titled(evil))
	d.status(d.decide(again, "disable", evil, cookie), 303)
	d.follow(d.decide(l, "reject", evil, cookie), cookie)
	tooLate := d.status(d.post(casePath(l)+"/clear", url.Values{"seen": {"0"}, "note": {evil}}, cookie), 409)
	d.status(d.decide(l, "undo", "", cookie), 303)
	for _, r := range []reply{tooLate, d.get("/moderation", cookie), d.get("/moderation?done=0-9", cookie),
		d.get(casePath(l)+"?queue="+url.QueryEscape(evil), cookie),
		d.get(accountPath(d.member), cookie), d.get("/moderation/history", cookie),
		d.get("/moderation/find?for="+url.QueryEscape(evil), cookie),
		d.get("/moderation?reason="+url.QueryEscape(evil), cookie), d.get(d.frameOf(casePath(l), cookie))} {
		for _, bad := range []string{"<script>alert", "<img src=x", "</title></textarea>", "<i>"} {
			if i := strings.Index(r.body, bad); i >= 0 {
				t.Errorf("%s: the page contains %q: %.80s", r.Request.URL, bad, r.body[max(0, i-40):])
			}
		}
		for name, values := range r.Header {
			if v := strings.Join(values, " "); strings.Contains(v, "alert") {
				t.Errorf("%s: %s: %s", r.Request.URL, name, v)
			}
		}
	}
}

// TestFind checks that an address, a slug or an email address leads to the
// right page.
func TestFind(t *testing.T) {
	d := newDesk(t)
	cookie := d.signIn(d.owner)
	l := d.held("notes.txt", vitrine.ReasonSuspicious)
	slug := string(l.Slug)
	for text, want := range map[string]string{
		slug: casePath(l), strings.ToUpper(slug): casePath(l), d.url + "/p/" + slug: casePath(l),
		d.url + "/p/" + slug + "/embed?x=1": casePath(l), " /p/" + slug + " ": casePath(l),
		strings.TrimPrefix(d.url, "http://") + "/p/" + slug: casePath(l), d.member.Email: accountPath(d.member),
		"Member@Example.ORG": accountPath(d.member),
	} {
		if r := d.get("/moderation/find?for="+url.QueryEscape(text), cookie); r.StatusCode != 303 ||
			r.Header.Get("Location") != want {
			t.Errorf("find %q: status %d, Location %s", text, r.StatusCode, r.Header.Get("Location"))
		}
	}
	for _, text := range []string{"", "nothing-here", "nobody@example.org", "https://evil.example/x", "//evil.example",
		"%"} {
		if r := d.get("/moderation/find?for="+url.QueryEscape(text), cookie); r.StatusCode != 404 {
			t.Errorf("find %q: status %d, Location %s, want 404", text, r.StatusCode, r.Header.Get("Location"))
		}
	}
}

// TestNoticeDismissed checks that each administrator can dismiss the notice
// about the missing scanner, but not a failure.
func TestNoticeDismissed(t *testing.T) {
	d := newDesk(t)
	d.notices = []app.Notice{{Text: "No malware scanner is set up: this is why.", Warning: true, Key: "scanner",
		Short: "No scanner."}, {Text: "The disk is full.", Warning: true}}
	owner, mod := d.signIn(d.owner), d.signIn(d.join("mod@example.org", vitrine.RoleModerator))
	form := "Content-Type: application/x-www-form-urlencoded"
	warned := func(path, cookie string) (alerts string) {
		t.Helper()
		for _, b := range d.parse(d.status(d.get(path, cookie), 200).body).class("banner") {
			alerts += b.text() + "\n"
		}
		return alerts
	}
	for _, bad := range []string{"notice=", "notice=other", ""} {
		d.status(d.do("POST", "/account/dismiss", bad, form, owner), 400)
	}
	d.status(d.do("POST", "/account/dismiss", "notice=scanner", form, d.signIn(d.member)), 403)
	if got := warned("/people", owner); !strings.Contains(got, "this is why") {
		t.Errorf("notices before = %s", got)
	}
	r := d.status(d.do("POST", "/account/dismiss", "notice=scanner&back=people", form, owner), 303)
	same(t, "it leads to", r.Header.Get("Location"), "/people")
	for _, path := range []string{"/people", "/moderation"} {
		if got := warned(path, owner); strings.Contains(got, "this is why") ||
			!strings.Contains(got, "The disk is full.") {
			t.Errorf("notices on %s = %s", path, got)
		}
		if foot := d.parse(d.get(path, owner).body).class("foot")[0].text(); !strings.Contains(foot, "No scanner.") {
			t.Errorf("footer of %s = %s", path, foot)
		}
	}
	if got := warned("/moderation", mod); !strings.Contains(got, "this is why") {
		t.Errorf("notices of another moderator = %s", got)
	}
}
