package vitrine_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/vitrinetest"
)

// post is a Mailer that keeps what it is given.
type post struct {
	mu      sync.Mutex
	letters []vitrine.Message
}

func (p *post) Send(_ context.Context, m vitrine.Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.letters = append(p.letters, m)
	return nil
}

// take returns the messages since it was last asked.
func (p *post) take() (l []vitrine.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l, p.letters = p.letters, nil
	return l
}

// entrance is an instance at which people get in. Ann is its owner.
type entrance struct {
	*scanning
	in   *vitrine.Sessions
	acc  *vitrine.Accounts
	post *post
}

func newEntrance(t *testing.T, mode vitrine.SignUp, mail bool) *entrance {
	t.Helper()
	e := &entrance{scanning: newScanning(t), post: new(post)}
	e.in = e.sessions()
	e.acc = &vitrine.Accounts{Store: e.store, Now: e.clock.Now, Sessions: e.in, SignUp: mode, Site: "share.example", Links: e.links,
		Address: func(p vitrine.TokenPurpose, text vitrine.TokenText) string { return string(p) + ":" + string(text) }}
	if mail {
		e.acc.Mail = &vitrine.Outbox{Store: e.store, Mailer: e.post, Now: e.clock.Now}
		e.acc.Mail.Wake = func() { e.must(e.acc.Mail.Send(context.Background())) }
	}
	return e
}

// token is the secret in a message.
func (e *entrance) token(m vitrine.Message, p vitrine.TokenPurpose) string {
	e.t.Helper()
	_, rest, ok := strings.Cut(m.Text, "\n"+string(p)+":")
	if !ok {
		e.t.Fatalf("no token of %s in %q", p, m.Text)
	}
	text, _, _ := strings.Cut(rest, "\n")
	return text
}

// code fails the test unless err has a code.
func (e *entrance) code(what string, err error, want vitrine.Code) *vitrine.Error {
	e.t.Helper()
	if got := vitrine.CodeOf(err); got != want {
		e.t.Errorf("%s: %v, want %q", what, err, want)
	}
	var v *vitrine.Error
	errors.As(err, &v)
	return v
}

const (
	annEmail = "ann@example.org"
	annWords = "a café at noon"
)

func from(addr string, devices ...string) vitrine.Client {
	return vitrine.Client{Addr: netip.MustParseAddr(addr), Devices: devices, Label: "Firefox on Linux"}
}

var home = from("192.0.2.1")

func (e *entrance) enter(g vitrine.Client, email, password string) (vitrine.SignedIn, error) {
	return e.in.SignInWithPassword(e.t.Context(), email, password, g)
}

// A forgotten password is set with a link that is sent to who has an account, and only to them; all sessions end.
func TestReset(t *testing.T) {
	e := newEntrance(t, vitrine.SignUpInvite, true)
	ctx := t.Context()
	e.must(e.acc.SetPassword(ctx, annEmail, annWords))
	before, err := e.enter(home, annEmail, annWords)
	e.must(err)
	e.must(e.acc.Forgot(ctx, "nobody@example.org", home))
	if l := e.post.take(); len(l) != 0 {
		t.Fatalf("%+v", l)
	}
	e.must(e.acc.Forgot(ctx, annEmail, home))
	e.must(e.acc.Forgot(ctx, annEmail, from("203.0.113.1")))
	l := e.post.take()
	e.code("replaced", second(e.acc.ResetGood(ctx, e.token(l[0], vitrine.TokenPassword))), vitrine.CodeUnauthorized)
	text := e.token(l[1], vitrine.TokenPassword)
	e.code("short", second(e.acc.Reset(ctx, text, "short", home)), vitrine.CodeInvalidRequest)
	in, err := e.acc.Reset(ctx, text, "another good one", home)
	e.must(err)
	if l := e.post.take(); len(l) != 1 || !strings.Contains(l[0].Subject, "changed") {
		t.Errorf("%+v", l)
	}
	e.code("the session of before", second(e.in.Authenticate(ctx, string(before.Session))), vitrine.CodeUnauthorized)
	e.code("the password of before", second(e.enter(from("192.0.2.1", in.Device), annEmail, annWords)), vitrine.CodeUnauthorized)
	if _, err := e.in.Authenticate(ctx, string(in.Session)); err != nil {
		t.Error(err)
	}
	e.code("again", second(e.acc.Reset(ctx, text, "another good one", home)), vitrine.CodeUnauthorized)
	e.must(e.acc.Forgot(ctx, annEmail, home))
	late := e.token(e.post.take()[0], vitrine.TokenPassword)
	e.code("a fourth for the address", e.acc.Forgot(ctx, annEmail, from("198.51.100.1")), vitrine.CodeRateLimited)
	e.clock.Advance(time.Hour)
	e.code("late", second(e.acc.Reset(ctx, late, "another good one", home)), vitrine.CodeUnauthorized)
	_, err = e.acc.SetBanned(ctx, annEmail, true, operator(""))
	e.must(err)
	e.clock.Advance(time.Minute)
	e.must(e.acc.Forgot(ctx, annEmail, from("198.51.100.9")))
	if l := e.post.take(); len(l) != 0 {
		t.Errorf("a suspended account is sent %+v", l)
	}
}

// begin signs ann in with her password.
func (e *entrance) begin() (*vitrine.Session, vitrine.SignedIn) {
	e.t.Helper()
	in, err := e.enter(home, annEmail, annWords)
	e.must(err)
	session, _, err := e.in.Current(e.t.Context(), string(in.Session))
	e.must(err)
	return session, in
}

// Anyone who is signed in changes the password with the current one, or right after a link; other browsers are signed out.
func TestChangePassword(t *testing.T) {
	e := newEntrance(t, vitrine.SignUpInvite, false)
	ctx := t.Context()
	offer, err := e.in.Offer(ctx, annEmail)
	e.must(err)
	in, err := e.in.SignInWithToken(ctx, string(offer), home)
	e.must(err)
	session, _, err := e.in.Current(ctx, string(in.Session))
	e.must(err)
	e.must(e.acc.ChangePassword(ctx, session, "", annWords)) // the account had none
	e.clock.Advance(15 * time.Minute)
	e.code("the link is too long ago", e.acc.ChangePassword(ctx, session, "", "another good one"), vitrine.CodeInvalidRequest)

	one, _ := e.begin()
	_, other := e.begin()
	e.code("wrong", e.acc.ChangePassword(ctx, one, "wrong", "another good one"), vitrine.CodeInvalidRequest)
	e.must(e.acc.ChangePassword(ctx, one, annWords, "another good one"))
	e.code("another browser", second(e.in.Authenticate(ctx, string(other.Session))), vitrine.CodeUnauthorized)
	list, err := e.in.List(ctx, e.account.ID)
	if err != nil || len(list) != 1 || list[0].ID != one.ID {
		t.Errorf("%v, %v", list, err)
	}
	for range 8 {
		e.code("wrong", e.acc.ChangePassword(ctx, one, "wrong", annWords), vitrine.CodeInvalidRequest)
	}
	e.code("too often", e.acc.ChangePassword(ctx, one, "another good one", annWords), vitrine.CodeRateLimited)
}

// An address is changed at once, or where mail is sent, once it has shown itself to be that person's.
func TestChangeEmail(t *testing.T) {
	e := newEntrance(t, vitrine.SignUpInvite, true)
	ctx := t.Context()
	bob, _, err := e.acc.Create(ctx, "bob@example.org", vitrine.PlanFree)
	e.must(err)
	e.must(e.acc.SetPassword(ctx, annEmail, annWords))
	session, _ := e.begin()
	e.code("wrong", second(e.acc.ChangeEmail(ctx, session, "wrong", "anna@example.org")), vitrine.CodeInvalidRequest)
	for _, to := range []string{"anna@example.org", bob.Email} {
		if asked, err := e.acc.ChangeEmail(ctx, session, annWords, to); err != nil || !asked {
			t.Fatal(asked, err)
		}
	}
	l := e.post.take()
	if len(l) != 2 || l[0].To != "anna@example.org" || l[1].To != bob.Email || strings.Contains(l[1].Text, "email:") {
		t.Fatalf("%+v", l)
	}
	text := e.token(l[0], vitrine.TokenEmail)
	e.code("another account's", e.acc.ConfirmEmail(ctx, bob, text), vitrine.CodeUnauthorized)
	e.must(e.acc.ConfirmEmail(ctx, e.account, text))
	if l := e.post.take(); len(l) != 1 || l[0].To != annEmail {
		t.Errorf("%+v", l)
	}
	e.code("again", e.acc.ConfirmEmail(ctx, e.account, text), vitrine.CodeUnauthorized)
	e.code("the address of before", second(e.acc.ByEmail(ctx, annEmail)), vitrine.CodeNotFound)
	e.acc.Mail = nil
	e.code("one that another has", second(e.acc.ChangeEmail(ctx, session, annWords, bob.Email)), vitrine.CodeInvalidRequest)
	if asked, err := e.acc.ChangeEmail(ctx, session, annWords, annEmail); err != nil || asked {
		t.Error(asked, err)
	}
	if a, err := e.acc.ByEmail(ctx, annEmail); err != nil || a.ID != e.account.ID {
		t.Error(a, err)
	}
}

// Without mail an account asks for few addresses an hour, and is told the same of one that is in use and of one that someone is invited with,
// whose invitation stays.
func TestAddressesTakenAreBounded(t *testing.T) {
	e := newEntrance(t, vitrine.SignUpInvite, false)
	ctx := t.Context()
	bob, _, err := e.acc.Create(ctx, "bob@example.org", vitrine.PlanFree)
	e.must(err)
	text, err := e.acc.Invite(ctx, "eve@example.org", vitrine.PlanLifetime, operator(""))
	e.must(err)
	e.must(e.acc.SetPassword(ctx, annEmail, annWords))
	session, _ := e.begin()
	ask := func(email string) error { return second(e.acc.ChangeEmail(ctx, session, annWords, email)) }
	used, invited := e.code("in use", ask(bob.Email), vitrine.CodeInvalidRequest), e.code("invited", ask("eve@example.org"), vitrine.CodeInvalidRequest)
	if *used != *invited {
		t.Errorf("%+v and %+v", used, invited)
	}
	e.must(second(e.acc.Invited(ctx, string(text))))
	e.must(ask("anna@example.org"))
	e.code("in use", ask(bob.Email), vitrine.CodeInvalidRequest)
	e.code("in use", ask(bob.Email), vitrine.CodeInvalidRequest)
	e.code("a sixth", ask(bob.Email), vitrine.CodeRateLimited)
	e.code("one that is free", ask(annEmail), vitrine.CodeRateLimited)
	e.clock.Advance(7*24*time.Hour + time.Minute)
	e.must(ask("eve@example.org")) // nobody is invited any more
}

// A closed account is gone at once, and what it had is removed, also when that is interrupted.
func TestClose(t *testing.T) {
	e := newEntrance(t, vitrine.SignUpInvite, false)
	ctx := t.Context()
	e.must(e.acc.SetPassword(ctx, annEmail, annWords))
	keys := &vitrine.Keys{Store: e.store, Now: e.clock.Now}
	key, err := keys.Create(ctx, annEmail, "key")
	e.must(err)
	one, two := e.note("one"), e.note("two")
	album, err := (&vitrine.Albums{Store: e.store, Now: e.clock.Now}).Create(ctx, e.account, "Album", "")
	e.must(err)
	session, in := e.begin()
	e.code("the only owner", e.acc.Close(ctx, session, annWords, annEmail), vitrine.CodeInvalidRequest)
	bob, _, err := e.acc.Create(ctx, "bob@example.org", vitrine.PlanFree)
	e.must(err)
	_, err = e.acc.SetRole(ctx, bob.Email, vitrine.RoleOwner, operator(""))
	e.must(err)
	e.code("not typed", e.acc.Close(ctx, session, annWords, "bob@example.org"), vitrine.CodeInvalidRequest)
	e.code("wrong password", e.acc.Close(ctx, session, "wrong", annEmail), vitrine.CodeInvalidRequest)
	woken := 0
	e.acc.Wake = func() { woken++ }
	e.must(e.acc.Close(ctx, session, annWords, annEmail))
	if woken != 1 {
		t.Error("nobody is told that there is something to remove")
	}
	e.code("its session", second(e.in.Authenticate(ctx, string(in.Session))), vitrine.CodeUnauthorized)
	e.code("its key", second(keys.Authenticate(ctx, string(key))), vitrine.CodeUnauthorized)
	e.code("its password", second(e.enter(home, annEmail, annWords)), vitrine.CodeUnauthorized)
	for _, l := range []*vitrine.Link{one, two} {
		_, _, err := e.links.Public(ctx, l.Slug)
		e.code("its link", err, vitrine.CodeNotFound)
	}
	if _, _, err := e.acc.Create(ctx, annEmail, vitrine.PlanFree); err != nil {
		t.Errorf("the address is not free: %v", err)
	}
	cut, cancel := context.WithCancel(ctx)
	cancel()
	if err := e.acc.PurgeClosed(cut); err == nil {
		t.Error("nothing was interrupted")
	}
	e.must(e.acc.PurgeClosed(ctx))
	e.must(e.acc.PurgeClosed(ctx))
	e.must(e.store.Read(ctx, func(tx vitrine.Tx) error {
		a, err1 := tx.Account(e.account.ID)
		n, bytes, err2 := tx.CountLinks(e.account.ID)
		albums, err3 := tx.Albums(e.account.ID)
		closing, err4 := tx.Accounts(vitrine.AccountQuery{Closing: true})
		if a.Closing || a.ClosedAt.IsZero() || a.Password != "" || a.ViewerKey != nil || strings.Contains(a.Email, "ann") || n != 0 || bytes != 0 || len(albums) != 0 || len(closing) != 0 {
			t.Errorf("%+v, %d links, %d bytes, %v of %s", a, n, bytes, albums, album.Slug)
		}
		return errors.Join(err1, err2, err3, err4)
	}))
}

// What is taken away is everything, and no cell of it is a formula.
func TestExport(t *testing.T) {
	e := newEntrance(t, vitrine.SignUpInvite, false)
	ctx := t.Context()
	e.must(e.acc.SetPassword(ctx, annEmail, annWords))
	_, in := e.begin()
	l := e.note("what it says")
	e.must(e.store.Update(ctx, func(tx vitrine.Tx) error {
		l.Title = `=HYPERLINK("https://evil.example")`
		return tx.PutLink(l)
	}))
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	export := vitrine.Export{Store: e.store, Blobs: e.blobs, Now: e.clock.Now, URL: func(s vitrine.Slug) string { return "https://share.example/p/" + string(s) },
		Analytics: &vitrine.Analytics{Store: e.store, Log: e.log, Signer: vitrine.NewSigner([]byte("k")), Now: e.clock.Now, URL: func(s vitrine.Slug) string { return string(s) }}}
	e.must(export.Write(ctx, e.account, z))
	e.must(z.Close())
	r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	e.must(err)
	files := map[string]string{}
	for _, f := range r.File {
		rc, err := f.Open()
		e.must(err)
		body, err := io.ReadAll(rc)
		e.must(err)
		files[f.Name] = string(body)
	}
	if got := files["files/"+string(l.Slug)+"/"+l.Name]; got != "what it says" {
		t.Errorf("the file is %q of %v", got, files)
	}
	rows, err := csv.NewReader(strings.NewReader(files["links.csv"])).ReadAll()
	if err != nil || len(rows) != 2 || !strings.HasPrefix(rows[1][2], "'=") || rows[1][1] != "https://share.example/p/"+string(l.Slug) {
		t.Errorf("%v, %v", rows, err)
	}
	var report struct {
		Totals map[string]any `json:"totals"`
	}
	if err := json.Unmarshal([]byte(files["analytics/"+string(l.Slug)+".json"]), &report); err != nil || report.Totals == nil {
		t.Errorf("%v: %s", err, files["analytics/"+string(l.Slug)+".json"])
	}
	account := files["account.json"]
	if !strings.Contains(account, annEmail) || strings.Contains(account, "argon2") || strings.Contains(account, string(in.Session)) || !strings.Contains(account, "Firefox on Linux") {
		t.Error(account)
	}
}

// A key that is rolled has a successor of the same name, and ends after its grace.
func TestRollKey(t *testing.T) {
	e := newEntrance(t, vitrine.SignUpInvite, false)
	ctx := t.Context()
	keys := &vitrine.Keys{Store: e.store, Now: e.clock.Now}
	first, err := keys.Create(ctx, annEmail, "nightly")
	e.must(err)
	list, err := keys.List(ctx, annEmail)
	e.must(err)
	id := list[len(list)-1].ID
	e.code("too long", second(keys.Rotate(ctx, annEmail, id, 8*24*time.Hour)), vitrine.CodeInvalidRequest)
	next, err := keys.Rotate(ctx, annEmail, id, time.Hour)
	e.must(err)
	for _, k := range []vitrine.KeyText{first, next} {
		if _, err := keys.Authenticate(ctx, string(k)); err != nil {
			t.Error(err)
		}
	}
	e.clock.Advance(time.Hour)
	e.code("after its grace", second(keys.Authenticate(ctx, string(first))), vitrine.CodeUnauthorized)
	e.code("one that has ended", second(keys.Rotate(ctx, annEmail, id, 0)), vitrine.CodeInvalidRequest)
	list, err = keys.List(ctx, annEmail)
	e.must(err)
	last, err := keys.Rotate(ctx, annEmail, list[len(list)-1].ID, 0)
	e.must(err)
	e.code("ended now", second(keys.Authenticate(ctx, string(next))), vitrine.CodeUnauthorized)
	if a, err := keys.Authenticate(ctx, string(last)); err != nil || a.Email != annEmail {
		t.Error(a, err)
	}
	e.code("of nobody", second(keys.Rotate(ctx, annEmail, 999, 0)), vitrine.CodeNotFound)
	for range vitrine.MaxKeys {
		if _, err = keys.Create(ctx, annEmail, "one more"); err != nil {
			break
		}
	}
	e.code("too many", err, vitrine.CodeInvalidRequest)
}

// Whichever operation of it fails, an account is closed or is not, and what is left of it is removed the next time.
func TestCloseFaults(t *testing.T) {
	for _, after := range []bool{false, true} {
		for n := int64(1); ; n++ {
			e := newEntrance(t, vitrine.SignUpInvite, false)
			ctx := t.Context()
			bob, _, err := e.acc.Create(ctx, "bob@example.org", vitrine.PlanFree)
			e.must(err)
			_, err = e.acc.SetRole(ctx, bob.Email, vitrine.RoleOwner, operator(""))
			e.must(errors.Join(err, e.acc.SetPassword(ctx, annEmail, annWords)))
			e.note("one")
			session, _ := e.begin()
			f := &vitrinetest.Fault{N: n, After: after}
			faulty := *e.acc
			faulty.Store, faulty.Links = f.Store(e.store), &vitrine.Links{Store: f.Store(e.store), Blobs: f.Blobs(e.blobs), Log: f.ViewLog(e.log), Now: e.clock.Now}
			err = errors.Join(faulty.Close(ctx, session, annWords, annEmail), faulty.PurgeClosed(ctx))
			e.audit()
			if !f.Hit() {
				e.must(err)
				break
			}
			if _, err := e.acc.ByEmail(ctx, annEmail); err == nil { // it was not closed
				e.must(e.acc.Close(ctx, session, annWords, annEmail))
			}
			e.must(e.acc.PurgeClosed(ctx))
			e.must(e.store.Read(ctx, func(tx vitrine.Tx) error {
				links, _, err1 := tx.CountLinks(e.account.ID)
				a, err2 := tx.Account(e.account.ID)
				if links != 0 || a.Closing || a.ClosedAt.IsZero() {
					t.Errorf("operation %d: %d links, %+v", n, links, a)
				}
				return errors.Join(err1, err2)
			}))
		}
	}
}
