package content_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"
)

// TestBucketHangs checks that nobody waits for a bucket that hangs: the page of
// a file that was not shown before comes without its content, and says so;
// downloads and bytes answer 503; the export of an account ends. When the
// bucket works again, so do they.
func TestBucketHangs(t *testing.T) {
	server := vitrinetest.S3(t)
	d, _ := webtest.NewBucketSiteOn(t, server)
	d.Server.StorageTime = 200 * time.Millisecond
	ask := &http.Client{Timeout: vitrinetest.SeenWithin / 2} // far less than all attempts to reach the bucket take
	get := func(address string) (status int, body string) {
		t.Helper()
		if strings.HasPrefix(address, "/") {
			address = d.URL + address
		}
		res, err := ask.Get(address)
		if err != nil {
			t.Errorf("GET %s: %v", address, err)
			return 0, ""
		}
		defer res.Body.Close()
		all, err := io.ReadAll(res.Body)
		d.Check(err)
		return res.StatusCode, string(all)
	}
	files := map[string]string{"notes.md": "# Heading of the notes", "list.txt": "Heading of the notes",
		"table.csv": "Heading of the notes,2\n3,4\n", "data.json": `{"a": "Heading of the notes"}`,
		"page.html": "<!DOCTYPE html><title>A</title>Heading of the notes"}
	pages, bytes := map[string]string{}, map[string]string{}
	for name, content := range files {
		l := d.Sent(name, content)
		pages[name] = "/p/" + string(l.Slug)
		bytes[name] = pages[name] + "/download"
		bytes[name+", file"] = d.ContentAddress(l, "file")
		if name == "page.html" {
			bytes[name+", frame"] = d.ContentAddress(l, "frame")
			delete(bytes, name+", file")
		}
	}
	thaw := server.Freeze(t)
	for name, page := range pages {
		status, body := get(page)
		if status != http.StatusOK || strings.Contains(body, "Heading of the notes") {
			t.Errorf("%s of a bucket that hangs: status %d, want 200 without the content", name, status)
		}
		if name != "page.html" && !strings.Contains(body, "cannot be shown right now") { // it has a frame
			t.Errorf("%s of a bucket that hangs does not say so", name)
		}
	}
	for name, address := range bytes {
		if status, _ := get(address); status != http.StatusServiceUnavailable {
			t.Errorf("%s of a bucket that hangs: status %d, want 503", name, status)
		}
	}
	export, err := http.NewRequest(http.MethodGet, d.URL+"/account/export", nil)
	d.Check(err)
	name, value, _ := strings.Cut(d.SignIn(d.Member), ": ")
	export.Header.Set(name, value)
	status := http.StatusOK
	res, err := ask.Do(export)
	if err == nil {
		status = res.StatusCode
		_, err = io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	if late, ok := err.(interface{ Timeout() bool }); ok && late.Timeout() || err == nil && status == http.StatusOK {
		t.Errorf("an export from a bucket that hangs: status %d, %v, want 503, or an end before its own", status, err)
	}
	thaw()
	for name, page := range pages {
		vitrinetest.WaitFor(t, vitrinetest.SeenWithin, name+" is shown again", func() bool {
			status, body := get(page)
			return status == http.StatusOK && !strings.Contains(body, "cannot be shown right now")
		})
	}
	for name, address := range bytes {
		if status, body := get(address); status != http.StatusOK || !strings.Contains(body, "Heading of the notes") {
			t.Errorf("%s of a bucket that works again: status %d", name, status)
		}
	}
}
