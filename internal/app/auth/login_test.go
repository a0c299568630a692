package auth_test

import (
	"errors"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/test/fixture"
)

// counter is an instance at which programs request keys. Ann is its owner.
type counter struct {
	*fixture.Entrance
	logins *auth.Logins
	keys   *auth.Keys
	bob    *vitrine.Account
}

var atHome = auth.Client{Addr: netip.MustParseAddr("192.0.2.7")}

func newCounter(t *testing.T) *counter {
	t.Helper()
	e := fixture.NewEntrance(t, auth.SignUpInvite, false)
	keys := &auth.Keys{Store: e.Store, Now: e.Clock.Now}
	bob, _, err := e.Accounts.Create(t.Context(), "bob@example.org", vitrine.PlanFree)
	e.Must(err)
	return &counter{e, &auth.Logins{Store: e.Store, Keys: keys, Signer: e.Sessions.Signer, Now: e.Clock.Now}, keys, bob}
}

func (c *counter) begin() (*vitrine.Login, string) {
	c.T.Helper()
	l, secret, err := c.logins.Begin(c.T.Context(), "vitrine 1.0", "laptop", auth.AnyKey, atHome)
	c.Must(err)
	return l, string(secret)
}

func (c *counter) decide(a *vitrine.Account, code string, allow bool, want vitrine.Code) {
	c.T.Helper()
	var grant *vitrine.KeyGrant
	if allow {
		grant = &vitrine.KeyGrant{Scope: vitrine.ScopeFull}
	}
	if _, err := c.logins.Decide(c.T.Context(), &vitrine.Session{Account: a.ID}, a, code, grant, atHome); vitrine.CodeOf(err) != want {
		c.T.Errorf("Decide = %v, want %q", err, want)
	}
}

func (c *counter) take(secret string, want vitrine.Code) auth.TakenLogin {
	c.T.Helper()
	taken, err := c.logins.Take(c.T.Context(), secret)
	if vitrine.CodeOf(err) != want {
		c.T.Errorf("Take = %v, want %q", err, want)
	}
	return taken
}

// TestLogin checks that a program gets one key, of the account that has allowed
// its code.
func TestLogin(t *testing.T) {
	c := newCounter(t)
	l, secret := c.begin()
	if taken := c.take(secret, ""); taken.State != vitrine.LoginPending || taken.Key != "" {
		t.Errorf("login before a decision = %+v", taken)
	}
	typed := strings.ToLower(auth.ShownLoginCode(l.Code)) + " "
	found, err := c.logins.Find(t.Context(), c.bob, typed, atHome)
	c.Must(err)
	if found.Program != "vitrine 1.0" || found.Machine != "laptop" || found.State != vitrine.LoginPending {
		t.Errorf("login = %+v", found)
	}
	c.take(l.Code, vitrine.CodeNotFound) // the code is not the secret
	c.decide(c.bob, typed, true, "")
	c.decide(c.bob, typed, true, "") // a double click
	c.decide(c.Account, typed, true, vitrine.CodeNotFound)
	c.decide(c.bob, typed, false, vitrine.CodeNotFound)
	taken := c.take(secret, "")
	if taken.Email != c.bob.Email || taken.Name != "laptop" {
		t.Errorf("login = %+v", taken)
	}
	a, err := c.keys.Authenticate(t.Context(), string(taken.Key))
	c.Must(err)
	if a.ID != c.bob.ID {
		t.Errorf("a key of %s, want bob's", a.Email)
	}
	c.take(secret, vitrine.CodeNotFound)
	c.decide(c.bob, typed, true, vitrine.CodeNotFound)
	c.Must(c.keys.RevokeOwn(t.Context(), a))
	if _, err := c.keys.Authenticate(t.Context(), string(taken.Key)); vitrine.CodeOf(err) != vitrine.CodeUnauthorized {
		t.Errorf("Authenticate with a revoked key = %v, want unauthorized", err)
	}
}

// TestLoginRefused checks that a program whose code was refused or has expired
// gets no key.
func TestLoginRefused(t *testing.T) {
	c := newCounter(t)
	l, secret := c.begin()
	c.decide(c.bob, l.Code, false, "")
	if taken := c.take(secret, ""); taken.State != vitrine.LoginRefused || taken.Key != "" {
		t.Errorf("login after a refusal = %+v", taken)
	}
	c.decide(c.bob, l.Code, true, vitrine.CodeNotFound)

	l, secret = c.begin()
	late, lateSecret := c.begin()
	c.decide(c.bob, l.Code, true, "")
	c.Clock.Advance(vitrine.LoginLife)
	c.take(secret, vitrine.CodeNotFound)
	c.decide(c.bob, late.Code, true, vitrine.CodeNotFound)
	c.Clock.Advance(time.Second)
	c.Must(c.Sessions.Expire(t.Context()))
	c.take(lateSecret, vitrine.CodeNotFound)
	c.Must(c.Store.Read(t.Context(), func(tx vitrine.Tx) error {
		if _, err := tx.LoginByCode(late.Code); !errors.Is(err, vitrine.ErrNotFound) {
			t.Errorf("an expired login is still stored: %v", err)
		}
		return nil
	}))
}

// TestLoginGrants checks, for all that a program can ask for and a person can
// give, that a key gets what was given, and never more than was asked for.
func TestLoginGrants(t *testing.T) {
	c := newCounter(t)
	const day = 24 * time.Hour
	type end struct {
		open bool
		life time.Duration // 0: never
	}
	asks := []end{{open: true}, {}, {life: vitrine.LoginLife + time.Millisecond}, {life: 30 * day}, {life: 90 * day}}
	gives := append([]end{{life: -day}, {life: -1}, {life: time.Minute}, {life: vitrine.LoginLife}, {life: 400 * day}},
		asks[1:]...)
	grant := func(scope vitrine.KeyScope, e end) vitrine.KeyGrant {
		g := vitrine.KeyGrant{Scope: scope, EndChosen: !e.open}
		if e.life != 0 {
			g.ExpiresAt = c.Clock.Now().Add(e.life)
		}
		return g
	}
	for i, most := range vitrine.Scopes {
		for _, asked := range asks {
			for j, scope := range append([]vitrine.KeyScope{"", "Full", "admin"}, vitrine.Scopes...) {
				for _, given := range gives {
					c.Clock.Advance(time.Hour) // the limits of codes and keys
					l, secret, err := c.logins.Begin(t.Context(), "p", "m", grant(most, asked), atHome)
					c.Must(err)
					want := ""
					switch tooLong := asked.life > 0 && (given.life == 0 || given.life > asked.life); {
					case j < 3, j-3 > i:
						want = "scope"
					case given.life != 0 && given.life <= vitrine.LoginLife, tooLong:
						want = "expiresAt"
					}
					g := grant(scope, given)
					_, err = c.logins.Decide(t.Context(), &vitrine.Session{Account: c.bob.ID}, c.bob, l.Code, &g, atHome)
					var e *vitrine.Error
					if errors.As(err, &e); want == "" && err != nil || want != "" && (e == nil || e.Field != want ||
						e.Code != vitrine.CodeInvalidRequest) {
						t.Errorf("asked %s %+v, given %s %+v: %v, want an error of %q", most, asked, scope, given, err, want)
					}
					taken := c.take(string(secret), "")
					if want != "" {
						if taken.State != vitrine.LoginPending {
							t.Errorf("asked %s %+v, given %s %+v: %s, want pending", most, asked, scope, given, taken.State)
						}
						continue
					}
					who, err := c.keys.Authenticate(t.Context(), string(taken.Key))
					c.Must(err)
					if who.Key.Scope != scope || !who.Key.ExpiresAt.Equal(g.ExpiresAt) {
						t.Errorf("asked %s %+v, given %s %+v: the key has the scope %s and ends %v", most, asked, scope, given,
							who.Key.Scope, who.Key.ExpiresAt)
					}
					c.Must(c.keys.RevokeOwn(t.Context(), who))
				}
			}
		}
	}
	for _, wrong := range []vitrine.KeyGrant{{}, {Scope: "admin"}, {Scope: "read", EndChosen: true,
		ExpiresAt: c.Clock.Now().Add(vitrine.LoginLife)}} {
		if _, _, err := c.logins.Begin(t.Context(), "p", "m", wrong, atHome); vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
			t.Errorf("Begin asking for %+v = %v, want invalid_request", wrong, err)
		}
	}
}

// TestLoginRaces checks that of concurrent requests of programs only one gets
// the key, and of concurrent decisions only one succeeds.
func TestLoginRaces(t *testing.T) {
	c := newCounter(t)
	l, secret := c.begin()
	var mu sync.Mutex
	decided := map[string]int{}
	race := func(f func(i int) string) {
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				if got := f(i); got != "" {
					mu.Lock()
					decided[got]++
					mu.Unlock()
				}
			})
		}
		all.Wait()
	}
	race(func(i int) string {
		a := []*vitrine.Account{c.Account, c.bob}[i%2]
		if _, err := c.logins.Decide(t.Context(), &vitrine.Session{Account: a.ID}, a, l.Code, &vitrine.KeyGrant{Scope: vitrine.ScopeFull}, atHome); err != nil {
			return ""
		}
		return a.Email
	})
	if len(decided) != 1 {
		t.Fatalf("allowed by %v, want one account", decided)
	}
	var owner string
	for owner = range decided {
	}
	decided = map[string]int{}
	race(func(int) string {
		taken, err := c.logins.Take(t.Context(), secret)
		if err != nil {
			if vitrine.CodeOf(err) != vitrine.CodeNotFound {
				t.Error(err)
			}
			return ""
		}
		return taken.Email
	})
	if decided[owner] != 1 || len(decided) != 1 {
		t.Errorf("taken from %v, allowed by %s", decided, owner)
	}
	keys, err := c.keys.List(t.Context(), owner)
	c.Must(err)
	if len(keys) != 2 { // including the account's first key
		t.Errorf("%d keys, want 2", len(keys))
	}
}

// TestLoginGuessing checks that wrong codes are counted by account and network,
// and right ones are not.
func TestLoginGuessing(t *testing.T) {
	c := newCounter(t)
	l, _ := c.begin()
	for range 20 {
		_, err := c.logins.Find(t.Context(), c.bob, l.Code, atHome)
		c.Must(err)
	}
	wrong := "BBBBBBBB"
	for range 10 {
		c.decide(c.bob, wrong, true, vitrine.CodeNotFound)
	}
	c.decide(c.bob, wrong, true, vitrine.CodeRateLimited)
	c.decide(c.bob, l.Code, true, vitrine.CodeRateLimited)
	c.decide(c.bob, "not a code", true, vitrine.CodeNotFound)
	c.decide(c.Account, l.Code, true, "")
	for range 100 {
		if _, _, err := c.logins.Begin(t.Context(), "p", "m", auth.AnyKey, atHome); vitrine.CodeOf(err) == vitrine.CodeRateLimited {
			return
		}
	}
	t.Error("a network can request an unlimited number of codes")
}

// TestLoginWithoutRoom checks that a suspended account, and one with the
// maximum number of keys, get no key.
func TestLoginWithoutRoom(t *testing.T) {
	c := newCounter(t)
	l, secret := c.begin()
	c.decide(c.bob, l.Code, true, "")
	_, err := c.Accounts.SetBanned(t.Context(), c.bob.Email, true, fixture.Administrator(""))
	c.Must(err)
	c.take(secret, vitrine.CodeBanned)
	l, _ = c.begin()
	c.decide(c.bob, l.Code, true, vitrine.CodeBanned)
	for range auth.MaxKeys - 1 {
		_, err := c.keys.CreateFor(t.Context(), c.Account.Email, auth.KeyRequest{Name: "k", Scope: vitrine.ScopeFull})
		c.Must(err)
	}
	c.decide(c.Account, l.Code, true, vitrine.CodeInvalidRequest)
	for _, name := range []string{"", strings.Repeat("x", 101), "a\nb"} {
		if _, _, err := c.logins.Begin(t.Context(), "p", name, auth.AnyKey,
			atHome); vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
			t.Errorf("Begin with machine %q = %v, want invalid_request", name, err)
		}
	}
}
