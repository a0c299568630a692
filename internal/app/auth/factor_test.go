package auth_test

import (
	"encoding/base32"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/auth/factor"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/fixture"
)

// phone is ann's authenticator app, with her recovery codes.
type phone struct {
	*fixture.Entrance
	secret   factor.Secret
	recovery []string
}

// newPhone sets up two-step sign-in for ann.
func newPhone(t *testing.T, mail bool) (*phone, *vitrine.Session) {
	t.Helper()
	p := &phone{Entrance: fixture.NewEntrance(t, auth.SignUpInvite, mail)}
	p.Must(p.Accounts.SetPassword(t.Context(), fixture.AnnEmail, fixture.AnnWords))
	session, in := p.Begin()
	p.add(session, in.Account)
	return p, session
}

func (p *phone) add(session *vitrine.Session, a *vitrine.Account) {
	p.T.Helper()
	secret, offer := p.Accounts.OfferFactor(a)
	typed, err := base32.StdEncoding.DecodeString(strings.ReplaceAll(secret.Text(), " ", "")) // as a person types it
	p.Must(err)
	p.secret = typed
	p.recovery, err = p.Accounts.AddFactor(p.T.Context(), session, fixture.AnnWords, offer, p.code())
	p.Must(err)
}

// code returns what the app shows, in a period that it has not shown yet.
func (p *phone) code() string {
	p.Clock.Advance(time.Minute)
	return p.secret.Code(factor.Step(p.Clock.Now()))
}

// half signs in as far as the password goes.
func (p *phone) half(g auth.Client) string {
	p.T.Helper()
	in, err := p.Enter(g, fixture.AnnEmail, fixture.AnnWords)
	p.Must(err)
	if !in.Half || in.Device != "" {
		p.T.Fatalf("signed in without a code: %+v", in)
	}
	return string(in.Session)
}

func (p *phone) complete(half, code string, g auth.Client) (auth.SignedIn, error) {
	return p.Sessions.SignInWithCode(p.T.Context(), half, code, g)
}

// TestHalfSession checks that each way into an account with a second factor
// ends at the question for a code: until then the session is in no list and
// opens nothing, and it ends after ten minutes, with a new password, and by a
// word of the administrator.
func TestHalfSession(t *testing.T) {
	p, _ := newPhone(t, true)
	ctx := t.Context()
	ways := map[string]func() (auth.SignedIn, error){
		"password": func() (auth.SignedIn, error) { return p.Enter(fixture.Home, fixture.AnnEmail, fixture.AnnWords) },
		"link": func() (auth.SignedIn, error) {
			text, err := p.Sessions.Offer(ctx, fixture.AnnEmail)
			p.Must(err)
			return p.Sessions.SignInWithToken(ctx, string(text), fixture.Home)
		},
		"new password": func() (auth.SignedIn, error) {
			text, err := p.Accounts.OfferReset(ctx, fixture.AnnEmail)
			p.Must(err)
			return p.Accounts.Reset(ctx, string(text), fixture.AnnWords, fixture.Home)
		},
	}
	ends := map[string]func(){
		"time":          func() { p.Clock.Advance(10 * time.Minute) },
		"password":      func() { p.Must(p.Accounts.SetPassword(ctx, fixture.AnnEmail, fixture.AnnWords)) },
		"administrator": func() { p.Must(p.Accounts.RemoveFactorFor(ctx, fixture.AnnEmail)) },
	}
	for way, enter := range ways {
		for _, end := range []string{"time", "password"} {
			in, err := enter()
			p.Must(err)
			text := string(in.Session)
			if !in.Half || in.Device != "" {
				t.Errorf("%s: signed in without a code", way)
			}
			p.Code(way+", Authenticate", fixture.Second(p.Sessions.Authenticate(ctx, text)), vitrine.CodeUnauthorized)
			p.Code(way+", Peek", fixture.Second(p.Sessions.Peek(ctx, text)), vitrine.CodeUnauthorized)
			_, _, err = p.Sessions.Entering(ctx, text)
			p.Code(way+", Entering", err, vitrine.CodeUnauthorized)
			a, code, err := p.Sessions.Waiting(ctx, text)
			if err != nil || !code || a.Email != fixture.AnnEmail {
				t.Errorf("%s: Waiting = %v, %t, %v", way, a, code, err)
			}
			list, err := p.Sessions.List(ctx, a.ID)
			for _, s := range list {
				if s.Half {
					t.Errorf("%s: the list has it", way)
				}
			}
			p.Must(err)
			ends[end]()
			p.Code(way+", ended by "+end, fixture.Second(p.complete(text, p.code(), fixture.Home)),
				vitrine.CodeUnauthorized)
		}
	}
	text := p.half(fixture.Home)
	in, err := p.complete(text, p.code(), fixture.Home)
	p.Must(err)
	p.Code("a second time", fixture.Second(p.complete(text, p.code(), fixture.Home)), vitrine.CodeUnauthorized)
	p.Code("of a whole session", fixture.Second(p.complete(string(in.Session), p.code(), fixture.Home)),
		vitrine.CodeUnauthorized)
	if in.Session == vitrine.SessionText(text) || in.Device == "" {
		t.Error("the session keeps its secret, or the browser stays unknown")
	}
	text = p.half(fixture.Home)
	ends["administrator"]()
	p.Code("factor removed", fixture.Second(p.complete(text, p.code(), fixture.Home)), vitrine.CodeUnauthorized)
	p.Code("session of before", fixture.Second(p.Sessions.Authenticate(ctx, string(in.Session))), vitrine.CodeUnauthorized)
	if in, err := p.Enter(fixture.Home, fixture.AnnEmail, fixture.AnnWords); err != nil || in.Half {
		t.Errorf("without a factor: %+v, %v", in, err)
	}
}

// TestCodeOnce checks that a code and a recovery code work once, wherever they
// are used, and none from before.
func TestCodeOnce(t *testing.T) {
	p, session := newPhone(t, false)
	ctx := t.Context()
	uses := []func(code string) error{
		func(code string) error { return fixture.Second(p.complete(p.half(fixture.Home), code, fixture.Home)) },
		func(code string) error {
			session.FactorAt = time.Time{}
			return p.Sessions.GiveFactor(ctx, session, code)
		},
		func(code string) error {
			return fixture.Second(p.Accounts.NewRecoveryCodes(ctx, session, fixture.AnnWords, code))
		},
	}
	for i, first := range uses {
		for j, second := range uses {
			before := p.code()
			code := p.code()
			if i == len(uses)-1 { // makes new ones
				p.Must(first(code))
			} else {
				p.Must(first(code))
				p.Must(first(p.recovery[0]))
				p.Code(fmt.Sprint(i, j, ": recovery code again"), second(p.recovery[0]), vitrine.CodeInvalidRequest)
				p.recovery = p.recovery[1:]
			}
			for what, c := range map[string]string{"again": code, "the one before": before} {
				if e := p.Code(fmt.Sprint(i, j, ": ", what), second(c), vitrine.CodeInvalidRequest); e.Field != "code" {
					t.Errorf("%d %d: field %q", i, j, e.Field)
				}
			}
			p.Clock.Advance(time.Hour) // the wrong ones no longer count
			_, err := p.Accounts.Activity(ctx, session.Account, 1)
			p.Must(err)
		}
	}
}

// TestCodeLimits checks that wrong codes are bounded by account and network,
// that the owner is told once, and that their own browser has attempts of its
// own.
func TestCodeLimits(t *testing.T) {
	p, _ := newPhone(t, true)
	in, err := p.complete(p.half(fixture.Home), p.code(), fixture.Home)
	p.Must(err)
	p.Post.Take()
	wrong := 0
	for ; wrong < 100; wrong++ {
		at := fixture.ClientAt(fmt.Sprintf("198.51.%d.1", wrong)) // each time another network
		if vitrine.CodeOf(fixture.Second(p.complete(p.half(at), "000000", at))) == vitrine.CodeRateLimited {
			break
		}
	}
	if wrong != 10 {
		t.Errorf("%d wrong codes at one account", wrong)
	}
	told := 0
	for _, m := range p.Post.Take() {
		if strings.Contains(m.Subject, "Wrong codes") {
			told++
		}
	}
	if told != 1 {
		t.Errorf("the owner was told %d times", told)
	}
	stranger := fixture.ClientAt("203.0.113.1")
	p.Code("a right code of a stranger", fixture.Second(p.complete(p.half(stranger), p.code(), stranger)),
		vitrine.CodeRateLimited)
	known := fixture.ClientAt("203.0.113.1", in.Device)
	p.Must(fixture.Second(p.complete(p.half(known), p.code(), known)))
	p.Clock.Advance(time.Hour)
	p.Must(fixture.Second(p.complete(p.half(stranger), p.code(), stranger)))
}

// TestFreshFactor checks that every change that could take an account over
// needs a code of the last minutes, besides the password.
func TestFreshFactor(t *testing.T) {
	p, session := newPhone(t, false)
	ctx := t.Context()
	p.Must(p.Sessions.GiveFactor(ctx, session, p.code()))
	p.Clock.Advance(10 * time.Minute)
	ann, err := p.Accounts.ByEmail(ctx, fixture.AnnEmail)
	p.Must(err)
	keys := &auth.Keys{Store: p.Store, Now: p.Clock.Now}
	key, err := keys.CreateFor(ctx, ann.Email, auth.KeyRequest{Name: "old", Scope: vitrine.ScopeRead})
	p.Must(err)
	logins := &auth.Logins{Store: p.Store, Keys: keys, Signer: p.Sessions.Signer, Now: p.Clock.Now}
	login, _, err := logins.Begin(ctx, "vitrine", "laptop", auth.AnyKey, fixture.Home)
	p.Must(err)
	grants := auth.NewGrants(p.Store, keys, p.Sessions.Signer, p.Clock.Now)
	grant := &vitrine.KeyGrant{Scope: vitrine.ScopeRead}
	changes := map[string]func(*vitrine.Session) error{
		"password": func(s *vitrine.Session) error {
			return p.Accounts.ChangePassword(ctx, s, fixture.AnnWords, "another good one")
		},
		"address": func(s *vitrine.Session) error {
			return fixture.Second(p.Accounts.ChangeEmail(ctx, s, fixture.AnnWords, "anna@example.org"))
		},
		"close": func(s *vitrine.Session) error {
			return p.Accounts.Close(ctx, s, fixture.AnnWords, fixture.AnnEmail)
		},
		"key": func(s *vitrine.Session) error {
			return fixture.Second(keys.Create(ctx, s, auth.KeyRequest{Name: "new", Scope: vitrine.ScopeRead}))
		},
		"rotation": func(s *vitrine.Session) error { return fixture.Second(keys.Rotate(ctx, s, key.ID, 0)) },
		"login": func(s *vitrine.Session) error {
			return fixture.Second(logins.Decide(ctx, s, ann, login.Code, grant, fixture.Home))
		},
		"program": func(s *vitrine.Session) error {
			return fixture.Second(grants.Allow(ctx, s, &auth.GrantRequest{Client: new(auth.GrantClient),
				Asked: auth.AnyKey}, *grant))
		},
		"another's factor": func(s *vitrine.Session) error { return p.Accounts.RemoveFactorOf(ctx, s, fixture.AnnEmail) },
		"remove": func(s *vitrine.Session) error {
			return p.Accounts.RemoveFactor(ctx, s, fixture.AnnWords, "")
		},
	}
	for name, change := range changes {
		if e := p.Code(name, change(session), vitrine.CodeInvalidRequest); e.Field != "code" {
			t.Errorf("%s: field %q, want code", name, e.Field)
		}
	}
	half := *session
	half.Half, half.FactorAt = true, p.Clock.Now()
	for _, name := range []string{"key", "rotation", "login", "program", "another's factor"} {
		p.Code(name+" without a session", changes[name](nil), vitrine.CodeUnauthorized)
		p.Code(name+" by half a sign-in", changes[name](&half), vitrine.CodeUnauthorized)
	}
	p.Must(p.Sessions.GiveFactor(ctx, session, p.code()))
	for _, name := range []string{"key", "rotation", "login", "program"} {
		if err := changes[name](session); err != nil {
			t.Errorf("%s with a code = %v", name, err)
		}
	}
	p.Must(fixture.Second(p.Accounts.SetRole(ctx, fixture.AnnEmail, vitrine.RoleModerator, fixture.Administrator(""))))
	p.Code("another's factor, by a moderator", changes["another's factor"](session), vitrine.CodeInvalidRequest)
	p.Must(changes["address"](session))
	p.Code("remove, with the code of before", changes["remove"](session), vitrine.CodeInvalidRequest)
	p.Code("remove, wrong password", p.Accounts.RemoveFactor(ctx, session, "wrong", p.code()), vitrine.CodeInvalidRequest)
	p.Must(p.Accounts.RemoveFactor(ctx, session, fixture.AnnWords, p.code()))
	p.Must(changes["password"](session))
}

// TestFactorRequired checks that a person without a second factor, where the
// instance asks for it, can do nothing but add one, from the moment that the
// setting or their role asks for it.
func TestFactorRequired(t *testing.T) {
	for _, c := range []struct {
		rule auth.FactorRule
		role vitrine.Role
		asks bool
	}{{"", vitrine.RoleOwner, false}, {auth.FactorOptional, vitrine.RoleOwner, false},
		{auth.FactorModerators, vitrine.RoleMember, false}, {auth.FactorModerators, vitrine.RoleModerator, true},
		{auth.FactorModerators, vitrine.RoleOwner, true}, {auth.FactorAll, vitrine.RoleMember, true}} {
		p := &phone{Entrance: fixture.NewEntrance(t, auth.SignUpInvite, false)}
		ctx := t.Context()
		p.Must(p.Accounts.SetPassword(ctx, fixture.AnnEmail, fixture.AnnWords))
		_, in := p.Begin()
		_, err := p.Accounts.SetRole(ctx, fixture.AnnEmail, c.role, fixture.Administrator(""))
		p.Must(err)
		p.Sessions.Factor = c.rule
		text := string(in.Session)
		want := vitrine.Code("")
		if c.asks {
			want = vitrine.CodeUnauthorized
		}
		p.Code(fmt.Sprint(c), fixture.Second(p.Sessions.Authenticate(ctx, text)), want)
		p.Code(fmt.Sprint(c), fixture.Second(p.Sessions.Peek(ctx, text)), want)
		session, a, err := p.Sessions.Entering(ctx, text)
		p.Must(err)
		if _, code, err := p.Sessions.Waiting(ctx, text); (err == nil) != c.asks || code {
			t.Errorf("%v: waiting: %t, %v", c, code, err)
		}
		p.add(session, a)
		p.Code(fmt.Sprint(c, ", added"), fixture.Second(p.Sessions.Authenticate(ctx, text)), "")
	}
}

// TestFactorUnderAnotherSecret checks that under another secret of the instance
// codes of the app no longer work and say why, and recovery codes do.
func TestFactorUnderAnotherSecret(t *testing.T) {
	p, _ := newPhone(t, false)
	p.Sessions.Signer = signer.New([]byte("another secret of the instance"))
	e := p.Code("a code", fixture.Second(p.complete(p.half(fixture.Home), p.code(), fixture.Home)),
		vitrine.CodeInvalidRequest)
	if !strings.Contains(e.Message, "secret of this instance was replaced") {
		t.Errorf("message = %s", e.Message)
	}
	p.Must(fixture.Second(p.complete(p.half(fixture.Home), p.recovery[3], fixture.Home)))
}

// TestFactorStored checks that neither the secret nor a code is stored in clear
// text, that an offer is for one account and an hour, and that a closed account
// keeps nothing.
func TestFactorStored(t *testing.T) {
	p, session := newPhone(t, false)
	ctx := t.Context()
	a, err := p.Accounts.ByEmail(ctx, fixture.AnnEmail)
	p.Must(err)
	for _, c := range append(p.recovery, string(p.secret), p.secret.Text(), strings.ReplaceAll(p.recovery[0], "-", "")) {
		if strings.Contains(string(a.Factor), c) {
			t.Errorf("%s has %s", a.Factor, c)
		}
	}
	_, offer := p.Accounts.OfferFactor(a)
	p.Must(fixture.Second(p.Accounts.OfferedFactor(a, offer)))
	p.Code("another account's", fixture.Second(p.Accounts.OfferedFactor(&vitrine.Account{ID: a.ID + 1}, offer)),
		vitrine.CodeInvalidRequest)
	p.Clock.Advance(time.Hour)
	p.Code("late", fixture.Second(p.Accounts.OfferedFactor(a, offer)), vitrine.CodeInvalidRequest)
	p.Must(p.Sessions.GiveFactor(ctx, session, p.code()))
	p.Must(p.Accounts.CloseByEmail(ctx, fixture.AnnEmail, fixture.Administrator("")))
	p.Must(p.Store.Read(ctx, func(tx vitrine.Tx) error {
		closed, err := tx.Account(a.ID)
		if err == nil && len(closed.Factor) > 0 {
			err = errors.New("a closed account has a second factor")
		}
		return err
	}))
}
