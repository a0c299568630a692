package web_test

import (
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// TestFailedUploadHoldsNothing checks that an upload that a check of the file
// refused holds nothing from that moment, and that a mistake in a request,
// which can be corrected, does not end the upload.
func TestFailedUploadHoldsNothing(t *testing.T) {
	f := newFixture(t)
	key := f.account(vitrine.PlanFree)
	c := caller{f, key}
	f.limits(vitrine.Limits{Links: 1, StorageBytes: 1000, HourlyUploads: 1000})
	whole := f.server.Uploads.Blobs
	for code, file := range map[string]struct{ name, kind, content string }{
		"content_mismatch": {"a.pdf", "application/pdf", "no PDF at all"},
		"unsafe_file":      {"a.txt", "text/plain", "#!/bin/sh\nrm -rf /\n"},
		"malware":          {"a.txt", "text/plain", string(vitrinetest.EICAR())},
		"size_mismatch":    {"a.txt", "text/plain", note},
	} {
		if code == "size_mismatch" { // storage has another number of bytes
			f.server.Uploads.Blobs = shorterBlobs{whole}
		}
		request := fields{"name": file.name, "type": file.kind, "size": len(file.content)}
		path := f.stored(key, request, file.content)
		f.call(key, "POST", "/uploads", noteFile).want(403, "link_limit")
		c.complete(path, request).want(400, code)
		c.complete(path, request).want(400, code)
		f.server.Uploads.Blobs = whole
		next, _ := f.begun(key, noteFile)
		f.call(key, "POST", "/uploads/cancel", fields{"path": next}).want(204, "")
	}

	path := f.stored(key, noteFile, note)
	c.complete(path, noteFile.with(fields{"linkName": "\u202e"})).want(400, "invalid_request")
	c.complete(path, noteFile.with(fields{"name": "other.txt"})).want(400, "idempotency_mismatch")
	f.call(key, "POST", "/uploads", noteFile).want(403, "link_limit")
	c.complete(path, noteFile).want(200, "")
	f.audit()
}

// TestFailedUploadsAtOnce completes and cancels good and refused uploads many
// times at once, while others begin: what holds a place afterwards is exactly
// the plan's number of links, so no place was lost or freed twice.
func TestFailedUploadsAtOnce(t *testing.T) {
	const most = 6
	onEachStore(t, func(t *testing.T, store string) {
		f := newFixtureAt(t, store)
		key := f.account(vitrine.PlanFree)
		f.limits(vitrine.Limits{Links: most, StorageBytes: 1_000_000, HourlyUploads: 1000})
		bad := "#!/bin/sh\nrm -rf /\n"
		file := func(i int) (fields, string) {
			if i%2 == 0 {
				return noteFile, note
			}
			return noteFile.with(fields{"size": len(bad)}), bad
		}
		var paths []string
		for i := range most {
			request, content := file(i)
			paths = append(paths, f.stored(key, request, content))
		}
		begun := parallel(8*most, func(i int) bool {
			request, _ := file(i % most)
			path := paths[i%most]
			switch i / most {
			case 0, 1, 2:
				f.call(key, "POST", "/uploads/complete", request.with(fields{"path": path, "size": nil}))
			case 3:
				if i%2 == 1 {
					f.call(key, "POST", "/uploads/cancel", fields{"path": path})
				}
			default:
				return f.call(key, "POST", "/uploads", noteFile).Status == 200
			}
			return false
		})
		held := strings.Count(string(f.call(key, "GET", "/links?limit=100", nil).want(200, "").Body), `"slug"`)
		if held != most/2 {
			t.Errorf("%d links, want %d", held, most/2)
		}
		for _, ok := range begun {
			if ok {
				held++
			}
		}
		for f.call(key, "POST", "/uploads", noteFile).Status == 200 {
			held++
		}
		if held != most {
			t.Errorf("%d links and uploads hold a place, want %d", held, most)
		}
		f.audit()
	})
}
