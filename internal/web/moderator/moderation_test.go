package moderator_test

import (
	"net/url"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/test/webtest"
	"vitrine/internal/web/app"
)

// TestQueue checks that the queue lists held links, the longest waiting first,
// and filters by reason.
func TestQueue(t *testing.T) {
	d := webtest.NewDesk(t)
	cookie := d.SignIn(d.Owner)
	if r := d.Status(d.Get("/moderation", cookie), 200); !strings.Contains(r.Text, "No links waiting") ||
		strings.Contains(r.Text, "<nav class=\"filters\"") {
		t.Errorf("empty queue: %s", r.Text)
	}
	d.Notices = []app.Notice{{Text: "NO MALWARE SCANNER <b>", Warning: true}, {Text: "Signatures 27412"}}
	first := d.Held("notes.txt", vitrine.ReasonSuspicious)
	second := d.Held("picture.png", vitrine.ReasonScanLate)
	for range 60 {
		d.Held("data.json", vitrine.ReasonScanLate)
	}
	d.Publish("song.mp3", webtest.Samples["song.mp3"])
	r := d.Status(d.Get("/moderation", cookie), 200)
	for _, want := range []string{"62 links waiting for review", "NO MALWARE SCANNER &lt;b&gt;", "Signatures 27412",
		`href="/moderation?reason=scan_late"`, "Found clean later <b>61</b>", "Suspicious <b>1</b>",
		webtest.CasePath(first) + "?queue=all", d.Member.Email, "Pro"} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("the page lacks %q: %s", want, r.Text)
		}
	}
	if a, b := strings.Index(r.Text, webtest.CasePath(first)), strings.Index(r.Text,
		webtest.CasePath(second)); a < 0 || b < a {
		t.Errorf("positions of the rows = %d, %d", a, b)
	}
	if strings.Contains(r.Text, "song.mp3") || strings.Count(r.Text, `class="case one-line"`) != 50 {
		t.Errorf("%d rows, want 50", strings.Count(r.Text, `class="case one-line"`))
	}
	more := d.Status(d.Get(d.Attr(r.Text, `href="(/moderation\?after=[^"]+)"`), cookie), 200)
	if n := strings.Count(more.Text, `class="case one-line"`); n != 12 || strings.Contains(more.Text, `rel="next"`) ||
		!strings.Contains(more.Text, "Back to the longest waiting") {
		t.Errorf("the second page has %d rows, want 12", n)
	}
	late := d.Status(d.Get("/moderation?reason=scan_late", cookie), 200)
	if !strings.Contains(late.Text, "61 links waiting for review") || strings.Contains(late.Text,
		webtest.CasePath(first)) ||
		!strings.Contains(late.Text, `value="clear-late"`) {
		t.Errorf("filtered queue: %s", late.Text)
	}
	if r := d.Status(d.Get("/moderation?reason=encrypted_archive", cookie), 200); !strings.Contains(r.Text,
		"No links are waiting for this reason") {
		t.Errorf("empty filter: %s", r.Text)
	}
	d.Status(d.Get("/moderation?reason=<script>", cookie), 200)
}

// TestDecisions checks that each decision changes the link's state, is in its
// history with moderator and reason, and leads to the next case.
func TestDecisions(t *testing.T) {
	d := webtest.NewDesk(t)
	mod := d.Join("mod@example.org", vitrine.RoleModerator)
	cookie := d.SignIn(mod)
	a, b, c := d.Held("notes.txt", vitrine.ReasonSuspicious), d.Held("picture.png", vitrine.ReasonSuspicious),
		d.Held("song.mp3", vitrine.ReasonAbuse)
	public := func(l *vitrine.Link, want int) { t.Helper(); d.Status(d.Get("/p/"+string(l.Slug)), want) }
	public(a, 404)
	page := d.Status(d.Get(webtest.CasePath(a)+"?queue=all", cookie), 200)
	for _, want := range []string{"Suspicious", vitrine.Meaning(vitrine.ReasonSuspicious), a.SHA256, "text/plain",
		"Plain text", d.Member.Email, webtest.CasePath(b) + "?queue=all", "Held for review", "The scanner"} {
		if !strings.Contains(page.Text, strings.ReplaceAll(want, "+", "&#43;")) {
			t.Errorf("the page lacks %q: %s", want, page.Text)
		}
	}
	inQueue := func(l *vitrine.Link, action, note, queue string) webtest.Reply {
		return d.Post(webtest.CasePath(l)+"/"+action, url.Values{"seen": {d.Seen(l)}, "note": {note}, "queue": {queue}},
			cookie)
	}
	r := inQueue(a, "clear", "Looks fine.", "all")
	if !strings.HasPrefix(r.Header.Get("Location"), webtest.CasePath(b)+"?done=") {
		t.Errorf("redirected to %s", r.Header.Get("Location"))
	}
	next := d.Follow(r, cookie)
	if !strings.Contains(next.Text, "<b>Approved</b> <a href=\""+webtest.CasePath(a)) || !strings.Contains(next.Text,
		"Undo") {
		t.Errorf("the page does not show the decision: %s", next.Text)
	}
	public(a, 200)
	// The queue continues forward and starts again at its end.
	r = inQueue(c, "reject", "", "all")
	if !strings.HasPrefix(r.Header.Get("Location"), webtest.CasePath(b)) {
		t.Errorf("redirected to %s", r.Header.Get("Location"))
	}
	public(c, 410)
	// Undo applies to the range of changes in the page's query.
	undone := d.Follow(d.Post("/moderation/undo", url.Values{"done": {d.Attr(d.Follow(r, cookie).Text,
		`name="done" value="([^"]+)"`)}, "queue": {"all"}}, cookie), cookie)
	if !strings.Contains(undone.Text, "<b>Undone</b>") || d.StateOf(c) != vitrine.StateReview {
		t.Errorf("state after undo = %s, want review", d.StateOf(c))
	}
	r = inQueue(c, "reject", "", vitrine.ReasonAbuse)
	if to := r.Header.Get("Location"); !strings.HasPrefix(to, "/moderation?done=") { // no other link has that reason
		t.Errorf("redirected to %s", to)
	}
	r = inQueue(b, "clear", "", "all")
	if page := d.Follow(r, cookie); !strings.Contains(page.Text, "No links waiting") {
		t.Error("the last decision does not lead to the empty queue")
	}
	// A decision outside the queue leads back to the case.
	if page := d.Follow(d.Decide(a, "disable", "Second thoughts.", cookie), cookie); !strings.Contains(page.Text,
		"<b>Disabled</b>") || !strings.Contains(page.Text, "Second thoughts.") {
		t.Errorf("page after the decision: %s", page.Text)
	}
	public(a, 410)
	d.Status(d.Decide(a, "undo", "", cookie), 303)
	public(a, 200)
	history := d.Status(d.Get("/moderation/history", cookie), 200)
	for _, want := range []string{"Approved", "Rejected", "Disabled", "Undone", "Looks fine.", mod.Email,
		string(a.Slug)} {
		if !strings.Contains(history.Text, want) {
			t.Errorf("the history lacks %q: %s", want, history.Text)
		}
	}
	d.Status(d.Decide(a, "nonsense", "", cookie), 400)
	d.Status(d.Post("/moderation/links/unknown-link/clear", nil, cookie), 404)
	d.CountViews(a, 2) // the public's, no moderator's
}

// TestTwoModerators checks that the second of two decisions about a link is
// refused with what the first one was, and that the note is kept.
func TestTwoModerators(t *testing.T) {
	d := webtest.NewDesk(t)
	mod := d.Join("mod@example.org", vitrine.RoleModerator)
	one, two := d.SignIn(d.Owner), d.SignIn(mod)
	l := d.Held("notes.txt", vitrine.ReasonSuspicious)
	seen := d.Attr(d.Get(webtest.CasePath(l), two).Text, `name="seen" value="([^"]+)"`)
	d.Status(d.Decide(l, "reject", "", one), 303)
	for _, action := range []string{"clear", "reject", "reject-same", "undo"} {
		r := d.Status(d.Post(webtest.CasePath(l)+"/"+action, url.Values{"seen": {seen},
			"note": {"My note & <thought>"}}, two), 409)
		if !strings.Contains(r.Text, "Rejected in the meantime by "+d.Owner.Email) ||
			!strings.Contains(r.Text, "My note &amp; &lt;thought&gt;</textarea>") ||
			!strings.Contains(r.Text, "Disabled") {
			t.Errorf("%s by the second moderator: %s", action, r.Text)
		}
	}
	if d.StateOf(l) != vitrine.StateDisabled {
		t.Errorf("state = %s, want disabled", d.StateOf(l))
	}
	// The scanner changes the reason while the page is open, so the page shows
	// an outdated case.
	l = d.Held("picture.png", vitrine.ReasonScanLate)
	seen = d.Seen(l)
	d.Hold(l, vitrine.ReasonMalware, "Eicar")
	d.Status(d.Post(webtest.CasePath(l)+"/clear", url.Values{"seen": {seen}}, two), 409)
	r := d.Follow(d.Post("/moderation/decide", url.Values{"do": {"clear"},
		"link": {string(l.Slug) + " " + vitrine.ReasonScanLate}}, two), two)
	if d.StateOf(l) != vitrine.StateReview || !strings.Contains(r.Request.URL.RawQuery, "spared=1") ||
		!strings.Contains(r.Text, "1 link was skipped") {
		t.Errorf("state = %s, at %s, want it in review and skipped", d.StateOf(l), r.Request.URL)
	}
	// All at once: one approval or one rejection succeeds.
	l = d.Held("song.mp3", vitrine.ReasonSuspicious)
	seen = d.Seen(l)
	codes := webtest.Parallel(8, func(i int) int {
		return d.Post(webtest.CasePath(l)+"/"+[]string{"clear", "reject"}[i%2], url.Values{"seen": {seen}},
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
	d := webtest.NewDesk(t)
	cookie := d.SignIn(d.Owner)
	var rows []string
	for range 3 {
		l := d.Held("notes.txt", vitrine.ReasonScanLate)
		rows = append(rows, string(l.Slug)+" "+l.Reason)
	}
	other := d.Held("picture.png", vitrine.ReasonSuspicious)
	states := func(want vitrine.LinkState) {
		t.Helper()
		for _, row := range rows {
			slug, _, _ := strings.Cut(row, " ")
			if l, err := d.Server.Links.BySlug(t.Context(), slug); err != nil || l.State != want {
				t.Errorf("%s is %s (%v), want %s", slug, l.State, err, want)
			}
		}
	}
	page := d.Get("/moderation?reason=scan_late", cookie)
	for _, row := range rows {
		if !strings.Contains(page.Text, `name="link" value="`+row+`"`) {
			t.Errorf("no row %s", row)
		}
	}
	undo := func(r webtest.Reply) webtest.Reply {
		return d.Follow(d.Post("/moderation/undo", url.Values{"done": {d.Attr(r.Text, `name="done" value="([^"]+)"`)}},
			cookie), cookie)
	}
	r := d.Follow(d.Post("/moderation/decide", url.Values{"do": {"reject"}, "note": {"A heap."},
		"link": append(rows, "unknown-link x", "rubbish")}, cookie), cookie)
	if !strings.Contains(r.Text, "<b>Rejected 3 links</b>") || !strings.Contains(r.Text, "2 links were skipped") {
		t.Errorf("page after rejecting: %s", r.Text)
	}
	states(vitrine.StateDisabled)
	if r := undo(r); !strings.Contains(r.Text, "<b>Undone 3 links</b>") {
		t.Errorf("page after undoing: %s", r.Text)
	}
	states(vitrine.StateReview)
	r = d.Follow(d.Post("/moderation/decide", url.Values{"do": {"clear-late"}, "reason": {"scan_late"}}, cookie),
		cookie)
	if !strings.Contains(r.Text, "<b>Approved 3 links</b>") || d.StateOf(other) != vitrine.StateReview {
		t.Errorf("page after approving: %s", r.Text)
	}
	states(vitrine.StateLive)
	// A link that has had another decision since is not undone.
	slug, _, _ := strings.Cut(rows[0], " ")
	l, err := d.Server.Links.Disable(t.Context(), slug, vitrine.Decision{By: vitrine.Administrator})
	d.Check(err)
	if r := undo(r); !strings.Contains(r.Text, "<b>Undone 2 links</b>") ||
		!strings.Contains(r.Text, "1 link was skipped") || d.StateOf(l) != vitrine.StateDisabled {
		t.Errorf("state = %s: %s", d.StateOf(l), r.Text)
	}
	for _, bad := range []string{"", "x", "5-2", "-1-5", "0-9223372036854775807", "0-99999999999999999999"} {
		d.Status(d.Post("/moderation/undo", url.Values{"done": {bad}}, cookie), 400)
		if r := d.Status(d.Get("/moderation?done="+bad, cookie), 200); strings.Contains(r.Text, `class="done ends"`) {
			t.Errorf("?done=%q shows a decision that was not made", bad)
		}
	}
	other2 := d.Join("other@example.org", vitrine.RoleModerator)
	if r := d.Status(d.Get(r.Request.URL.RequestURI(), d.SignIn(other2)), 200); strings.Contains(r.Text,
		`class="done ends"`) {
		t.Error("a moderator sees another moderator's decision as their own")
	}
	d.Status(d.Post("/moderation/decide", url.Values{"do": {"nonsense"},
		"link": {string(other.Slug) + " " + other.Reason}}, cookie), 400)
	d.Status(d.Post("/moderation/decide", url.Values{"do": {"clear"}, "note": {strings.Repeat("x", 1001)},
		"link": {string(other.Slug) + " " + other.Reason}}, cookie), 400)
	d.Status(d.Post("/moderation/decide", url.Values{"note": {strings.Repeat("x", 100_000)}}, cookie), 400)
}

// TestRejectSame rejects all links with the same bytes, and shows a note that
// is too long again.
func TestRejectSame(t *testing.T) {
	d := webtest.NewDesk(t)
	cookie := d.SignIn(d.Owner)
	same := []*vitrine.Link{d.Publish("notes.txt", webtest.Samples["notes.txt"]), d.Publish("again.txt",
		webtest.Samples["notes.txt"]), d.Held("notes.txt", vitrine.ReasonAbuse)}
	other := d.Publish("data.json", webtest.Samples["data.json"])
	page := d.Get(webtest.CasePath(same[2]), cookie)
	if !strings.Contains(page.Text, "again.txt") || !strings.Contains(page.Text, "Reject every link with this file") ||
		strings.Contains(page.Text, string(other.Slug)) {
		t.Errorf("page of the case: %s", page.Text)
	}
	r := d.Status(d.Decide(same[2], "reject-same", strings.Repeat("é", 1001), cookie), 400)
	if !strings.Contains(r.Text, "longer than 1000 characters") ||
		!strings.Contains(r.Text, strings.Repeat("é", 1001)+"</textarea>") {
		t.Error("the page does not show the long note again")
	}
	if page := d.Follow(d.Decide(same[2], "reject-same", "", cookie), cookie); !strings.Contains(page.Text,
		"3 links</b>") {
		t.Errorf("page after rejecting: %s", page.Text)
	}
	for _, l := range same {
		d.Status(d.Get("/p/"+string(l.Slug)), 410)
	}
	d.Status(d.Get("/p/"+string(other.Slug)), 200)
}

// TestOwnLink checks that moderators cannot decide about their own links,
// except the owner of the site.
func TestOwnLink(t *testing.T) {
	d := webtest.NewDesk(t)
	mod := d.Join("mod@example.org", vitrine.RoleModerator)
	for _, c := range []struct {
		account *vitrine.Account
		want    int
		files   [3]string
	}{{mod, 403, [3]string{"notes.txt", "picture.png", "song.mp3"}},
		{d.Owner, 303, [3]string{"data.json", "drawing.svg", "book.rtf"}}} {
		cookie := d.SignIn(c.account)
		d.Account = c.account
		l := d.Held(c.files[0], vitrine.ReasonSuspicious)
		page := d.Get(webtest.CasePath(l), cookie)
		if !strings.Contains(page.Text, "This is your own link") ||
			strings.Contains(page.Text, `data-key="a"`) != (c.want == 303) {
			t.Errorf("own link for %s: %s", c.account.Email, page.Text)
		}
		d.Follow(d.Post("/moderation/decide", url.Values{"do": {"clear"}, "link": {string(l.Slug) + " " + l.Reason}},
			cookie), cookie)
		if live := d.StateOf(l) == vitrine.StateLive; live != (c.want == 303) {
			t.Errorf("%s approved their own link from the queue: %t", c.account.Email, live)
		}
		l = d.Held(c.files[1], vitrine.ReasonSuspicious)
		d.Status(d.Decide(l, "clear", "", cookie), c.want)
		l = d.Held(c.files[2], vitrine.ReasonSuspicious)
		d.Status(d.Decide(l, "reject", "", cookie), 303)
		d.Status(d.Decide(l, "undo", "", cookie), c.want)
	}
}

// TestSuspend suspends an account with a note, which applies everywhere at
// once. Moderators cannot be suspended.
func TestSuspend(t *testing.T) {
	d := webtest.NewDesk(t)
	mod := d.Join("mod@example.org", vitrine.RoleModerator)
	cookie := d.SignIn(mod)
	key, err := d.Server.Keys.CreateFor(t.Context(), d.Member.Email, auth.KeyRequest{Name: "second",
		Scope: vitrine.ScopeFull})
	d.Check(err)
	list := func(want int) {
		t.Helper()
		d.Status(d.Get("/api/v1/links", "Authorization: Bearer "+string(key.Text)), want)
	}
	var links []*vitrine.Link
	for range 60 {
		links = append(links, d.Publish("notes.txt", webtest.Samples["notes.txt"]))
	}
	page := d.Status(d.Get(webtest.AccountPath(d.Member), cookie), 200)
	if n := strings.Count(page.Text, `/moderation/links/`); n < 50 || !strings.Contains(page.Text, "60 links") {
		t.Errorf("%d links: %s", n, page.Text)
	}
	older := d.Status(d.Get(d.Attr(page.Text, `href="([^"]+\?after=[^"]+)"`), cookie), 200)
	if !strings.Contains(older.Text, string(links[0].Slug)) {
		t.Error("the second page lacks the oldest link")
	}
	list(200)
	r := d.Follow(d.Post(webtest.AccountPath(d.Member)+"/suspend",
		url.Values{"note": {"Spam <b>"}, "case": {string(links[0].Slug)}, "queue": {"all"}}, cookie), cookie)
	if !strings.Contains(r.Text, "<b>Suspended</b>") || !strings.Contains(r.Request.URL.Path, string(links[0].Slug)) ||
		!strings.Contains(r.Text, "its account is suspended") {
		t.Errorf("page after suspending, %s: %s", r.Request.URL, r.Text)
	}
	list(403)
	d.Status(d.Get("/p/"+string(links[0].Slug)), 410)
	d.Status(d.Get("/p/"+string(links[59].Slug)), 410)
	page = d.Status(d.Get(webtest.AccountPath(d.Member), cookie), 200)
	if !strings.Contains(page.Text, "Spam &lt;b&gt;") || strings.Contains(page.Text, "Live</span>") ||
		!strings.Contains(page.Text, "Lift the suspension") {
		t.Errorf("page of the account: %s", page.Text)
	}
	undone := d.Follow(d.Post("/moderation/undo", url.Values{"done": {d.Attr(r.Text, `name="done" value="([^"]+)"`)}},
		cookie), cookie)
	if !strings.Contains(undone.Text, "<b>Suspension lifted</b>") {
		t.Errorf("page after undoing: %s", undone.Text)
	}
	list(200)
	d.Status(d.Get("/p/"+string(links[0].Slug)), 200)
	for _, a := range []*vitrine.Account{mod, d.Owner} {
		page := d.Status(d.Get(webtest.AccountPath(a), cookie), 200)
		if strings.Contains(page.Text, "/suspend") {
			t.Errorf("the page offers to suspend %s", a.Email)
		}
		r := d.Status(d.Post(webtest.AccountPath(a)+"/suspend", url.Values{"note": {"A coup"}}, cookie), 400)
		if !strings.Contains(r.Text, "only an administrator can suspend them") {
			t.Errorf("answer to suspending a moderator: %s", r.Text)
		}
	}
	d.Status(d.Get("/moderation/accounts/999", cookie), 404)
	d.Status(d.Get("/moderation/accounts/x", cookie), 404)
	d.Status(d.Post(webtest.AccountPath(d.Member)+"/delete", nil, cookie), 400)
}

// TestModerationUserText checks that these pages escape user text.
func TestModerationUserText(t *testing.T) {
	d := webtest.NewDesk(t)
	cookie := d.SignIn(d.Owner)
	evil := `"><script>alert(1)</script><img src=x onerror=alert(1)>{{.Nonce}}'</title></textarea>`
	l := d.Publish("a'b<i>\"&c.txt", []byte(evil), webtest.Titled(evil))
	d.Hold(l, vitrine.ReasonSuspicious, evil)
	d.Check(d.Server.Abuse.Store.Update(t.Context(), func(tx vitrine.Tx) error {
		return tx.AddAbuseReport(&vitrine.AbuseReport{Link: l.ID, Reporter: 1, Reason: vitrine.AbuseOther, Note: evil,
			At: d.Server.Now()})
	}))
	again := d.Publish("again.txt", []byte(evil), webtest.Titled(evil))
	d.Status(d.Decide(again, "disable", evil, cookie), 303)
	d.Follow(d.Decide(l, "reject", evil, cookie), cookie)
	tooLate := d.Status(d.Post(webtest.CasePath(l)+"/clear", url.Values{"seen": {"0"}, "note": {evil}}, cookie), 409)
	d.Status(d.Decide(l, "undo", "", cookie), 303)
	for _, r := range []webtest.Reply{tooLate, d.Get("/moderation", cookie), d.Get("/moderation?done=0-9", cookie),
		d.Get(webtest.CasePath(l)+"?queue="+url.QueryEscape(evil), cookie),
		d.Get(webtest.AccountPath(d.Member), cookie), d.Get("/moderation/history", cookie),
		d.Get("/moderation/find?for="+url.QueryEscape(evil), cookie),
		d.Get("/moderation?reason="+url.QueryEscape(evil), cookie), d.Get(d.FrameOf(webtest.CasePath(l), cookie))} {
		for _, bad := range []string{"<script>alert", "<img src=x", "</title></textarea>", "<i>"} {
			if i := strings.Index(r.Text, bad); i >= 0 {
				t.Errorf("%s: the page contains %q: %.80s", r.Request.URL, bad, r.Text[max(0, i-40):])
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
	d := webtest.NewDesk(t)
	cookie := d.SignIn(d.Owner)
	l := d.Held("notes.txt", vitrine.ReasonSuspicious)
	slug := string(l.Slug)
	for text, want := range map[string]string{
		slug: webtest.CasePath(l), strings.ToUpper(slug): webtest.CasePath(l),
		d.URL + "/p/" + slug:                webtest.CasePath(l),
		d.URL + "/p/" + slug + "/embed?x=1": webtest.CasePath(l), " /p/" + slug + " ": webtest.CasePath(l),
		strings.TrimPrefix(d.URL, "http://") + "/p/" + slug: webtest.CasePath(l),
		d.Member.Email:       webtest.AccountPath(d.Member),
		"Member@Example.ORG": webtest.AccountPath(d.Member),
	} {
		if r := d.Get("/moderation/find?for="+url.QueryEscape(text), cookie); r.StatusCode != 303 ||
			r.Header.Get("Location") != want {
			t.Errorf("find %q: status %d, Location %s", text, r.StatusCode, r.Header.Get("Location"))
		}
	}
	for _, text := range []string{"", "nothing-here", "nobody@example.org", "https://evil.example/x", "//evil.example",
		"%"} {
		if r := d.Get("/moderation/find?for="+url.QueryEscape(text), cookie); r.StatusCode != 404 {
			t.Errorf("find %q: status %d, Location %s, want 404", text, r.StatusCode, r.Header.Get("Location"))
		}
	}
}

// TestNoticeDismissed checks that each administrator can dismiss the notice
// about the missing scanner, but not a failure.
func TestNoticeDismissed(t *testing.T) {
	d := webtest.NewDesk(t)
	d.Notices = []app.Notice{{Text: "No malware scanner is set up: this is why.", Warning: true, Key: "scanner",
		Short: "No scanner."}, {Text: "The disk is full.", Warning: true}}
	owner, mod := d.SignIn(d.Owner), d.SignIn(d.Join("mod@example.org", vitrine.RoleModerator))
	form := "Content-Type: application/x-www-form-urlencoded"
	warned := func(path, cookie string) (alerts string) {
		t.Helper()
		for _, b := range d.Parse(d.Status(d.Get(path, cookie), 200).Text).Class("banner") {
			alerts += b.Text() + "\n"
		}
		return alerts
	}
	for _, bad := range []string{"notice=", "notice=other", ""} {
		d.Status(d.Do("POST", "/account/dismiss", bad, form, owner), 400)
	}
	d.Status(d.Do("POST", "/account/dismiss", "notice=scanner", form, d.SignIn(d.Member)), 403)
	if got := warned("/people", owner); !strings.Contains(got, "this is why") {
		t.Errorf("notices before = %s", got)
	}
	r := d.Status(d.Do("POST", "/account/dismiss", "notice=scanner&back=people", form, owner), 303)
	webtest.Same(t, "it leads to", r.Header.Get("Location"), "/people")
	for _, path := range []string{"/people", "/moderation"} {
		if got := warned(path, owner); strings.Contains(got, "this is why") ||
			!strings.Contains(got, "The disk is full.") {
			t.Errorf("notices on %s = %s", path, got)
		}
		if foot := d.Parse(d.Get(path, owner).Text).Class("foot")[0].Text(); !strings.Contains(foot, "No scanner.") {
			t.Errorf("footer of %s = %s", path, foot)
		}
	}
	if got := warned("/moderation", mod); !strings.Contains(got, "this is why") {
		t.Errorf("notices of another moderator = %s", got)
	}
}
