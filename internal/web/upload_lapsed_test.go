package web_test

import (
	"testing"
	"time"

	"vitrine"
)

// TestStorageLimitsTheDisk checks that the plan's storage limits all stored
// bytes, completed or not. An expired upload can be completed until its space
// is needed.
func TestStorageLimitsTheDisk(t *testing.T) {
	f := newFixture(t)
	const most = 3
	f.limits(vitrine.Limits{StorageBytes: most * int64(len(note)), HourlyUploads: 1000})
	key, other := f.account(vitrine.PlanFree), f.account(vitrine.PlanFree)
	kept := f.stored(other, noteFile, note)
	var paths []string
	stored := func() (n int) {
		for _, p := range paths {
			if f.blobExists(p) {
				n++
			}
		}
		return n
	}
	complete := func(key, path string) answer {
		return f.call(key, "POST", "/uploads/complete", noteFile.with(fields{"path": path}))
	}
	for range 4 {
		for range most {
			paths = append(paths, f.stored(key, noteFile, note))
			f.clock.Advance(time.Second)
			if n := stored(); n > most {
				t.Fatalf("%d files are stored, want at most %d", n, most)
			}
		}
		f.clock.Advance(vitrine.UploadHold)
	}
	if n := stored(); n != most {
		t.Errorf("%d files are stored although no space was needed, want %d", n, most)
	}
	last := len(paths) - 1
	complete(key, paths[0]).want(400, "upload_not_found")
	slug := complete(key, paths[last]).want(200, "").text("slug")
	f.stored(key, noteFile, note) // replaces the older of two
	complete(key, paths[last-2]).want(400, "upload_not_found")
	complete(key, paths[last-1]).want(200, "")
	complete(other, kept).want(200, "")
	if f.openPage(slug) != 200 {
		t.Error("the page of the link is gone")
	}
	f.audit()
}
