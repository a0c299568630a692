package links_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/audit"
	"vitrine/internal/app/links"
	"vitrine/internal/app/moderation"
	"vitrine/internal/app/publish"
	"vitrine/internal/test/fixture"
)

// TestSlugRace lets ten links and fifty uploads request one slug at once. One
// of them gets it. An edit with the former slug finds the same link and changes
// nothing.
func TestSlugRace(t *testing.T) {
	s := fixture.New(t)
	ctx := t.Context()
	var notes []*vitrine.Link
	for i := range 10 {
		notes = append(notes, s.Note(fmt.Sprint("text ", i)))
	}
	var all sync.WaitGroup
	var got sync.Map // links and uploads that got the slug
	for i := range 100 {
		all.Go(func() {
			var err error
			who := fmt.Sprint("upload ", i)
			if i%2 == 0 {
				who = fmt.Sprint("link ", i/2%len(notes))
				_, err = s.Links.Edit(ctx, s.Account, string(notes[i/2%len(notes)].Slug),
					links.Edit{Slug: new("wanted")})
			} else {
				wanted := "wanted"
				_, err = s.Uploads.Create(ctx, s.Account,
					publish.UploadRequest{Name: "a.txt", Type: "text/plain", Size: 1, Slug: &wanted})
			}
			switch {
			case err == nil:
				got.Store(who, true)
			case vitrine.CodeOf(err) != vitrine.CodeSlugTaken &&
				vitrine.CodeOf(err) != vitrine.CodeNotFound: // the former slug has moved already
				t.Error(err)
			}
		})
	}
	all.Wait()
	n := 0
	got.Range(func(any, any) bool { n++; return true })
	if n != 1 {
		t.Errorf("%d have the slug, want 1", n)
	}
}

// TestOldSlugsAreBounded checks that a link keeps some former slugs, but cannot
// block any number of them.
func TestOldSlugsAreBounded(t *testing.T) {
	s := fixture.New(t)
	ctx := t.Context()
	l := s.Note("text")
	first := string(l.Slug)
	for i := range 10 {
		var err error
		if l, err = s.Links.Edit(ctx, s.Account, string(l.Slug),
			links.Edit{Slug: new(fmt.Sprintf("name-%d", i))}); err != nil {
			t.Fatal(err)
		}
		s.Clock.Advance(time.Hour)
	}
	if _, err := s.Links.Edit(ctx, s.Account, string(l.Slug),
		links.Edit{Slug: new("name-10")}); vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
		t.Errorf("Edit with an eleventh slug = %v, want invalid_request", err)
	}
	l, err := s.Links.Edit(ctx, s.Account, string(l.Slug),
		links.Edit{Slug: new(first)}) // a former slug, which blocks no additional one
	if err != nil {
		t.Fatal(err)
	}
	o, err := s.Links.Own(ctx, s.Account, "name-3")
	s.Must(err)
	if o.ID != l.ID || o.Slug != l.Slug || len(o.Old) != 10 {
		t.Errorf("link by a former slug = %s with %d former slugs", o.Slug, len(o.Old))
	}
	s.Clock.Advance(vitrine.SlugRest - 9*time.Hour) // the first two have expired
	if _, err := s.Links.Edit(ctx, s.Account, string(l.Slug), links.Edit{Slug: new("name-10")}); err != nil {
		t.Error(err)
	}
}

// TestAuditOfOldSlugs checks that the audit finds a former slug that is a
// link's current one, or that leads to no link.
func TestAuditOfOldSlugs(t *testing.T) {
	s := fixture.New(t)
	ctx := t.Context()
	l, other := s.Note("text"), s.Note("another")
	for what, o := range map[string]*vitrine.OldSlug{
		"another link’s own": {Slug: other.Slug, Link: l.ID, Until: s.Clock.Now().Add(time.Hour)},
		"for too long":       {Slug: "older", Link: l.ID, Until: s.Clock.Now().Add(vitrine.SlugRest + 2*time.Hour)},
	} {
		s.Must(s.Store.Update(ctx, func(tx vitrine.Tx) error { return tx.PutOldSlug(o) }))
		a := audit.Checker{Store: s.Store, Blobs: s.Blobs, Log: s.Log, Now: s.Clock.Now}
		var faults []string
		s.Must(a.Run(ctx, func(fault string) { faults = append(faults, fault) }))
		if len(faults) != 1 || !strings.Contains(faults[0], "old slug "+string(o.Slug)) {
			t.Errorf("%s: faults = %q", what, faults)
		}
		s.Must(s.Store.Update(ctx, func(tx vitrine.Tx) error { return tx.DeleteOldSlug(o.Slug) }))
	}
}

// TestEditsAreTheOwners checks that only the owner of a link may edit it,
// within the rules of the fields.
func TestEditsAreTheOwners(t *testing.T) {
	s := fixture.New(t)
	ctx := t.Context()
	other, _, err := s.Accounts.Create(ctx, "other@example.org", vitrine.PlanPro)
	s.Must(err)
	l := s.Note("text")
	slug := string(l.Slug)
	for name, edit := range map[string]func(a *vitrine.Account) (*vitrine.Link, error){
		"title": func(a *vitrine.Account) (*vitrine.Link, error) {
			return s.Links.Edit(ctx, a, slug, links.Edit{Title: new("Title")})
		},
		"download": func(a *vitrine.Account) (*vitrine.Link, error) {
			return s.Links.Edit(ctx, a, slug, links.Edit{Download: new(false)})
		},
		"slug": func(a *vitrine.Account) (*vitrine.Link, error) {
			return s.Links.Edit(ctx, a, slug, links.Edit{Slug: new("renamed")})
		},
		"disable": func(a *vitrine.Account) (*vitrine.Link, error) {
			return s.Links.Disable(ctx, slug, vitrine.Decision{By: vitrine.Owner(a.ID)})
		},
		"delete": func(a *vitrine.Account) (*vitrine.Link, error) {
			return nil, s.Links.Delete(ctx, slug, vitrine.Decision{By: vitrine.Owner(a.ID)})
		},
	} {
		if _, err := edit(other); vitrine.CodeOf(err) != vitrine.CodeNotFound {
			t.Errorf("%s of another account's link = %v, want not_found", name, err)
		}
	}
	now, err := s.Links.BySlug(ctx, slug)
	s.Must(err)
	if *now != *l {
		t.Errorf("link = %+v, want it unchanged", now)
	}
	for _, title := range []string{"", " ", strings.Repeat("x", 201), "a\nb", "a\u202eb"} {
		if _, err := s.Links.Edit(ctx, s.Account, slug,
			links.Edit{Title: new(title)}); vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
			t.Errorf("Edit with title %q = %v, want invalid_request", title, err)
		}
	}
	// A deleted link cannot be edited.
	s.Must(s.Links.Delete(ctx, slug, vitrine.Decision{By: vitrine.Owner(s.Account.ID)}))
	if _, err := s.Links.Edit(ctx, s.Account, slug,
		links.Edit{Title: new("Title")}); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Errorf("Edit of a deleted link = %v, want not_found", err)
	}
}

// TestEditIsWhole checks that an edit of several fields changes all of them or
// none.
func TestEditIsWhole(t *testing.T) {
	s := fixture.New(t)
	ctx := t.Context()
	taken, l := s.Note("another text"), s.Note("text")
	title, to, no := "Title", string(taken.Slug), false
	if _, err := s.Links.Edit(ctx, s.Account, string(l.Slug),
		links.Edit{Title: &title, Slug: &to, Download: &no}); vitrine.CodeOf(err) != vitrine.CodeSlugTaken {
		t.Error(err)
	}
	now, err := s.Links.BySlug(ctx, string(l.Slug))
	s.Must(err)
	if *now != *l {
		t.Errorf("link = %+v, want it unchanged", now)
	}
	to = "renamed"
	now, err = s.Links.Edit(ctx, s.Account, string(l.Slug), links.Edit{Title: &title, Slug: &to, Download: &no})
	s.Must(err)
	if now.Title != title || now.Slug != "renamed" || now.AllowDownload {
		t.Errorf("link = %+v, want all changes", now)
	}
}

// TestLinksStayUnderModerators checks that a link in review, or one disabled by
// a moderator, keeps its slug, and that moderators find a renamed link by the
// slug that they saw.
func TestLinksStayUnderModerators(t *testing.T) {
	s := fixture.New(t)
	ctx := t.Context()
	mod := &moderation.Service{Store: s.Store, Now: s.Clock.Now}
	by, owner := vitrine.Decision{By: vitrine.Administrator}, vitrine.Decision{By: vitrine.Owner(s.Account.ID)}
	l := s.Note("text")
	old := string(l.Slug)
	s.Must(fixture.Second(s.Links.Edit(ctx, s.Account, old, links.Edit{Slug: new("elsewhere")})))
	c, err := mod.Case(ctx, old)
	if err != nil || c.Link.ID != l.ID {
		t.Fatal(c, err)
	}
	if err := fixture.Second(s.Links.Disable(ctx, old, owner)); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Errorf("Disable by the owner with the old slug = %v, want not_found", err)
	}
	moves := func(state string, may bool) {
		t.Helper()
		now, err := s.Links.BySlug(ctx, old)
		s.Must(err)
		_, err = s.Links.Edit(ctx, s.Account, string(now.Slug), links.Edit{Slug: new("moved-" + state)})
		if (err == nil) != may || err != nil && vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
			t.Errorf("edit in state %s = %v", state, err)
		}
	}
	s.Must(fixture.Second(s.Links.Disable(ctx, old, by)))
	moves("taken-down", false)
	s.Must(fixture.Second(s.Links.Undo(ctx, old, by)))
	moves("live", true)
	s.Must(fixture.Second(s.Links.Disable(ctx, "moved-live", owner)))
	moves("off", true)
	s.Must(fixture.Second(s.Links.Undo(ctx, "moved-off", owner)))
	s.Must(fixture.Second(s.Links.RejectSame(ctx, old, by)))
	moves("rejected", false)
}

// TestSearchByViews checks that a search by views returns the most viewed links
// first, and the newer ones first if equal.
func TestSearchByViews(t *testing.T) {
	s := fixture.New(t)
	ctx := context.Background()
	var want []string
	for i := range 5 {
		s.Note(fmt.Sprint("text ", i))
		s.Clock.Advance(time.Second)
	}
	service, _, err := s.Links.List(ctx, s.Account.ID, links.LinkSearch{Limit: 10}, vitrine.LinkCursor{})
	s.Must(err)
	for _, l := range service {
		want = append(want, string(l.Slug))
	}
	search := func(skip, n int) (got []string, more bool) {
		t.Helper()
		found, more, err := s.Links.Search(ctx, s.Account,
			links.LinkSearch{Sort: vitrine.SortViews, Skip: skip, Limit: n})
		s.Must(err)
		for _, f := range found {
			got = append(got, string(f.Slug))
		}
		return got, more
	}
	if got, more := search(0, 10); !slices.Equal(got, want) || more {
		t.Errorf("without views = %v, want %v", got, want)
	}
	if got, more := search(1, 2); !slices.Equal(got, want[1:3]) || !more {
		t.Errorf("page of two = %v, want %v", got, want[1:3])
	}
	if got, more := search(9, 2); len(got) != 0 || more {
		t.Errorf("page beyond the end = %v", got)
	}
}
