package access_test

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/auth/password"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/fixture"
)

var (
	here  = netip.MustParseAddr("192.0.2.7")
	there = netip.MustParseAddr("198.51.100.9")
)

// TestEnterManyLinks checks that one network has a number of wrong passwords
// for all links together, and that others are not affected.
func TestEnterManyLinks(t *testing.T) {
	f := fixture.New(t)
	s := &access.Gates{Store: f.Store, Signer: signer.New([]byte("k")), Now: f.Clock.Now}
	hash, err := password.Hash(t.Context(), password.Known(""), "right")
	f.Must(err)
	enter := func(n int, pw string, from netip.Addr) vitrine.Code {
		l := &vitrine.Link{ID: vitrine.LinkID(n), Access: vitrine.Access{Password: hash, Round: "A"}}
		_, _, err := s.Enter(t.Context(), l, access.Entry{Password: pw, From: from})
		return vitrine.CodeOf(err)
	}
	for n := range 60 {
		if code := enter(n/5, "wrong", here); code != vitrine.CodeInvalidRequest {
			t.Fatalf("wrong password %d: %q", n+1, code)
		}
	}
	if code := enter(100, "right", here); code != vitrine.CodeRateLimited {
		t.Errorf("after 60 wrong passwords: %q, want rate_limited", code)
	}
	if code := enter(100, "right", there); code != "" {
		t.Errorf("from another network: %q", code)
	}
	f.Clock.Advance(time.Hour + time.Millisecond)
	if code := enter(100, "right", here); code != "" {
		t.Errorf("after an hour: %q", code)
	}
}

// leaving is a store whose client goes away after the first change.
type leaving struct {
	vitrine.Store
	leave context.CancelFunc
}

func (s leaving) Update(ctx context.Context, f func(vitrine.Tx) error) error {
	defer s.leave()
	return s.Store.Update(ctx, f)
}

// TestDoor checks the limits of one network at a door: that they hold for 15
// minutes and for an hour, that a right password begins the count anew, and
// that what could not be checked does not count.
func TestDoor(t *testing.T) {
	f := fixture.New(t)
	key := signer.New([]byte("k")).AttemptKey
	hash, err := password.Hash(t.Context(), password.Known(""), "right")
	f.Must(err)
	d := password.Door{Kind: "test", ID: "1", Hash: hash, TooMany: "Too many.", Wrong: "Wrong."}
	try := func(what, pw string, n int, want vitrine.Code) {
		t.Helper()
		for range n {
			if err := d.Try(t.Context(), f.Store, key, f.Clock.Now(), pw, here); vitrine.CodeOf(err) != want {
				t.Fatalf("%s: %v, want %q", what, err, want)
			}
		}
	}
	for range 10 {
		release := password.Acquire()
		ctx, leave := context.WithCancel(t.Context())
		err := d.Try(ctx, leaving{f.Store, leave}, key, f.Clock.Now(), "right", here)
		release()
		if vitrine.CodeOf(err) != vitrine.CodeUnavailable {
			t.Fatalf("without a turn: %v, want unavailable", err)
		}
	}
	try("wrong", "wrong", 4, vitrine.CodeInvalidRequest)
	try("right", "right", 20, "")
	try("wrong, counted anew", "wrong", 5, vitrine.CodeInvalidRequest)
	try("too many", "right", 1, vitrine.CodeRateLimited)
	f.Clock.Advance(15*time.Minute + time.Millisecond)
	try("wrong, later", "wrong", 5, vitrine.CodeInvalidRequest)
	f.Clock.Advance(15*time.Minute + time.Millisecond)
	try("too many in an hour", "right", 1, vitrine.CodeRateLimited)
	f.Clock.Advance(30 * time.Minute)
	try("after an hour", "right", 1, "")
}
