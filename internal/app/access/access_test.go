package access_test

import (
	"errors"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// world is a live file, its account, and who asks for it.
type world struct {
	f  access.File
	by access.Asker
}

// The askers: each gets the file of a newWorld, and so does a visitor of a
// website whose version it is.
var askers = map[string]func(*world){
	"reader":  func(*world) {},
	"visitor": func(w *world) { w.f.Website, w.f.Link.Site = true, 3 },
	"owner":   func(w *world) { w.by.Account = w.f.Account },
	"key":     func(w *world) { w.by = access.Asker{Account: w.f.Account, Key: &vitrine.APIKey{Account: 7}} },
	"address": func(w *world) {
		w.by = access.Asker{Account: w.f.Account, Key: &vitrine.APIKey{Account: 7}, ByAddress: true}
	},
	"moderator": func(w *world) {
		w.by = access.Asker{Account: &vitrine.Account{ID: 8, Role: vitrine.RoleModerator}, Examines: true}
	},
}

func newWorld() *world {
	return &world{f: access.File{Account: &vitrine.Account{ID: 7}, Link: &vitrine.Link{ID: 1, Account: 7,
		State: vitrine.StateLive, File: vitrine.File{HasBytes: true}}}}
}

// TestCheck changes one thing at a time, and checks what each asker then gets:
// nothing else protects a file.
func TestCheck(t *testing.T) {
	const (
		gone, pending, off = vitrine.CodeNotFound, vitrine.CodeNotAvailable, vitrine.CodeDisabled
		forbidden, banned  = vitrine.CodeForbidden, vitrine.CodeBanned
		noKey              = vitrine.CodeUnauthorized
		gated              = vitrine.CodeAccessRequired
	)
	state := func(s vitrine.LinkState, reason string) func(*world) {
		return func(w *world) { w.f.Link.State, w.f.Link.Reason = s, reason }
	}
	for _, c := range []struct {
		what   string
		change func(*world)
		// Who does not get the file, and the code of the error.
		want map[string]vitrine.Code
	}{
		{"nothing", func(*world) {}, nil},
		{"a deleted link", func(w *world) { w.f.Link.DeletedAt = noon },
			map[string]vitrine.Code{"reader": gone, "visitor": gone, "owner": gone, "key": gone, "address": gone, "moderator": gone}},
		{"no bytes", func(w *world) { w.f.Link.HasBytes = false },
			map[string]vitrine.Code{"visitor": gone, "owner": gone, "key": gone, "address": gone, "moderator": gone}},
		{"a version of a link", func(w *world) { w.f.Link.Of = 5 },
			map[string]vitrine.Code{"reader": gone, "address": gone}},
		{"a link and not of a website", func(w *world) { w.f.Link.Site = 0 }, map[string]vitrine.Code{"visitor": gone}},
		{"a version of a website", func(w *world) { w.f.Link.Site = 3 },
			map[string]vitrine.Code{"reader": gone, "address": gone}},
		{"a website without a version", func(w *world) {
			if w.f.Website {
				w.f.Link = nil
			}
		}, map[string]vitrine.Code{"visitor": pending}},
		{"a closed account", func(w *world) { w.f.Account.ClosedAt = noon },
			map[string]vitrine.Code{"reader": gone, "visitor": gone, "owner": banned, "key": banned, "address": banned}},
		{"a banned account", func(w *world) { w.f.Account.Banned = true },
			map[string]vitrine.Code{"reader": off, "visitor": off, "owner": banned, "key": banned, "address": banned}},
		{"another account", func(w *world) { w.f.Link.Account = 9 },
			map[string]vitrine.Code{"owner": gone, "key": gone, "address": gone}},
		{"a key of another account", func(w *world) {
			if w.by.Key != nil {
				w.by.Key.Account = 9
			}
		}, map[string]vitrine.Code{"key": noKey, "address": noKey}},
		{"a key that was revoked", func(w *world) {
			if w.by.Key != nil {
				w.by.Key.RevokedAt = noon
			}
		}, map[string]vitrine.Code{"key": noKey, "address": noKey}},
		{"who does not moderate", func(w *world) {
			if w.by.Examines {
				w.by.Account.Role = ""
			}
		}, map[string]vitrine.Code{"moderator": gone}},
		{"who asks as a moderator without an account", func(w *world) {
			if w.by.Examines {
				w.by.Account = nil
			}
		}, map[string]vitrine.Code{"moderator": gone}},
		{"review", state(vitrine.StateReview, ""),
			map[string]vitrine.Code{"reader": pending, "visitor": pending, "address": pending}},
		{"disabled by its owner", state(vitrine.StateDisabled, vitrine.ReasonOwner),
			map[string]vitrine.Code{"reader": off, "visitor": off, "address": off}},
		{"disabled by a moderator", state(vitrine.StateDisabled, vitrine.ReasonModerator), map[string]vitrine.Code{
			"reader": off, "visitor": off, "owner": forbidden, "key": forbidden, "address": forbidden}},
		{"malware in review", state(vitrine.StateReview, vitrine.ReasonMalware), map[string]vitrine.Code{
			"reader": pending, "visitor": pending, "owner": forbidden, "key": forbidden, "address": forbidden}},
		{"malware that a moderator let pass", state(vitrine.StateLive, vitrine.ReasonMalware), nil},
		{"expired", func(w *world) { w.f.Link.ExpiresAt = noon }, map[string]vitrine.Code{"reader": off, "address": off}},
		{"a password", func(w *world) { w.f.Link.Access = vitrine.Access{Password: "x", Round: "A"} },
			map[string]vitrine.Code{"reader": gated, "address": gated}},
		{"a password, and a reader who reports it", func(w *world) {
			w.f.Link.Access, w.by.Reports = vitrine.Access{Password: "x", Round: "A"}, true
		}, nil},
		{"a limit of readers", func(w *world) { w.f.Link.Access = vitrine.Access{Readers: 1, Round: "A"} },
			map[string]vitrine.Code{"reader": gated, "address": gated}},
	} {
		for who, asks := range askers {
			w := newWorld()
			asks(w)
			c.change(w)
			if got := vitrine.CodeOf(w.f.Check(w.by, noon)); got != c.want[who] {
				t.Errorf("%s: %s gets %q, want %q", c.what, who, got, c.want[who])
			}
		}
	}
}

// TestGate checks which passes open which gates, and what a gate says is
// missing.
func TestGate(t *testing.T) {
	const open, place, all = 0, 1, 2 // what is missing: nothing, a place, everything
	password, limit := vitrine.Access{Password: "x", Round: "A"}, vitrine.Access{Readers: 1, Round: "A"}
	both := vitrine.Access{Password: "x", Readers: 1, Round: "A"}
	for _, c := range []struct {
		pass                  vitrine.Pass
		password, limit, both int
	}{
		{vitrine.Pass{}, all, place, all},
		{vitrine.Pass{Round: "A"}, open, place, place},
		{vitrine.Pass{Round: "A", Place: 1}, open, open, open},
		{vitrine.Pass{Round: "A", Owner: true}, open, open, open},
		{vitrine.Pass{Round: "B", Place: 1}, all, place, all},
		{vitrine.Pass{Round: "B", Owner: true}, all, place, all},
		{vitrine.Pass{Place: 1, Owner: true}, all, place, all},
	} {
		for a, want := range map[vitrine.Access]int{{}: open, password: c.password, limit: c.limit, both: c.both,
			{Password: "x"}: all} { // the last one is damaged: it has no round, and nothing opens it
			w := newWorld()
			w.f.Link.Access, w.by.Pass = a, func(*vitrine.Link) vitrine.Pass { return c.pass }
			got, gate := open, (*access.Gate)(nil)
			if errors.As(w.f.Check(w.by, noon), &gate) {
				if got = all; gate.Place {
					got = place
				}
			}
			if got != want {
				t.Errorf("the access %+v with the pass %+v: %d, want %d", a, c.pass, got, want)
			}
		}
	}
}
