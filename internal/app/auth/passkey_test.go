package auth_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/auth/factor"
	"vitrine/internal/test/fixture"
)

const shareOrigin = "https://share.example"

// holder is ann with a device of passkeys.
type holder struct {
	*fixture.Entrance
	device   *fixture.Authenticator
	session  *vitrine.Session
	recovery []string
}

// newHolder adds a passkey for ann.
func newHolder(t *testing.T, mail bool) *holder {
	t.Helper()
	h := &holder{Entrance: fixture.NewEntrance(t, auth.SignUpInvite, mail),
		device: &fixture.Authenticator{Origin: shareOrigin, Unlocked: true}}
	public, err := url.Parse(shareOrigin)
	h.Must(err)
	h.Sessions.Passkeys, err = factor.NewSite(public)
	h.Must(err)
	h.Must(h.Accounts.SetPassword(t.Context(), fixture.AnnEmail, fixture.AnnWords))
	h.session, _ = h.Begin()
	h.recovery, err = h.add("phone")
	h.Must(err)
	return h
}

func (h *holder) ann() *vitrine.Account {
	h.T.Helper()
	a, err := h.Accounts.ByEmail(h.T.Context(), fixture.AnnEmail)
	h.Must(err)
	return a
}

func (h *holder) add(name string) ([]string, error) {
	return h.Accounts.AddPasskey(h.T.Context(), h.session, fixture.AnnWords, name,
		h.device.Make(h.Accounts.OfferPasskey(h.ann())))
}

// alone signs in with an answer and nothing else.
func (h *holder) alone(answer string) (auth.SignedIn, error) {
	return h.Sessions.SignInWithPasskey(h.T.Context(), answer, fixture.Home)
}

// half signs in as far as the password goes.
func (h *holder) half() string {
	h.T.Helper()
	in, err := h.Enter(fixture.Home, fixture.AnnEmail, fixture.AnnWords)
	h.Must(err)
	if !in.Half {
		h.T.Fatal("signed in without a second step")
	}
	return string(in.Session)
}

func (h *holder) complete(half, typed string) error {
	return fixture.Second(h.Sessions.SignInWithCode(h.T.Context(), half, typed, fixture.Home))
}

// stored returns the first passkey as it is stored.
func (h *holder) stored() factor.Passkey {
	h.T.Helper()
	f := auth.FactorOf(h.ann())
	if f == nil || len(f.Passkeys) == 0 {
		h.T.Fatal("no passkey is stored")
	}
	return f.Passkeys[0]
}

// TestPasskeyAlone checks that a passkey signs in by itself, as with a second
// factor, and only if its user has unlocked it.
func TestPasskeyAlone(t *testing.T) {
	h := newHolder(t, true)
	h.Clock.Advance(time.Hour)
	in, err := h.alone(h.device.Show(h.Sessions.AskSignIn()))
	h.Must(err)
	session, a, err := h.Sessions.Current(t.Context(), string(in.Session))
	h.Must(err)
	if a.Email != fixture.AnnEmail || in.Half || !h.Sessions.FreshFactor(session) || !h.Accounts.Fresh(session) {
		t.Errorf("signed in: %+v, %+v", in, session)
	}
	if p := h.stored(); !p.Used.Equal(h.Clock.Now()) || p.Count != h.device.Count || p.Synced || p.Name != "phone" {
		t.Errorf("stored: %+v", p)
	}
	h.device.Unlocked = false
	h.Code("not unlocked", fixture.Second(h.alone(h.device.Show(h.Sessions.AskSignIn()))), vitrine.CodeUnauthorized)
	h.Must(h.complete(h.half(), h.device.Show(h.Sessions.AskPasskey(h.ann()))))
	_, err = h.Accounts.SetBanned(t.Context(), fixture.AnnEmail, true, fixture.Administrator("spam"))
	h.Must(err)
	h.device.Unlocked = true
	h.Code("suspended", fixture.Second(h.alone(h.device.Show(h.Sessions.AskSignIn()))), vitrine.CodeBanned)
}

// TestPasskeyRefused checks each answer that must not sign in, alone and as a
// second step: the code of the error, and that no session begins.
func TestPasskeyRefused(t *testing.T) {
	h := newHolder(t, false)
	ctx := t.Context()
	other := &fixture.Authenticator{Origin: shareOrigin, Unlocked: true}
	_, _, err := h.Accounts.Create(ctx, "bob@example.org", vitrine.PlanFree)
	h.Must(err)
	h.Must(h.Accounts.SetPassword(ctx, "bob@example.org", fixture.AnnWords))
	in, err := h.Enter(fixture.Home, "bob@example.org", fixture.AnnWords)
	h.Must(err)
	bobs, bob, err := h.Sessions.Current(ctx, string(in.Session))
	h.Must(err)
	h.Must(fixture.Second(h.Accounts.AddPasskey(ctx, bobs, fixture.AnnWords, "bob's",
		other.Make(h.Accounts.OfferPasskey(bob)))))
	unknown := &fixture.Authenticator{Origin: shareOrigin, Unlocked: true}
	unknown.Make(h.Accounts.OfferPasskey(h.ann()))
	at := func(origin, ask string) string {
		h.device.Origin = origin
		defer func() { h.device.Origin = shareOrigin }()
		return h.device.Force(ask)
	}
	wrong := map[string]func(ask func() string) string{
		"another origin":           func(ask func() string) string { return at("https://share.example.evil.example", ask()) },
		"without https":            func(ask func() string) string { return at("http://share.example", ask()) },
		"another port":             func(ask func() string) string { return at("https://share.example:8443", ask()) },
		"a key that was not added": func(ask func() string) string { return unknown.Force(ask()) },
		"another's key as ann's":   func(ask func() string) string { return other.Claim(ask(), h.device) },
		"a challenge of the device": func(func() string) string {
			return h.device.Force(`{"challenge":"YWJjZGVmZ2hpamtsbW5vcA","rpId":"share.example"}`)
		},
		"another domain": func(ask func() string) string {
			return h.device.Force(strings.ReplaceAll(ask(), `"share.example"`, `"evil.example"`))
		},
		"old": func(ask func() string) string {
			text := ask()
			h.Clock.Advance(15 * time.Minute)
			return h.device.Force(text)
		},
		"again": func(ask func() string) string {
			text := h.device.Force(ask())
			h.Must(fixture.Second(h.Sessions.SignInWithPasskey(ctx, text, fixture.Home)))
			return text
		},
		"nothing":  func(func() string) string { return "{}" },
		"not JSON": func(func() string) string { return "{" },
		"for a new key": func(func() string) string {
			return h.device.Force(strings.Replace(h.Accounts.OfferPasskey(h.ann()), `"rp"`, `"rpId":"share.example","rp"`, 1))
		},
	}
	sessions := func() int {
		all, err := h.Sessions.List(ctx, h.ann().ID)
		h.Must(err)
		return len(all)
	}
	for name, make := range wrong {
		h.Clock.Advance(time.Hour) // the wrong ones before do not count
		answer := make(h.Sessions.AskSignIn)
		before := sessions()
		err := fixture.Second(h.alone(answer))
		if code := vitrine.CodeOf(err); code != vitrine.CodeUnauthorized && code != vitrine.CodeInvalidRequest {
			t.Errorf("alone, %s: %v", name, err)
		}
		if n := sessions(); n != before {
			t.Errorf("alone, %s: a session began", name)
		}
		if name == "again" {
			make = func(ask func() string) string {
				text := h.device.Force(ask())
				h.Must(h.complete(h.half(), text))
				return text
			}
		}
		answer = make(func() string { return h.Sessions.AskPasskey(h.ann()) })
		if e := h.Code("second step, "+name, h.complete(h.half(), answer), vitrine.CodeInvalidRequest); e != nil && e.Field != "code" {
			t.Errorf("second step, %s: field %q", name, e.Field)
		}
	}
	h.Clock.Advance(time.Hour)
	h.Code("an answer of the sign-in page as a second step", h.complete(h.half(), h.device.Show(h.Sessions.AskSignIn())),
		vitrine.CodeInvalidRequest)
	h.Code("an answer of a second step alone", fixture.Second(h.alone(h.device.Show(h.Sessions.AskPasskey(h.ann())))),
		vitrine.CodeInvalidRequest)
	h.Code("the passkey of another account", h.complete(h.half(), other.Force(h.Sessions.AskPasskey(h.ann()))),
		vitrine.CodeInvalidRequest)
	h.Must(h.complete(h.half(), h.device.Show(h.Sessions.AskPasskey(h.ann()))))
}

// TestPasskeyLimits checks that wrong passkeys are bounded as codes are, and
// alone by network, and that an account has at most 20, however many are made.
func TestPasskeyLimits(t *testing.T) {
	h := newHolder(t, false)
	stranger := &fixture.Authenticator{Origin: shareOrigin, Unlocked: true}
	stranger.Make(h.Accounts.OfferPasskey(h.ann()))
	tries := func(try func() error) (n int) {
		for ; n < 100 && vitrine.CodeOf(try()) != vitrine.CodeRateLimited; n++ {
		}
		return n
	}
	if n := tries(func() error { return fixture.Second(h.alone(stranger.Force(h.Sessions.AskSignIn()))) }); n != 30 {
		t.Errorf("%d wrong passkeys alone", n)
	}
	half := h.half()
	if n := tries(func() error { return h.complete(half, stranger.Force(h.Sessions.AskPasskey(h.ann()))) }); n != 10 {
		t.Errorf("%d wrong passkeys at one account", n)
	}
	h.session.FactorAt = time.Time{}
	if n := tries(func() error {
		return h.Sessions.GiveFactor(t.Context(), h.session, stranger.Force(h.Sessions.AskPasskey(h.ann())))
	}); n != 10 {
		t.Errorf("%d wrong passkeys inside", n)
	}
	h.Clock.Advance(time.Hour + time.Second)
	h.Must(h.Sessions.GiveFactor(t.Context(), h.session, h.device.Show(h.Sessions.AskPasskey(h.ann()))))
	first := h.Accounts.OfferPasskey(h.ann())
	added := 1
	for n := range 99 {
		answer := h.device.Make(first)
		if offer := h.Accounts.OfferPasskey(h.ann()); offer != "" {
			answer = h.device.Make(offer)
		}
		if _, err := h.Accounts.AddPasskey(t.Context(), h.session, fixture.AnnWords, fmt.Sprint("key ", n), answer); err == nil {
			added++
		}
	}
	if f := auth.FactorOf(h.ann()); added != factor.MaxPasskeys || len(f.Passkeys) != factor.MaxPasskeys {
		t.Errorf("%d added, %d stored, want %d", added, len(f.Passkeys), factor.MaxPasskeys)
	}
	h.Must(h.complete(h.half(), h.device.Show(h.Sessions.AskPasskey(h.ann()))))
}

// TestPasskeyAdded checks what a new passkey needs, which recovery codes there
// are, that the other sessions end with the first one, and that the same answer
// does not add it twice.
func TestPasskeyAdded(t *testing.T) {
	h := newHolder(t, true)
	ctx := t.Context()
	if len(h.recovery) != factor.Codes {
		t.Errorf("%d recovery codes", len(h.recovery))
	}
	h.Must(h.complete(h.half(), h.recovery[0]))
	codes, err := h.add("laptop") // a moment ago, the first one was shown
	if err != nil || codes != nil {
		t.Errorf("a second one: %q, %v", codes, err)
	}
	h.Clock.Advance(10 * time.Minute)
	h.Code("not fresh", fixture.Second(h.add("tablet")), vitrine.CodeInvalidRequest)
	h.Must(h.Sessions.GiveFactor(ctx, h.session, h.device.Show(h.Sessions.AskPasskey(h.ann()))))
	for name, bad := range map[string]string{"empty": " ", "long": strings.Repeat("x", 101), "control": "a\x00b"} {
		if e := h.Code(name, fixture.Second(h.add(bad)), vitrine.CodeInvalidRequest); e.Field != "name" {
			t.Errorf("%s: field %q", name, e.Field)
		}
	}
	answer := h.device.Make(h.Accounts.OfferPasskey(h.ann()))
	h.Code("wrong password", fixture.Second(h.Accounts.AddPasskey(ctx, h.session, "wrong", "tablet", answer)),
		vitrine.CodeInvalidRequest)
	h.Must(fixture.Second(h.Accounts.AddPasskey(ctx, h.session, fixture.AnnWords, "tablet", answer)))
	h.Code("again", fixture.Second(h.Accounts.AddPasskey(ctx, h.session, fixture.AnnWords, "again", answer)),
		vitrine.CodeInvalidRequest)
	wrong := &fixture.Authenticator{Origin: "https://evil.example", Unlocked: true}
	h.Code("another origin", fixture.Second(h.Accounts.AddPasskey(ctx, h.session, fixture.AnnWords, "evil",
		wrong.Make(h.Accounts.OfferPasskey(h.ann())))), vitrine.CodeInvalidRequest)
	h.Code("an answer of the sign-in page", fixture.Second(h.Accounts.AddPasskey(ctx, h.session, fixture.AnnWords, "x",
		h.device.Show(h.Sessions.AskSignIn()))), vitrine.CodeInvalidRequest)
	if n := len(auth.FactorOf(h.ann()).Passkeys); n != 3 {
		t.Errorf("%d passkeys", n)
	}
	var told []string
	for _, m := range h.Post.Take() {
		if _, rest, ok := strings.Cut(m.Text, "was changed:\n\n  "); ok {
			line, _, _ := strings.Cut(rest, "\n")
			told = append(told, line)
		}
	}
	if got := strings.Join(told, "; "); got != "Turned on; A recovery code was used: 9 left; Passkey added: laptop; Passkey added: tablet" {
		t.Errorf("mails: %s", got)
	}
}

// TestPasskeyRemoved checks that a removed passkey works nowhere, that the rest
// of the factor stays, and that the last one turns it off.
func TestPasskeyRemoved(t *testing.T) {
	h := newHolder(t, false)
	ctx := t.Context()
	phone := h.device
	h.device = &fixture.Authenticator{Origin: shareOrigin, Unlocked: true}
	h.Must(fixture.Second(h.add("laptop")))
	show := func() string { return h.device.Show(h.Sessions.AskPasskey(h.ann())) }
	id := h.stored().ID
	h.Code("without a code", fixture.Second(h.Accounts.RemoveFromFactor(ctx, h.session, fixture.AnnWords, "", id)),
		vitrine.CodeInvalidRequest)
	if off, err := h.Accounts.RemoveFromFactor(ctx, h.session, fixture.AnnWords, show(), id); off || err != nil {
		t.Errorf("the first: %t, %v", off, err)
	}
	h.Code("removed, alone", fixture.Second(h.alone(phone.Show(h.Sessions.AskSignIn()))), vitrine.CodeUnauthorized)
	h.Code("removed, second step", h.complete(h.half(), phone.Force(h.Sessions.AskPasskey(h.ann()))),
		vitrine.CodeInvalidRequest)
	h.Code("removed, again", fixture.Second(h.Accounts.RemoveFromFactor(ctx, h.session, fixture.AnnWords, show(), id)),
		vitrine.CodeInvalidRequest)
	h.Must(fixture.Second(h.alone(h.device.Show(h.Sessions.AskSignIn()))))
	if off, err := h.Accounts.RemoveFromFactor(ctx, h.session, fixture.AnnWords, show(), h.stored().ID); !off || err != nil {
		t.Errorf("the last: %t, %v", off, err)
	}
	if len(h.ann().Factor) > 0 {
		t.Error("recovery codes alone are a second factor")
	}
	h.Code("off, alone", fixture.Second(h.alone(h.device.Show(h.Sessions.AskSignIn()))), vitrine.CodeUnauthorized)
}

// TestPasskeyCopied checks that a passkey whose count goes back is refused from
// then on, and that its owner is told once.
func TestPasskeyCopied(t *testing.T) {
	h := newHolder(t, true)
	copied := *h.device
	h.Must(fixture.Second(h.alone(h.device.Show(h.Sessions.AskSignIn()))))
	h.Post.Take()
	h.Code("the copy", fixture.Second(h.alone(copied.Show(h.Sessions.AskSignIn()))), vitrine.CodeInvalidRequest)
	h.Code("the original", fixture.Second(h.alone(h.device.Show(h.Sessions.AskSignIn()))), vitrine.CodeInvalidRequest)
	if p := h.stored(); !p.Copied {
		t.Errorf("stored: %+v", p)
	}
	told := h.Post.Take()
	if len(told) != 1 || !strings.Contains(told[0].Text, "There may be a copy of the passkey phone.") {
		t.Errorf("mails: %v", told)
	}
	h.Must(h.complete(h.half(), h.recovery[0]))
}

// TestPasskeyWithoutCount checks that a synced passkey, which does not count,
// stays good, and that what it says of backups is stored.
func TestPasskeyWithoutCount(t *testing.T) {
	h := newHolder(t, false)
	h.device = &fixture.Authenticator{Origin: shareOrigin, Unlocked: true, Still: true, Synced: true}
	h.Must(fixture.Second(h.add("manager")))
	for range 2 {
		h.Must(fixture.Second(h.alone(h.device.Show(h.Sessions.AskSignIn()))))
	}
	if p := auth.FactorOf(h.ann()).Passkeys[1]; !p.Synced || !p.BackedUp || p.Copied {
		t.Errorf("stored: %+v", p)
	}
	h.device.Synced = false
	h.Code("it cannot become one of a single device", fixture.Second(h.alone(h.device.Show(h.Sessions.AskSignIn()))),
		vitrine.CodeUnauthorized)
}

// TestPasskeyNeedsDomain checks at which addresses passkeys work, and that the
// others say why not.
func TestPasskeyNeedsDomain(t *testing.T) {
	for address, want := range map[string]string{"https://share.example": "", "https://share.example:8443": "",
		"http://localhost:8080": "", "http://share.example": "need https", "https://192.0.2.1": "need a domain name",
		"https://[2001:db8::1]:8443": "need a domain name", "http://127.0.0.1:8080": "need a domain name"} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		_, err = factor.NewSite(u)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
	h := newHolder(t, false)
	h.Sessions.Passkeys.Domain = "other.example" // the instance has moved
	if ask := h.Sessions.AskPasskey(h.ann()); ask != "" {
		t.Errorf("at another address, it asks for %s", ask)
	}
	h.Must(h.complete(h.half(), h.recovery[0]))
}
