package vitrine_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/sqldb"
)

// The first account is made with a token, once, by one of many; a newer token takes the place of the one before.
func TestSetUp(t *testing.T) {
	e := newEntrance(t, vitrine.SignUpOpen, true)
	ctx := t.Context()
	e.code("there is an account", second(e.acc.OfferSetup(ctx)), vitrine.CodeInvalidRequest)
	e.acc.Store = emptyStore(t)
	e.in.Store = e.acc.Store
	e.code("sign-up before set-up", e.acc.AskSignUp(ctx, "eve@example.org", home), vitrine.CodeInvalidRequest)
	old, err := e.acc.Setup(ctx)
	e.must(err)
	if same, err := e.acc.Setup(ctx); err != nil || same != old || old == "" { // another server
		t.Errorf("%q, then %q: %v", string(old), string(same), err)
	}
	text, err := e.acc.OfferSetup(ctx)
	e.must(err)
	e.code("an older token", second(e.acc.SetUp(ctx, string(old), "eve@example.org", annWords, home)), vitrine.CodeUnauthorized)
	e.clock.Advance(365 * 24 * time.Hour)
	if same, err := e.acc.Setup(ctx); err != nil || same != text {
		t.Errorf("%q, then %q: %v", string(text), string(same), err)
	}
	e.code("a short password", second(e.acc.SetUp(ctx, string(text), "eve@example.org", "short", home)), vitrine.CodeInvalidRequest)
	var made atomic.Int32
	var wg sync.WaitGroup
	for _, email := range []string{"one@example.org", "two@example.org", "three@example.org"} {
		wg.Go(func() {
			if in, err := e.acc.SetUp(ctx, string(text), email, annWords, home); err == nil {
				made.Add(1)
				a, err := e.in.Authenticate(ctx, string(in.Session))
				if err != nil || a.Role != vitrine.RoleOwner || a.Plan != vitrine.PlanLifetime {
					t.Errorf("%+v, %v", a, err)
				}
			} else if vitrine.CodeOf(err) != vitrine.CodeUnauthorized {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if made.Load() != 1 {
		t.Errorf("%d accounts were made", made.Load())
	}
	if none, err := e.acc.Setup(ctx); err != nil || none != "" {
		t.Errorf("%q, %v", string(none), err)
	}
}

// With mail an address is confirmed first, and what is answered is the same anyone who has it.
func TestSignUpByMail(t *testing.T) {
	e := newEntrance(t, vitrine.SignUpOpen, true)
	ctx := t.Context()
	e.must(e.acc.AskSignUp(ctx, "Bob@example.org", home))
	e.must(e.acc.AskSignUp(ctx, annEmail, home))
	l := e.post.take()
	if len(l) != 2 || l[0].To != "bob@example.org" || l[1].To != annEmail || strings.Contains(l[1].Text, "sign-up:") {
		t.Fatalf("%+v", l)
	}
	text := e.token(l[0], vitrine.TokenSignUp)
	for range 2 {
		tk, err := e.acc.Invited(ctx, text) // looking uses nothing up
		if err != nil || tk.Email != "bob@example.org" {
			t.Fatal(tk, err)
		}
	}
	in, err := e.acc.Accept(ctx, text, annWords, home)
	e.must(err)
	if in.Account.Plan != vitrine.PlanFree || in.Account.Role != vitrine.RoleMember {
		t.Errorf("%+v", in.Account)
	}
	e.code("again", second(e.acc.Accept(ctx, text, annWords, home)), vitrine.CodeUnauthorized)
	e.must(e.acc.AskSignUp(ctx, "eve@example.org", home))
	late := e.token(e.post.take()[0], vitrine.TokenSignUp)
	e.clock.Advance(24 * time.Hour)
	e.code("late", second(e.acc.Accept(ctx, late, annWords, home)), vitrine.CodeUnauthorized)
	for range 3 {
		e.must(e.acc.AskSignUp(ctx, "eve@example.org", from("203.0.113.1")))
	}
	e.code("a fourth message within the hour", e.acc.AskSignUp(ctx, "eve@example.org", from("203.0.113.1")), vitrine.CodeRateLimited)
	e.acc.SignUp = vitrine.SignUpInvite
	e.code("sign-up was closed meanwhile", second(e.acc.Accept(ctx, e.token(e.post.take()[2], vitrine.TokenSignUp), annWords, home)), vitrine.CodeUnauthorized)
	e.code("not open", e.acc.AskSignUp(ctx, "x@example.org", home), vitrine.CodeInvalidRequest)
}

// Without mail the account is there at once, a few an hour from a network.
func TestSignUpAtOnce(t *testing.T) {
	e := newEntrance(t, vitrine.SignUpOpen, false)
	ctx := t.Context()
	in, err := e.acc.Join(ctx, "bob@example.org", annWords, home)
	e.must(err)
	if _, err := e.in.Authenticate(ctx, string(in.Session)); err != nil {
		t.Error(err)
	}
	for range 4 {
		e.code("an address that has one", second(e.acc.Join(ctx, annEmail, annWords, home)), vitrine.CodeInvalidRequest)
	}
	e.code("too many", second(e.acc.Join(ctx, "eve@example.org", annWords, home)), vitrine.CodeRateLimited)
}

// Beyond the limit no password is hashed, and a try for which there was no turn does not count.
func TestSignUpCountsBeforeItHashes(t *testing.T) {
	e := newEntrance(t, vitrine.SignUpOpen, false)
	join := func(wait time.Duration, email string) error {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		defer cancel()
		return second(e.acc.Join(ctx, email, annWords, home))
	}
	back := vitrine.HoldHashing()
	for range 2 {
		e.code("no turn", join(200*time.Millisecond, "bob@example.org"), vitrine.CodeUnavailable)
	}
	back()
	for range 5 {
		e.code("an address that has one", join(time.Minute, annEmail), vitrine.CodeInvalidRequest)
	}
	back = vitrine.HoldHashing()
	defer back()
	e.code("beyond the limit", join(5*time.Second, "eve@example.org"), vitrine.CodeRateLimited)
}

// An invitation stands as long as whoever gave it out may invite.
func TestInvitationsOfFormerOwners(t *testing.T) {
	e := newEntrance(t, vitrine.SignUpInvite, true)
	ctx := t.Context()
	bob, _, err := e.acc.Create(ctx, "bob@example.org", vitrine.PlanFree)
	e.must(err)
	role := func(r vitrine.Role) { e.t.Helper(); e.must(second(e.acc.SetRole(ctx, bob.Email, r, operator("")))) }
	role(vitrine.RoleOwner)
	byBob, err := e.acc.Invite(ctx, "eve@example.org", vitrine.PlanLifetime, vitrine.Decision{By: vitrine.Moderator(bob)})
	e.must(err)
	byOperator, err := e.acc.Invite(ctx, "zoe@example.org", vitrine.PlanPro, operator(""))
	e.must(err)
	refused := func(what string) {
		e.t.Helper()
		want := second(e.acc.Invited(ctx, "no token"))
		for _, err := range []error{second(e.acc.Invited(ctx, string(byBob))), second(e.acc.Accept(ctx, string(byBob), annWords, home))} {
			if err == nil || err.Error() != want.Error() {
				t.Errorf("%s: %v, want %v", what, err, want)
			}
		}
		if list, err := e.acc.Invitations(ctx); err != nil || len(list) != 1 || list[0].Email != "zoe@example.org" {
			t.Errorf("%s: %v, %v", what, list, err)
		}
	}
	role(vitrine.RoleMember)
	refused("a member")
	role(vitrine.RoleOwner)
	e.must(second(e.acc.SetBanned(ctx, bob.Email, true, operator(""))))
	refused("suspended")
	e.must(second(e.acc.SetBanned(ctx, bob.Email, false, operator(""))))
	e.must(second(e.acc.Accept(ctx, string(byBob), annWords, home)))
	e.must(second(e.acc.Accept(ctx, string(byOperator), annWords, home)))
}

// Only owners invite, withdraw, and change plans and roles, and one owner stays.
func TestOwnersGovern(t *testing.T) {
	e := newEntrance(t, vitrine.SignUpInvite, true)
	ctx := t.Context()
	bob, _, err := e.acc.Create(ctx, "bob@example.org", vitrine.PlanFree)
	e.must(err)
	_, err = e.acc.SetRole(ctx, bob.Email, vitrine.RoleModerator, operator(""))
	e.must(err)
	ann, byAnn, byBob := e.account, vitrine.Decision{By: vitrine.Moderator(e.account)}, vitrine.Decision{By: vitrine.Moderator(bob)}
	e.code("a moderator invites", second(e.acc.Invite(ctx, "x@example.org", vitrine.PlanPro, byBob)), vitrine.CodeInvalidRequest)
	e.code("a moderator gives a plan", second(e.acc.SetPlan(ctx, bob.Email, vitrine.PlanPro, nil, byBob)), vitrine.CodeInvalidRequest)
	e.code("a moderator gives a role", second(e.acc.SetRole(ctx, bob.Email, vitrine.RoleOwner, byBob)), vitrine.CodeInvalidRequest)
	e.code("the only owner", second(e.acc.SetRole(ctx, ann.Email, vitrine.RoleMember, byAnn)), vitrine.CodeInvalidRequest)
	e.code("who has an account", second(e.acc.Invite(ctx, bob.Email, vitrine.PlanPro, byAnn)), vitrine.CodeInvalidRequest)

	old, err := e.acc.Invite(ctx, "Eve@example.org", vitrine.PlanFree, byAnn)
	e.must(err)
	text, err := e.acc.Invite(ctx, "eve@example.org", vitrine.PlanPro, byAnn)
	e.must(err)
	if l := e.post.take(); len(l) != 2 || e.token(l[1], vitrine.TokenInvite) != string(text) || !strings.Contains(l[1].Text, ann.Email) {
		t.Errorf("%+v", l)
	}
	e.code("an older invitation", second(e.acc.Accept(ctx, string(old), annWords, home)), vitrine.CodeUnauthorized)
	in, err := e.acc.Accept(ctx, string(text), annWords, home)
	e.must(err)
	if in.Account.Email != "eve@example.org" || in.Account.Plan != vitrine.PlanPro {
		t.Errorf("%+v", in.Account)
	}
	text, err = e.acc.Invite(ctx, "zoe@example.org", vitrine.PlanPro, byAnn)
	e.must(err)
	list, err := e.acc.Invitations(ctx)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	e.code("a moderator withdraws", e.acc.Withdraw(ctx, list[0].ID, byBob), vitrine.CodeInvalidRequest)
	e.must(e.acc.Withdraw(ctx, list[0].ID, byAnn))
	e.code("withdrawn", second(e.acc.Accept(ctx, string(text), annWords, home)), vitrine.CodeUnauthorized)
	_, err = e.acc.SetRole(ctx, bob.Email, vitrine.RoleOwner, byAnn)
	e.must(err)
	_, err = e.acc.SetRole(ctx, ann.Email, vitrine.RoleMember, byAnn)
	e.must(err)
	e.code("an owner of before", second(e.acc.Invite(ctx, "y@example.org", vitrine.PlanPro, byAnn)), vitrine.CodeInvalidRequest)
	e.acc.SignUp = vitrine.SignUpClosed
	e.code("closed", second(e.acc.Invite(ctx, "y@example.org", vitrine.PlanPro, operator(""))), vitrine.CodeInvalidRequest)
}

// emptyStore is a store without an account.
func emptyStore(t *testing.T) vitrine.Store {
	t.Helper()
	store, err := sqldb.OpenStore(filepath.Join(t.TempDir(), "empty.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}
