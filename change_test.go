package vitrine_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
)

// Who may do what to a link in which state (contract, Link states), with whom as the last to have decided.
func TestDecisions(t *testing.T) {
	s := newScanning(t)
	ctx := t.Context()
	mod, _, err := s.accounts.Create(ctx, "mod@example.org", vitrine.PlanFree)
	s.must(err)
	moderator, owner := vitrine.Decision{By: vitrine.Moderator(mod)}, vitrine.Decision{By: vitrine.Owner(s.account.ID)}
	for _, r := range []struct {
		held  bool // the link begins in review
		does  string
		by    vitrine.Decision
		state vitrine.LinkState // "": refused, and nothing changed
		then  string            // afterwards
		whose vitrine.Decision
		ends  vitrine.LinkState // "": refused
	}{
		{true, "clear", moderator, "live", "undo", moderator, "review"},
		{true, "clear", operator(""), "live", "undo", moderator, "review"},
		{true, "clear", moderator, "live", "undo", owner, ""},
		{true, "clear", moderator, "live", "clear", moderator, ""},
		{true, "reject", moderator, "disabled", "undo", moderator, "review"},
		{true, "reject", moderator, "disabled", "undo", owner, ""},
		{true, "reject", moderator, "disabled", "clear", moderator, ""},
		{true, "disable", moderator, "", "undo", moderator, ""},
		{true, "undo", operator(""), "", "clear", operator(""), "live"},
		{false, "clear", moderator, "", "disable", moderator, "disabled"},
		{false, "reject", moderator, "", "disable", owner, "disabled"},
		{false, "disable", moderator, "disabled", "undo", operator(""), "live"},
		{false, "disable", moderator, "disabled", "undo", owner, ""},
		{false, "disable", owner, "disabled", "undo", owner, "live"},
		{false, "disable", owner, "disabled", "undo", moderator, ""},
		{false, "disable", owner, "disabled", "undo", operator(""), "live"},
		{false, "undo", operator(""), "", "undo", owner, ""},
	} {
		s.mouth.err = nil
		if r.held {
			s.mouth.err = errMute
		}
		l := s.note(strings.Repeat("x", 1+int(s.clock.Now().UnixNano()%7)) + r.does)
		s.clock.Advance(1)
		step := func(verb string, d vitrine.Decision, want vitrine.LinkState) {
			t.Helper()
			before, err := s.links.BySlug(ctx, string(l.Slug))
			s.must(err)
			do := map[string]func() (*vitrine.Link, error){
				"clear":   func() (*vitrine.Link, error) { return s.links.Clear(ctx, string(l.Slug), d) },
				"reject":  func() (*vitrine.Link, error) { return s.links.Reject(ctx, string(l.Slug), d) },
				"disable": func() (*vitrine.Link, error) { return s.links.Disable(ctx, string(l.Slug), d) },
				"undo":    func() (*vitrine.Link, error) { return s.links.Undo(ctx, string(l.Slug), d) },
			}
			_, err = do[verb]()
			after, err2 := s.links.BySlug(ctx, string(l.Slug))
			s.must(err2)
			switch {
			case want == "" && (vitrine.CodeOf(err) != vitrine.CodeInvalidRequest || *after != *before):
				t.Errorf("%+v: %s by %s: %v, and the link is %s", r, verb, d.By.Kind, err, after.State)
			case want != "" && (err != nil || after.State != want):
				t.Errorf("%+v: %s by %s: %v, and the link is %s", r, verb, d.By.Kind, err, after.State)
			}
		}
		step(r.does, r.by, r.state)
		step(r.then, r.whose, r.ends)
	}
}

// What is undone has its reason and its place in the queue again. Undo is no toggle: when two take a wrong decision back, it stays taken back.
// Each step is in the history, with who and why.
func TestUndo(t *testing.T) {
	s := newScanning(t)
	s.mouth.verdict = suspicious
	l := s.note("x")
	slug := string(l.Slug)
	do := func(f func(context.Context, string, vitrine.Decision) (*vitrine.Link, error), note string) {
		t.Helper()
		s.clock.Advance(time.Minute)
		_, err := f(t.Context(), slug, operator(note))
		s.must(err)
	}
	held := func() {
		t.Helper()
		if now := s.is(l, vitrine.StateReview, vitrine.ReasonSuspicious, "Heuristics.Test"); !now.StateAt.Equal(l.StateAt) {
			t.Errorf("in review since %v, not %v", now.StateAt, l.StateAt)
		}
	}
	noUndo := func() {
		t.Helper()
		if _, err := s.links.Undo(t.Context(), slug, operator("")); vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
			t.Errorf("nothing is left to be undone: %v", err)
		}
	}
	noUndo()
	do(s.links.Reject, "looks\nbad\u202e")
	s.is(l, vitrine.StateDisabled, vitrine.ReasonModerator, "")
	do(s.links.Undo, "")
	held()
	noUndo()
	held()
	do(s.links.Clear, "")
	do(s.links.Disable, "")
	do(s.links.Undo, "")
	s.is(l, vitrine.StateLive, "", "")
	do(s.links.Undo, "")
	held()
	noUndo()
	want := []string{"scanner create", "operator reject", "operator undo", "operator clear", "operator disable", "operator undo", "operator undo"}
	if got := s.history(l); !slices.Equal(got, want) {
		t.Errorf("history %q", got)
	}
	c, err := (&vitrine.Moderation{Store: s.store, Now: s.clock.Now}).Case(t.Context(), slug)
	s.must(err)
	if note := c.History[5].Note; note != "looks bad" || c.Undoable {
		t.Errorf("note %q, undoable %t", note, c.Undoable)
	}
	if _, err := s.links.Clear(t.Context(), slug, operator(strings.Repeat("x", vitrine.MaxNote+1))); vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
		t.Errorf("a note that is too long: %v", err)
	}
	held()
	// Nobody decides about what has changed since it was looked at.
	d := operator("")
	d.Seen = c.History[1].ID
	if _, err := s.links.Clear(t.Context(), slug, d); vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
		t.Errorf("a decision by an old page: %v", err)
	}
	held()
	d.Seen = c.History[0].ID
	_, err = s.links.Clear(t.Context(), slug, d)
	s.must(err)
}

// Of many who decide at once, one does.
func TestDecisionsAtOnce(t *testing.T) {
	s := newScanning(t)
	s.mouth.err = errMute
	l := s.note("x")
	var wg sync.WaitGroup
	var decided atomic.Int32
	for i := range 20 {
		wg.Go(func() {
			decide := s.links.Clear
			if i%2 == 0 {
				decide = s.links.Reject
			}
			if _, err := decide(t.Context(), string(l.Slug), operator("")); err == nil {
				decided.Add(1)
			} else if vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := decided.Load(); n != 1 || len(s.history(l)) != 2 {
		t.Errorf("%d decided; history %q", n, s.history(l))
	}
}

// A suspension holds from the next request on: keys, sessions, uploads that are under way, links; and is lifted the same way.
func TestSuspension(t *testing.T) {
	s := newScanning(t)
	ctx := t.Context()
	bob, key, err := s.accounts.Create(ctx, "bob@example.org", vitrine.PlanFree)
	s.must(err)
	s.account = bob
	l := s.note("x")
	keys, sessions := &vitrine.Keys{Store: s.store, Now: s.clock.Now}, s.sessions()
	offer, err := sessions.Offer(ctx, bob.Email)
	s.must(err)
	session, err := sessions.SignInWithToken(ctx, string(offer), vitrine.Client{})
	s.must(err)
	begun, err := s.uploads.Create(ctx, bob, vitrine.UploadRequest{Name: "a.txt", Type: "text/plain", Size: 1})
	s.must(err)
	codes := func(want ...vitrine.Code) {
		t.Helper()
		_, err1 := keys.Authenticate(ctx, string(key))
		_, err2 := sessions.Authenticate(ctx, string(session.Session))
		_, _, err3 := s.links.Public(ctx, l.Slug)
		err4 := s.uploads.MayPut(ctx, begun.Path)
		for i, err := range []error{err1, err2, err3, err4} {
			if got := vitrine.CodeOf(err); got != want[i] {
				t.Errorf("%d: %q, want %q", i, got, want[i])
			}
		}
	}
	codes("", "", "", "")
	mod, _, err := s.accounts.Create(ctx, "mod@example.org", vitrine.PlanFree)
	s.must(err)
	_, err = s.accounts.SetRole(ctx, mod.Email, vitrine.RoleModerator, operator(""))
	s.must(err)
	by := vitrine.Decision{By: vitrine.Moderator(mod), Note: "spam"}
	_, err = s.accounts.SetBanned(ctx, bob.Email, true, by)
	s.must(err)
	codes(vitrine.CodeBanned, vitrine.CodeUnauthorized, vitrine.CodeDisabled, vitrine.CodeBanned)
	_, err = s.accounts.SetBanned(ctx, bob.Email, true, by) // again: nothing is written
	s.must(err)
	_, err = s.accounts.SetBanned(ctx, bob.Email, false, by)
	s.must(err)
	codes("", vitrine.CodeUnauthorized, "", "") // sessions are begun anew
	c, err := (&vitrine.Moderation{Store: s.store}).Account(ctx, bob.ID)
	s.must(err)
	if len(c.History) != 2 || c.History[0].Action != vitrine.ActionUnban || c.History[1].Person != mod.Email || c.History[1].Note != "spam" {
		t.Errorf("%+v", c.History)
	}
	for _, email := range []string{mod.Email, "ann@example.org"} {
		if _, err := s.accounts.SetBanned(ctx, email, true, by); vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
			t.Errorf("a moderator suspends %s: %v", email, err)
		}
	}
}
