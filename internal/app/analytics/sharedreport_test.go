package analytics_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/vitrinetest"
)

var (
	here  = netip.MustParseAddr("192.0.2.7")
	there = netip.MustParseAddr("198.51.100.9")
)

func service(f *fixture.Instance) *analytics.Sharing {
	return &analytics.Sharing{Store: f.Store, Signer: signer.New([]byte("k")), Now: f.Clock.Now}
}

// TestOpen checks that an address leads to its report until it expires, is
// revoked, or its account or link changes. A wrong or shortened address is not
// found.
func TestOpen(t *testing.T) {
	f := fixture.New(t)
	s := service(f)
	ctx := t.Context()
	l := f.Note("to be read")
	one, err := s.Create(ctx, f.Account, l, analytics.SharedOptions{Label: " For the board ", Life: time.Hour})
	f.Must(err)
	all, err := s.Create(ctx, f.Account, nil, analytics.SharedOptions{})
	f.Must(err)
	opens := func(what, secret string, want bool) {
		t.Helper()
		r, err := s.Open(ctx, secret)
		if (err == nil) != want || !want && vitrine.CodeOf(err) != vitrine.CodeNotFound {
			t.Errorf("%s: %v, want success = %t", what, err, want)
		}
		if err == nil && (r.Owner.ID != f.Account.ID || (r.Link == nil) != (secret == all)) {
			t.Errorf("%s: %+v", what, r)
		}
	}
	opens("one link", one, true)
	opens("all links", all, true)
	for _, bad := range []string{"", "x", one[:21], one + "A", strings.ToUpper(one) + "=", strings.Repeat("A", 22),
		"../" + one, one[:21] + "\n"} {
		opens("a guess", bad, false)
	}
	list, err := s.List(ctx, f.Account, l)
	f.Must(err)
	if len(list) != 1 || list[0].Label != "For the board" || strings.Contains(string(list[0].Hash[:]), one) {
		t.Errorf("list = %+v", list)
	}
	f.Clock.Advance(time.Hour - time.Millisecond)
	opens("just before it expires", one, true)
	f.Clock.Advance(time.Millisecond)
	opens("expired", one, false)
	if list, err = s.List(ctx, f.Account, l); err != nil || len(list) != 0 {
		t.Errorf("list after expiry = %v, %v, want none", list, err)
	}

	if list, err = s.List(ctx, f.Account, nil); err != nil || len(list) != 1 {
		t.Fatalf("list for all links = %v, %v, want one", list, err)
	}
	other := *f.Account
	other.ID++
	if err := s.Revoke(ctx, &other, list[0].ID); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Errorf("Revoke by another account = %v, want not_found", err)
	}
	if err := s.Revoke(ctx, f.Account, 0); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Errorf("Revoke of an unknown report = %v, want not_found", err)
	}
	opens("still there", all, true)
	f.Must(s.Revoke(ctx, f.Account, list[0].ID))
	opens("revoked", all, false)
}

// TestLabels checks that the addresses of a report have different labels.
func TestLabels(t *testing.T) {
	f := fixture.New(t)
	s := service(f)
	long := strings.Repeat("ä", analytics.MaxSharedLabel)
	for _, label := range []string{"The board", "", " The board", "The board", "", long, long} {
		_, err := s.Create(t.Context(), f.Account, nil, analytics.SharedOptions{Label: label})
		f.Must(err)
		f.Clock.Advance(time.Second)
	}
	list, err := s.List(t.Context(), f.Account, nil)
	f.Must(err)
	var labels []string
	for _, r := range list {
		labels = append(labels, r.Label)
	}
	slices.Reverse(labels)
	vitrinetest.Equal(t, "labels", labels, []string{"The board", "Read-only link", "The board 2", "The board 3",
		"Read-only link 2", long, strings.TrimSuffix(long, "ää") + " 2"})
}

// TestOpenAfterwards checks that a report is not available while its account is
// suspended, and never again after its link was deleted.
func TestOpenAfterwards(t *testing.T) {
	f := fixture.New(t)
	s := service(f)
	ctx := t.Context()
	l := f.Note("to be read")
	secret, err := s.Create(ctx, f.Account, l, analytics.SharedOptions{})
	f.Must(err)
	change := func(do func(a *vitrine.Account, l *vitrine.Link)) {
		t.Helper()
		f.Must(f.Store.Update(ctx, func(tx vitrine.Tx) error {
			a, err := tx.Account(f.Account.ID)
			if err != nil {
				return err
			}
			now, err := tx.Link(l.ID)
			if err != nil {
				return err
			}
			do(a, now)
			if err := tx.PutAccount(a); err != nil {
				return err
			}
			return tx.PutLink(now)
		}))
	}
	for _, c := range []struct {
		name string
		do   func(a *vitrine.Account, l *vitrine.Link)
		want bool
	}{
		{"suspended", func(a *vitrine.Account, _ *vitrine.Link) { a.Banned = true }, false},
		{"again", func(a *vitrine.Account, _ *vitrine.Link) { a.Banned = false }, true},
		{"on Free", func(a *vitrine.Account, _ *vitrine.Link) { a.Plan = vitrine.PlanFree }, false},
		{"on Pro", func(a *vitrine.Account, _ *vitrine.Link) { a.Plan = vitrine.PlanPro }, true},
		{"deleted", func(_ *vitrine.Account, l *vitrine.Link) { l.DeletedAt = f.Clock.Now() }, false},
	} {
		change(c.do)
		if _, err := s.Open(ctx, secret); (err == nil) != c.want {
			t.Errorf("%s: Open = %v", c.name, err)
		}
	}
}

func TestCreateRefuses(t *testing.T) {
	f := fixture.New(t)
	s := service(f)
	for name, o := range map[string]analytics.SharedOptions{
		"a long label":     {Label: strings.Repeat("ä", 81)},
		"a label of lines": {Label: "a\nb"},
		"no text":          {Label: "a\xff"},
		"a time long past": {Life: -time.Hour},
		"a short password": {Password: "short"},
	} {
		if _, err := s.Create(t.Context(), f.Account, nil, o); vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
			t.Errorf("Create with %s = %v, want invalid_request", name, err)
		}
	}
	free := *f.Account
	free.Plan = vitrine.PlanFree
	if _, err := s.Create(t.Context(), &free, nil,
		analytics.SharedOptions{}); vitrine.CodeOf(err) != vitrine.CodeProRequired {
		t.Errorf("Create on Free = %v, want pro_required", err)
	}
	for range analytics.MaxShared {
		if _, err := s.Create(t.Context(), f.Account, nil, analytics.SharedOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Create(t.Context(), f.Account, nil,
		analytics.SharedOptions{}); vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
		t.Errorf("Create beyond the limit = %v, want invalid_request", err)
	}
}

// TestPassword checks that a password gives a browser access for some hours,
// that a pass is valid for one report, and that attempts are limited.
func TestPassword(t *testing.T) {
	f := fixture.New(t)
	s := service(f)
	ctx := t.Context()
	open := func(o analytics.SharedOptions) *analytics.Shared {
		t.Helper()
		secret, err := s.Create(ctx, f.Account, nil, o)
		f.Must(err)
		r, err := s.Open(ctx, secret)
		f.Must(err)
		return r
	}
	const words = "a cafe\u0301 at noon"
	r, other, plain := open(analytics.SharedOptions{Password: words}), open(analytics.SharedOptions{Password: words}),
		open(analytics.SharedOptions{})
	if s.Admits(r, "") || !s.Admits(plain, "") {
		t.Error("Admits is wrong without a pass")
	}
	pass, err := s.Enter(ctx, r, "a café at noon", here)
	f.Must(err)
	if !s.Admits(r, pass) || s.Admits(other, pass) {
		t.Error("a pass must be valid for its report only")
	}
	for _, bad := range []string{pass + "x", "9" + pass, strings.Replace(pass, ".", "", 1), "99999999999999999999.x",
		"."} {
		if s.Admits(r, bad) {
			t.Errorf("Admits(%q) = true, want false", bad)
		}
	}
	f.Clock.Advance(analytics.SharedPassLife)
	if s.Admits(r, pass) {
		t.Error("an expired pass is valid")
	}
	for range 5 {
		if _, err := s.Enter(ctx, r, "wrong", here); vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
			t.Errorf("Enter with a wrong password = %v, want invalid_request", err)
		}
	}
	if _, err := s.Enter(ctx, r, words, here); vitrine.CodeOf(err) != vitrine.CodeRateLimited {
		t.Errorf("Enter beyond the limit = %v, want rate_limited", err)
	}
	if _, err := s.Enter(ctx, r, words, there); err != nil {
		t.Errorf("Enter from another network = %v, want nil", err)
	}
	f.Clock.Advance(15*time.Minute + time.Millisecond)
	if _, err := s.Enter(ctx, r, words, here); err != nil {
		t.Errorf("Enter after the wait = %v, want nil", err)
	}
}

// TestPasswordAtOnce checks that concurrent attempts do not exceed the limit.
func TestPasswordAtOnce(t *testing.T) {
	f := fixture.New(t)
	s := service(f)
	secret, err := s.Create(t.Context(), f.Account, nil, analytics.SharedOptions{Password: "some words of it"})
	f.Must(err)
	r, err := s.Open(t.Context(), secret)
	f.Must(err)
	var tried, limited atomic.Int32
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			switch _, err := s.Enter(t.Context(), r, "wrong", here); vitrine.CodeOf(err) {
			case vitrine.CodeInvalidRequest:
				tried.Add(1)
			case vitrine.CodeRateLimited:
				limited.Add(1)
			}
		})
	}
	wg.Wait()
	if tried.Load() != 5 || limited.Load() != 15 {
		t.Errorf("%d attempts, %d limited, want 5 and 15", tried.Load(), limited.Load())
	}
}

// TestManyReadersEnter checks that readers with the right password do not use
// up the attempts of others, and that guesses from a few networks do not lock
// anybody out.
func TestManyReadersEnter(t *testing.T) {
	f := fixture.New(t)
	s := service(f)
	const words = "some words of it"
	secret, err := s.Create(t.Context(), f.Account, nil, analytics.SharedOptions{Password: words})
	f.Must(err)
	r, err := s.Open(t.Context(), secret)
	f.Must(err)
	at := func(n int) netip.Addr { return netip.AddrFrom4([4]byte{198, byte(n >> 8), byte(n), 1}) }
	enter := func(what, pw string, from netip.Addr, want vitrine.Code) {
		t.Helper()
		if _, err := s.Enter(t.Context(), r, pw, from); vitrine.CodeOf(err) != want {
			t.Fatalf("%s from %v = %v, want %q", what, from, err, want)
		}
	}
	for n := range 130 {
		enter("a reader", words, at(n), "")
	}
	for range 30 { // an office
		enter("a reader of one network", words, here, "")
	}
	for n := range 99 { // networks guess all that they may
		for range 5 {
			enter("a guess", "wrong", at(n), vitrine.CodeInvalidRequest)
		}
	}
	f.Clock.Advance(15*time.Minute + time.Millisecond)
	for n := range 99 {
		for range 5 {
			enter("a guess", "wrong", at(n), vitrine.CodeInvalidRequest)
		}
	}
	f.Clock.Advance(15*time.Minute + time.Millisecond)
	enter("one guess too many", "wrong", at(0), vitrine.CodeRateLimited)
	enter("a reader after 990 guesses", words, there, "")
	f.Clock.Advance(time.Hour)
	for n := range 40 {
		want := vitrine.CodeInvalidRequest
		if n >= 20 {
			want = vitrine.CodeRateLimited
		}
		enter("a guess of one IPv6 subscriber", "wrong", netip.MustParseAddr(fmt.Sprintf("2001:db8:0:%x::1", n)), want)
	}
	enter("a reader after that", words, there, "")
}
