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
	"vitrine/internal/audit"
	"vitrine/internal/links"
	"vitrine/internal/moderation"
	"vitrine/internal/publish"
	"vitrine/internal/vitrinetest/fixture"
)

// Of ten links and fifty uploads that want one address at once, one gets it. An
// edit by the slug before finds the same link again and changes nothing.
func TestSlugRace(t *testing.T) {
	s := fixture.New(t)
	ctx := t.Context()
	var notes []*vitrine.Link
	for i := range 10 {
		notes = append(notes, s.Note(fmt.Sprint("text ", i)))
	}
	var all sync.WaitGroup
	var got sync.Map // links and uploads that have the address
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
				vitrine.CodeOf(err) != vitrine.CodeNotFound: // by the slug before it has moved already
				t.Error(err)
			}
		})
	}
	all.Wait()
	n := 0
	got.Range(func(any, any) bool { n++; return true })
	if n != 1 {
		t.Errorf("%d have the one address", n)
	}
}

// A link can have some addresses before its own, and not block as many as it
// likes.
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
		t.Errorf("an eleventh: %v", err)
	}
	l, err := s.Links.Edit(ctx, s.Account, string(l.Slug),
		links.Edit{Slug: new(first)}) // back, which blocks no more than before
	if err != nil {
		t.Fatal(err)
	}
	o, err := s.Links.Own(ctx, s.Account, "name-3")
	s.Must(err)
	if o.ID != l.ID || o.Slug != l.Slug || len(o.Old) != 10 {
		t.Errorf("by an old slug: %s, with %d old ones", o.Slug, len(o.Old))
	}
	s.Clock.Advance(vitrine.SlugRest - 9*time.Hour) // the first two have lapsed
	if _, err := s.Links.Edit(ctx, s.Account, string(l.Slug), links.Edit{Slug: new("name-10")}); err != nil {
		t.Error(err)
	}
}

// The audit finds an old slug that is a link's own, or leads nowhere it should.
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
			t.Errorf("%s: %q", what, faults)
		}
		s.Must(s.Store.Update(ctx, func(tx vitrine.Tx) error { return tx.DeleteOldSlug(o.Slug) }))
	}
}

// What an owner may choose is theirs alone to choose, within the rules of the
// fields.
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
			t.Errorf("%s of another’s link: %v", name, err)
		}
	}
	now, err := s.Links.BySlug(ctx, slug)
	s.Must(err)
	if *now != *l {
		t.Errorf("the link is %+v", now)
	}
	for _, title := range []string{"", " ", strings.Repeat("x", 201), "a\nb", "a\u202eb"} {
		if _, err := s.Links.Edit(ctx, s.Account, slug,
			links.Edit{Title: new(title)}); vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
			t.Errorf("title %q: %v", title, err)
		}
	}
	// A deleted link is nobody's to change.
	s.Must(s.Links.Delete(ctx, slug, vitrine.Decision{By: vitrine.Owner(s.Account.ID)}))
	if _, err := s.Links.Edit(ctx, s.Account, slug,
		links.Edit{Title: new("Title")}); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Errorf("title of a deleted link: %v", err)
	}
}

// Of what is changed at once all is, or nothing.
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
		t.Errorf("the link is %+v", now)
	}
	to = "renamed"
	now, err = s.Links.Edit(ctx, s.Account, string(l.Slug), links.Edit{Title: &title, Slug: &to, Download: &no})
	s.Must(err)
	if now.Title != title || now.Slug != "renamed" || now.AllowDownload {
		t.Errorf("the link is %+v", now)
	}
}

// A link that others look at, or have taken down, stays where it is; one that
// has moved is found and decided about by the slug that moderators saw.
func TestLinksStayUnderModerators(t *testing.T) {
	s := fixture.New(t)
	ctx := t.Context()
	mod := &moderation.Service{Store: s.Store, Now: s.Clock.Now}
	by, owner := vitrine.Decision{By: vitrine.Operator}, vitrine.Decision{By: vitrine.Owner(s.Account.ID)}
	l := s.Note("text")
	old := string(l.Slug)
	s.Must(fixture.Second(s.Links.Edit(ctx, s.Account, old, links.Edit{Slug: new("elsewhere")})))
	c, err := mod.Case(ctx, old)
	if err != nil || c.Link.ID != l.ID {
		t.Fatal(c, err)
	}
	s.Must(fixture.Second(mod.SameFile(ctx, old)))
	if err := fixture.Second(s.Links.Disable(ctx, old, owner)); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Errorf("the owner, who knows where it is: %v", err)
	}
	moves := func(state string, may bool) {
		t.Helper()
		now, err := s.Links.BySlug(ctx, old)
		s.Must(err)
		_, err = s.Links.Edit(ctx, s.Account, string(now.Slug), links.Edit{Slug: new("moved-" + state)})
		if (err == nil) != may || err != nil && vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
			t.Errorf("%s: %v", state, err)
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

// A search by views has the most viewed first, and the newer where they are
// equal.
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
		t.Errorf("unviewed: %v, want %v", got, want)
	}
	if got, more := search(1, 2); !slices.Equal(got, want[1:3]) || !more {
		t.Errorf("a page of two: %v, want %v", got, want[1:3])
	}
	if got, more := search(9, 2); len(got) != 0 || more {
		t.Errorf("beyond the end: %v", got)
	}
}
