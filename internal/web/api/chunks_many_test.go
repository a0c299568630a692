package api_test

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/publish"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/webtest"
)

// content returns the bytes of a link.
func (c caller) content(slug string) string {
	c.T.Helper()
	a := c.Call(c.key, "GET", "/links/"+slug+"/file", nil)
	a.Want(302, "")
	res, err := http.Get(a.Header.Get("Location"))
	c.Check(err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	c.Check(err)
	return string(b)
}

// TestChunksAtOnce sends 100 chunks at one offset, and then the last chunk and
// a PUT at the same time. One must succeed, and its bytes become the link.
func TestChunksAtOnce(t *testing.T) {
	f := webtest.NewFixture(t)
	c := caller{f, f.Account(vitrine.PlanPro)}
	address := c.chunkAddress()
	letter := func(i int) string { return string(rune('!' + i%90)) }
	half := len(webtest.Note) / 2
	winner := -1
	for i, a := range webtest.Parallel(100, func(i int) webtest.Answer {
		return c.chunk(address, 0, strings.Repeat(letter(i), half))
	}) {
		switch {
		case a.Status == 204 && winner < 0:
			winner = i
		case a.Status != 409:
			t.Errorf("chunk %d: status %d: %s", i, a.Status, a.Body)
		}
	}
	if winner < 0 {
		t.Fatal("no chunk was stored")
	}
	want := strings.Repeat(letter(winner), half) + webtest.Note[half:]
	if a := c.storage("HEAD", address, nil); a.Header.Get("Upload-Offset") != strconv.Itoa(half) {
		t.Errorf("offset %s, want %d", a.Header.Get("Upload-Offset"), half)
	}
	c.chunk(address, half, webtest.Note[half:]).Want(204, "")
	slug := c.complete(c.path(address), webtest.NoteFile).Want(200, "").Text("slug")
	if got := c.content(slug); got != want {
		t.Errorf("the link has %q, want %q", got, want)
	}

	for range 20 {
		begun := c.create(nil).Want(200, "")
		address := begun.Text("resumableUrl")
		c.chunk(address, 0, webtest.Note[:half]).Want(204, "")
		other := strings.ToUpper(webtest.Note)
		as := webtest.Parallel(2, func(i int) webtest.Answer {
			if i == 0 {
				return f.Put(begun.Text("signedUrl"), "text/plain", strings.NewReader(other))
			}
			return c.chunk(address, half, webtest.Note[half:])
		})
		want := map[[2]int]string{{200, 409}: other, {409, 204}: webtest.Note}[[2]int{as[0].Status, as[1].Status}]
		if want == "" {
			t.Fatalf("PUT: %d %s, PATCH: %d %s; one must succeed", as[0].Status, as[0].Body, as[1].Status, as[1].Body)
		}
		slug := c.complete(c.path(address), webtest.NoteFile).Want(200, "").Text("slug")
		if got := c.content(slug); got != want {
			t.Errorf("the link has %q, want %q", got, want)
		}
	}
	f.Audit()
}

// TestManyUnfinished begins thousands of uploads, sends a chunk to each and
// leaves them. They count for their account, up to its limits, and are gone
// after 24 hours.
func TestManyUnfinished(t *testing.T) {
	f := webtest.NewFixture(t)
	c := caller{f, f.Account(vitrine.PlanFree)}
	n := tier.Pick(200, 10_000)
	most := vitrine.Limits{Links: int64(2 * n), StorageBytes: int64(n * len(webtest.Note)), HourlyUploads: int64(n + 1)}
	f.Limits(most)
	var address string
	for i := range n {
		address = c.chunkAddress()
		if a := c.chunk(address, 0, webtest.Note[:5]); a.Status != 204 {
			t.Fatalf("chunk of upload %d: %d %s", i, a.Status, a.Body)
		}
	}
	if a := c.create(nil).Want(403, "storage_limit"); a.JSON()["used"] != float64(n*len(webtest.Note)) {
		t.Errorf("%v bytes are used, want those of %d files", a.JSON()["used"], n)
	}
	more := most
	more.StorageBytes *= 2
	more.HourlyUploads = int64(n)
	f.Limits(more)
	c.create(nil).Want(429, "rate_limited")
	f.Limits(most)
	unfinished := func() (count int, bytes int64) {
		f.Check(f.Server.Uploads.Resumer().Unfinished(t.Context(), func(_ vitrine.UploadID, n int64, _ time.Time) error {
			count, bytes = count+1, bytes+n
			return nil
		}))
		return count, bytes
	}
	if count, bytes := unfinished(); count != n || bytes != int64(5*n) {
		t.Errorf("%d uploads with %d bytes are unfinished, want %d with %d", count, bytes, n, 5*n)
	}
	f.Audit()

	f.Clock.Advance(vitrine.UploadLife)
	c.chunk(address, 5, webtest.Note[5:]).Want(404, "not_found")
	f.Clock.Advance(publish.SweepGrace + time.Second)
	f.Check(f.Server.Uploads.Sweep(t.Context()))
	if count, _ := unfinished(); count != 0 {
		t.Errorf("%d uploads are left after a day", count)
	}
	c.finished(c.chunkAddress())
	f.Audit()
}
