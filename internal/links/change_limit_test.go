package links_test

import (
	"errors"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/vitrinetest/fixture"
)

// The owner of a link may change its state 30 times an hour. A moderator is
// not limited, nor is deleting.
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
		t.Fatalf("the 31st change within an hour: %v, %+v", err, e)
	}
	if now, err := s.Links.BySlug(ctx, slug); err != nil || now.State != vitrine.StateLive {
		t.Errorf("after a change that was refused the link is %s, %v", now.State, err)
	}
	_, err = s.Links.Disable(ctx, slug, moderator)
	s.Must(err)
	_, err = s.Links.Undo(ctx, slug, moderator)
	s.Must(err)
	s.Clock.Advance(e.RetryAfter)
	s.Must(toggle(30))
	s.Must(s.Links.Delete(ctx, slug, owner))
}

// A history of any length is read from its newest end: undoing finds the
// decision that stands, and pages show the newest changes alone.
func TestLongHistory(t *testing.T) {
	s := fixture.New(t)
	s.Scanner.Err = fixture.ErrMute
	ctx, l := t.Context(), s.Note("held at first")
	slug, owner := string(l.Slug), vitrine.Decision{By: vitrine.Owner(s.Account.ID)}
	s.Scanner.Err = nil
	_, err := s.Links.Clear(ctx, slug, fixture.Operator(""))
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
		t.Errorf("the owner sees %d of 262 changes, and may undo: %v", len(o.History), o.Undoable)
	}
	if _, err := s.Links.Undo(ctx, slug, owner); vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
		t.Errorf("the owner undoes what an administrator decided: %v", err)
	}
	undone, err := s.Links.Undo(ctx, slug, fixture.Operator(""))
	s.Must(err)
	if undone.State != vitrine.StateReview || !undone.StateAt.Equal(l.StateAt) {
		t.Errorf("undone, the link is %s since %v; want review since %v", undone.State, undone.StateAt, l.StateAt)
	}
}
