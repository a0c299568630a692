package web_test

import (
	"net/url"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/auth"
	"vitrine/internal/web/app"
)

// The queue has what waits, the longest first, and filters by reason.
func TestQueue(t *testing.T) {
	d := newDesk(t)
	cookie := d.signIn(d.owner)
	if r := d.status(d.get("/moderation", cookie), 200); !strings.Contains(r.body, "All done") ||
		strings.Contains(r.body, "<nav class=\"filters\"") {
		t.Errorf("an empty queue: %s", r.body)
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
		`href="/moderation?reason=scan_late"`, "Found clean since <b>61</b>", "Suspicious <b>1</b>",
		casePath(first) + "?queue=all", d.member.Email, "Pro"} {
		if !strings.Contains(r.body, want) {
			t.Errorf("no %q in %s", want, r.body)
		}
	}
	if a, b := strings.Index(r.body, casePath(first)), strings.Index(r.body, casePath(second)); a < 0 || b < a {
		t.Errorf("order: %d, %d", a, b)
	}
	if strings.Contains(r.body, "song.mp3") || strings.Count(r.body, `class="case"`) != 50 {
		t.Errorf("%d rows", strings.Count(r.body, `class="case"`))
	}
	more := d.status(d.get(d.attr(r.body, `href="(/moderation\?after=[^"]+)"`), cookie), 200)
	if n := strings.Count(more.body, `class="case"`); n != 12 || strings.Contains(more.body, `rel="next"`) ||
		!strings.Contains(more.body, "Back to the longest waiting") {
		t.Errorf("the second page has %d rows", n)
	}
	late := d.status(d.get("/moderation?reason=scan_late", cookie), 200)
	if !strings.Contains(late.body, "61 links waiting for review") || strings.Contains(late.body, casePath(first)) ||
		!strings.Contains(late.body, `value="clear-late"`) {
		t.Errorf("the filter: %s", late.body)
	}
	if r := d.status(d.get("/moderation?reason=encrypted_archive", cookie), 200); !strings.Contains(r.body,
		"No links are waiting for this reason") {
		t.Errorf("an empty filter: %s", r.body)
	}
	d.status(d.get("/moderation?reason=<script>", cookie), 200)
	d.status(d.get("/moderation?after=rubbish", cookie), 404)
	d.status(d.get("/moderation/history?before=x", cookie), 404)
}

// Each decision moves the link, is in its history with who and why, and leads
// to the next that waits.
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
			t.Errorf("no %q in %s", want, page.body)
		}
	}
	inQueue := func(l *vitrine.Link, action, note, queue string) reply {
		return d.post(casePath(l)+"/"+action, url.Values{"seen": {d.seen(l)}, "note": {note}, "queue": {queue}}, cookie)
	}
	r := inQueue(a, "clear", "Looks fine.", "all")
	if !strings.HasPrefix(r.Header.Get("Location"), casePath(b)+"?done=") {
		t.Errorf("led to %s", r.Header.Get("Location"))
	}
	next := d.follow(r, cookie)
	if !strings.Contains(next.body, "<b>Approved</b> <a href=\""+casePath(a)) || !strings.Contains(next.body, "Undo") {
		t.Errorf("does not say what was done: %s", next.body)
	}
	public(a, 200)
	// The queue is walked forward, and begins anew at its end.
	r = inQueue(c, "reject", "", "all")
	if !strings.HasPrefix(r.Header.Get("Location"), casePath(b)) {
		t.Errorf("led to %s", r.Header.Get("Location"))
	}
	public(c, 410)
	// What was said to be done is taken back by the range that the page was
	// given.
	undone := d.follow(d.post("/moderation/undo", url.Values{"done": {d.attr(d.follow(r, cookie).body,
		`name="done" value="([^"]+)"`)}, "queue": {"all"}}, cookie), cookie)
	if !strings.Contains(undone.body, "<b>Undone</b>") || d.stateOf(c) != vitrine.StateReview {
		t.Errorf("%s after undo", d.stateOf(c))
	}
	r = inQueue(c, "reject", "", vitrine.ReasonAbuse)
	if to := r.Header.Get("Location"); !strings.HasPrefix(to, "/moderation?done=") { // nothing else has that reason
		t.Errorf("led to %s", to)
	}
	r = inQueue(b, "clear", "", "all")
	if page := d.follow(r, cookie); !strings.Contains(page.body, "All done") {
		t.Error("the last decision does not lead to the empty queue")
	}
	// From no queue a decision leads back to the case.
	if page := d.follow(d.decide(a, "disable", "Second thoughts.", cookie), cookie); !strings.Contains(page.body,
		"<b>Disabled</b>") || !strings.Contains(page.body, "Second thoughts.") {
		t.Errorf("%s", page.body)
	}
	public(a, 410)
	d.status(d.decide(a, "undo", "", cookie), 303)
	public(a, 200)
	history := d.status(d.get("/moderation/history", cookie), 200)
	for _, want := range []string{"Approved", "Rejected", "Disabled", "Undone", "Looks fine.", mod.Email,
		string(a.Slug)} {
		if !strings.Contains(history.body, want) {
			t.Errorf("no %q in the history: %s", want, history.body)
		}
	}
	d.status(d.decide(a, "nonsense", "", cookie), 400)
	d.status(d.post("/moderation/links/unknown-link/clear", nil, cookie), 404)
	d.countOpens(a, 2) // by the public, and by no moderator
}

// Two moderators decide about one link: the second is told what the first did,
// and keeps their note.
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
			t.Errorf("%s: %s", action, r.body)
		}
	}
	if d.stateOf(l) != vitrine.StateDisabled {
		t.Errorf("%s", d.stateOf(l))
	}
	// The scanner speaks while the page is open: what was looked at is not what
	// is held now.
	l = d.held("picture.png", vitrine.ReasonScanLate)
	seen = d.seen(l)
	d.hold(l, vitrine.ReasonMalware, "Eicar")
	d.status(d.post(casePath(l)+"/clear", url.Values{"seen": {seen}}, two), 409)
	r := d.follow(d.post("/moderation/decide", url.Values{"do": {"clear"},
		"link": {string(l.Slug) + " " + vitrine.ReasonScanLate}}, two), two)
	if d.stateOf(l) != vitrine.StateReview || !strings.Contains(r.Request.URL.RawQuery, "spared=1") ||
		!strings.Contains(r.body, "1 link was skipped") {
		t.Errorf("%s, at %s", d.stateOf(l), r.Request.URL)
	}
	// All at once: one clears or one rejects.
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
			t.Errorf("status %d", c)
		}
	}
	if done != 1 {
		t.Errorf("decided %d times: %v", done, codes)
	}
}

// Several are cleared or rejected together, and taken back together.
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
		t.Errorf("%s", r.body)
	}
	states(vitrine.StateDisabled)
	if r := undo(r); !strings.Contains(r.body, "<b>Undone 3 links</b>") {
		t.Errorf("%s", r.body)
	}
	states(vitrine.StateReview)
	r = d.follow(d.post("/moderation/decide", url.Values{"do": {"clear-late"}, "reason": {"scan_late"}}, cookie),
		cookie)
	if !strings.Contains(r.body, "<b>Approved 3 links</b>") || d.stateOf(other) != vitrine.StateReview {
		t.Errorf("%s", r.body)
	}
	states(vitrine.StateLive)
	// What someone has decided about since is not taken back.
	slug, _, _ := strings.Cut(rows[0], " ")
	l, err := d.server.Links.Disable(t.Context(), slug, vitrine.Decision{By: vitrine.Operator})
	d.check(err)
	if r := undo(r); !strings.Contains(r.body, "<b>Undone 2 links</b>") ||
		!strings.Contains(r.body, "1 link was skipped") || d.stateOf(l) != vitrine.StateDisabled {
		t.Errorf("%s: %s", d.stateOf(l), r.body)
	}
	for _, bad := range []string{"", "x", "5-2", "-1-5", "0-9223372036854775807", "0-99999999999999999999"} {
		d.status(d.post("/moderation/undo", url.Values{"done": {bad}}, cookie), 400)
		if r := d.status(d.get("/moderation?done="+bad, cookie), 200); strings.Contains(r.body, `class="done"`) {
			t.Errorf("%q makes a page say what was not done", bad)
		}
	}
	other2 := d.join("other@example.org", vitrine.RoleModerator)
	if r := d.status(d.get(r.Request.URL.RequestURI(), d.signIn(other2)), 200); strings.Contains(r.body,
		`class="done"`) {
		t.Error("one moderator is told of another's decision as theirs")
	}
	d.status(d.post("/moderation/decide", url.Values{"do": {"nonsense"},
		"link": {string(other.Slug) + " " + other.Reason}}, cookie), 400)
	d.status(d.post("/moderation/decide", url.Values{"do": {"clear"}, "note": {strings.Repeat("x", 1001)},
		"link": {string(other.Slug) + " " + other.Reason}}, cookie), 400)
	d.status(d.post("/moderation/decide", url.Values{"note": {strings.Repeat("x", 100_000)}}, cookie), 400)
}

// The same bytes are taken off display wherever they are, and a note that is
// too long comes back.
func TestRejectSame(t *testing.T) {
	d := newDesk(t)
	cookie := d.signIn(d.owner)
	same := []*vitrine.Link{d.publish("notes.txt", samples["notes.txt"]), d.publish("again.txt", samples["notes.txt"]),
		d.held("notes.txt", vitrine.ReasonAbuse)}
	other := d.publish("data.json", samples["data.json"])
	page := d.get(casePath(same[2]), cookie)
	if !strings.Contains(page.body, "again.txt") || !strings.Contains(page.body, "Reject every link with this file") ||
		strings.Contains(page.body, string(other.Slug)) {
		t.Errorf("%s", page.body)
	}
	r := d.status(d.decide(same[2], "reject-same", strings.Repeat("é", 1001), cookie), 400)
	if !strings.Contains(r.body, "longer than 1000 characters") ||
		!strings.Contains(r.body, strings.Repeat("é", 1001)+"</textarea>") {
		t.Error("the long note does not come back")
	}
	if page := d.follow(d.decide(same[2], "reject-same", "", cookie), cookie); !strings.Contains(page.body,
		"3 links</b>") {
		t.Errorf("%s", page.body)
	}
	for _, l := range same {
		d.status(d.get("/p/"+string(l.Slug)), 410)
	}
	d.status(d.get("/p/"+string(other.Slug)), 200)
}

// What is a moderator's own someone else decides about; the owner of the site
// may.
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
			t.Errorf("%s: %s", c.account.Email, page.body)
		}
		d.follow(d.post("/moderation/decide", url.Values{"do": {"clear"}, "link": {string(l.Slug) + " " + l.Reason}},
			cookie), cookie)
		if live := d.stateOf(l) == vitrine.StateLive; live != (c.want == 303) {
			t.Errorf("%s clears their own from the queue: %t", c.account.Email, live)
		}
		l = d.held(c.files[1], vitrine.ReasonSuspicious)
		d.status(d.decide(l, "clear", "", cookie), c.want)
		l = d.held(c.files[2], vitrine.ReasonSuspicious)
		d.status(d.decide(l, "reject", "", cookie), 303)
		d.status(d.decide(l, "undo", "", cookie), c.want)
	}
}

// An account is suspended with a note, everywhere at once, and not if it is a
// moderator's.
func TestSuspend(t *testing.T) {
	d := newDesk(t)
	mod := d.join("mod@example.org", vitrine.RoleModerator)
	cookie := d.signIn(mod)
	key, err := d.server.Keys.Create(t.Context(), d.member.Email, auth.KeyRequest{Name: "second"})
	d.check(err)
	list := func(want int) {
		t.Helper()
		d.status(d.get("/api/v1/links", "Authorization: Bearer "+string(key)), want)
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
		t.Error("the second page has not the oldest link")
	}
	list(200)
	r := d.follow(d.post(accountPath(d.member)+"/suspend",
		url.Values{"note": {"Spam <b>"}, "case": {string(links[0].Slug)}, "queue": {"all"}}, cookie), cookie)
	if !strings.Contains(r.body, "<b>Suspended</b>") || !strings.Contains(r.Request.URL.Path, string(links[0].Slug)) ||
		!strings.Contains(r.body, "its account is suspended") {
		t.Errorf("%s: %s", r.Request.URL, r.body)
	}
	list(403)
	d.status(d.get("/p/"+string(links[0].Slug)), 410)
	d.status(d.get("/p/"+string(links[59].Slug)), 410)
	page = d.status(d.get(accountPath(d.member), cookie), 200)
	if !strings.Contains(page.body, "Spam &lt;b&gt;") || strings.Contains(page.body, "Live</span>") ||
		!strings.Contains(page.body, "Lift the suspension") {
		t.Errorf("%s", page.body)
	}
	undone := d.follow(d.post("/moderation/undo", url.Values{"done": {d.attr(r.body, `name="done" value="([^"]+)"`)}},
		cookie), cookie)
	if !strings.Contains(undone.body, "<b>Suspension lifted</b>") {
		t.Errorf("%s", undone.body)
	}
	list(200)
	d.status(d.get("/p/"+string(links[0].Slug)), 200)
	for _, a := range []*vitrine.Account{mod, d.owner} {
		page := d.status(d.get(accountPath(a), cookie), 200)
		if strings.Contains(page.body, "/suspend") {
			t.Errorf("offers to suspend %s", a.Email)
		}
		r := d.status(d.post(accountPath(a)+"/suspend", url.Values{"note": {"A coup"}}, cookie), 400)
		if !strings.Contains(r.body, "only the operator can suspend them") {
			t.Errorf("%s", r.body)
		}
	}
	d.status(d.get("/moderation/accounts/999", cookie), 404)
	d.status(d.get("/moderation/accounts/x", cookie), 404)
	d.status(d.post(accountPath(d.member)+"/delete", nil, cookie), 400)
}

// What a stranger wrote is text on these pages, whatever it looks like.
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
				t.Errorf("%s: %q stands in the page: %.80s", r.Request.URL, bad, r.body[max(0, i-40):])
			}
		}
		for name, values := range r.Header {
			if v := strings.Join(values, " "); strings.Contains(v, "alert") {
				t.Errorf("%s: %s: %s", r.Request.URL, name, v)
			}
		}
	}
}

// An address, a slug or an e-mail address leads where it belongs.
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
			t.Errorf("%q: %d, %s", text, r.StatusCode, r.Header.Get("Location"))
		}
	}
	for _, text := range []string{"", "nothing-here", "nobody@example.org", "https://evil.example/x", "//evil.example",
		"%"} {
		if r := d.get("/moderation/find?for="+url.QueryEscape(text), cookie); r.StatusCode != 404 {
			t.Errorf("%q: %d, %s", text, r.StatusCode, r.Header.Get("Location"))
		}
	}
}

// That there is no scanner can be dismissed, by each administrator for
// themselves. A failure cannot.
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
		t.Errorf("before: %s", got)
	}
	r := d.status(d.do("POST", "/account/dismiss", "notice=scanner&back=people", form, owner), 303)
	same(t, "it leads to", r.Header.Get("Location"), "/people")
	for _, path := range []string{"/people", "/moderation"} {
		if got := warned(path, owner); strings.Contains(got, "this is why") ||
			!strings.Contains(got, "The disk is full.") {
			t.Errorf("%s: %s", path, got)
		}
		if foot := d.parse(d.get(path, owner).body).class("foot")[0].text(); !strings.Contains(foot, "No scanner.") {
			t.Errorf("the foot of %s: %s", path, foot)
		}
	}
	if got := warned("/moderation", mod); !strings.Contains(got, "this is why") {
		t.Errorf("another moderator: %s", got)
	}
}
