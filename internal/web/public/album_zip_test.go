package public_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/collections"
	"vitrine/internal/test/webtest"
)

// TestAlbumDownload checks that an album can be downloaded as one ZIP file of
// the files that may be downloaded now. Their names are unique and valid on
// every system.
func TestAlbumDownload(t *testing.T) {
	h := webtest.NewHosting(t)
	first, second := h.Publish("notes.txt", []byte("one\n")), h.Publish("Notes.TXT", []byte("two\n"))
	odd, device := h.Publish("5:00 ?.txt", []byte("three\n")), h.Publish("con.txt", []byte("four\n"))
	held, only := h.Publish("report.pdf", webtest.Samples["report.pdf"]), h.Publish("picture.png", webtest.Png,
		webtest.ViewOnly)
	album := h.Album("Spring/Summer", first, second, odd, only, device, held)
	path := "/a/" + string(album.Slug)
	page := h.Status(h.Get(path), 200)
	if address := h.Attr(page.Text, `href="(/a/[^"]+/download)"`); address != path+"/download" ||
		!strings.Contains(page.Text, "can be downloaded") {
		t.Errorf("the page offers %s\n%s", address, page.Text)
	}
	h.SetState(held, vitrine.StateReview)
	r := h.Status(h.Get(path+"/download"), 200)
	names, contents := h.Unzipped(r.Text)
	if want := []string{"notes.txt", "Notes (2).TXT", "5_00 _.txt", "_con.txt"}; !slices.Equal(names, want) {
		t.Errorf("names in the ZIP = %q, want %q", names, want)
	}
	if contents["notes.txt"] != "one\n" || contents["Notes (2).TXT"] != "two\n" {
		t.Errorf("contents of the ZIP = %q", contents)
	}
	if head := r.Header; head.Get("Content-Type") != "application/zip" ||
		head.Get("Content-Disposition") != `attachment; filename="Spring_Summer.zip"; filename*=UTF-8''Spring_Summer.zip` ||
		head.Get("Cache-Control") != "private, no-store" ||
		head.Get("Content-Security-Policy") != "default-src 'none'; sandbox" || head.Get("X-Robots-Tag") != "noindex" {
		t.Errorf("headers = %v", head)
	}
	h.CountViews(first, 0)
	if r := h.Status(h.Do(http.MethodHead, path+"/download", ""), 200); r.Text != "" {
		t.Errorf("HEAD: %d bytes, want 0", len(r.Text))
	}
	h.Status(h.Get(path+"/download", "Sec-Purpose: prefetch"), 503)

	h.SetState(held, vitrine.StateLive)
	if names, _ := h.Unzipped(h.Status(h.Get(path+"/download"), 200).Text); !slices.Contains(names, "report.pdf") {
		t.Errorf("names = %q, want report.pdf, which is public again", names)
	}
	// An album without files to download has no download address.
	view := h.Album("To look at", only)
	h.Status(h.Get("/a/"+string(view.Slug)+"/download"), 404)
	if body := h.Status(h.Get("/a/"+string(view.Slug)), 200).Text; strings.Contains(body, "/download") {
		t.Errorf("the page offers a download: %s", body)
	}
	h.Status(h.Get("/a/unknown-album/download"), 404)
	h.Suspend(h.Member, true)
	h.Status(h.Get(path+"/download"), 410)
}

// TestAlbumDownloadFromBucket does the same with files in a bucket.
func TestAlbumDownloadFromBucket(t *testing.T) {
	d, _ := webtest.NewBucketSite(t)
	d.Server.Albums = &collections.Albums{Store: d.Server.Links.Store, Now: d.Server.Now}
	d.Server.RedirectDownloads = true
	a, b := d.Sent("a.txt", "first"), d.Sent("b.txt", "second")
	album := d.Album("Both", a, b)
	_, contents := d.Unzipped(d.Status(d.Get("/a/"+string(album.Slug)+"/download"), 200).Text)
	if contents["a.txt"] != "first" || contents["b.txt"] != "second" || len(contents) != 2 {
		t.Errorf("contents of the ZIP = %q", contents)
	}
}

// TestAlbumDownloadEndsWithTheLink checks that a file which is disabled during
// the download cuts off the ZIP, so that it is not valid, and that one disabled
// before is left out.
func TestAlbumDownloadEndsWithTheLink(t *testing.T) {
	h := webtest.NewHosting(t)
	h.Server.RecheckEvery = 10 * time.Millisecond
	large := h.Publish("large.txt", bytes.Repeat([]byte("words and words\n"), 1<<20))
	album := h.Album("Large", h.Publish("notes.txt", []byte("one\n")), large)
	ended := webtest.Endings(h, "/download")
	res, err := http.Get(h.URL + "/a/" + string(album.Slug) + "/download")
	h.Check(err)
	defer res.Body.Close()
	head := make([]byte, 1<<10)
	_, err = io.ReadFull(res.Body, head)
	h.Check(err)
	_, err = h.Server.Links.Disable(t.Context(), string(large.Slug), vitrine.Decision{By: vitrine.Administrator})
	h.Check(err)
	ended()
	rest, err := io.ReadAll(res.Body)
	if !errors.Is(err, io.ErrUnexpectedEOF) && !strings.Contains(webtest.ErrorText(err), "reset") {
		t.Errorf("%d more bytes, then %v, want an error", len(rest), err)
	}
	names, _ := h.Unzipped(h.Status(h.Get("/a/"+string(album.Slug)+"/download"), 200).Text)
	if !slices.Equal(names, []string{"notes.txt"}) {
		t.Errorf("names = %q, want notes.txt", names)
	}
}

// TestAlbumOrder checks that an album can be sorted in its owner's order, by
// name and by age.
func TestAlbumOrder(t *testing.T) {
	h := webtest.NewHosting(t)
	var links []*vitrine.Link
	for _, name := range []string{"page 10.txt", "Page 9.txt", "a.txt"} {
		links = append(links, h.Publish(name, []byte(name)))
		h.Ahead.Add(int64(time.Minute))
	}
	path := "/a/" + string(h.Album("Order", links...).Slug)
	for query, want := range map[string][]*vitrine.Link{
		"": links, "?sort=name": {links[2], links[1], links[0]}, "?sort=newest": {links[2], links[1], links[0]},
		"?sort=rubbish": links,
	} {
		body := h.Status(h.Get(path+query), 200).Text
		h.In(body, want...)
		if n := strings.Count(body, "aria-current"); n > 1 || n == 0 && query != "?sort=rubbish" {
			t.Errorf("%s: %d orders are marked as current, want 1", query, n)
		}
	}
	if strings.Contains(h.Status(h.Get("/a/"+string(h.Album("Single", links[0]).Slug)), 200).Text, `class="sorts"`) {
		t.Error("an album with one file offers to sort it")
	}
}
