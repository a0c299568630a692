package vitrine_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/sqldb"
)

// twoProcesses are the links of two processes over one store, with an account.
func twoProcesses(t *testing.T, now func() time.Time) (one, other *vitrine.Links, a *vitrine.Account) {
	t.Helper()
	path := filepath.Join(databases(t), "store.db")
	open := func() *vitrine.Links {
		s, err := sqldb.OpenStore(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return &vitrine.Links{Store: s, Now: now}
	}
	one, other = open(), open()
	a, _, err := (&vitrine.Accounts{Store: one.Store, Now: now}).Create(t.Context(), "ann@example.org", vitrine.PlanFree)
	if err != nil {
		t.Fatal(err)
	}
	return one, other, a
}

func addLink(t *testing.T, s *vitrine.Links, a *vitrine.Account, slug string) *vitrine.Link {
	t.Helper()
	l := &vitrine.Link{Account: a.ID, Slug: vitrine.Slug(slug), Title: "0", Name: "a.txt", Kind: "text", State: vitrine.StateLive, CreatedAt: s.Now(), StateAt: s.Now()}
	err := s.Store.Update(t.Context(), func(tx vitrine.Tx) error {
		if err := tx.AddLink(l); err != nil {
			return err
		}
		return tx.AddChange(&vitrine.Change{At: l.CreatedAt, By: vitrine.Owner(a.ID), Action: vitrine.ActionCreate, Account: a.ID, Link: l.ID, To: l.State})
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// public asks for a link in both ways, twice, and returns the code of what all say; "" when they find it.
func public(t *testing.T, s *vitrine.Links, l *vitrine.Link) (code vitrine.Code) {
	t.Helper()
	for i := range 4 {
		var err error
		if i%2 == 0 {
			_, _, err = s.Public(t.Context(), l.Slug)
		} else {
			_, err = s.PublicByID(t.Context(), l.ID)
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
			t.Errorf("asked again: %q, before: %q", now, code)
		}
		code = now
	}
	return code
}

// What another process does to a link or its account holds from the next request on (promise 9), and what this one does.
func TestPublicSeesEveryChange(t *testing.T) {
	for _, who := range []string{"this process", "another process"} {
		t.Run(who, func(t *testing.T) {
			one, by, a := twoProcesses(t, time.Now)
			if who == "this process" {
				by = one
			}
			l, bystander := addLink(t, one, a, "shown"), addLink(t, one, a, "bystander")
			accounts := &vitrine.Accounts{Store: by.Store, Now: by.Now}
			slug, ctx := string(l.Slug), t.Context()
			for _, step := range []struct {
				what string
				do   func() error
				want vitrine.Code
			}{
				{"nothing", func() error { return nil }, ""},
				{"disabled", func() error { _, err := by.Disable(ctx, slug, operator("")); return err }, vitrine.CodeDisabled},
				{"enabled", func() error { _, err := by.Undo(ctx, slug, operator("")); return err }, ""},
				{"banned", func() error { _, err := accounts.SetBanned(ctx, a.Email, true, operator("")); return err }, vitrine.CodeDisabled},
				{"not banned", func() error { _, err := accounts.SetBanned(ctx, a.Email, false, operator("")); return err }, ""},
				{"deleted", func() error {
					return by.Store.Update(ctx, func(tx vitrine.Tx) error { l.DeletedAt = by.Now(); return tx.PutLink(l) })
				}, vitrine.CodeNotFound},
				{"slug released", func() error {
					return by.Store.Update(ctx, func(tx vitrine.Tx) error { _, err := tx.ReleaseSlugs(by.Now().Add(time.Hour)); return err })
				}, vitrine.CodeNotFound},
			} {
				if err := step.do(); err != nil {
					t.Fatalf("%s: %v", step.what, err)
				}
				if code := public(t, one, l); code != step.want {
					t.Errorf("%s: %q, want %q", step.what, code, step.want)
				}
			}
			if code := public(t, one, bystander); code != "" {
				t.Errorf("another link: %q", code)
			}
			// The slug is another link's now.
			again := addLink(t, by, a, slug)
			if got, _, err := one.Public(ctx, l.Slug); err != nil || got.ID != again.ID {
				t.Errorf("link by a slug that was given again: %+v, %v, want %d", got, err, again.ID)
			}
			if _, err := one.PublicByID(ctx, l.ID); err == nil {
				t.Error("a deleted link is found by its ID since its slug was given again")
			}
		})
	}
}

// However readers and a writer in another process meet: a change that has returned is seen.
func TestPublicNeverOlder(t *testing.T) {
	const changes = 300
	one, other, a := twoProcesses(t, time.Now)
	l := addLink(t, one, a, "shown")
	var done atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for done.Load() < changes {
				least := done.Load()
				got, _, err := one.Public(context.Background(), l.Slug)
				if err != nil {
					t.Error(err)
					return
				}
				if n, _ := strconv.ParseInt(got.Title, 10, 64); n < least {
					t.Errorf("title %d after change %d has returned", n, least)
				}
				got.Title = "scribbled over" // the caller's own
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

// A key past its life is replaced for every link at once, and nobody goes on with the old one, in whichever process it was replaced.
func TestViewerKeyReplacedWhereverItIsKept(t *testing.T) {
	var ahead atomic.Int64
	one, other, a := twoProcesses(t, func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) })
	l, m := addLink(t, one, a, "one"), addLink(t, one, a, "two")
	key := func(s *vitrine.Links, l *vitrine.Link) string {
		_, a, err := s.Public(t.Context(), l.Slug)
		if err != nil {
			t.Fatal(err)
		}
		return string(a.ViewerKey)
	}
	first := key(one, l)
	for _, s := range []*vitrine.Links{one, other} {
		if key(s, l) != first || key(s, m) != first {
			t.Fatal("an account with two keys")
		}
	}
	ahead.Store(int64(vitrine.DefaultViewerKeyLife))
	second := key(other, l)
	if second == first {
		t.Fatal("a key past its life is used")
	}
	for _, s := range []*vitrine.Links{one, other} {
		if key(s, l) != second || key(s, m) != second {
			t.Error("a key that was replaced is used")
		}
	}
}

// What has changed is dropped from the memory of a process that nobody asks for anything, and nothing else.
func TestDropStale(t *testing.T) {
	one, other, a := twoProcesses(t, time.Now)
	l := addLink(t, one, a, "one")
	drop := func(want int) {
		t.Helper()
		if err := other.DropStale(t.Context()); err != nil || other.Kept() != want {
			t.Errorf("%d links are kept, want %d: %v", other.Kept(), want, err)
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

// More links than are kept are found all the same.
func TestPublicOfManyLinks(t *testing.T) {
	one, _, a := twoProcesses(t, time.Now)
	const n = 5000
	err := one.Store.Update(t.Context(), func(tx vitrine.Tx) error {
		for i := range n {
			l := &vitrine.Link{Account: a.ID, Slug: vitrine.Slug(fmt.Sprintf("link-%d", i)), State: vitrine.StateLive, CreatedAt: one.Now(), StateAt: one.Now()}
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
			if l, _, err := one.Public(t.Context(), slug); err != nil || l.Slug != slug {
				t.Fatalf("%s: %+v, %v", slug, l, err)
			}
		}
	}
}
