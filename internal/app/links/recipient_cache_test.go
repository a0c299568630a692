package links_test

import (
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/links"
	"vitrine/internal/app/recipients"
	"vitrine/internal/test/fixture"
)

// TestRecipientSeenByEveryProcess checks that what changes about the address of
// a recipient applies from the next request on, by its token and by its ID, in
// the process that changes it and in another one (promise 9).
func TestRecipientSeenByEveryProcess(t *testing.T) {
	one, by, a := fixture.TwoProcesses(t, time.Now)
	l, ctx := fixture.AddLink(t, one, a, "shown"), t.Context()
	s := &recipients.Service{Store: by.Store, Gates: by.Gates, Now: by.Now}
	_, list, err := s.Add(ctx, a, "shown", recipients.Addition{Recipients: []recipients.Request{{Label: "a"}, {Label: "b"}}})
	if err != nil {
		t.Fatal(err)
	}
	r, past := list[0], by.Now().Add(-time.Hour)
	edit := func(c recipients.Change) func() error {
		return func() error { _, _, err := s.Edit(ctx, a, "shown", r.ID, c); return err }
	}
	for _, step := range []struct {
		what string
		do   func() error
		want vitrine.Code
	}{
		{"added", func() error { return nil }, ""},
		{"protected", edit(recipients.Change{Access: &access.Change{Password: new("a password")}}),
			vitrine.CodeAccessRequired},
		{"open", edit(recipients.Change{Access: &access.Change{Open: true}}), ""},
		{"expired", func() error {
			return by.Store.Update(ctx, func(tx vitrine.Tx) error {
				now, err := tx.Recipient(l.ID, r.ID)
				if err == nil {
					now.ExpiresAt = past
					err = tx.PutRecipient(now)
				}
				return err
			})
		}, vitrine.CodeDisabled},
		{"not expired", edit(recipients.Change{ExpiresAt: new(time.Time)}), ""},
		{"revoked", func() error { _, _, err := s.Revoke(ctx, a, "shown", r.ID); return err }, vitrine.CodeDisabled},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.what, err)
		}
		for name, process := range map[string]*links.Service{"this process": by, "another process": one} {
			for range 2 { // the second time from memory
				_, _, byToken := process.PublicTo(ctx, l.Slug, r.Token, access.Asker{})
				_, byID := process.PublicVersion(ctx, l.ID, 0, r.ID, access.Asker{})
				if vitrine.CodeOf(byToken) != step.want || vitrine.CodeOf(byID) != step.want {
					t.Errorf("%s, %s: %v by token, %v by ID, want %q", step.what, name, byToken, byID, step.want)
				}
			}
			if _, _, err := process.PublicTo(ctx, l.Slug, list[1].Token, access.Asker{}); err != nil {
				t.Errorf("%s, %s: the other recipient gets %v", step.what, name, err)
			}
		}
	}
}
