package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vitrine/internal/cli/instance"
	"vitrine/internal/test/vitrinetest"
)

// fullDisk is a server whose data directory is on a small file system.
type fullDisk struct {
	*crowded
	disk string
}

func newFullDisk(t *testing.T, size string) *fullDisk {
	t.Helper()
	disk := vitrinetest.SmallFileSystem(t, size)
	h := &held{t: t, data: filepath.Join(disk, "data")}
	out, err := vitrineOn(h.data, "admin", "account", "create", "owner@example.org")
	if err != nil {
		t.Fatal(out)
	}
	words := strings.Fields(out)
	h.serve()
	c := &crowded{held: h, key: words[len(words)-1]}
	c.slug = h.upload(c.key).Slug
	return &fullDisk{c, disk}
}

func (d *fullDisk) filler() string { return filepath.Join(d.disk, "filler") }

// fill writes to the disk until it is full.
func (d *fullDisk) fill() {
	d.t.Helper()
	f, err := os.OpenFile(d.filler(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	for n := 1 << 20; n > 0; {
		if _, err := f.Write(make([]byte, n)); err != nil {
			n /= 2
		}
	}
}

func (d *fullDisk) empty() {
	d.t.Helper()
	if err := os.Remove(d.filler()); err != nil {
		d.t.Fatal(err)
	}
}

// ask returns the status of an answer. It fails the test if the status is 503
// without Retry-After.
func (d *fullDisk) ask(path string) int {
	d.t.Helper()
	req, err := http.NewRequestWithContext(d.t.Context(), http.MethodGet, d.url+path, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("User-Agent", person)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	if res.StatusCode == http.StatusServiceUnavailable && res.Header.Get("Retry-After") == "" {
		d.t.Errorf("GET %s: 503 without Retry-After", path)
	}
	return res.StatusCode
}

func (d *fullDisk) check(views int64) {
	d.t.Helper()
	d.views(views)
	d.stop(os.Interrupt)
	if out, err := vitrineOn(d.data, "admin", "audit", "--deep", "--all"); err != nil {
		d.t.Errorf("audit: %s", out)
	}
}

// TestDiskFullWithReserve checks that on a full disk pages are served and their
// views counted until the spool's reserve is used up. When there is room again
// all views are in the log.
func TestDiskFullWithReserve(t *testing.T) {
	t.Parallel()
	d := newFullDisk(t, "72m")
	d.fill()
	const n = 200
	for range n {
		if status := d.ask("/p/" + d.slug); status != http.StatusOK {
			t.Fatalf("page on a full disk: status %d, want 200", status)
		}
	}
	d.wait("spooling to disk")
	if status := d.ask("/readyz"); status != http.StatusOK {
		t.Errorf("/readyz while pages are served: status %d, want 200", status)
	}
	d.empty()
	d.wait("spool drained")
	d.check(n)
}

// TestDiskFullWithoutReserve checks that no page is served if its view cannot
// be written, and that the server reports that it is not ready. When there is
// room again it is ready, and all answered pages count.
func TestDiskFullWithoutReserve(t *testing.T) {
	t.Parallel()
	d := newFullDisk(t, "24m")
	d.fill()
	from := time.Now()
	views := int64(0)
	for refused := 0; refused < 10; {
		switch status := d.ask("/p/" + d.slug); status {
		case http.StatusOK:
			views++
		case http.StatusServiceUnavailable:
			refused++
		default:
			t.Fatalf("page: status %d, want 200 or 503", status)
		}
	}
	if status := d.ask("/readyz"); status != http.StatusServiceUnavailable {
		t.Errorf("/readyz while no page can be served: status %d, want 503", status)
	}
	if status := d.ask("/healthz"); status != http.StatusOK {
		t.Errorf("/healthz: status %d, want 200", status)
	}
	minutes := int(time.Since(from) / time.Minute)
	d.empty()
	if status := d.ask("/readyz"); status != http.StatusOK {
		t.Errorf("/readyz with room again: status %d, want 200", status)
	}
	if status := d.ask("/p/" + d.slug); status != http.StatusOK {
		t.Errorf("page with room again: status %d, want 200", status)
	}
	// The spool may wait half a minute before it is replayed.
	if some, err := instance.Spooled(d.data); err != nil || some {
		d.wait("spool drained")
	}
	d.check(views + 1)
	if n := strings.Count(d.log.drain(), "views cannot be written, so requests are refused"); n < 1 || n > minutes+1 {
		t.Errorf("in %d minutes the log has %d lines that views cannot be written", minutes, n)
	}
}
