package auth_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/auth/password"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/test/fixture"
)

// TestSetUp checks that the first account is created with a token by one of
// many requests, and that a new token replaces the old one.
func TestSetUp(t *testing.T) {
	e := fixture.NewEntrance(t, auth.SignUpOpen, true)
	ctx := t.Context()
	e.Code("there is an account", fixture.Second(e.Accounts.OfferSetup(ctx)), vitrine.CodeInvalidRequest)
	e.Accounts.Store = emptyStore(t)
	e.Sessions.Store = e.Accounts.Store
	e.Code("sign-up before set-up", e.Accounts.AskSignUp(ctx, "eve@example.org", fixture.Home),
		vitrine.CodeInvalidRequest)
	old, err := e.Accounts.Setup(ctx)
	e.Must(err)
	if same, err := e.Accounts.Setup(ctx); err != nil || same != old || old == "" { // by another server
		t.Errorf("Setup = %q, then %q: %v, want the same", string(old), string(same), err)
	}
	text, err := e.Accounts.OfferSetup(ctx)
	e.Must(err)
	e.Code("an older token", fixture.Second(e.Accounts.SetUp(ctx, string(old), "eve@example.org", fixture.AnnWords,
		fixture.Home)), vitrine.CodeUnauthorized)
	e.Clock.Advance(365 * 24 * time.Hour)
	if same, err := e.Accounts.Setup(ctx); err != nil || same != text {
		t.Errorf("Setup = %q, then %q: %v, want the same", string(text), string(same), err)
	}
	e.Code("a short password", fixture.Second(e.Accounts.SetUp(ctx, string(text), "eve@example.org", "short",
		fixture.Home)), vitrine.CodeInvalidRequest)
	var made atomic.Int32
	var wg sync.WaitGroup
	for _, email := range []string{"one@example.org", "two@example.org", "three@example.org"} {
		wg.Go(func() {
			if in, err := e.Accounts.SetUp(ctx, string(text), email, fixture.AnnWords, fixture.Home); err == nil {
				made.Add(1)
				a, err := e.Sessions.Authenticate(ctx, string(in.Session))
				if err != nil || a.Role != vitrine.RoleOwner || a.Plan != vitrine.PlanLifetime {
					t.Errorf("account = %+v, %v", a, err)
				}
			} else if vitrine.CodeOf(err) != vitrine.CodeUnauthorized {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if made.Load() != 1 {
		t.Errorf("%d accounts were created, want 1", made.Load())
	}
	if none, err := e.Accounts.Setup(ctx); err != nil || none != "" {
		t.Errorf("Setup with an account = %q, %v, want \"\"", string(none), err)
	}
}

// TestSignUpByMail checks that with mail an address is confirmed first, and
// that the answer does not reveal whether it has an account.
func TestSignUpByMail(t *testing.T) {
	e := fixture.NewEntrance(t, auth.SignUpOpen, true)
	ctx := t.Context()
	e.Must(e.Accounts.AskSignUp(ctx, "Bob@example.org", fixture.Home))
	e.Must(e.Accounts.AskSignUp(ctx, fixture.AnnEmail, fixture.Home))
	l := e.Post.Take()
	if len(l) != 2 || l[0].To != "bob@example.org" || l[1].To != fixture.AnnEmail ||
		strings.Contains(l[1].Text, "sign-up:") {
		t.Fatalf("messages = %+v", l)
	}
	text := e.Token(l[0], vitrine.TokenSignUp)
	for range 2 {
		tk, err := e.Accounts.Invited(ctx, text) // reading it does not use it up
		if err != nil || tk.Email != "bob@example.org" {
			t.Fatal(tk, err)
		}
	}
	in, err := e.Accounts.Accept(ctx, text, fixture.AnnWords, fixture.Home)
	e.Must(err)
	if in.Account.Plan != vitrine.PlanFree || in.Account.Role != vitrine.RoleMember {
		t.Errorf("account = %+v", in.Account)
	}
	e.Code("again", fixture.Second(e.Accounts.Accept(ctx, text, fixture.AnnWords, fixture.Home)),
		vitrine.CodeUnauthorized)
	e.Must(e.Accounts.AskSignUp(ctx, "eve@example.org", fixture.Home))
	late := e.Token(e.Post.Take()[0], vitrine.TokenSignUp)
	e.Clock.Advance(24 * time.Hour)
	e.Code("late", fixture.Second(e.Accounts.Accept(ctx, late, fixture.AnnWords, fixture.Home)),
		vitrine.CodeUnauthorized)
	for range 3 {
		e.Must(e.Accounts.AskSignUp(ctx, "eve@example.org", fixture.ClientAt("203.0.113.1")))
	}
	e.Code("a fourth message within the hour", e.Accounts.AskSignUp(ctx, "eve@example.org",
		fixture.ClientAt("203.0.113.1")), vitrine.CodeRateLimited)
	e.Accounts.SignUp = auth.SignUpInvite
	e.Code("sign-up was closed meanwhile", fixture.Second(e.Accounts.Accept(ctx,
		e.Token(e.Post.Take()[2], vitrine.TokenSignUp), fixture.AnnWords, fixture.Home)), vitrine.CodeUnauthorized)
	e.Code("not open", e.Accounts.AskSignUp(ctx, "x@example.org", fixture.Home), vitrine.CodeInvalidRequest)
}

// TestSignUpAtOnce checks that without mail an account is created at once, and
// only a few an hour from a network.
func TestSignUpAtOnce(t *testing.T) {
	e := fixture.NewEntrance(t, auth.SignUpOpen, false)
	ctx := t.Context()
	in, err := e.Accounts.Join(ctx, "bob@example.org", fixture.AnnWords, fixture.Home)
	e.Must(err)
	if _, err := e.Sessions.Authenticate(ctx, string(in.Session)); err != nil {
		t.Error(err)
	}
	for range 4 {
		e.Code("an address that has one", fixture.Second(e.Accounts.Join(ctx, fixture.AnnEmail, fixture.AnnWords,
			fixture.Home)), vitrine.CodeInvalidRequest)
	}
	e.Code("too many", fixture.Second(e.Accounts.Join(ctx, "eve@example.org", fixture.AnnWords, fixture.Home)),
		vitrine.CodeRateLimited)
}

// TestSignUpCountsBeforeItHashes checks that no password is hashed beyond the
// limit, and that an attempt without a turn does not count.
func TestSignUpCountsBeforeItHashes(t *testing.T) {
	e := fixture.NewEntrance(t, auth.SignUpOpen, false)
	join := func(wait time.Duration, email string) error {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		defer cancel()
		return fixture.Second(e.Accounts.Join(ctx, email, fixture.AnnWords, fixture.Home))
	}
	back := password.Acquire()
	for range 2 {
		e.Code("no turn", join(200*time.Millisecond, "bob@example.org"), vitrine.CodeUnavailable)
	}
	back()
	for range 5 {
		e.Code("an address that has one", join(time.Minute, fixture.AnnEmail), vitrine.CodeInvalidRequest)
	}
	back = password.Acquire()
	defer back()
	e.Code("beyond the limit", join(5*time.Second, "eve@example.org"), vitrine.CodeRateLimited)
}

// TestInvitationsOfFormerOwners checks that an invitation is valid only as long
// as the inviter may invite.
func TestInvitationsOfFormerOwners(t *testing.T) {
	e := fixture.NewEntrance(t, auth.SignUpInvite, true)
	ctx := t.Context()
	bob, _, err := e.Accounts.Create(ctx, "bob@example.org", vitrine.PlanFree)
	e.Must(err)
	role := func(r vitrine.Role) {
		e.T.Helper()
		e.Must(fixture.Second(e.Accounts.SetRole(ctx, bob.Email, r, fixture.Administrator(""))))
	}
	role(vitrine.RoleOwner)
	byBob, err := e.Accounts.Invite(ctx, "eve@example.org", vitrine.PlanLifetime,
		vitrine.Decision{By: vitrine.Moderator(bob)})
	e.Must(err)
	byAdministrator, err := e.Accounts.Invite(ctx, "zoe@example.org", vitrine.PlanPro, fixture.Administrator(""))
	e.Must(err)
	refused := func(what string) {
		e.T.Helper()
		want := fixture.Second(e.Accounts.Invited(ctx, "no token"))
		for _, err := range []error{fixture.Second(e.Accounts.Invited(ctx, string(byBob))),
			fixture.Second(e.Accounts.Accept(ctx, string(byBob), fixture.AnnWords, fixture.Home))} {
			if err == nil || err.Error() != want.Error() {
				t.Errorf("%s: %v, want %v", what, err, want)
			}
		}
		if list, err := e.Accounts.Invitations(ctx); err != nil || len(list) != 1 ||
			list[0].Email != "zoe@example.org" {
			t.Errorf("%s: invitations = %v, %v", what, list, err)
		}
	}
	role(vitrine.RoleMember)
	refused("a member")
	role(vitrine.RoleOwner)
	e.Must(fixture.Second(e.Accounts.SetBanned(ctx, bob.Email, true, fixture.Administrator(""))))
	refused("suspended")
	e.Must(fixture.Second(e.Accounts.SetBanned(ctx, bob.Email, false, fixture.Administrator(""))))
	e.Must(fixture.Second(e.Accounts.Accept(ctx, string(byBob), fixture.AnnWords, fixture.Home)))
	e.Must(fixture.Second(e.Accounts.Accept(ctx, string(byAdministrator), fixture.AnnWords, fixture.Home)))
}

// TestOwnersGovern checks that only owners invite, revoke invitations, and
// change plans and roles, and that one owner remains.
func TestOwnersGovern(t *testing.T) {
	e := fixture.NewEntrance(t, auth.SignUpInvite, true)
	ctx := t.Context()
	bob, _, err := e.Accounts.Create(ctx, "bob@example.org", vitrine.PlanFree)
	e.Must(err)
	_, err = e.Accounts.SetRole(ctx, bob.Email, vitrine.RoleModerator, fixture.Administrator(""))
	e.Must(err)
	ann, byAnn, byBob := e.Account, vitrine.Decision{By: vitrine.Moderator(e.Account)},
		vitrine.Decision{By: vitrine.Moderator(bob)}
	e.Code("a moderator invites", fixture.Second(e.Accounts.Invite(ctx, "x@example.org", vitrine.PlanPro, byBob)),
		vitrine.CodeInvalidRequest)
	e.Code("a moderator gives a plan", fixture.Second(e.Accounts.SetPlan(ctx, bob.Email, vitrine.PlanPro, nil, byBob)),
		vitrine.CodeInvalidRequest)
	e.Code("a moderator gives a role", fixture.Second(e.Accounts.SetRole(ctx, bob.Email, vitrine.RoleOwner, byBob)),
		vitrine.CodeInvalidRequest)
	e.Code("the only owner", fixture.Second(e.Accounts.SetRole(ctx, ann.Email, vitrine.RoleMember, byAnn)),
		vitrine.CodeInvalidRequest)
	e.Code("who has an account", fixture.Second(e.Accounts.Invite(ctx, bob.Email, vitrine.PlanPro, byAnn)),
		vitrine.CodeInvalidRequest)

	old, err := e.Accounts.Invite(ctx, "Eve@example.org", vitrine.PlanFree, byAnn)
	e.Must(err)
	text, err := e.Accounts.Invite(ctx, "eve@example.org", vitrine.PlanPro, byAnn)
	e.Must(err)
	if l := e.Post.Take(); len(l) != 2 || e.Token(l[1], vitrine.TokenInvite) != string(text) ||
		!strings.Contains(l[1].Text, ann.Email) {
		t.Errorf("messages = %+v", l)
	}
	e.Code("an older invitation", fixture.Second(e.Accounts.Accept(ctx, string(old), fixture.AnnWords, fixture.Home)),
		vitrine.CodeUnauthorized)
	in, err := e.Accounts.Accept(ctx, string(text), fixture.AnnWords, fixture.Home)
	e.Must(err)
	if in.Account.Email != "eve@example.org" || in.Account.Plan != vitrine.PlanPro {
		t.Errorf("account = %+v", in.Account)
	}
	text, err = e.Accounts.Invite(ctx, "zoe@example.org", vitrine.PlanPro, byAnn)
	e.Must(err)
	list, err := e.Accounts.Invitations(ctx)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	e.Code("a moderator withdraws", e.Accounts.Withdraw(ctx, list[0].ID, byBob), vitrine.CodeInvalidRequest)
	e.Must(e.Accounts.Withdraw(ctx, list[0].ID, byAnn))
	e.Code("withdrawn", fixture.Second(e.Accounts.Accept(ctx, string(text), fixture.AnnWords, fixture.Home)),
		vitrine.CodeUnauthorized)
	_, err = e.Accounts.SetRole(ctx, bob.Email, vitrine.RoleOwner, byAnn)
	e.Must(err)
	_, err = e.Accounts.SetRole(ctx, ann.Email, vitrine.RoleMember, byAnn)
	e.Must(err)
	e.Code("an owner of before", fixture.Second(e.Accounts.Invite(ctx, "y@example.org", vitrine.PlanPro, byAnn)),
		vitrine.CodeInvalidRequest)
	e.Accounts.SignUp = auth.SignUpClosed
	e.Code("closed", fixture.Second(e.Accounts.Invite(ctx, "y@example.org", vitrine.PlanPro, fixture.Administrator(""))),
		vitrine.CodeInvalidRequest)
}

// emptyStore returns a store without an account.
func emptyStore(t *testing.T) vitrine.Store {
	t.Helper()
	store, err := sqlstore.Open(filepath.Join(t.TempDir(), "empty.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}
