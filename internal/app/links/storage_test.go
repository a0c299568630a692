package links_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/publish"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/vitrinetest"
)

// The storage of a plan, which is full after three files.
const fileSize, room = 1000, 3000

func (v *versioned) shrink() {
	plans := vitrine.Plans{v.Account.Plan: {Links: 5, FileBytes: fileSize, StorageBytes: room, HourlyUploads: 1000,
		Versions: 1}}
	v.Uploads.Plans, v.Links.Plans, v.Versions.Plans, v.Scans.Plans = plans, plans, plans, plans
}

// stored returns the bytes in storage, and those that count for the account.
func (v *versioned) stored() (disk, counted int64) {
	v.T.Helper()
	v.Must(v.Blobs.Each(v.T.Context(), func(_ vitrine.UploadID, b vitrine.BlobInfo) error {
		disk += b.Size
		return nil
	}))
	v.Must(v.Store.Read(v.T.Context(), func(tx vitrine.Tx) error {
		_, bytes, err1 := tx.CountLinks(v.Account.ID)
		_, held, err2 := tx.Held(v.Account.ID, v.Clock.Now(), "")
		spare, err3 := tx.CountSpare(v.Account.ID, v.Clock.Now())
		counted = bytes + held + spare
		return errors.Join(err1, err2, err3)
	}))
	return disk, counted
}

// fits checks that all that is stored counts, and fits into the plan.
func (v *versioned) fits(after string) {
	v.T.Helper()
	if disk, counted := v.stored(); disk > counted || disk > room {
		v.T.Errorf("after %s, %d bytes are stored, and %d of %d count", after, disk, counted, room)
	}
	v.Audit()
}

// TestReplacedBytesCount checks that replaced files never use more storage than
// the plan has, are kept for their readers while there is room, and are purged
// oldest first.
func TestReplacedBytesCount(t *testing.T) { onEach(t, testReplacedBytesCount) }

func testReplacedBytesCount(t *testing.T, v *versioned) {
	v.shrink()
	text := func(n int) string { return fmt.Sprintf("%-*d", fileSize, n) }
	for n := 2; n <= 12; n++ {
		v.Clock.Advance(time.Second)
		_, err := v.Replace(v.link, "note.txt", text(n))
		v.Must(err)
		v.fits(fmt.Sprint("version ", n))
		switch n {
		case 3:
			if got := v.text(1); got != "text 1" {
				t.Errorf("version 1 is %q, although there is room for it", got)
			}
		case 12:
			if disk, counted := v.stored(); disk != room || counted != room {
				t.Errorf("%d bytes are stored and %d count, want %d", disk, counted, room)
			}
			for version, want := range map[int]string{12: text(12), 11: text(11), 10: text(10), 9: "not_found"} {
				if got := v.text(version); got != want {
					t.Errorf("version %d is %.20q, want %.20q", version, got, want)
				}
			}
		}
	}
	v.Clock.Advance(13 * time.Hour) // the tokens of pages have expired
	v.Must(v.Links.Purge(t.Context()))
	if disk, counted := v.stored(); disk != 2*fileSize || counted != disk {
		t.Errorf("a day later %d bytes are stored and %d count, want %d", disk, counted, 2*fileSize)
	}
}

// TestStorageIsNeverPassed uploads, replaces, deletes, cancels and gives up in
// a chance order, with storage that fails now and then. All that is stored
// counts for the account, and never exceeds the plan.
func TestStorageIsNeverPassed(t *testing.T) { onEach(t, testStorageIsNeverPassed) }

func testStorageIsNeverPassed(t *testing.T, v *versioned) {
	v.shrink()
	seed := vitrinetest.Seed(t)
	chance := rand.New(rand.NewPCG(seed, 1))
	content := func() string {
		return strings.Repeat(fmt.Sprintf("%9d\n", chance.IntN(1e9)), 1+chance.IntN(fileSize/10))
	}
	begin := func(name, mime, content string) (string, error) {
		begun, err := v.Uploads.Create(t.Context(), v.Account, publish.UploadRequest{Name: name, Type: mime,
			Size: int64(len(content))})
		if err == nil {
			v.Put(begun.Path, mime, content)
		}
		return string(begun.Path), err
	}
	var slugs, trashed, lapsed []string
	complete := func(path, name, mime string) {
		l, err := v.Uploads.Complete(t.Context(), v.Account,
			publish.CompleteRequest{Path: path, Name: name, Type: mime})
		if err == nil {
			slugs = append(slugs, string(l.Slug))
		}
	}
	steps := map[string]func(){
		"a replacement": func() { _, _ = v.Replace(v.link, "note.txt", content()) },
		"the same file": func() { _, _ = v.Replace(v.link, "note.txt", v.text(0)) },
		"an upload": func() {
			if path, err := begin("note.txt", "text/plain", content()); err == nil {
				complete(path, "note.txt", "text/plain")
			}
		},
		"a refused file": func() {
			if path, err := begin("photo.png", "image/png", content()); err == nil {
				complete(path, "photo.png", "image/png")
			}
		},
		"a cancelled upload": func() {
			if path, err := begin("note.txt", "text/plain", content()); err == nil {
				v.Must(v.Uploads.Cancel(t.Context(), v.Account, path))
			}
		},
		"an upload that is given up": func() {
			if path, err := begin("note.txt", "text/plain", content()); err == nil {
				lapsed = append(lapsed, path)
			}
		},
		"a late completion": func() {
			if len(lapsed) > 0 {
				complete(lapsed[0], "note.txt", "text/plain")
				lapsed = lapsed[1:]
			}
		},
		"a deletion": func() {
			if len(slugs) > 0 {
				v.Must(v.Links.Delete(t.Context(), slugs[0], fixture.Administrator("")))
				slugs = slugs[1:]
			}
		},
		"a restored version": func() {
			_, list, err := v.Versions.List(t.Context(), v.Account, string(v.link.Slug))
			v.Must(err)
			_, _ = v.Versions.Restore(t.Context(), v.Account, string(v.link.Slug), list[len(list)-1].Version, nil)
		},
		"a deletion to the trash": func() {
			if len(slugs) > 0 {
				v.Must(v.Links.Delete(t.Context(), slugs[0], vitrine.Decision{By: vitrine.Owner(v.Account.ID)}))
				trashed = append(trashed, slugs[0])
				slugs = slugs[1:]
			}
		},
		"a restored link": func() {
			if len(trashed) > 0 {
				if _, err := v.Links.Revive(t.Context(), v.Account, trashed[0], nil); err == nil {
					slugs = append(slugs, trashed[0])
				}
				trashed = trashed[1:]
			}
		},
		"a purge": func() { _ = v.Links.Purge(t.Context()) },
		"a sweep": func() { _ = v.Uploads.Sweep(t.Context()) },
	}
	failing := failingDeletes{v.Blobs, func() bool { return chance.IntN(4) == 0 }}
	v.Uploads.Blobs, v.Links.Blobs = failing, failing
	names := slices.Sorted(maps.Keys(steps))
	for n := range 60 {
		name := names[chance.IntN(len(names))]
		steps[name]()
		v.fits(fmt.Sprintf("step %d, %s", n, name))
		v.Clock.Advance(time.Duration(chance.IntN(20)) * time.Minute)
	}
}

// failingDeletes is storage that cannot delete now and then.
type failingDeletes struct {
	vitrine.Blobs
	fail func() bool
}

func (f failingDeletes) Delete(ctx context.Context, key vitrine.UploadID) error {
	if f.fail() {
		return errors.New("the storage is ill")
	}
	return f.Blobs.Delete(ctx, key)
}
