package auth_test

import (
	"fmt"
	"net/netip"
	"testing"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/auth/password"
	"vitrine/internal/test/fixture"
)

// limitedByNetwork lists all that a network may do only so often. Each entry
// returns a function that does it for the nth time, and the limit of one
// network.
var limitedByNetwork = map[string]func(*testing.T) (do func(n int, g auth.Client) error, max int){
	"wrong passwords of one address": func(t *testing.T) (func(int, auth.Client) error, int) {
		e := fixture.NewEntrance(t, auth.SignUpInvite, false)
		return func(_ int, g auth.Client) error { return fixture.Second(e.Enter(g, fixture.AnnEmail, "wrong")) }, 5
	},
	"wrong passwords of many addresses": func(t *testing.T) (func(int, auth.Client) error, int) {
		e := fixture.NewEntrance(t, auth.SignUpInvite, false)
		return func(n int, g auth.Client) error { return fixture.Second(e.Enter(g, someone(n), "wrong")) }, 30
	},
	"messages with a new password": func(t *testing.T) (func(int, auth.Client) error, int) {
		e := fixture.NewEntrance(t, auth.SignUpInvite, true)
		return func(n int, g auth.Client) error { return e.Accounts.SendReset(t.Context(), someone(n), g) }, 10
	},
	"messages for new accounts": func(t *testing.T) (func(int, auth.Client) error, int) {
		e := fixture.NewEntrance(t, auth.SignUpOpen, true)
		return func(n int, g auth.Client) error { return e.Accounts.AskSignUp(t.Context(), someone(n), g) }, 10
	},
	"accounts without mail": func(t *testing.T) (func(int, auth.Client) error, int) {
		e := fixture.NewEntrance(t, auth.SignUpOpen, false)
		return func(n int, g auth.Client) error {
			return fixture.Second(e.Accounts.Join(t.Context(), someone(n), fixture.AnnWords, g))
		}, 5
	},
	"codes for programs": func(t *testing.T) (func(int, auth.Client) error, int) {
		c := newCounter(t)
		return func(_ int, g auth.Client) error {
			_, _, err := c.logins.Begin(t.Context(), "p", "m", auth.AnyKey, g)
			return err
		}, 60
	},
	"wrong codes": func(t *testing.T) (func(int, auth.Client) error, int) {
		c := newCounter(t)
		return func(n int, g auth.Client) error {
			me := &vitrine.Account{Email: someone(n)}
			return fixture.Second(c.logins.Find(t.Context(), me, "BCDFGHJK", g))
		}, 30
	},
}

func someone(n int) string { return fmt.Sprintf("someone%d@example.org", n) }

// TestLimitsByNetwork checks that each limit by network counts an IPv4 /24, an
// IPv6 /64, and four times as much an IPv6 /48, that other networks are not
// affected, and that nobody shares a limit behind a proxy that is not trusted.
func TestLimitsByNetwork(t *testing.T) {
	at := func(addr netip.Addr) auth.Client { return auth.Client{Addr: addr, Label: "Firefox"} }
	for what, begin := range limitedByNetwork {
		t.Run(what, func(t *testing.T) {
			do, most := begin(t)
			n := 0
			// until does it from addresses until it is refused.
			until := func(from string, want int, addr func(n int) netip.Addr) {
				t.Helper()
				for took := 0; ; took++ {
					n++
					if vitrine.CodeOf(do(n, at(addr(took)))) == vitrine.CodeRateLimited {
						if took != want {
							t.Errorf("from %s: refused after %d, want %d", from, took, want)
						}
						return
					}
					if took > want {
						t.Errorf("from %s: not refused after %d", from, want)
						return
					}
				}
			}
			until("an IPv4 /24", most, func(n int) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, byte(n)}) })
			until("an IPv6 /64", most, func(n int) netip.Addr {
				return netip.MustParseAddr(fmt.Sprintf("2001:db8:1::%x", n+1))
			})
			until("an IPv6 /48", 4*most, func(n int) netip.Addr {
				return netip.MustParseAddr(fmt.Sprintf("2001:db8:2:%x::1", n))
			})
			for _, addr := range []netip.Addr{{}, netip.MustParseAddr("2001:db8:3::1"), netip.MustParseAddr("198.51.100.1")} {
				n++
				if err := do(n, at(addr)); vitrine.CodeOf(err) == vitrine.CodeRateLimited {
					t.Errorf("from %v: %v", addr, err)
				}
			}
			for range 2 * most {
				n++
				if err := do(n, at(netip.Addr{})); vitrine.CodeOf(err) == vitrine.CodeRateLimited {
					t.Errorf("behind a proxy that is not trusted: %v", err)
					break
				}
			}
		})
	}
}

// TestKnownDeviceDoesNotWait checks that a browser that has signed in before,
// and a signed-in person, do not wait for strangers who take all turns at
// passwords.
func TestKnownDeviceDoesNotWait(t *testing.T) {
	e := fixture.NewEntrance(t, auth.SignUpInvite, false)
	e.Must(e.Accounts.SetPassword(t.Context(), fixture.AnnEmail, fixture.AnnWords))
	first, err := e.Enter(fixture.Home, fixture.AnnEmail, fixture.AnnWords)
	e.Must(err)
	back := password.Acquire()
	defer back()
	again := fixture.Home
	again.Devices = []string{first.Device}
	in, err := e.Enter(again, fixture.AnnEmail, fixture.AnnWords)
	e.Must(err)
	session, _, err := e.Sessions.Current(t.Context(), string(in.Session))
	e.Must(err)
	e.Must(e.Accounts.ChangePassword(t.Context(), session, fixture.AnnWords, "other words of ann"))
}
