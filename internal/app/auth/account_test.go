package auth_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/events"
	"vitrine/internal/app/export"
	"vitrine/internal/app/links"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/fixture"
)

// TestReset checks that a password is reset with a link that is sent only to
// existing accounts, and that all sessions end.
func TestReset(t *testing.T) {
	e := fixture.NewEntrance(t, auth.SignUpInvite, true)
	ctx := t.Context()
	e.Must(e.Accounts.SetPassword(ctx, fixture.AnnEmail, fixture.AnnWords))
	before, err := e.Enter(fixture.Home, fixture.AnnEmail, fixture.AnnWords)
	e.Must(err)
	e.Post.Take() // about the new browser
	e.Must(e.Accounts.SendReset(ctx, "nobody@example.org", fixture.Home))
	if l := e.Post.Take(); len(l) != 0 {
		t.Fatalf("messages = %+v, want none", l)
	}
	e.Must(e.Accounts.SendReset(ctx, fixture.AnnEmail, fixture.Home))
	e.Must(e.Accounts.SendReset(ctx, fixture.AnnEmail, fixture.ClientAt("203.0.113.1")))
	l := e.Post.Take()
	e.Code("replaced", fixture.Second(e.Accounts.ResetGood(ctx, e.Token(l[0], vitrine.TokenPassword))),
		vitrine.CodeUnauthorized)
	text := e.Token(l[1], vitrine.TokenPassword)
	e.Code("short", fixture.Second(e.Accounts.Reset(ctx, text, "short", fixture.Home)), vitrine.CodeInvalidRequest)
	in, err := e.Accounts.Reset(ctx, text, "another good one", fixture.Home)
	e.Must(err)
	if l := e.Post.Take(); len(l) != 1 || !strings.Contains(l[0].Subject, "changed") {
		t.Errorf("messages = %+v, want one about the change", l)
	}
	e.Code("the session of before", fixture.Second(e.Sessions.Authenticate(ctx, string(before.Session))),
		vitrine.CodeUnauthorized)
	e.Code("the password of before", fixture.Second(e.Enter(fixture.ClientAt("192.0.2.1", in.Device), fixture.AnnEmail,
		fixture.AnnWords)), vitrine.CodeUnauthorized)
	if _, err := e.Sessions.Authenticate(ctx, string(in.Session)); err != nil {
		t.Error(err)
	}
	e.Code("again", fixture.Second(e.Accounts.Reset(ctx, text, "another good one", fixture.Home)),
		vitrine.CodeUnauthorized)
	e.Must(e.Accounts.SendReset(ctx, fixture.AnnEmail, fixture.Home))
	late := e.Token(e.Post.Take()[0], vitrine.TokenPassword)
	e.Code("a fourth for the address", e.Accounts.SendReset(ctx, fixture.AnnEmail, fixture.ClientAt("198.51.100.1")),
		vitrine.CodeRateLimited)
	e.Clock.Advance(time.Hour)
	e.Code("late", fixture.Second(e.Accounts.Reset(ctx, late, "another good one", fixture.Home)),
		vitrine.CodeUnauthorized)
	_, err = e.Accounts.SetBanned(ctx, fixture.AnnEmail, true, fixture.Administrator(""))
	e.Must(err)
	e.Clock.Advance(time.Minute)
	e.Must(e.Accounts.SendReset(ctx, fixture.AnnEmail, fixture.ClientAt("198.51.100.9")))
	if l := e.Post.Take(); len(l) != 0 {
		t.Errorf("messages to a suspended account = %+v, want none", l)
	}
}

// TestChangePassword checks that a signed-in user changes the password with the
// current one, or right after a sign-in link, and that other browsers are
// signed out.
func TestChangePassword(t *testing.T) {
	e := fixture.NewEntrance(t, auth.SignUpInvite, false)
	ctx := t.Context()
	offer, err := e.Sessions.Offer(ctx, fixture.AnnEmail)
	e.Must(err)
	in, err := e.Sessions.SignInWithToken(ctx, string(offer), fixture.Home)
	e.Must(err)
	session, _, err := e.Sessions.Current(ctx, string(in.Session))
	e.Must(err)
	e.Must(e.Accounts.ChangePassword(ctx, session, "", fixture.AnnWords)) // the account had no password
	e.Clock.Advance(15 * time.Minute)
	e.Code("the link is too long ago", e.Accounts.ChangePassword(ctx, session, "", "another good one"),
		vitrine.CodeInvalidRequest)

	one, _ := e.Begin()
	_, other := e.Begin()
	e.Code("wrong", e.Accounts.ChangePassword(ctx, one, "wrong", "another good one"), vitrine.CodeInvalidRequest)
	e.Must(e.Accounts.ChangePassword(ctx, one, fixture.AnnWords, "another good one"))
	e.Code("another browser", fixture.Second(e.Sessions.Authenticate(ctx, string(other.Session))),
		vitrine.CodeUnauthorized)
	list, err := e.Sessions.List(ctx, e.Account.ID)
	if err != nil || len(list) != 1 || list[0].ID != one.ID {
		t.Errorf("sessions = %v, %v, want the current one", list, err)
	}
	for range 8 {
		e.Code("wrong", e.Accounts.ChangePassword(ctx, one, "wrong", fixture.AnnWords), vitrine.CodeInvalidRequest)
	}
	e.Code("too often", e.Accounts.ChangePassword(ctx, one, "another good one", fixture.AnnWords),
		vitrine.CodeRateLimited)
}

// TestChangeEmail checks that an email address changes at once, or with mail
// only after it was confirmed.
func TestChangeEmail(t *testing.T) {
	e := fixture.NewEntrance(t, auth.SignUpInvite, true)
	ctx := t.Context()
	bob, _, err := e.Accounts.Create(ctx, "bob@example.org", vitrine.PlanFree)
	e.Must(err)
	e.Must(e.Accounts.SetPassword(ctx, fixture.AnnEmail, fixture.AnnWords))
	session, _ := e.Begin()
	e.Post.Take() // about the new browser
	e.Code("wrong", fixture.Second(e.Accounts.ChangeEmail(ctx, session, "wrong", "anna@example.org")),
		vitrine.CodeInvalidRequest)
	for _, to := range []string{"anna@example.org", bob.Email} {
		if asked, err := e.Accounts.ChangeEmail(ctx, session, fixture.AnnWords, to); err != nil || !asked {
			t.Fatal(asked, err)
		}
	}
	l := e.Post.Take()
	if len(l) != 2 || l[0].To != "anna@example.org" || l[1].To != bob.Email || strings.Contains(l[1].Text, "email:") {
		t.Fatalf("messages = %+v", l)
	}
	text := e.Token(l[0], vitrine.TokenEmail)
	e.Code("another account's", e.Accounts.ConfirmEmail(ctx, bob, text), vitrine.CodeUnauthorized)
	e.Must(e.Accounts.ConfirmEmail(ctx, e.Account, text))
	if l := e.Post.Take(); len(l) != 1 || l[0].To != fixture.AnnEmail {
		t.Errorf("messages = %+v, want one to the old address", l)
	}
	e.Code("again", e.Accounts.ConfirmEmail(ctx, e.Account, text), vitrine.CodeUnauthorized)
	e.Code("the address of before", fixture.Second(e.Accounts.ByEmail(ctx, fixture.AnnEmail)), vitrine.CodeNotFound)
	e.Accounts.Mail = nil
	e.Code("one that another has", fixture.Second(e.Accounts.ChangeEmail(ctx, session, fixture.AnnWords, bob.Email)),
		vitrine.CodeInvalidRequest)
	if asked, err := e.Accounts.ChangeEmail(ctx, session, fixture.AnnWords, fixture.AnnEmail); err != nil || asked {
		t.Error(asked, err)
	}
	if a, err := e.Accounts.ByEmail(ctx, fixture.AnnEmail); err != nil || a.ID != e.Account.ID {
		t.Error(a, err)
	}
}

// TestAddressesTakenAreBounded checks that without mail an account can try few
// addresses an hour, and that an address in use and an invited one get the same
// error. The invitation stays.
func TestAddressesTakenAreBounded(t *testing.T) {
	e := fixture.NewEntrance(t, auth.SignUpInvite, false)
	ctx := t.Context()
	bob, _, err := e.Accounts.Create(ctx, "bob@example.org", vitrine.PlanFree)
	e.Must(err)
	text, err := e.Accounts.Invite(ctx, "eve@example.org", vitrine.PlanLifetime, fixture.Administrator(""))
	e.Must(err)
	e.Must(e.Accounts.SetPassword(ctx, fixture.AnnEmail, fixture.AnnWords))
	session, _ := e.Begin()
	ask := func(email string) error {
		return fixture.Second(e.Accounts.ChangeEmail(ctx, session, fixture.AnnWords, email))
	}
	used, invited := e.Code("in use", ask(bob.Email), vitrine.CodeInvalidRequest),
		e.Code("invited", ask("eve@example.org"), vitrine.CodeInvalidRequest)
	if *used != *invited {
		t.Errorf("errors %+v and %+v, want the same", used, invited)
	}
	e.Must(fixture.Second(e.Accounts.Invited(ctx, string(text))))
	e.Must(ask("anna@example.org"))
	e.Code("in use", ask(bob.Email), vitrine.CodeInvalidRequest)
	e.Code("in use", ask(bob.Email), vitrine.CodeInvalidRequest)
	e.Code("a sixth", ask(bob.Email), vitrine.CodeRateLimited)
	e.Code("one that is free", ask(fixture.AnnEmail), vitrine.CodeRateLimited)
	e.Clock.Advance(7*24*time.Hour + time.Minute)
	e.Must(ask("eve@example.org")) // the address has no invitation any more
}

// TestClose checks that a closed account is gone at once and that its data is
// removed, even if the removal is interrupted.
func TestClose(t *testing.T) {
	e := fixture.NewEntrance(t, auth.SignUpInvite, false)
	ctx := t.Context()
	e.Must(e.Accounts.SetPassword(ctx, fixture.AnnEmail, fixture.AnnWords))
	keys := &auth.Keys{Store: e.Store, Now: e.Clock.Now}
	key, err := keys.CreateFor(ctx, fixture.AnnEmail, auth.KeyRequest{Name: "key", Scope: vitrine.ScopeFull})
	e.Must(err)
	one, two := e.Note("one"), e.Note("two")
	album, err := (&collections.Albums{Store: e.Store, Now: e.Clock.Now}).Create(ctx, e.Account, "Album", "")
	e.Must(err)
	session, in := e.Begin()
	e.Code("the only owner", e.Accounts.Close(ctx, session, fixture.AnnWords, fixture.AnnEmail),
		vitrine.CodeInvalidRequest)
	bob, _, err := e.Accounts.Create(ctx, "bob@example.org", vitrine.PlanFree)
	e.Must(err)
	_, err = e.Accounts.SetRole(ctx, bob.Email, vitrine.RoleOwner, fixture.Administrator(""))
	e.Must(err)
	e.Code("not typed", e.Accounts.Close(ctx, session, fixture.AnnWords, "bob@example.org"), vitrine.CodeInvalidRequest)
	e.Code("wrong password", e.Accounts.Close(ctx, session, "wrong", fixture.AnnEmail), vitrine.CodeInvalidRequest)
	woken := 0
	e.Accounts.Wake = func() { woken++ }
	e.Must(e.Accounts.Close(ctx, session, fixture.AnnWords, fixture.AnnEmail))
	if woken != 1 {
		t.Error("the purge was not woken")
	}
	e.Code("its session", fixture.Second(e.Sessions.Authenticate(ctx, string(in.Session))), vitrine.CodeUnauthorized)
	e.Code("its key", fixture.Second(keys.Authenticate(ctx, string(key.Text))), vitrine.CodeUnauthorized)
	e.Code("its password", fixture.Second(e.Enter(fixture.Home, fixture.AnnEmail, fixture.AnnWords)),
		vitrine.CodeUnauthorized)
	for _, l := range []*vitrine.Link{one, two} {
		_, _, err := e.Links.Public(ctx, l.Slug, access.Asker{})
		e.Code("its link", err, vitrine.CodeNotFound)
	}
	if _, _, err := e.Accounts.Create(ctx, fixture.AnnEmail, vitrine.PlanFree); err != nil {
		t.Errorf("the address is not free: %v", err)
	}
	cut, cancel := context.WithCancel(ctx)
	cancel()
	if err := e.Accounts.PurgeClosed(cut); err == nil {
		t.Error("PurgeClosed = nil, want an error")
	}
	e.Must(e.Accounts.PurgeClosed(ctx))
	e.Must(e.Accounts.PurgeClosed(ctx))
	e.Must(e.Store.Read(ctx, func(tx vitrine.Tx) error {
		a, err1 := tx.Account(e.Account.ID)
		n, bytes, err2 := tx.CountLinks(e.Account.ID)
		albums, err3 := tx.Albums(e.Account.ID)
		closing, err4 := tx.Accounts(vitrine.AccountQuery{Closing: true})
		if a.Closing || a.ClosedAt.IsZero() || a.Password != "" || a.ViewerKey != nil ||
			strings.Contains(a.Email, "ann") || n != 0 || bytes != 0 || len(albums) != 0 || len(closing) != 0 {
			t.Errorf("account %+v, %d links, %d bytes, albums %v of %s, want none", a, n, bytes, albums, album.Slug)
		}
		return errors.Join(err1, err2, err3, err4)
	}))
}

// TestExport checks that an export has everything, and that no cell of it is a
// formula.
func TestExport(t *testing.T) {
	e := fixture.NewEntrance(t, auth.SignUpInvite, false)
	ctx := t.Context()
	e.Must(e.Accounts.SetPassword(ctx, fixture.AnnEmail, fixture.AnnWords))
	_, in := e.Begin()
	l := e.Note("what it says")
	e.Must(e.Store.Update(ctx, func(tx vitrine.Tx) error {
		l.Title = `=HYPERLINK("https://evil.example")`
		return tx.PutLink(l)
	}))
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	export := export.Exporter{Store: e.Store, Blobs: e.Blobs, Now: e.Clock.Now,
		Events: &events.Service{Store: e.Store, Now: e.Clock.Now},
		URL:    func(s vitrine.Slug) string { return "https://share.example/p/" + string(s) },
		Analytics: &analytics.Service{Store: e.Store, Log: e.Log, Signer: signer.New([]byte("k")), Now: e.Clock.Now,
			URL: func(s vitrine.Slug) string { return string(s) }}}
	e.Must(export.Write(ctx, e.Account, z))
	e.Must(z.Close())
	r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	e.Must(err)
	files := map[string]string{}
	for _, f := range r.File {
		rc, err := f.Open()
		e.Must(err)
		body, err := io.ReadAll(rc)
		e.Must(err)
		files[f.Name] = string(body)
	}
	if got := files["files/"+string(l.Slug)+"/"+l.Name]; got != "what it says" {
		t.Errorf("exported file = %q, files = %v, want \"what it says\"", got, files)
	}
	rows, err := csv.NewReader(strings.NewReader(files["links.csv"])).ReadAll()
	if err != nil || len(rows) != 2 || !strings.HasPrefix(rows[1][2], "'=") ||
		rows[1][1] != "https://share.example/p/"+string(l.Slug) {
		t.Errorf("rows = %v, %v", rows, err)
	}
	var report struct {
		Totals map[string]any `json:"totals"`
	}
	if err := json.Unmarshal([]byte(files["analytics/"+string(l.Slug)+".json"]), &report); err != nil ||
		report.Totals == nil {
		t.Errorf("%v: report = %s", err, files["analytics/"+string(l.Slug)+".json"])
	}
	account := files["account.json"]
	if !strings.Contains(account, fixture.AnnEmail) || strings.Contains(account, "argon2") ||
		strings.Contains(account, string(in.Session)) || !strings.Contains(account, "Firefox on Linux") {
		t.Error(account)
	}
}

// TestScopedKey checks that a key has a scope, may expire and may limit its
// links, and that a rotated key has the same restrictions.
func TestScopedKey(t *testing.T) {
	e := fixture.NewEntrance(t, auth.SignUpInvite, false)
	ctx := t.Context()
	keys := &auth.Keys{Store: e.Store, Now: e.Clock.Now}
	end := e.Clock.Now().Add(48 * time.Hour)
	for what, r := range map[string]auth.KeyRequest{
		"no such scope":          {Name: "k", Scope: "admin"},
		"no scope":               {Name: "k"},
		"expired":                {Name: "k", Scope: vitrine.ScopeFull, ExpiresAt: e.Clock.Now()},
		"links of a read key":    {Name: "k", Scope: vitrine.ScopeRead, LinkLife: time.Hour},
		"links of a full key":    {Name: "k", Scope: vitrine.ScopeFull, LinkLife: time.Hour},
		"links for a second":     {Name: "k", Scope: vitrine.ScopePublish, LinkLife: time.Second},
		"links that end earlier": {Name: "k", Scope: vitrine.ScopePublish, LinkLife: -time.Hour},
	} {
		e.Code(what, fixture.Second(keys.CreateFor(ctx, fixture.AnnEmail, r)), vitrine.CodeInvalidRequest)
	}
	_, err := keys.CreateFor(ctx, fixture.AnnEmail, auth.KeyRequest{Name: "agent", Scope: vitrine.ScopePublish,
		ExpiresAt: end, LinkLife: time.Hour})
	e.Must(err)
	list, err := keys.List(ctx, fixture.AnnEmail)
	e.Must(err)
	next, err := keys.RotateFor(ctx, fixture.AnnEmail, list[len(list)-1].ID, time.Hour)
	e.Must(err)
	c, err := keys.Authenticate(ctx, string(next.Text))
	e.Must(err)
	if k := c.Key; k.Scope != vitrine.ScopePublish || !k.ExpiresAt.Equal(end) || k.LinkLife != time.Hour || k.Replaced {
		t.Errorf("rotated key = %+v, want the same restrictions", k)
	}
	for scope, code := range map[vitrine.KeyScope]vitrine.Code{vitrine.ScopeRead: "", vitrine.ScopePublish: "",
		vitrine.ScopeFull: vitrine.CodeForbidden, "": vitrine.CodeForbidden} {
		if err := c.Need(scope); vitrine.CodeOf(err) != code {
			t.Errorf("Need(%q) of a publish key = %v, want %v", scope, err, code)
		}
	}
	e.Clock.Advance(48 * time.Hour)
	e.Code("expired", fixture.Second(keys.Authenticate(ctx, string(next.Text))), vitrine.CodeUnauthorized)
}

// TestRollKey checks that a rotated key has a successor with the same name, and
// ends after its grace period.
func TestRollKey(t *testing.T) {
	e := fixture.NewEntrance(t, auth.SignUpInvite, false)
	ctx := t.Context()
	keys := &auth.Keys{Store: e.Store, Now: e.Clock.Now}
	first, err := keys.CreateFor(ctx, fixture.AnnEmail, auth.KeyRequest{Name: "nightly", Scope: vitrine.ScopeFull})
	e.Must(err)
	list, err := keys.List(ctx, fixture.AnnEmail)
	e.Must(err)
	id := list[len(list)-1].ID
	e.Code("too long", fixture.Second(keys.RotateFor(ctx, fixture.AnnEmail, id, 8*24*time.Hour)),
		vitrine.CodeInvalidRequest)
	next, err := keys.RotateFor(ctx, fixture.AnnEmail, id, time.Hour)
	e.Must(err)
	for _, k := range []auth.KeyText{first.Text, next.Text} {
		if _, err := keys.Authenticate(ctx, string(k)); err != nil {
			t.Error(err)
		}
	}
	e.Clock.Advance(time.Hour)
	e.Code("after its grace", fixture.Second(keys.Authenticate(ctx, string(first.Text))), vitrine.CodeUnauthorized)
	e.Code("one that has ended", fixture.Second(keys.RotateFor(ctx, fixture.AnnEmail, id, 0)), vitrine.CodeInvalidRequest)
	list, err = keys.List(ctx, fixture.AnnEmail)
	e.Must(err)
	last, err := keys.RotateFor(ctx, fixture.AnnEmail, list[len(list)-1].ID, 0)
	e.Must(err)
	e.Code("ended now", fixture.Second(keys.Authenticate(ctx, string(next.Text))), vitrine.CodeUnauthorized)
	if a, err := keys.Authenticate(ctx, string(last.Text)); err != nil || a.Email != fixture.AnnEmail {
		t.Error(a, err)
	}
	list, err = keys.List(ctx, fixture.AnnEmail)
	e.Must(err)
	e.Code("replaced", fixture.Second(keys.RotateFor(ctx, fixture.AnnEmail, list[len(list)-2].ID, 0)),
		vitrine.CodeInvalidRequest)
	e.Code("of nobody", fixture.Second(keys.RotateFor(ctx, fixture.AnnEmail, 999, 0)), vitrine.CodeNotFound)
	for range auth.MaxKeys {
		if _, err = keys.CreateFor(ctx, fixture.AnnEmail, auth.KeyRequest{Name: "one more", Scope: vitrine.ScopeFull}); err != nil {
			break
		}
	}
	e.Code("too many", err, vitrine.CodeInvalidRequest)
}

// TestCloseFaults fails each operation of closing an account. The account is
// then either closed or not, and the next run removes what is left.
func TestCloseFaults(t *testing.T) {
	for _, after := range []bool{false, true} {
		for n := int64(1); ; n++ {
			e := fixture.NewEntrance(t, auth.SignUpInvite, false)
			ctx := t.Context()
			bob, _, err := e.Accounts.Create(ctx, "bob@example.org", vitrine.PlanFree)
			e.Must(err)
			_, err = e.Accounts.SetRole(ctx, bob.Email, vitrine.RoleOwner, fixture.Administrator(""))
			e.Must(errors.Join(err, e.Accounts.SetPassword(ctx, fixture.AnnEmail, fixture.AnnWords)))
			e.Note("one")
			session, _ := e.Begin()
			f := &fixture.Injector{N: n, After: after}
			faulty := *e.Accounts
			faulty.Store = f.Store(e.Store)
			faulty.Contents = collections.Contents{Store: f.Store(e.Store), Now: e.Clock.Now,
				Links: &links.Service{Store: f.Store(e.Store), Blobs: f.Blobs(e.Blobs), Log: f.ViewLog(e.Log),
					Now: e.Clock.Now}}
			err = errors.Join(faulty.Close(ctx, session, fixture.AnnWords, fixture.AnnEmail), faulty.PurgeClosed(ctx))
			e.Audit()
			if !f.Hit() {
				e.Must(err)
				break
			}
			if _, err := e.Accounts.ByEmail(ctx, fixture.AnnEmail); err == nil { // the account was not closed
				e.Must(e.Accounts.Close(ctx, session, fixture.AnnWords, fixture.AnnEmail))
			}
			e.Must(e.Accounts.PurgeClosed(ctx))
			e.Must(e.Store.Read(ctx, func(tx vitrine.Tx) error {
				links, _, err1 := tx.CountLinks(e.Account.ID)
				a, err2 := tx.Account(e.Account.ID)
				if links != 0 || a.Closing || a.ClosedAt.IsZero() {
					t.Errorf("operation %d: %d links, account %+v", n, links, a)
				}
				return errors.Join(err1, err2)
			}))
		}
	}
}
