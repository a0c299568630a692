package links_test

import (
	"errors"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/fixture"
)

// TestOwnerChangesAreLimited checks that the owner of a link may change its
// state 30 times an hour, and that moderators and deletions are not limited.
func TestOwnerChangesAreLimited(t *testing.T) {
	s := fixture.New(t)
	ctx, l := t.Context(), s.Note("a text")
	mod, _, err := s.Accounts.Create(ctx, "mod@example.org", vitrine.PlanFree)
	s.Must(err)
	slug, owner := string(l.Slug), vitrine.Decision{By: vitrine.Owner(s.Account.ID)}
	moderator := vitrine.Decision{By: vitrine.Moderator(mod)}
	toggle := func(i int) (err error) {
		s.Clock.Advance(time.Second)
		if i%2 == 0 {
			_, err = s.Links.Disable(ctx, slug, owner)
		} else {
			_, err = s.Links.Undo(ctx, slug, owner)
		}
		return err
	}
	for i := range 30 {
		s.Must(toggle(i))
	}
	err = toggle(30)
	var e *vitrine.Error
	if !errors.As(err, &e) || e.Code != vitrine.CodeRateLimited || e.RetryAfter != time.Hour-30*time.Second {
		t.Fatalf("31st change within an hour = %v, %+v, want rate_limited", err, e)
	}
	if now, err := s.Links.BySlug(ctx, slug); err != nil || now.State != vitrine.StateLive {
		t.Errorf("state after a refused change = %s, %v", now.State, err)
	}
	_, err = s.Links.Disable(ctx, slug, moderator)
	s.Must(err)
	_, err = s.Links.Undo(ctx, slug, moderator)
	s.Must(err)
	s.Clock.Advance(e.RetryAfter)
	s.Must(toggle(30))
	s.Must(s.Links.Delete(ctx, slug, owner))
}

// TestLongHistory checks that a long history is read from its newest end: undo
// finds the current decision, and pages show only the newest changes.
func TestLongHistory(t *testing.T) {
	s := fixture.New(t)
	s.Scanner.Err = fixture.ErrMute
	ctx, l := t.Context(), s.Note("held at first")
	slug, owner := string(l.Slug), vitrine.Decision{By: vitrine.Owner(s.Account.ID)}
	s.Scanner.Err = nil
	_, err := s.Links.Clear(ctx, slug, fixture.Administrator(""))
	s.Must(err)
	for range 130 {
		s.Clock.Advance(5 * time.Minute)
		_, err := s.Links.Disable(ctx, slug, owner)
		s.Must(err)
		_, err = s.Links.Undo(ctx, slug, owner)
		s.Must(err)
	}
	o, err := s.Links.Own(ctx, s.Account, slug)
	s.Must(err)
	if len(o.History) != 100 || o.Undoable {
		t.Errorf("the owner sees %d of 262 changes, undoable = %v", len(o.History), o.Undoable)
	}
	if _, err := s.Links.Undo(ctx, slug, owner); vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
		t.Errorf("Undo of an administrator's decision by the owner = %v, want invalid_request", err)
	}
	undone, err := s.Links.Undo(ctx, slug, fixture.Administrator(""))
	s.Must(err)
	if undone.State != vitrine.StateReview || !undone.StateAt.Equal(l.StateAt) {
		t.Errorf("state after undo = %s since %v, want review since %v", undone.State, undone.StateAt, l.StateAt)
	}
}
