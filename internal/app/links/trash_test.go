package links_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/links"
	"vitrine/internal/app/moderation"
	"vitrine/internal/app/publish"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// byOwner deletes the link as its owner does.
func (v *versioned) byOwner() {
	v.T.Helper()
	v.Must(v.Links.Delete(v.T.Context(), string(v.link.Slug), vitrine.Decision{By: vitrine.Owner(v.Account.ID)}))
	v.Audit()
}

// view stores a view of the link.
func (v *versioned) view() {
	v.T.Helper()
	at := v.Clock.Now().UnixMilli()
	_, err := v.Log.Append(v.T.Context(), vitrine.Batch{Views: []vitrine.ViewRecord{{Account: v.Account.ID,
		View: report.View{ID: int64(vitrine.ViewIDAt(at, 1)), At: at, Link: int64(v.link.ID), Viewer: 1}}}})
	v.Must(err)
}

// views returns the views of the link in the log.
func (v *versioned) views() int64 {
	v.T.Helper()
	counts, err := v.Log.AccountCounts(v.T.Context(), v.Account.ID)
	v.Must(err)
	return counts[v.link.ID].Views
}

// account returns the report of the account.
func (v *versioned) account() *report.AccountReport {
	v.T.Helper()
	s := &analytics.Service{Store: v.Store, Log: v.Log, Now: v.Clock.Now, Signer: signer.New([]byte("k")),
		URL: func(s vitrine.Slug) string { return string(s) }}
	r, err := s.Account(v.T.Context(), v.Account, analytics.In(report.RangeAll))
	v.Must(err)
	return r
}

// events returns the kinds of the account's events, oldest first.
func (v *versioned) events() string {
	v.T.Helper()
	var kinds []string
	v.Must(v.Store.Read(v.T.Context(), func(tx vitrine.Tx) error {
		kinds = nil
		list, err := tx.Events(vitrine.EventQuery{Account: v.Account.ID, Until: math.MaxInt64})
		for _, e := range list {
			kinds = append(kinds, string(e.Kind))
		}
		return err
	}))
	return strings.Join(kinds, " ")
}

// trash returns the slugs in the trash.
func (v *versioned) trash() (slugs []vitrine.Slug) {
	v.T.Helper()
	list, _, err := v.Links.Trash(v.T.Context(), v.Account, vitrine.LinkCursor{}, 10)
	v.Must(err)
	for _, l := range list {
		slugs = append(slugs, l.Slug)
	}
	return slugs
}

// TestTrash checks that a deleted link is gone for everybody but in the trash,
// where it takes no place, and that restoring brings back all of it.
func TestTrash(t *testing.T) { onEach(t, testTrash) }

func testTrash(t *testing.T, v *versioned) {
	v.view()
	v.replace("text 2")
	before, slug := v.events(), string(v.link.Slug)
	v.byOwner()
	_, _, err := v.Links.Public(t.Context(), v.link.Slug, access.Asker{})
	_, err2 := v.Links.Of(t.Context(), v.Account, slug)
	if vitrine.CodeOf(err) != vitrine.CodeNotFound || vitrine.CodeOf(err2) != vitrine.CodeNotFound {
		t.Errorf("in the trash: Public = %v, Of = %v, want not_found", err, err2)
	}
	for version := range 3 {
		if got := v.text(version); got != "not_found" {
			t.Errorf("in the trash, version %d is %q", version, got)
		}
	}
	if n, bytes := v.count(); n != 0 || bytes != 0 {
		t.Errorf("in the trash it counts as %d links with %d bytes", n, bytes)
	}
	if disk, counted := v.stored(); disk != 12 || counted != 12 {
		t.Errorf("in the trash %d bytes are stored and %d count, want 12", disk, counted)
	}
	vitrinetest.Equal(t, "trash", v.trash(), []vitrine.Slug{v.link.Slug})
	if r := v.account(); r.Totals.Views != 1 || r.Trash == nil || *r.Trash != (report.Trashed{Links: 1, Views: 1}) ||
		len(r.TopLinks) != 1 || !r.TopLinks[0].Trashed || r.AllTime.Links != 0 {
		t.Errorf("report with the link in the trash: %+v, %+v, %+v", r.Totals.Views, r.Trash, r.TopLinks)
	}
	v.Clock.Advance(29 * 24 * time.Hour)
	v.Must(v.Links.Purge(t.Context()))
	l, err := v.Links.Revive(t.Context(), v.Account, slug, nil)
	v.Must(err)
	if l.ID != v.link.ID || string(l.Slug) != slug || l.State != vitrine.StateLive {
		t.Errorf("restored link = %+v", l)
	}
	v.want("text 2", "2 live current; 1 live; ")
	if r := v.account(); v.views() != 1 || r.Trash != nil || r.TopLinks[0].Trashed {
		t.Errorf("after the restore: %d views, %+v", v.views(), r.Trash)
	}
	vitrinetest.Equal(t, "events", v.events(), before+" link.deleted link.live")
	o, err := v.Links.Own(t.Context(), v.Account, slug)
	v.Must(err)
	if o.Undoable || o.History[0].Action != vitrine.ActionRevive {
		t.Errorf("history after the restore: undoable %v, %+v", o.Undoable, o.History[0])
	}
}

// TestTrashEnds checks that a link leaves the trash after thirty days, or when
// its owner says so, and that a purge then deletes all of it, with one event.
func TestTrashEnds(t *testing.T) { onEach(t, testTrashEnds) }

func testTrashEnds(t *testing.T, v *versioned) {
	for _, now := range []bool{true, false} {
		v.view()
		v.replace("text 2")
		v.byOwner()
		before, slug := v.events(), string(v.link.Slug)
		if now {
			_, err := v.Links.DeleteOwn(t.Context(), v.Account, slug, links.Deletion{Permanent: true})
			if vitrine.CodeOf(err) != vitrine.CodeNotFound {
				t.Errorf("DeleteOwn of a link in the trash = %v, want not_found", err)
			}
			v.Must(v.Links.DeleteTrashed(t.Context(), v.Account, slug))
		} else {
			v.Clock.Advance(links.TrashLife)
			v.Must(v.Links.Purge(t.Context()))
		}
		if disk, counted := v.stored(); disk != 0 || counted != 0 || v.views() != 0 {
			t.Errorf("%d bytes are stored and %d count, %d views, want 0", disk, counted, v.views())
		}
		if _, err := v.Links.Revive(t.Context(), v.Account, slug, nil); vitrine.CodeOf(err) != vitrine.CodeNotFound {
			t.Errorf("Revive of a purged link = %v, want not_found", err)
		}
		vitrinetest.Equal(t, "events", v.events(), before)
		v.Audit()
		if now {
			v.link = v.Note("text 1")
		}
	}
}

// TestTrashMakesRoom checks that the oldest of the trash goes when an upload
// needs the room, and no more of it than needed.
func TestTrashMakesRoom(t *testing.T) { onEach(t, testTrashMakesRoom) }

func testTrashMakesRoom(t *testing.T, v *versioned) {
	v.shrink()
	v.Must(v.Links.DeleteTrashed(t.Context(), v.Account, func() string { v.byOwner(); return string(v.link.Slug) }()))
	text := func(n string) string { return n + strings.Repeat(".", fileSize-1) }
	var slugs []vitrine.Slug
	for _, n := range []string{"1", "2", "3"} {
		v.link = v.Note(text(n))
		slugs = append(slugs, v.link.Slug)
		v.Clock.Advance(time.Minute)
		v.byOwner()
		v.fits("deletion " + n)
	}
	vitrinetest.Equal(t, "trash", v.trash(), []vitrine.Slug{slugs[2], slugs[1], slugs[0]})
	v.Note(text("4"))
	v.fits("an upload")
	vitrinetest.Equal(t, "trash after an upload", v.trash(), []vitrine.Slug{slugs[2], slugs[1]})
	_, err := v.Links.Revive(t.Context(), v.Account, string(slugs[1]), nil)
	v.Must(err)
	v.Note(text("5"))
	v.fits("another upload")
	vitrinetest.Equal(t, "trash at the end", v.trash(), []vitrine.Slug(nil))
}

// TestReviveNeedsPlace checks that restoring needs a free place and room in the
// plan, and shows nothing that was taken down in the meantime.
func TestReviveNeedsPlace(t *testing.T) { onEach(t, testReviveNeedsPlace) }

func testReviveNeedsPlace(t *testing.T, v *versioned) {
	ctx, slug := t.Context(), string(v.link.Slug)
	limit := func(l vitrine.Limits) { v.Links.Plans = vitrine.Plans{v.Account.Plan: l} }
	v.byOwner()
	other := v.Note("another text")
	for _, c := range []struct {
		limits vitrine.Limits
		want   vitrine.Code
	}{{vitrine.Limits{Links: 1}, vitrine.CodeLinkLimit}, {vitrine.Limits{StorageBytes: 13}, vitrine.CodeStorageLimit}} {
		limit(c.limits)
		if _, err := v.Links.Revive(ctx, v.Account, slug, nil); vitrine.CodeOf(err) != c.want {
			t.Errorf("Revive with %+v = %v, want %s", c.limits, err, c.want)
		}
		v.Audit()
	}
	limit(vitrine.Limits{Links: 2})
	_, err := v.Links.Revive(ctx, v.Account, slug, nil)
	v.Must(err)
	v.byOwner()
	same := v.Note("text 1")
	_, err = v.Links.Disable(ctx, string(same.Slug), fixture.Administrator(""))
	v.Must(err)
	limit(vitrine.Limits{})
	if _, err := v.Links.Revive(ctx, v.Account, slug, nil); vitrine.CodeOf(err) != vitrine.CodeForbidden {
		t.Errorf("Revive of bytes that were taken down = %v, want forbidden", err)
	}
	if _, err := v.Links.Revive(ctx, v.Account, string(other.Slug), nil); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Errorf("Revive of a link that is not in the trash = %v, want not_found", err)
	}
	v.Audit()
}

// TestWithheldSkipsTrash checks that a link that a moderator took down never
// is in the trash, whether it was deleted before or after, and that a moderator
// sees what is in the trash.
func TestWithheldSkipsTrash(t *testing.T) { onEach(t, testWithheldSkipsTrash) }

func testWithheldSkipsTrash(t *testing.T, v *versioned) {
	ctx := t.Context()
	for what, takeDown := range map[string]func(){
		"disabled, then deleted": func() {
			_, err := v.Links.Disable(ctx, string(v.link.Slug), fixture.Administrator(""))
			v.Must(err)
			v.byOwner()
		},
		"deleted, then disabled": func() {
			v.byOwner()
			c, err := (&moderation.Service{Store: v.Store, Now: v.Clock.Now}).Case(ctx, string(v.link.Slug))
			if err != nil || !c.Link.InTrash() {
				t.Errorf("Case of a link in the trash = %+v, %v", c, err)
			}
			_, err = v.Links.Disable(ctx, string(v.link.Slug), fixture.Administrator(""))
			v.Must(err)
		},
		"deleted, then rejected with the same bytes": func() {
			v.byOwner()
			same := v.Note(v.content())
			_, err := v.Links.RejectSame(ctx, string(same.Slug), fixture.Administrator(""))
			v.Must(err)
			v.Must(v.Links.Delete(ctx, string(same.Slug), fixture.Administrator("")))
		},
	} {
		v.link = v.Note(what)
		takeDown()
		v.Must(v.Links.Purge(ctx))
		if list := v.trash(); len(list) > 0 {
			t.Errorf("%s: %q is in the trash", what, list)
		}
		if _, err := v.Blobs.Stat(ctx, v.link.Upload); !errors.Is(err, vitrine.ErrNotFound) {
			t.Errorf("%s: its bytes: %v, want ErrNotFound", what, err)
		}
		v.Audit()
	}
}

// content returns the text of the link, from storage.
func (v *versioned) content() string {
	v.T.Helper()
	b, err := v.Blobs.Open(v.T.Context(), v.link.Upload)
	v.Must(err)
	defer b.Close()
	text := make([]byte, b.Size())
	_, err = b.ReadAt(text, 0)
	v.Must(err)
	return string(text)
}

// TestTrashEndsAtEveryStep ends a purge of the trash before and after each
// operation, as a crash does. Another process finishes it, and neither is there
// ever a link in the trash without its bytes, nor are bytes left that count for
// nobody.
func TestTrashEndsAtEveryStep(t *testing.T) {
	v := newVersioned(t)
	for _, after := range []bool{false, true} {
		for n := int64(1); ; n++ {
			v.view()
			v.replace("text 2")
			v.byOwner()
			v.lapse()
			f := &fixture.Injector{N: n, After: after}
			dying := &links.Service{Store: f.Store(v.Store), Blobs: f.Blobs(v.Blobs), Log: f.ViewLog(v.Log),
				Now: v.Clock.Now, Plans: v.Links.Plans, Gates: v.Links.Gates}
			_ = dying.Purge(t.Context())
			v.Audit()
			v.Clock.Advance(6 * time.Minute)
			v.Must(v.Links.Purge(t.Context()))
			v.Audit()
			if disk, counted := v.stored(); disk != 0 || counted != 0 || v.views() != 0 {
				t.Fatalf("with operation %d failing (after: %v): %d bytes, %d count, %d views", n, after, disk, counted,
					v.views())
			}
			v.link = v.Note("text 1")
			if !f.Hit() {
				t.Logf("%d operations (after: %v)", f.Operations(), after)
				break
			}
		}
	}
}

// lapse moves back the time at which the link leaves the trash, with its
// versions: a bucket does not follow a clock that is ahead by weeks.
func (v *versioned) lapse() {
	v.T.Helper()
	v.Must(v.Store.Update(v.T.Context(), func(tx vitrine.Tx) error {
		trashed, err := tx.Links(vitrine.LinkQuery{Account: v.Account.ID, Trash: true, Sort: vitrine.SortDeleted})
		for _, l := range trashed {
			l.TrashUntil = v.Clock.Now()
			err = errors.Join(err, tx.PutLink(l))
		}
		return err
	}))
}

// TestTrashAndRestoreTogether has one process restore a link at the time at
// which another purges it and a third uploads what needs the room: the link is
// restored with its bytes, or not at all.
func TestTrashAndRestoreTogether(t *testing.T) { onEach(t, testTrashAndRestoreTogether) }

func testTrashAndRestoreTogether(t *testing.T, v *versioned) {
	v.shrink()
	plans := vitrine.Plans{v.Account.Plan: {StorageBytes: fileSize, HourlyUploads: 1000}}
	v.Uploads.Plans, v.Links.Plans = plans, plans
	for range 4 {
		v.byOwner()
		v.lapse()
		second := &links.Service{Store: v.Store, Blobs: v.Blobs, Log: v.Log, Now: v.Clock.Now, Plans: v.Links.Plans,
			Gates: v.Links.Gates}
		purged := make(chan error, 2)
		go func() { purged <- second.Purge(t.Context()) }()
		go func() {
			_, err := v.Uploads.Create(t.Context(), v.Account, publish.UploadRequest{Name: "a.txt", Type: "text/plain",
				Size: fileSize})
			if vitrine.CodeOf(err) == vitrine.CodeStorageLimit { // the link is restored
				err = nil
			}
			purged <- err
		}()
		_, err := v.Links.Revive(t.Context(), v.Account, string(v.link.Slug), nil)
		if code := vitrine.CodeOf(err); err != nil && code != vitrine.CodeNotFound && code != vitrine.CodeStorageLimit {
			t.Errorf("Revive = %v, want nil, not_found or storage_limit", err)
		}
		v.Must(errors.Join(<-purged, <-purged))
		if got := v.text(0); err == nil != (got == "text 1") {
			t.Errorf("Revive = %v, and the text is %q", err, got)
		}
		v.Clock.Advance(2 * time.Hour) // the upload has lapsed
		v.Audit()
		if err != nil {
			v.link = v.Note("text 1")
		}
	}
}
