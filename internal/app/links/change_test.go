package links_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/moderation"
	"vitrine/internal/app/publish"
	"vitrine/internal/test/fixture"
)

// TestDecisions checks who may do what to a link in which state, depending on
// who decided last (contract, Link states).
func TestDecisions(t *testing.T) {
	s := fixture.New(t)
	ctx := t.Context()
	mod, _, err := s.Accounts.Create(ctx, "mod@example.org", vitrine.PlanFree)
	s.Must(err)
	moderator, owner := vitrine.Decision{By: vitrine.Moderator(mod)}, vitrine.Decision{By: vitrine.Owner(s.Account.ID)}
	for _, r := range []struct {
		held  bool // the link starts in review
		does  string
		by    vitrine.Decision
		state vitrine.LinkState // "" if refused without a change
		then  string            // the next action
		whose vitrine.Decision
		ends  vitrine.LinkState // "" if refused
	}{
		{true, "clear", moderator, "live", "undo", moderator, "review"},
		{true, "clear", fixture.Administrator(""), "live", "undo", moderator, "review"},
		{true, "clear", moderator, "live", "undo", owner, ""},
		{true, "clear", moderator, "live", "clear", moderator, ""},
		{true, "reject", moderator, "disabled", "undo", moderator, "review"},
		{true, "reject", moderator, "disabled", "undo", owner, ""},
		{true, "reject", moderator, "disabled", "clear", moderator, ""},
		{true, "disable", moderator, "", "undo", moderator, ""},
		{true, "undo", fixture.Administrator(""), "", "clear", fixture.Administrator(""), "live"},
		{false, "clear", moderator, "", "disable", moderator, "disabled"},
		{false, "reject", moderator, "", "disable", owner, "disabled"},
		{false, "disable", moderator, "disabled", "undo", fixture.Administrator(""), "live"},
		{false, "disable", moderator, "disabled", "undo", owner, ""},
		{false, "disable", owner, "disabled", "undo", owner, "live"},
		{false, "disable", owner, "disabled", "undo", moderator, ""},
		{false, "disable", owner, "disabled", "undo", fixture.Administrator(""), "live"},
		{false, "disable", owner, "disabled", "disable", moderator, "disabled"},
		{false, "disable", owner, "disabled", "disable", owner, ""},
		{false, "undo", fixture.Administrator(""), "", "undo", owner, ""},
	} {
		s.Scanner.Err = nil
		if r.held {
			s.Scanner.Err = fixture.ErrMute
		}
		l := s.Note(strings.Repeat("x", 1+int(s.Clock.Now().UnixNano()%7)) + r.does)
		s.Clock.Advance(1)
		step := func(verb string, d vitrine.Decision, want vitrine.LinkState) {
			t.Helper()
			before, err := s.Links.BySlug(ctx, string(l.Slug))
			s.Must(err)
			do := map[string]func() (*vitrine.Link, error){
				"clear":   func() (*vitrine.Link, error) { return s.Links.Clear(ctx, string(l.Slug), d) },
				"reject":  func() (*vitrine.Link, error) { return s.Links.Reject(ctx, string(l.Slug), d) },
				"disable": func() (*vitrine.Link, error) { return s.Links.Disable(ctx, string(l.Slug), d) },
				"undo":    func() (*vitrine.Link, error) { return s.Links.Undo(ctx, string(l.Slug), d) },
			}
			_, err = do[verb]()
			after, err2 := s.Links.BySlug(ctx, string(l.Slug))
			s.Must(err2)
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

// TestUndo checks that an undone link has its reason and its place in the queue
// again, that undo does not toggle when two moderators use it, and that each
// step is in the history with person and reason.
func TestUndo(t *testing.T) {
	s := fixture.New(t)
	s.Scanner.Verdict = fixture.Suspicious
	l := s.Note("x")
	slug := string(l.Slug)
	do := func(f func(context.Context, string, vitrine.Decision) (*vitrine.Link, error), note string) {
		t.Helper()
		s.Clock.Advance(time.Minute)
		_, err := f(t.Context(), slug, fixture.Administrator(note))
		s.Must(err)
	}
	held := func() {
		t.Helper()
		if now := s.WantState(l, vitrine.StateReview, vitrine.ReasonSuspicious,
			"Heuristics.Test"); !now.StateAt.Equal(l.StateAt) {
			t.Errorf("in review since %v, want %v", now.StateAt, l.StateAt)
		}
	}
	noUndo := func() {
		t.Helper()
		if _, err := s.Links.Undo(t.Context(), slug,
			fixture.Administrator("")); vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
			t.Errorf("Undo with nothing to undo = %v, want invalid_request", err)
		}
	}
	noUndo()
	do(s.Links.Reject, "looks\nbad\u202e")
	s.WantState(l, vitrine.StateDisabled, vitrine.ReasonModerator, "")
	do(s.Links.Undo, "")
	held()
	noUndo()
	held()
	do(s.Links.Clear, "")
	do(s.Links.Disable, "")
	do(s.Links.Undo, "")
	s.WantState(l, vitrine.StateLive, "", "")
	do(s.Links.Undo, "")
	held()
	noUndo()
	want := []string{"scanner create", "administrator reject", "administrator undo", "administrator clear", "administrator disable",
		"administrator undo", "administrator undo"}
	if got := s.History(l); !slices.Equal(got, want) {
		t.Errorf("history = %q, want %q", got, want)
	}
	c, err := (&moderation.Service{Store: s.Store, Now: s.Clock.Now}).Case(t.Context(), slug)
	s.Must(err)
	if note := c.History[5].Note; note != "looks bad" || c.Undoable {
		t.Errorf("note = %q, undoable = %t", note, c.Undoable)
	}
	if _, err := s.Links.Clear(t.Context(), slug, fixture.Administrator(strings.Repeat("x",
		vitrine.MaxNote+1))); vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
		t.Errorf("Clear with a note that is too long = %v, want invalid_request", err)
	}
	held()
	// A decision is refused if the link has changed since the moderator saw it.
	d := fixture.Administrator("")
	d.Seen = c.History[1].ID
	if _, err := s.Links.Clear(t.Context(), slug, d); vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
		t.Errorf("decision from an old page = %v, want invalid_request", err)
	}
	held()
	d.Seen = c.History[0].ID
	_, err = s.Links.Clear(t.Context(), slug, d)
	s.Must(err)
}

// TestDecisionsAtOnce checks that of many concurrent decisions one succeeds.
func TestDecisionsAtOnce(t *testing.T) {
	s := fixture.New(t)
	s.Scanner.Err = fixture.ErrMute
	l := s.Note("x")
	var wg sync.WaitGroup
	var decided atomic.Int32
	for i := range 20 {
		wg.Go(func() {
			decide := s.Links.Clear
			if i%2 == 0 {
				decide = s.Links.Reject
			}
			if _, err := decide(t.Context(), string(l.Slug), fixture.Administrator("")); err == nil {
				decided.Add(1)
			} else if vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := decided.Load(); n != 1 || len(s.History(l)) != 2 {
		t.Errorf("%d decisions succeeded, want 1; history %q", n, s.History(l))
	}
}

// TestSuspension checks that a suspension applies from the next request on, to
// keys, sessions, uploads in progress and links, and that lifting it does, too.
func TestSuspension(t *testing.T) {
	s := fixture.New(t)
	ctx := t.Context()
	bob, key, err := s.Accounts.Create(ctx, "bob@example.org", vitrine.PlanFree)
	s.Must(err)
	s.Account = bob
	l := s.Note("x")
	keys, sessions := &auth.Keys{Store: s.Store, Now: s.Clock.Now}, s.NewSessions()
	offer, err := sessions.Offer(ctx, bob.Email)
	s.Must(err)
	session, err := sessions.SignInWithToken(ctx, string(offer), auth.Client{})
	s.Must(err)
	begun, err := s.Uploads.Create(ctx, bob, publish.UploadRequest{Name: "a.txt", Type: "text/plain", Size: 1})
	s.Must(err)
	codes := func(want ...vitrine.Code) {
		t.Helper()
		_, err1 := keys.Authenticate(ctx, string(key))
		_, err2 := sessions.Authenticate(ctx, string(session.Session))
		_, _, err3 := s.Links.Public(ctx, l.Slug, access.Asker{})
		err4 := s.Uploads.MayPut(ctx, begun.Path)
		for i, err := range []error{err1, err2, err3, err4} {
			if got := vitrine.CodeOf(err); got != want[i] {
				t.Errorf("request %d: code %q, want %q", i, got, want[i])
			}
		}
	}
	codes("", "", "", "")
	mod, _, err := s.Accounts.Create(ctx, "mod@example.org", vitrine.PlanFree)
	s.Must(err)
	_, err = s.Accounts.SetRole(ctx, mod.Email, vitrine.RoleModerator, fixture.Administrator(""))
	s.Must(err)
	by := vitrine.Decision{By: vitrine.Moderator(mod), Note: "spam"}
	_, err = s.Accounts.SetBanned(ctx, bob.Email, true, by)
	s.Must(err)
	codes(vitrine.CodeBanned, vitrine.CodeUnauthorized, vitrine.CodeDisabled, vitrine.CodeBanned)
	_, err = s.Accounts.SetBanned(ctx, bob.Email, true, by) // writes nothing the second time
	s.Must(err)
	_, err = s.Accounts.SetBanned(ctx, bob.Email, false, by)
	s.Must(err)
	codes("", vitrine.CodeUnauthorized, "", "") // sessions have ended
	c, err := (&moderation.Service{Store: s.Store}).Account(ctx, bob.ID)
	s.Must(err)
	if len(c.History) != 2 || c.History[0].Action != vitrine.ActionUnban || c.History[1].Person != mod.Email ||
		c.History[1].Note != "spam" {
		t.Errorf("history = %+v", c.History)
	}
	for _, email := range []string{mod.Email, "ann@example.org"} {
		if _, err := s.Accounts.SetBanned(ctx, email, true, by); vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
			t.Errorf("SetBanned(%s) by a moderator = %v, want invalid_request", email, err)
		}
	}
}
