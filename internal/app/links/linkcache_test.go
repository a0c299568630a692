package links_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/links"
	"vitrine/internal/test/fixture"
)

// public looks a link up by slug and by ID, twice, and returns the code of all
// answers, or "" if it is found.
func public(t *testing.T, s *links.Service, l *vitrine.Link) (code vitrine.Code) {
	t.Helper()
	for i := range 4 {
		var err error
		if i%2 == 0 {
			_, _, err = s.Public(t.Context(), l.Slug, access.Asker{})
		} else {
			_, err = s.PublicByID(t.Context(), l.ID, access.Asker{})
		}
		var e *vitrine.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatal(err)
		}
		now := vitrine.Code("")
		if e != nil {
			now = e.Code
		}
		if i > 0 && now != code {
			t.Errorf("second lookup = %q, first = %q", now, code)
		}
		code = now
	}
	return code
}

// TestPublicSeesEveryChange checks that changes of a link or its account by
// another process, and by this one, apply from the next request on (promise 9).
func TestPublicSeesEveryChange(t *testing.T) {
	for _, who := range []string{"this process", "another process"} {
		t.Run(who, func(t *testing.T) {
			one, by, a := fixture.TwoProcesses(t, time.Now)
			if who == "this process" {
				by = one
			}
			l, bystander := fixture.AddLink(t, one, a, "shown"), fixture.AddLink(t, one, a, "bystander")
			accounts := &auth.Accounts{Store: by.Store, Now: by.Now}
			slug, ctx := string(l.Slug), t.Context()
			for _, step := range []struct {
				what string
				do   func() error
				want vitrine.Code
			}{
				{"nothing", func() error { return nil }, ""},
				{"disabled", func() error { _, err := by.Disable(ctx, slug, fixture.Administrator("")); return err },
					vitrine.CodeDisabled},
				{"enabled", func() error { _, err := by.Undo(ctx, slug, fixture.Administrator("")); return err }, ""},
				{"protected", func() error {
					_, err := by.Edit(ctx, a, slug, links.Edit{Access: &access.Change{Password: new("a password")}})
					return err
				}, vitrine.CodeAccessRequired},
				{"open to all", func() error {
					_, err := by.Edit(ctx, a, slug, links.Edit{Access: &access.Change{Password: new("")}})
					return err
				}, ""},
				{"banned", func() error {
					_, err := accounts.SetBanned(ctx, a.Email, true,
						fixture.Administrator(""))
					return err
				}, vitrine.CodeDisabled},
				{"not banned", func() error {
					_, err := accounts.SetBanned(ctx, a.Email, false,
						fixture.Administrator(""))
					return err
				}, ""},
				{"deleted", func() error {
					return by.Store.Update(ctx, func(tx vitrine.Tx) error { l.DeletedAt = by.Now(); return tx.PutLink(l) })
				}, vitrine.CodeNotFound},
				{"slug released", func() error {
					return by.Store.Update(ctx, func(tx vitrine.Tx) error {
						_,
							err := tx.ReleaseSlugs(by.Now().Add(time.Hour))
						return err
					})
				}, vitrine.CodeNotFound},
			} {
				if err := step.do(); err != nil {
					t.Fatalf("%s: %v", step.what, err)
				}
				if code := public(t, one, l); code != step.want {
					t.Errorf("%s: code %q, want %q", step.what, code, step.want)
				}
			}
			if code := public(t, one, bystander); code != "" {
				t.Errorf("another link: code %q", code)
			}
			// The slug belongs to another link now.
			again := fixture.AddLink(t, by, a, slug)
			if got, _, err := one.Public(ctx, l.Slug, access.Asker{}); err != nil || got.ID != again.ID {
				t.Errorf("link by a reused slug = %+v, %v, want %d", got, err, again.ID)
			}
			if _, err := one.PublicByID(ctx, l.ID, access.Asker{}); err == nil {
				t.Error("a deleted link is found by its ID after its slug was reused")
			}
		})
	}
}

// TestPublicNeverOlder checks that readers see a change of a writer in another
// process once it has returned.
func TestPublicNeverOlder(t *testing.T) {
	const changes = 300
	one, other, a := fixture.TwoProcesses(t, time.Now)
	l := fixture.AddLink(t, one, a, "shown")
	var done atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for done.Load() < changes {
				least := done.Load()
				got, _, err := one.Public(context.Background(), l.Slug, access.Asker{})
				if err != nil {
					t.Error(err)
					return
				}
				if n, _ := strconv.ParseInt(got.Title, 10, 64); n < least {
					t.Errorf("title = %d after change %d has returned", n, least)
				}
				got.Title = "scribbled over" // the result belongs to the caller
			}
		})
	}
	for n := range int64(changes) {
		err := other.Store.Update(t.Context(), func(tx vitrine.Tx) error {
			now, err := tx.Link(l.ID)
			if err != nil {
				return err
			}
			now.Title = fmt.Sprint(n + 1)
			return tx.PutLink(now)
		})
		if err != nil {
			t.Error(err)
		}
		done.Add(1)
	}
	wg.Wait()
}

// TestViewerKeyReplacedWhereverItIsKept checks that an expired viewer key is
// replaced for every link at once, and that no process uses the old one,
// whichever process has replaced it.
func TestViewerKeyReplacedWhereverItIsKept(t *testing.T) {
	var ahead atomic.Int64
	one, other, a := fixture.TwoProcesses(t, func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) })
	l, m := fixture.AddLink(t, one, a, "one"), fixture.AddLink(t, one, a, "two")
	key := func(s *links.Service, l *vitrine.Link) string {
		_, a, err := s.Public(t.Context(), l.Slug, access.Asker{})
		if err != nil {
			t.Fatal(err)
		}
		return string(a.ViewerKey)
	}
	first := key(one, l)
	for _, s := range []*links.Service{one, other} {
		if key(s, l) != first || key(s, m) != first {
			t.Fatal("an account has two keys")
		}
	}
	ahead.Store(int64(links.DefaultViewerKeyLife))
	second := key(other, l)
	if second == first {
		t.Fatal("an expired key is used")
	}
	for _, s := range []*links.Service{one, other} {
		if key(s, l) != second || key(s, m) != second {
			t.Error("a replaced key is used")
		}
	}
}

// TestDropStale checks that changed links, and only those, are dropped from the
// memory of an idle process.
func TestDropStale(t *testing.T) {
	one, other, a := fixture.TwoProcesses(t, time.Now)
	l := fixture.AddLink(t, one, a, "one")
	drop := func(want int) {
		t.Helper()
		if err := other.DropStale(t.Context()); err != nil || other.Kept() != want {
			t.Errorf("%d links in memory, want %d: %v", other.Kept(), want, err)
		}
	}
	if code := public(t, other, l); code != "" {
		t.Fatal(code)
	}
	drop(2) // by slug and by ID
	err := one.Store.Update(t.Context(), func(tx vitrine.Tx) error { a.ViewerKey = []byte("another"); return tx.PutAccount(a) })
	if err != nil {
		t.Fatal(err)
	}
	drop(0)
}

// TestPublicOfManyLinks checks that links are found even if there are more than
// fit in memory.
func TestPublicOfManyLinks(t *testing.T) {
	one, _, a := fixture.TwoProcesses(t, time.Now)
	const n = 5000
	err := one.Store.Update(t.Context(), func(tx vitrine.Tx) error {
		for i := range n {
			l := &vitrine.Link{Account: a.ID, Slug: vitrine.Slug(fmt.Sprintf("link-%d", i)), State: vitrine.StateLive,
				CreatedAt: one.Now(), StateAt: one.Now()}
			if err := tx.AddLink(l); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for i := range n {
			slug := vitrine.Slug(fmt.Sprintf("link-%d", i))
			if l, _, err := one.Public(t.Context(), slug, access.Asker{}); err != nil || l.Slug != slug {
				t.Fatalf("Public(%s) = %+v, %v", slug, l, err)
			}
		}
	}
}
