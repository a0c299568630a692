package app_test

import (
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/publish"
	"vitrine/internal/test/webtest"
)

// TestLimitsHeldByUnfinishedUploads checks the error of a limit that unfinished
// uploads have reached: how much they hold, until when, and how to make room.
func TestLimitsHeldByUnfinishedUploads(t *testing.T) {
	const size = int64(len(webtest.Note))
	f := webtest.NewFixture(t)
	f.Limits(vitrine.Limits{Links: 2, StorageBytes: 3 * size, HourlyUploads: 1000})
	key := f.Account(vitrine.PlanFree)
	start := f.Clock.Now()
	refused := func(code string, members map[string]any, retryAfter string, contains, silent []string) webtest.Answer {
		t.Helper()
		a := f.Call(key, "POST", "/uploads", webtest.NoteFile.With(webtest.Fields{"size": 2 * size})).Want(403, code)
		got := a.JSON()
		for name, want := range members {
			if got[name] != want {
				t.Errorf("%s = %v, want %v: %s", name, got[name], want, a.Body)
			}
		}
		if got := a.Header.Get("Retry-After"); got != retryAfter {
			t.Errorf("Retry-After = %q, want %q: %s", got, retryAfter, a.Body)
		}
		for _, s := range contains {
			if !strings.Contains(a.Text("error"), s) {
				t.Errorf("the message lacks %q: %s", s, a.Body)
			}
		}
		for _, s := range silent {
			if strings.Contains(a.Text("error"), s) {
				t.Errorf("the message contains %q: %s", s, a.Body)
			}
		}
		return a
	}
	at := func(d time.Duration) string { return start.Add(d).UTC().Format("2006-01-02T15:04:05.000Z") }

	// Two begun uploads of an account without links.
	f.Begun(key, webtest.NoteFile)
	f.Clock.Advance(5 * time.Minute)
	path, url := f.Begun(key, webtest.NoteFile)
	f.Clock.Advance(time.Minute)
	refused("link_limit", map[string]any{"limit": 2.0, "used": 2.0, "held": 2.0, "heldUntil": at(15 * time.Minute)},
		"540",
		[]string{"Unfinished uploads hold 2 of them", "UTC", "Wait until then"}, []string{"elete"})

	// The time is in the zone of the account.
	me, err := f.Server.Accounts.ByEmail(t.Context(), f.Emails[key])
	f.Check(err)
	f.Check(f.Server.Accounts.SetTimeZone(t.Context(), me.ID, "Asia/Kolkata"))
	refused("link_limit", nil, "540", []string{"IST. Wait until then"}, []string{"UTC"})

	// One of them becomes a link; the other still holds a slot.
	f.Put(url, "text/plain", strings.NewReader(webtest.Note)).Want(200, "")
	slug := f.Call(key, "POST", "/uploads/complete", webtest.NoteFile.With(webtest.Fields{"path": path})).Want(200,
		"").Text("slug")
	refused("link_limit", map[string]any{"limit": 2.0, "used": 2.0, "held": 1.0, "heldUntil": at(15 * time.Minute)},
		"540",
		[]string{"hold 1 of them", "delete a link"}, nil)

	// Only links.
	f.Limits(vitrine.Limits{Links: 1, StorageBytes: 3 * size, HourlyUploads: 1000})
	f.Clock.Advance(9 * time.Minute)
	refused("link_limit", map[string]any{"used": 1.0, "held": nil, "heldUntil": nil}, "", []string{"Delete a link"},
		[]string{"nfinished"})

	// Storage, as with links: where waiting helps and where it does not.
	f.Limits(vitrine.Limits{Links: 10, StorageBytes: 3 * size, HourlyUploads: 1000})
	f.Begun(key, webtest.NoteFile)
	refused("storage_limit", map[string]any{"limit": float64(3 * size), "used": float64(2 * size),
		"held": float64(size), "heldUntil": at(30 * time.Minute)}, "900",
		[]string{"Unfinished uploads hold", "delete a link"}, nil)
	f.Limits(vitrine.Limits{Links: 10, StorageBytes: size, HourlyUploads: 1000})
	refused("storage_limit", map[string]any{"held": float64(size), "heldUntil": at(30 * time.Minute)}, "",
		[]string{"Delete a link"}, []string{"Wait"})
	f.Delete(slug)
	refused("storage_limit", map[string]any{"held": float64(size)}, "", nil, []string{"elete", "Wait"})
	f.Audit()
}

// TestDashboardHeldByUnfinishedUploads checks that the dashboard shows the
// same, and does not suggest to delete links where there are none.
func TestDashboardHeldByUnfinishedUploads(t *testing.T) {
	d := webtest.NewDesk(t)
	d.Server.Uploads.Plans[d.Member.Plan] = vitrine.Limits{Links: 1, StorageBytes: 1_000_000, HourlyUploads: 20}
	if _, err := d.Server.Uploads.Create(t.Context(), d.Member,
		publish.UploadRequest{Name: "a.txt", Type: "text/plain", Size: 1500}); err != nil {
		t.Fatal(err)
	}
	page := d.Status(d.Get("/dashboard", d.SignIn(d.Member)), 200).Text
	_, full, _ := strings.Cut(page, `<div id="full"`)
	full, _, _ = strings.Cut(full, "</div>")
	if !strings.Contains(full, "Unfinished uploads hold 1 link and 1.5 kB for at most 15 minutes.") ||
		strings.Contains(full, "elete") {
		t.Errorf("the page says %q", full)
	}
}

// TestStorageLimitsTheDisk checks that the plan's storage limits all stored
// bytes, completed or not. An expired upload can be completed until its space
// is needed.
func TestStorageLimitsTheDisk(t *testing.T) {
	f := webtest.NewFixture(t)
	const most = 3
	f.Limits(vitrine.Limits{StorageBytes: most * int64(len(webtest.Note)), HourlyUploads: 1000})
	key, other := f.Account(vitrine.PlanFree), f.Account(vitrine.PlanFree)
	kept := f.Stored(other, webtest.NoteFile, webtest.Note)
	var paths []string
	stored := func() (n int) {
		for _, p := range paths {
			if f.BlobExists(p) {
				n++
			}
		}
		return n
	}
	complete := func(key, path string) webtest.Answer {
		return f.Call(key, "POST", "/uploads/complete", webtest.NoteFile.With(webtest.Fields{"path": path}))
	}
	for range 4 {
		for range most {
			paths = append(paths, f.Stored(key, webtest.NoteFile, webtest.Note))
			f.Clock.Advance(time.Second)
			if n := stored(); n > most {
				t.Fatalf("%d files are stored, want at most %d", n, most)
			}
		}
		f.Clock.Advance(vitrine.UploadHold)
	}
	if n := stored(); n != most {
		t.Errorf("%d files are stored although no space was needed, want %d", n, most)
	}
	last := len(paths) - 1
	complete(key, paths[0]).Want(400, "upload_not_found")
	slug := complete(key, paths[last]).Want(200, "").Text("slug")
	f.Stored(key, webtest.NoteFile, webtest.Note) // replaces the older of two
	complete(key, paths[last-2]).Want(400, "upload_not_found")
	complete(key, paths[last-1]).Want(200, "")
	complete(other, kept).Want(200, "")
	if f.OpenPage(slug) != 200 {
		t.Error("the page of the link is gone")
	}
	f.Audit()
}

// TestCancelledUploadHoldsNothing cancels the only upload that a plan allows:
// the next may begin at once, with the same key and slug.
func TestCancelledUploadHoldsNothing(t *testing.T) {
	f := webtest.NewFixture(t)
	f.Server.Uploads.Plans[vitrine.PlanPro] = vitrine.Limits{Links: 1, StorageBytes: int64(len(webtest.Note)),
		HourlyUploads: 1000}
	key, other := f.Account(vitrine.PlanPro), f.Account(vitrine.PlanPro)
	file := webtest.NoteFile.With(webtest.Fields{"slug": "my-note",
		"idempotencyKey": "123e4567-e89b-12d3-a456-426614174000"})
	cancel := func(key, path string) webtest.Answer {
		return f.Call(key, "POST", "/uploads/cancel", webtest.Fields{"path": path})
	}

	path, url := f.Begun(key, file)
	f.Put(url, "text/plain", strings.NewReader(webtest.Note)).Want(200, "")
	f.Call(key, "POST", "/uploads", webtest.NoteFile).Want(403, "link_limit")
	cancel(other, path).Want(400, "upload_not_found")
	f.Call(key, "POST", "/uploads", webtest.NoteFile).Want(403, "link_limit")

	cancel(key, path).Want(204, "")
	cancel(key, path).Want(204, "")
	f.Call(key, "POST", "/uploads/complete", file.With(webtest.Fields{"path": path})).Want(400, "upload_not_found")
	if f.BlobExists(path) {
		t.Error("the bytes of the cancelled upload are still stored")
	}

	// The link of the second try stays.
	again, url := f.Begun(key, file)
	if again == path {
		t.Errorf("the path of a cancelled upload is used again")
	}
	f.Put(url, "text/plain", strings.NewReader(webtest.Note)).Want(200, "")
	f.Call(key, "POST", "/uploads/complete", file.With(webtest.Fields{"path": again})).Want(200, "")
	cancel(key, again).Want(400, "upload_not_found")
	f.Call(key, "GET", "/links/my-note", nil).Want(200, "")
	f.Audit()
}
