package vitrine_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/vitrinetest"
)

// pageZIP is a website of one page.
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
	*scanning
	sites *vitrine.Sites
	site  *vitrine.Site
}

func newHosted(t *testing.T) *hosted {
	t.Helper()
	h := &hosted{scanning: newScanning(t)}
	h.sites = &vitrine.Sites{Store: h.store, Links: h.links, Plans: h.uploads.Plans, Now: h.clock.Now}
	h.found("Garden")
	return h
}

func (h *hosted) found(title string) {
	h.t.Helper()
	site, err := h.sites.Create(h.t.Context(), h.account, title, "")
	if err != nil {
		h.t.Fatal(err)
	}
	h.site = site
}

// deploy takes a ZIP through the three steps with a service, the last of them again with the instance's own when it fails for a while.
func (h *hosted) deploy(u *vitrine.Uploads, content []byte) (*vitrine.Link, error) {
	h.t.Helper()
	ctx, size := h.t.Context(), int64(len(content))
	begun, err := h.uploads.Create(ctx, h.account, vitrine.UploadRequest{Name: "website.zip", Type: "application/zip", Size: size, Site: h.site.ID})
	if err != nil {
		return nil, err
	}
	g := vitrine.PutGrant{Key: begun.Path, Size: size, Type: "application/zip", Expires: h.clock.Now().Add(time.Minute)}
	if _, err := h.blobs.Receive(ctx, g, bytes.NewReader(content)); err != nil {
		return nil, err
	}
	r := vitrine.CompleteRequest{Path: string(begun.Path), Name: "website.zip", Type: "application/zip", Site: h.site.ID}
	l, err := u.Complete(ctx, h.account, r)
	if u != h.uploads && vitrine.CodeOf(err) == vitrine.CodeUnavailable {
		return h.uploads.Complete(ctx, h.account, r)
	}
	return l, err
}

// shown is the version that visitors get.
func (h *hosted) shown() (vitrine.LinkID, error) {
	h.t.Helper()
	l, _, err := h.sites.Public(h.t.Context(), h.site.Slug)
	if err != nil {
		return 0, err
	}
	return l.ID, nil
}

func (h *hosted) shows(want *vitrine.Link) {
	h.t.Helper()
	if got, err := h.shown(); err != nil || got != want.ID {
		h.t.Errorf("visitors get version %d, %v; want %d", got, err, want.ID)
	}
}

// Whichever operation of a deploy fails, and whether it took effect or not: visitors have one version in full, and trying again shows the new one.
func TestDeployFaults(t *testing.T) {
	h := newHosted(t)
	before, err := h.deploy(h.uploads, pageZIP(t, "first"))
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []bool{false, true} {
		for n := int64(1); ; n++ {
			h.clock.Advance(4 * time.Minute) // so that no hour has too many
			f := &vitrinetest.Fault{N: n, After: after}
			u := &vitrine.Uploads{Store: f.Store(h.store), Blobs: f.Blobs(h.blobs), Scanner: h.mouth, Plans: h.uploads.Plans, Now: h.clock.Now}
			l, err := h.deploy(u, pageZIP(t, fmt.Sprint(after, n)))
			if err != nil {
				t.Fatalf("with operation %d failing (after: %v): %v", n, after, err)
			}
			if l.State == vitrine.StateReview { // bytes that could not be scanned are not published
				h.shows(before)
				if _, err := h.links.Clear(t.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Operator}); err != nil {
					t.Fatal(err)
				}
			}
			h.shows(l)
			before = l
			h.audit()
			if !f.Hit() {
				break
			}
		}
	}
	if f, err := h.sites.BySlug(t.Context(), h.account, string(h.site.Slug)); err != nil || len(f.Versions) > vitrine.KeptVersions+1 {
		t.Errorf("%d versions, %v", len(f.Versions), err)
	}
}

// What the scanner says of a version it says of the website: nothing is shown that it was not sure of, and a later finding takes it down.
func TestDeployScanned(t *testing.T) {
	h := newHosted(t)
	h.mouth.verdict = suspicious
	held, err := h.deploy(h.uploads, pageZIP(t, "suspicious"))
	if _, hidden := h.shown(); err != nil || held.State != vitrine.StateReview || vitrine.CodeOf(hidden) != vitrine.CodeNotAvailable {
		t.Fatalf("%v, %v, %v", held, err, hidden)
	}
	h.mouth.verdict = malware
	if _, err := h.deploy(h.uploads, pageZIP(t, "malware")); vitrine.CodeOf(err) != vitrine.CodeMalware {
		t.Errorf("malware is %v", err)
	}
	h.mouth.verdict = clean
	first, err := h.deploy(h.uploads, pageZIP(t, "clean"))
	if err != nil {
		t.Fatal(err)
	}
	h.shows(first)
	// The one that was held waits for nothing any more: a newer one is shown.
	if _, err := h.links.Clear(t.Context(), string(held.Slug), vitrine.Decision{By: vitrine.Operator}); err != nil {
		t.Fatal(err)
	}
	h.shows(first)
	h.mouth.verdict, h.mouth.signatures = malware, "2"
	if err := h.scans.Rescan(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := h.shown(); vitrine.CodeOf(err) != vitrine.CodeNotAvailable {
		t.Errorf("after a finding visitors get %v", err)
	}
}

// The operator deletes a version as any link, and the website shows nothing in its place.
func TestVersionDeleted(t *testing.T) {
	h := newHosted(t)
	var last *vitrine.Link
	for _, text := range []string{"first", "second"} {
		h.clock.Advance(time.Minute)
		l, err := h.deploy(h.uploads, pageZIP(t, text))
		if err != nil {
			t.Fatal(err)
		}
		last = l
	}
	if err := h.links.Delete(t.Context(), string(last.Slug), vitrine.Decision{By: vitrine.Operator}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.shown(); vitrine.CodeOf(err) != vitrine.CodeNotAvailable {
		t.Errorf("visitors get %v", err)
	}
	f, err := h.sites.BySlug(t.Context(), h.account, string(h.site.Slug))
	if err != nil || f.Shown != nil || len(f.Versions) != 1 {
		t.Fatalf("%+v, %v", f, err)
	}
	if err := h.sites.Rollback(t.Context(), h.account, string(h.site.Slug), f.Versions[0].ID); err != nil {
		t.Error(err)
	}
	h.shows(f.Versions[0])
}

// Deploys, restores and deletions at once leave one version that is shown, and none too many.
func TestDeployRaces(t *testing.T) {
	h := newHosted(t)
	first, err := h.deploy(h.uploads, pageZIP(t, "first"))
	if err != nil {
		t.Fatal(err)
	}
	var g sync.WaitGroup
	for i := range 12 {
		g.Go(func() {
			l, err := h.deploy(h.uploads, pageZIP(t, fmt.Sprint("version ", i)))
			if err != nil {
				t.Error(err)
				return
			}
			slug := string(h.site.Slug)
			switch i % 3 {
			case 0:
				err = h.sites.Rollback(t.Context(), h.account, slug, first.ID)
			case 1:
				if err = h.sites.DeleteVersion(t.Context(), h.account, slug, l.ID); vitrine.CodeOf(err) == vitrine.CodeInvalidRequest {
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
