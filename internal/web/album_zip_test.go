package web_test

import (
	"archive/zip"
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
)

// unzipped returns the names and the contents of a ZIP file.
func (s *site) unzipped(body string) (names []string, contents map[string]string) {
	s.t.Helper()
	z, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
	s.check(err)
	contents = map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		s.check(err)
		content, err := io.ReadAll(r)
		s.check(err)
		names, contents[f.Name] = append(names, f.Name), string(content)
	}
	return names, contents
}

// TestAlbumDownload checks that an album can be downloaded as one ZIP file of
// the files that may be downloaded now. Their names are unique and valid on
// every system.
func TestAlbumDownload(t *testing.T) {
	h := newHosting(t)
	first, second := h.publish("notes.txt", []byte("one\n")), h.publish("Notes.TXT", []byte("two\n"))
	odd, device := h.publish("5:00 ?.txt", []byte("three\n")), h.publish("con.txt", []byte("four\n"))
	held, only := h.publish("report.pdf", samples["report.pdf"]), h.publish("picture.png", png, viewOnly)
	album := h.album("Spring/Summer", first, second, odd, only, device, held)
	path := "/a/" + string(album.Slug)
	page := h.status(h.get(path), 200)
	if address := h.attr(page.body, `href="(/a/[^"]+/download)"`); address != path+"/download" ||
		!strings.Contains(page.body, "can be downloaded") {
		t.Errorf("the page offers %s\n%s", address, page.body)
	}
	h.setState(held, vitrine.StateReview)
	r := h.status(h.get(path+"/download"), 200)
	names, contents := h.unzipped(r.body)
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
	h.countOpens(first, 0)
	if r := h.status(h.do(http.MethodHead, path+"/download", ""), 200); r.body != "" {
		t.Errorf("HEAD: %d bytes, want 0", len(r.body))
	}
	h.status(h.get(path+"/download", "Sec-Purpose: prefetch"), 503)

	h.setState(held, vitrine.StateLive)
	if names, _ := h.unzipped(h.status(h.get(path+"/download"), 200).body); !slices.Contains(names, "report.pdf") {
		t.Errorf("names = %q, want report.pdf, which is public again", names)
	}
	// An album without files to download has no download address.
	view := h.album("To look at", only)
	h.status(h.get("/a/"+string(view.Slug)+"/download"), 404)
	if body := h.status(h.get("/a/"+string(view.Slug)), 200).body; strings.Contains(body, "/download") {
		t.Errorf("the page offers a download: %s", body)
	}
	h.status(h.get("/a/unknown-album/download"), 404)
	h.suspend(h.member, true)
	h.status(h.get(path+"/download"), 410)
}

// TestAlbumDownloadFromBucket does the same with files in a bucket.
func TestAlbumDownloadFromBucket(t *testing.T) {
	d, _ := newBucketSite(t)
	d.server.Albums = &collections.Albums{Store: d.server.Links.Store, Now: d.server.Now}
	d.server.RedirectDownloads = true
	a, b := d.sent("a.txt", "first"), d.sent("b.txt", "second")
	album := d.album("Both", a, b)
	_, contents := d.unzipped(d.status(d.get("/a/"+string(album.Slug)+"/download"), 200).body)
	if contents["a.txt"] != "first" || contents["b.txt"] != "second" || len(contents) != 2 {
		t.Errorf("contents of the ZIP = %q", contents)
	}
}

// TestAlbumDownloadEndsWithTheLink checks that a file which is disabled during
// the download cuts off the ZIP, so that it is not valid, and that one disabled
// before is left out.
func TestAlbumDownloadEndsWithTheLink(t *testing.T) {
	h := newHosting(t)
	h.server.RecheckEvery = 10 * time.Millisecond
	large := h.publish("large.txt", bytes.Repeat([]byte("words and words\n"), 1<<20))
	album := h.album("Large", h.publish("notes.txt", []byte("one\n")), large)
	ended := endings(h, "/download")
	res, err := http.Get(h.url + "/a/" + string(album.Slug) + "/download")
	h.check(err)
	defer res.Body.Close()
	head := make([]byte, 1<<10)
	_, err = io.ReadFull(res.Body, head)
	h.check(err)
	_, err = h.server.Links.Disable(t.Context(), string(large.Slug), vitrine.Decision{By: vitrine.Operator})
	h.check(err)
	ended()
	rest, err := io.ReadAll(res.Body)
	if !errors.Is(err, io.ErrUnexpectedEOF) && !strings.Contains(errorText(err), "reset") {
		t.Errorf("%d more bytes, then %v, want an error", len(rest), err)
	}
	names, _ := h.unzipped(h.status(h.get("/a/"+string(album.Slug)+"/download"), 200).body)
	if !slices.Equal(names, []string{"notes.txt"}) {
		t.Errorf("names = %q, want notes.txt", names)
	}
}

// TestAlbumOrder checks that an album can be sorted in its owner's order, by
// name and by age.
func TestAlbumOrder(t *testing.T) {
	h := newHosting(t)
	var links []*vitrine.Link
	for _, name := range []string{"page 10.txt", "Page 9.txt", "a.txt"} {
		links = append(links, h.publish(name, []byte(name)))
		h.ahead.Add(int64(time.Minute))
	}
	path := "/a/" + string(h.album("Order", links...).Slug)
	for query, want := range map[string][]*vitrine.Link{
		"": links, "?sort=name": {links[2], links[1], links[0]}, "?sort=newest": {links[2], links[1], links[0]},
		"?sort=rubbish": links,
	} {
		body := h.status(h.get(path+query), 200).body
		h.in(body, want...)
		if n := strings.Count(body, "aria-current"); n > 1 || n == 0 && query != "?sort=rubbish" {
			t.Errorf("%s: %d orders are marked as current, want 1", query, n)
		}
	}
	if strings.Contains(h.status(h.get("/a/"+string(h.album("Single", links[0]).Slug)), 200).body, `class="sorts"`) {
		t.Error("an album with one file offers to sort it")
	}
}
