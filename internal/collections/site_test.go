package collections_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/collections"
	"vitrine/internal/publish"
	"vitrine/internal/vitrinetest/fault"
	"vitrine/internal/vitrinetest/fixture"
)

// pageZIP returns a website of one page.
func pageZIP(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("index.html")
	if err == nil {
		_, err = fmt.Fprint(w, text)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// hosted is an instance with a scanner and a website.
type hosted struct {
	*fixture.Instance
	sites *collections.Sites
	site  *vitrine.Site
}

func newHosted(t *testing.T) *hosted {
	t.Helper()
	h := &hosted{Instance: fixture.New(t)}
	h.sites = &collections.Sites{Store: h.Store, Links: h.Links, Plans: h.Uploads.Plans, Now: h.Clock.Now}
	h.found("Garden")
	return h
}

func (h *hosted) found(title string) {
	h.T.Helper()
	site, err := h.sites.Create(h.T.Context(), h.Account, title, "")
	if err != nil {
		h.T.Fatal(err)
	}
	h.site = site
}

// deploy takes a ZIP through the three steps with a service, the last of them
// again with the instance's own when it fails for a while.
func (h *hosted) deploy(u *publish.Uploads, content []byte) (*vitrine.Link, error) {
	h.T.Helper()
	ctx, size := h.T.Context(), int64(len(content))
	begun, err := h.Uploads.Create(ctx, h.Account,
		publish.UploadRequest{Name: "website.zip", Type: "application/zip", Size: size, Site: h.site.ID})
	if err != nil {
		return nil, err
	}
	h.Put(begun.Path, "application/zip", string(content))
	r := publish.CompleteRequest{Path: string(begun.Path), Name: "website.zip", Type: "application/zip",
		Site: h.site.ID}
	l, err := u.Complete(ctx, h.Account, r)
	if u != h.Uploads && vitrine.CodeOf(err) == vitrine.CodeUnavailable {
		return h.Uploads.Complete(ctx, h.Account, r)
	}
	return l, err
}

// shown returns the version that visitors get.
func (h *hosted) shown() (vitrine.LinkID, error) {
	h.T.Helper()
	l, _, err := h.sites.Public(h.T.Context(), h.site.Slug)
	if err != nil {
		return 0, err
	}
	return l.ID, nil
}

func (h *hosted) shows(want *vitrine.Link) {
	h.T.Helper()
	if got, err := h.shown(); err != nil || got != want.ID {
		h.T.Errorf("visitors get version %d, %v; want %d", got, err, want.ID)
	}
}

// Whichever operation of a deploy fails, and whether it took effect or not:
// visitors have one version in full, and trying again shows the new one.
func TestDeployFaults(t *testing.T) {
	h := newHosted(t)
	before, err := h.deploy(h.Uploads, pageZIP(t, "first"))
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []bool{false, true} {
		for n := int64(1); ; n++ {
			h.Clock.Advance(4 * time.Minute) // so that no hour has too many
			f := &fault.Injector{N: n, After: after}
			u := &publish.Uploads{Store: f.Store(h.Store), Blobs: f.Blobs(h.Blobs), Scanner: h.Scanner,
				Plans: h.Uploads.Plans, Now: h.Clock.Now}
			l, err := h.deploy(u, pageZIP(t, fmt.Sprint(after, n)))
			if err != nil {
				t.Fatalf("with operation %d failing (after: %v): %v", n, after, err)
			}
			if l.State == vitrine.StateReview { // bytes that could not be scanned are not published
				h.shows(before)
				if _, err := h.Links.Clear(t.Context(), string(l.Slug),
					vitrine.Decision{By: vitrine.Operator}); err != nil {
					t.Fatal(err)
				}
			}
			h.shows(l)
			before = l
			h.Audit()
			if !f.Hit() {
				break
			}
		}
	}
	if f, err := h.sites.BySlug(t.Context(), h.Account, string(h.site.Slug)); err != nil ||
		len(f.Versions) > vitrine.KeptVersions+1 {
		t.Errorf("%d versions, %v", len(f.Versions), err)
	}
}

// What the scanner says of a version it says of the website: nothing is shown
// that it was not sure of, and a later finding takes it down.
func TestDeployScanned(t *testing.T) {
	h := newHosted(t)
	h.Scanner.Verdict = fixture.Suspicious
	held, err := h.deploy(h.Uploads, pageZIP(t, "suspicious"))
	if _, hidden := h.shown(); err != nil || held.State != vitrine.StateReview ||
		vitrine.CodeOf(hidden) != vitrine.CodeNotAvailable {
		t.Fatalf("%v, %v, %v", held, err, hidden)
	}
	h.Scanner.Verdict = fixture.Malware
	if _, err := h.deploy(h.Uploads, pageZIP(t, "malware")); vitrine.CodeOf(err) != vitrine.CodeMalware {
		t.Errorf("malware is %v", err)
	}
	h.Scanner.Verdict = fixture.Clean
	first, err := h.deploy(h.Uploads, pageZIP(t, "clean"))
	if err != nil {
		t.Fatal(err)
	}
	h.shows(first)
	// The one that was held waits for nothing any more: a newer one is shown.
	if _, err := h.Links.Clear(t.Context(), string(held.Slug), vitrine.Decision{By: vitrine.Operator}); err != nil {
		t.Fatal(err)
	}
	h.shows(first)
	h.Scanner.Verdict, h.Scanner.Known = fixture.Malware, "2"
	if err := h.Scans.Rescan(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := h.shown(); vitrine.CodeOf(err) != vitrine.CodeNotAvailable {
		t.Errorf("after a finding visitors get %v", err)
	}
}

// The operator deletes a version as any link, and the website shows nothing in
// its place.
func TestVersionDeleted(t *testing.T) {
	h := newHosted(t)
	var last *vitrine.Link
	for _, text := range []string{"first", "second"} {
		h.Clock.Advance(time.Minute)
		l, err := h.deploy(h.Uploads, pageZIP(t, text))
		if err != nil {
			t.Fatal(err)
		}
		last = l
	}
	if err := h.Links.Delete(t.Context(), string(last.Slug), vitrine.Decision{By: vitrine.Operator}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.shown(); vitrine.CodeOf(err) != vitrine.CodeNotAvailable {
		t.Errorf("visitors get %v", err)
	}
	f, err := h.sites.BySlug(t.Context(), h.Account, string(h.site.Slug))
	if err != nil || f.Shown != nil || len(f.Versions) != 1 {
		t.Fatalf("%+v, %v", f, err)
	}
	if err := h.sites.Rollback(t.Context(), h.Account, string(h.site.Slug), f.Versions[0].ID); err != nil {
		t.Error(err)
	}
	h.shows(f.Versions[0])
}

// Deploys, restores and deletions at once leave one version that is shown, and
// none too many.
func TestDeployRaces(t *testing.T) {
	h := newHosted(t)
	first, err := h.deploy(h.Uploads, pageZIP(t, "first"))
	if err != nil {
		t.Fatal(err)
	}
	var g sync.WaitGroup
	for i := range 12 {
		g.Go(func() {
			l, err := h.deploy(h.Uploads, pageZIP(t, fmt.Sprint("version ", i)))
			if err != nil {
				t.Error(err)
				return
			}
			slug := string(h.site.Slug)
			switch i % 3 {
			case 0:
				err = h.sites.Rollback(t.Context(), h.Account, slug, first.ID)
			case 1:
				if err = h.sites.DeleteVersion(t.Context(), h.Account, slug,
					l.ID); vitrine.CodeOf(err) == vitrine.CodeInvalidRequest {
					err = nil // it is shown
				}
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	g.Wait()
	if _, err := h.shown(); err != nil {
		t.Error(err)
	}
}
