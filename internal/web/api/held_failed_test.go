package api_test

import (
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"
)

// TestFailedUploadHoldsNothing checks that an upload that a check of the file
// refused holds nothing from that moment, and that a mistake in a request,
// which can be corrected, does not end the upload.
func TestFailedUploadHoldsNothing(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanFree)
	c := caller{f, key}
	f.Limits(vitrine.Limits{Links: 1, StorageBytes: 1000, HourlyUploads: 1000})
	whole := f.Server.Uploads.Blobs
	for code, file := range map[string]struct{ name, kind, content string }{
		"content_mismatch": {"a.pdf", "application/pdf", "no PDF at all"},
		"unsafe_file":      {"a.txt", "text/plain", "#!/bin/sh\nrm -rf /\n"},
		"malware":          {"a.txt", "text/plain", string(vitrinetest.EICAR())},
		"size_mismatch":    {"a.txt", "text/plain", webtest.Note},
	} {
		if code == "size_mismatch" { // storage has another number of bytes
			f.Server.Uploads.Blobs = shorterBlobs{whole}
		}
		request := webtest.Fields{"name": file.name, "type": file.kind, "size": len(file.content)}
		path := f.Stored(key, request, file.content)
		f.Call(key, "POST", "/uploads", webtest.NoteFile).Want(403, "link_limit")
		c.complete(path, request).Want(400, code)
		c.complete(path, request).Want(400, code)
		f.Server.Uploads.Blobs = whole
		next, _ := f.Begun(key, webtest.NoteFile)
		f.Call(key, "POST", "/uploads/cancel", webtest.Fields{"path": next}).Want(204, "")
	}

	path := f.Stored(key, webtest.NoteFile, webtest.Note)
	c.complete(path, webtest.NoteFile.With(webtest.Fields{"linkName": "\u202e"})).Want(400, "invalid_request")
	c.complete(path, webtest.NoteFile.With(webtest.Fields{"name": "other.txt"})).Want(400, "idempotency_mismatch")
	f.Call(key, "POST", "/uploads", webtest.NoteFile).Want(403, "link_limit")
	c.complete(path, webtest.NoteFile).Want(200, "")
	f.Audit()
}

// TestFailedUploadsAtOnce completes and cancels good and refused uploads many
// times at once, while others begin: what holds a place afterwards is exactly
// the plan's number of links, so no place was lost or freed twice.
func TestFailedUploadsAtOnce(t *testing.T) {
	const most = 6
	onEachStore(t, func(t *testing.T, store string) {
		f := webtest.NewFixtureAt(t, store)
		key := f.Account(vitrine.PlanFree)
		f.Limits(vitrine.Limits{Links: most, StorageBytes: 1_000_000, HourlyUploads: 1000})
		bad := "#!/bin/sh\nrm -rf /\n"
		file := func(i int) (webtest.Fields, string) {
			if i%2 == 0 {
				return webtest.NoteFile, webtest.Note
			}
			return webtest.NoteFile.With(webtest.Fields{"size": len(bad)}), bad
		}
		var paths []string
		for i := range most {
			request, content := file(i)
			paths = append(paths, f.Stored(key, request, content))
		}
		begun := webtest.Parallel(8*most, func(i int) bool {
			request, _ := file(i % most)
			path := paths[i%most]
			switch i / most {
			case 0, 1, 2:
				f.Call(key, "POST", "/uploads/complete", request.With(webtest.Fields{"path": path, "size": nil}))
			case 3:
				if i%2 == 1 {
					f.Call(key, "POST", "/uploads/cancel", webtest.Fields{"path": path})
				}
			default:
				return f.Call(key, "POST", "/uploads", webtest.NoteFile).Status == 200
			}
			return false
		})
		held := strings.Count(string(f.Call(key, "GET", "/links?limit=100", nil).Want(200, "").Body), `"slug"`)
		if held != most/2 {
			t.Errorf("%d links, want %d", held, most/2)
		}
		for _, ok := range begun {
			if ok {
				held++
			}
		}
		for f.Call(key, "POST", "/uploads", webtest.NoteFile).Status == 200 {
			held++
		}
		if held != most {
			t.Errorf("%d links and uploads hold a place, want %d", held, most)
		}
		f.Audit()
	})
}
