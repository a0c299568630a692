package web_test

import (
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/publish"
)

// TestLimitsHeldByUnfinishedUploads checks the error of a limit that unfinished
// uploads have reached: how much they hold, until when, and how to make room.
func TestLimitsHeldByUnfinishedUploads(t *testing.T) {
	const size = int64(len(note))
	f := newFixture(t)
	f.limits(vitrine.Limits{Links: 2, StorageBytes: 3 * size, HourlyUploads: 1000})
	key := f.account(vitrine.PlanFree)
	start := f.clock.Now()
	refused := func(code string, members map[string]any, retryAfter string, contains, silent []string) answer {
		t.Helper()
		a := f.call(key, "POST", "/uploads", noteFile.with(fields{"size": 2 * size})).want(403, code)
		got := a.json()
		for name, want := range members {
			if got[name] != want {
				t.Errorf("%s = %v, want %v: %s", name, got[name], want, a.Body)
			}
		}
		if got := a.Header.Get("Retry-After"); got != retryAfter {
			t.Errorf("Retry-After = %q, want %q: %s", got, retryAfter, a.Body)
		}
		for _, s := range contains {
			if !strings.Contains(a.text("error"), s) {
				t.Errorf("the message lacks %q: %s", s, a.Body)
			}
		}
		for _, s := range silent {
			if strings.Contains(a.text("error"), s) {
				t.Errorf("the message contains %q: %s", s, a.Body)
			}
		}
		return a
	}
	at := func(d time.Duration) string { return start.Add(d).UTC().Format("2006-01-02T15:04:05.000Z") }

	// Two begun uploads of an account without links.
	f.begun(key, noteFile)
	f.clock.Advance(5 * time.Minute)
	path, url := f.begun(key, noteFile)
	f.clock.Advance(time.Minute)
	refused("link_limit", map[string]any{"limit": 2.0, "used": 2.0, "held": 2.0, "heldUntil": at(15 * time.Minute)},
		"540",
		[]string{"Unfinished uploads hold 2 of them", "UTC", "Wait until then"}, []string{"elete"})

	// The time is in the zone of the account.
	me, err := f.server.Accounts.ByEmail(t.Context(), f.emails[key])
	f.check(err)
	f.check(f.server.Accounts.SetTimeZone(t.Context(), me.ID, "Asia/Kolkata"))
	refused("link_limit", nil, "540", []string{"IST. Wait until then"}, []string{"UTC"})

	// One of them becomes a link; the other still holds a slot.
	f.put(url, "text/plain", strings.NewReader(note)).want(200, "")
	slug := f.call(key, "POST", "/uploads/complete", noteFile.with(fields{"path": path})).want(200, "").text("slug")
	refused("link_limit", map[string]any{"limit": 2.0, "used": 2.0, "held": 1.0, "heldUntil": at(15 * time.Minute)},
		"540",
		[]string{"hold 1 of them", "delete a link"}, nil)

	// Only links.
	f.limits(vitrine.Limits{Links: 1, StorageBytes: 3 * size, HourlyUploads: 1000})
	f.clock.Advance(9 * time.Minute)
	refused("link_limit", map[string]any{"used": 1.0, "held": nil, "heldUntil": nil}, "", []string{"Delete a link"},
		[]string{"nfinished"})

	// Storage, as with links: where waiting helps and where it does not.
	f.limits(vitrine.Limits{Links: 10, StorageBytes: 3 * size, HourlyUploads: 1000})
	f.begun(key, noteFile)
	refused("storage_limit", map[string]any{"limit": float64(3 * size), "used": float64(2 * size),
		"held": float64(size), "heldUntil": at(30 * time.Minute)}, "900",
		[]string{"Unfinished uploads hold", "delete a link"}, nil)
	f.limits(vitrine.Limits{Links: 10, StorageBytes: size, HourlyUploads: 1000})
	refused("storage_limit", map[string]any{"held": float64(size), "heldUntil": at(30 * time.Minute)}, "",
		[]string{"Delete a link"}, []string{"Wait"})
	f.delete(slug)
	refused("storage_limit", map[string]any{"held": float64(size)}, "", nil, []string{"elete", "Wait"})
	f.audit()
}

// TestDashboardHeldByUnfinishedUploads checks that the dashboard shows the
// same, and does not suggest to delete links where there are none.
func TestDashboardHeldByUnfinishedUploads(t *testing.T) {
	d := newDesk(t)
	d.server.Uploads.Plans[d.member.Plan] = vitrine.Limits{Links: 1, StorageBytes: 1_000_000, HourlyUploads: 20}
	if _, err := d.server.Uploads.Create(t.Context(), d.member,
		publish.UploadRequest{Name: "a.txt", Type: "text/plain", Size: 1500}); err != nil {
		t.Fatal(err)
	}
	page := d.status(d.get("/dashboard", d.signIn(d.member)), 200).body
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

// TestCancelledUploadHoldsNothing cancels the only upload that a plan allows:
// the next may begin at once, with the same key and slug.
func TestCancelledUploadHoldsNothing(t *testing.T) {
	f := newFixture(t)
	f.server.Uploads.Plans[vitrine.PlanPro] = vitrine.Limits{Links: 1, StorageBytes: int64(len(note)),
		HourlyUploads: 1000}
	key, other := f.account(vitrine.PlanPro), f.account(vitrine.PlanPro)
	file := noteFile.with(fields{"slug": "my-note", "idempotencyKey": "123e4567-e89b-12d3-a456-426614174000"})
	cancel := func(key, path string) answer { return f.call(key, "POST", "/uploads/cancel", fields{"path": path}) }

	path, url := f.begun(key, file)
	f.put(url, "text/plain", strings.NewReader(note)).want(200, "")
	f.call(key, "POST", "/uploads", noteFile).want(403, "link_limit")
	cancel(other, path).want(400, "upload_not_found")
	f.call(key, "POST", "/uploads", noteFile).want(403, "link_limit")

	cancel(key, path).want(204, "")
	cancel(key, path).want(204, "")
	f.call(key, "POST", "/uploads/complete", file.with(fields{"path": path})).want(400, "upload_not_found")
	if f.blobExists(path) {
		t.Error("the bytes of the cancelled upload are still stored")
	}

	// The link of the second try stays.
	again, url := f.begun(key, file)
	if again == path {
		t.Errorf("the path of a cancelled upload is used again")
	}
	f.put(url, "text/plain", strings.NewReader(note)).want(200, "")
	f.call(key, "POST", "/uploads/complete", file.with(fields{"path": again})).want(200, "")
	cancel(key, again).want(400, "upload_not_found")
	f.call(key, "GET", "/links/my-note", nil).want(200, "")
	f.audit()
}
