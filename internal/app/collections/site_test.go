package collections_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/publish"
	"vitrine/internal/test/fixture"
)

// pageZIP returns a website with one page.
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

// deploy uploads a ZIP in three steps with a service. If the last step fails,
// it is repeated with the instance's own service.
func (h *hosted) deploy(u *publish.Uploads, content []byte) (*vitrine.Link, error) {
	h.T.Helper()
	ctx, size := h.T.Context(), int64(len(content))
	begun, err := h.Uploads.Create(ctx, h.Account,
		publish.UploadRequest{Name: "website.zip", Type: "application/zip", Size: size, Website: string(h.site.Slug)})
	if err != nil {
		return nil, err
	}
	h.Put(begun.Path, "application/zip", string(content))
	r := publish.CompleteRequest{Path: string(begun.Path), Name: "website.zip", Type: "application/zip",
		Website: string(h.site.Slug)}
	l, err := u.Complete(ctx, h.Account, r)
	if u != h.Uploads && vitrine.CodeOf(err) == vitrine.CodeUnavailable {
		return h.Uploads.Complete(ctx, h.Account, r)
	}
	return l, err
}

// shown returns the public version.
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
		h.T.Errorf("public version = %d, %v, want %d", got, err, want.ID)
	}
}

// TestDeployFaults fails each operation of a deploy, before or after its
// effect. One complete version stays public, and a retry publishes the new one.
func TestDeployFaults(t *testing.T) {
	h := newHosted(t)
	before, err := h.deploy(h.Uploads, pageZIP(t, "first"))
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []bool{false, true} {
		for n := int64(1); ; n++ {
			h.Clock.Advance(4 * time.Minute) // stays below the hourly limit
			f := &fixture.Injector{N: n, After: after}
			u := &publish.Uploads{Store: f.Store(h.Store), Blobs: f.Blobs(h.Blobs), Scanner: h.Scanner,
				Plans: h.Uploads.Plans, Now: h.Clock.Now}
			l, err := h.deploy(u, pageZIP(t, fmt.Sprint(after, n)))
			if err != nil {
				t.Fatalf("with operation %d failing (after: %v): %v", n, after, err)
			}
			if l.State == vitrine.StateReview { // bytes that could not be scanned are not published
				h.shows(before)
				if _, err := h.Links.Clear(t.Context(), string(l.Slug),
					vitrine.Decision{By: vitrine.Administrator}); err != nil {
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

// TestDeployLinkFaults fails each operation of a deploy from a link, before or
// after its effect. Either its version is public, or the one before is and
// nothing of the copy is held.
func TestDeployLinkFaults(t *testing.T) {
	h := newHosted(t)
	before, err := h.deploy(h.Uploads, pageZIP(t, "first"))
	h.Must(err)
	for _, after := range []bool{false, true} {
		for n := int64(1); ; n++ {
			h.Clock.Advance(4 * time.Minute) // stays below the hourly limit
			link, err := h.Complete("site.zip", string(pageZIP(t, fmt.Sprint(after, n))))
			h.Must(err)
			f := &fixture.Injector{N: n, After: after}
			u := &publish.Uploads{Store: f.Store(h.Store), Blobs: f.Blobs(h.Blobs), Scanner: h.Scanner,
				Plans: h.Uploads.Plans, Now: h.Clock.Now}
			used, err := h.Uploads.Usage(t.Context(), h.Account)
			h.Must(err)
			l, err := u.Deploy(t.Context(), h.Account, link, h.site.Slug)
			now, unused := h.Uploads.Usage(t.Context(), h.Account)
			h.Must(unused)
			switch {
			case err == nil && l.State == vitrine.StateReview: // bytes that could not be scanned
				h.shows(before)
			case err == nil:
				before = l
				h.shows(l)
			case now.Bytes != used.Bytes || now.HeldLinks != 0:
				t.Errorf("operation %d fails (after: %v): %v; %d bytes are used, want %d", n, after, err, now.Bytes,
					used.Bytes)
			default:
				h.shows(before)
			}
			h.Must(h.Links.Delete(t.Context(), string(link.Slug), vitrine.Decision{By: vitrine.Administrator}))
			h.Audit()
			if !f.Hit() {
				break
			}
		}
	}
}

// TestDeployScanned checks that a version is not public until the scanner has
// found it clean, and that a later finding disables the website.
func TestDeployScanned(t *testing.T) {
	h := newHosted(t)
	h.Scanner.Verdict = fixture.Suspicious
	held, err := h.deploy(h.Uploads, pageZIP(t, "suspicious"))
	if _, hidden := h.shown(); err != nil || held.State != vitrine.StateReview ||
		vitrine.CodeOf(hidden) != vitrine.CodeNotAvailable {
		t.Fatalf("held version = %v, %v, public version: %v", held, err, hidden)
	}
	h.Scanner.Verdict = fixture.Malware
	if _, err := h.deploy(h.Uploads, pageZIP(t, "malware")); vitrine.CodeOf(err) != vitrine.CodeMalware {
		t.Errorf("deploy of malware = %v, want malware", err)
	}
	h.Scanner.Verdict = fixture.Clean
	first, err := h.deploy(h.Uploads, pageZIP(t, "clean"))
	if err != nil {
		t.Fatal(err)
	}
	h.shows(first)
	// The held version is outdated: a newer one is public.
	if _, err := h.Links.Clear(t.Context(), string(held.Slug), vitrine.Decision{By: vitrine.Administrator}); err != nil {
		t.Fatal(err)
	}
	h.shows(first)
	h.Scanner.Verdict, h.Scanner.Known = fixture.Malware, "2"
	if err := h.Scans.Rescan(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := h.shown(); vitrine.CodeOf(err) != vitrine.CodeNotAvailable {
		t.Errorf("public version after a finding: %v, want not_available", err)
	}
}

// TestVersionDeleted checks that an administrator can delete a version like any
// link, and that no other version is shown instead.
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
	if err := h.Links.Delete(t.Context(), string(last.Slug), vitrine.Decision{By: vitrine.Administrator}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.shown(); vitrine.CodeOf(err) != vitrine.CodeNotAvailable {
		t.Errorf("public version: %v, want not_available", err)
	}
	f, err := h.sites.BySlug(t.Context(), h.Account, string(h.site.Slug))
	if err != nil || f.Shown != nil || len(f.Versions) != 1 {
		t.Fatalf("website = %+v, %v, want one version and none public", f, err)
	}
	if err := h.sites.Rollback(t.Context(), h.Account, string(h.site.Slug), f.Versions[0].ID); err != nil {
		t.Error(err)
	}
	h.shows(f.Versions[0])
}

// TestDeployRaces deploys, restores and deletes concurrently. One version is
// then public, and the number of versions is within the limit.
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
					err = nil // it is the public version
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
