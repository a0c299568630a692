package storetest

import (
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// spareFiles checks that every file that an account does not need is on one
// list, oldest first, and that its sum is counted.
func (t storeTest) spareFiles() {
	ann, bob := t.account("ann@example.org"), t.account("bob@example.org")
	at := func(minutes int) time.Time { return vitrinetest.Epoch.Add(time.Duration(minutes) * time.Minute) }
	add := func(a *vitrine.Account, s vitrine.UploadState, minutes int, size int64) *vitrine.Upload {
		u := upload(a, "spare")
		u.State, u.Size, u.HoldUntil = s, size, time.Time{}
		if minutes > 0 {
			u.HoldUntil = at(minutes)
		}
		t.add(u)
		return u
	}
	failed, lapsed := add(ann, vitrine.UploadFailed, 30, 1), add(ann, vitrine.UploadOpen, 20, 10)
	unused := add(ann, vitrine.UploadDone, 5, 100)
	add(ann, vitrine.UploadFailed, 0, 5) // without bytes
	add(ann, vitrine.UploadDone, 0, 5)   // the bytes of a link
	later := add(ann, vitrine.UploadOpen, 40, 1000)
	add(bob, vitrine.UploadFailed, 1, 5)
	deleted := func(slug vitrine.Slug, minutes int, size int64) *vitrine.Link {
		l := link(ann, slug, 0)
		l.DeletedAt, l.Size = at(minutes), size
		return l
	}
	gone, replaced, purged, kept := deleted("gone", 10, 10_000), deleted("replaced", 25, 100_000),
		deleted("purged", 3, 5), deleted("bare", 3, 5)
	replaced.Of, replaced.Version = 4711, 1
	purged.HasBytes = false
	kept.Upload = "" // its views are to be purged
	t.addLinks(gone, replaced, purged, kept, link(ann, "live", 0))
	file := func(u *vitrine.Upload) vitrine.SpareFile {
		return vitrine.SpareFile{Key: u.ID, Size: u.Size, Since: u.HoldUntil}
	}
	check := func(now int, want ...vitrine.SpareFile) {
		t.read(func(tx vitrine.Tx) error {
			var sum int64
			for _, f := range want {
				sum += f.Size
			}
			list, err := tx.Spare(ann.ID, at(now))
			vitrinetest.Equal(t, "spare files", list, want)
			if err != nil {
				return err
			}
			bytes, err := tx.CountSpare(ann.ID, at(now))
			vitrinetest.Equal(t, "their sum", bytes, sum)
			return err
		})
	}
	check(19, file(unused), gone.SpareFile(), replaced.SpareFile(), file(failed))
	check(20, file(unused), gone.SpareFile(), file(lapsed), replaced.SpareFile(), file(failed))
	check(40, file(unused), gone.SpareFile(), file(lapsed), replaced.SpareFile(), file(failed), file(later))
}
