package vitrine_test

import (
	"errors"
	"testing"
	"time"

	"vitrine"
)

// The owner of a link may change its state 30 times an hour. A moderator is
// not limited, nor is deleting.
func TestOwnerChangesAreLimited(t *testing.T) {
	s := newScanning(t)
	ctx, l := t.Context(), s.note("a text")
	mod, _, err := s.accounts.Create(ctx, "mod@example.org", vitrine.PlanFree)
	s.must(err)
	slug, owner := string(l.Slug), vitrine.Decision{By: vitrine.Owner(s.account.ID)}
	moderator := vitrine.Decision{By: vitrine.Moderator(mod)}
	toggle := func(i int) (err error) {
		s.clock.Advance(time.Second)
		if i%2 == 0 {
			_, err = s.links.Disable(ctx, slug, owner)
		} else {
			_, err = s.links.Undo(ctx, slug, owner)
		}
		return err
	}
	for i := range 30 {
		s.must(toggle(i))
	}
	err = toggle(30)
	var e *vitrine.Error
	if !errors.As(err, &e) || e.Code != vitrine.CodeRateLimited || e.RetryAfter != time.Hour-30*time.Second {
		t.Fatalf("the 31st change within an hour: %v, %+v", err, e)
	}
	if now, err := s.links.BySlug(ctx, slug); err != nil || now.State != vitrine.StateLive {
		t.Errorf("after a change that was refused the link is %s, %v", now.State, err)
	}
	_, err = s.links.Disable(ctx, slug, moderator)
	s.must(err)
	_, err = s.links.Undo(ctx, slug, moderator)
	s.must(err)
	s.clock.Advance(e.RetryAfter)
	s.must(toggle(30))
	s.must(s.links.Delete(ctx, slug, owner))
}

// A history of any length is read from its newest end: undoing finds the
// decision that stands, and pages show the newest changes alone.
func TestLongHistory(t *testing.T) {
	s := newScanning(t)
	s.mouth.err = errMute
	ctx, l := t.Context(), s.note("held at first")
	slug, owner := string(l.Slug), vitrine.Decision{By: vitrine.Owner(s.account.ID)}
	s.mouth.err = nil
	_, err := s.links.Clear(ctx, slug, operator(""))
	s.must(err)
	for range 130 {
		s.clock.Advance(5 * time.Minute)
		_, err := s.links.Disable(ctx, slug, owner)
		s.must(err)
		_, err = s.links.Undo(ctx, slug, owner)
		s.must(err)
	}
	o, err := s.links.Own(ctx, s.account, slug)
	s.must(err)
	if len(o.History) != 100 || o.Undoable {
		t.Errorf("the owner sees %d of 262 changes, and may undo: %v", len(o.History), o.Undoable)
	}
	if _, err := s.links.Undo(ctx, slug, owner); vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
		t.Errorf("the owner undoes what an administrator decided: %v", err)
	}
	undone, err := s.links.Undo(ctx, slug, operator(""))
	s.must(err)
	if undone.State != vitrine.StateReview || !undone.StateAt.Equal(l.StateAt) {
		t.Errorf("undone, the link is %s since %v; want review since %v", undone.State, undone.StateAt, l.StateAt)
	}
}
