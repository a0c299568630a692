package links_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/publish"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/fixture"
)

// versioned is an instance with one link of one version.
type versioned struct {
	*fixture.Instance
	link *vitrine.Link
}

func newVersioned(t *testing.T) *versioned {
	t.Helper()
	return versionedOn(fixture.New(t))
}

func versionedOn(i *fixture.Instance) *versioned {
	v := &versioned{Instance: i}
	v.link = v.Note("text 1")
	return v
}

// onEach runs a test on SQLite with a directory, and on PostgreSQL with a
// bucket.
func onEach(t *testing.T, test func(*testing.T, *versioned)) {
	fixture.OnBoth(t, func(t *testing.T, i *fixture.Instance) { test(t, versionedOn(i)) })
}

// replace replaces the link's file with a text and returns the link.
func (v *versioned) replace(text string) *vitrine.Link {
	v.T.Helper()
	v.Clock.Advance(4 * time.Minute) // stays below the hourly limit of uploads
	l, err := v.Replace(v.link, "note.txt", text)
	v.Must(err)
	return l
}

// text returns the public text of a version; 0 is the current one.
func (v *versioned) text(version int) string {
	v.T.Helper()
	l, err := v.Links.PublicVersion(v.T.Context(), v.link.ID, version, 0, access.Asker{})
	if err != nil {
		return string(vitrine.CodeOf(err))
	}
	b, err := access.OpenWhole(v.T.Context(), v.Blobs, l)
	v.Must(err)
	defer b.Close()
	text, err := io.ReadAll(b)
	v.Must(err)
	return string(text)
}

// want checks the public text and the owner's list of versions.
func (v *versioned) want(text, list string) {
	v.T.Helper()
	m, all, err := v.Versions.List(v.T.Context(), v.Account, string(v.link.Slug))
	v.Must(err)
	got := ""
	for _, version := range all {
		got += fmt.Sprintf("%d %s", version.Version, version.State)
		switch {
		case version.Current:
			got += " current"
		case version.Waits:
			got += " waits"
		}
		got += "; "
	}
	if read := v.text(0); read != text || got != list || m.ID != v.link.ID {
		v.T.Errorf("text = %q, versions = %q, want %q, %q", read, got, text, list)
	}
	v.Audit()
}

func TestReplace(t *testing.T) { onEach(t, testReplace) }

func testReplace(t *testing.T, v *versioned) {
	v.want("text 1", "1 live current; ")
	l := v.replace("text 2")
	if l.ID != v.link.ID || l.Slug != v.link.Slug || l.Title != v.link.Title || l.Version != 2 ||
		!l.CreatedAt.Equal(v.link.CreatedAt) {
		t.Errorf("link after the replacement = %+v", l)
	}
	v.want("text 2", "2 live current; 1 live; ")
	if same := v.replace("text 2"); same.Version != 2 {
		t.Errorf("version for the same bytes = %d, want 2", same.Version)
	}
	v.want("text 2", "2 live current; 1 live; ")
	v.replace("text 3")
	v.want("text 3", "3 live current; 2 live; 1 live; ")
	if one, two := v.text(1), v.text(2); one != "text 1" || two != "text 2" {
		t.Errorf("earlier versions = %q and %q", one, two)
	}
	n, bytes := v.count()
	if n != 1 || bytes != 18 {
		t.Errorf("%d links and %d bytes, want 1 and 18", n, bytes)
	}
}

func (v *versioned) count() (n, bytes int64) {
	v.T.Helper()
	v.Must(v.Store.Read(v.T.Context(), func(tx vitrine.Tx) (err error) {
		n, bytes, err = tx.CountLinks(v.Account.ID)
		return err
	}))
	return n, bytes
}

// TestReplaceTitleAndKind checks that the title is kept, whether it comes from
// the first file's name or from the owner.
func TestReplaceTitleAndKind(t *testing.T) {
	v := newVersioned(t)
	l, err := v.Replace(v.link, "page.html", "<p>hello")
	if err != nil || l.Title != v.link.Title || l.Kind != "html" || l.Name != "page.html" {
		t.Fatalf("link = %+v, %v", l, err)
	}
	title := "Mine"
	_, err = v.Links.Edit(t.Context(), v.Account, string(l.Slug), editTitle(title))
	v.Must(err)
	if l, err = v.Replace(v.link, "other.txt", "x"); err != nil || l.Title != title || l.Kind != "text" {
		t.Errorf("link = %+v, %v", l, err)
	}
}

// TestRestoreAndDelete checks that restoring brings back a file with its
// number, and that deleting removes it at once.
func TestRestoreAndDelete(t *testing.T) { onEach(t, testRestoreAndDelete) }

func testRestoreAndDelete(t *testing.T, v *versioned) {
	ctx, slug := t.Context(), string(v.link.Slug)
	v.replace("text 2")
	v.replace("text 3")
	l, err := v.Versions.Restore(ctx, v.Account, slug, 1, nil)
	if err != nil || l.Version != 1 {
		t.Fatalf("link = %+v, %v, want version 1", l, err)
	}
	v.want("text 1", "3 live; 2 live; 1 live current; ")
	_, err = v.Versions.Restore(ctx, v.Account, slug, 1, nil) // already the current version
	v.Must(err)
	for n, want := range map[int]vitrine.Code{1: vitrine.CodeInvalidRequest, 4: vitrine.CodeNotFound,
		0: vitrine.CodeNotFound, -1: vitrine.CodeNotFound} {
		if err := v.Versions.Delete(ctx, v.Account, slug, n, nil); vitrine.CodeOf(err) != want {
			t.Errorf("Delete of version %d = %v, want %s", n, err, want)
		}
	}
	v.Must(v.Versions.Delete(ctx, v.Account, slug, 2, nil))
	v.want("text 1", "3 live; 1 live current; ")
	if got := v.text(2); got != string(vitrine.CodeNotFound) {
		t.Errorf("text of a deleted version = %q, want not_found", got)
	}
	if _, err := v.Versions.Restore(ctx, v.Account, slug, 2, nil); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Errorf("Restore of a deleted version = %v, want not_found", err)
	}
	v.replace("text 4")
	v.want("text 4", "4 live current; 3 live; 1 live; ")
	bob, _, err := v.Accounts.Create(ctx, "bob@example.org", vitrine.PlanPro)
	v.Must(err)
	_, _, err = v.Versions.List(ctx, bob, slug)
	_, err2 := v.Versions.Restore(ctx, bob, slug, 1, nil)
	err3 := v.Versions.Delete(ctx, bob, slug, 1, nil)
	if vitrine.CodeOf(err) != vitrine.CodeNotFound || vitrine.CodeOf(err2) != vitrine.CodeNotFound ||
		vitrine.CodeOf(err3) != vitrine.CodeNotFound {
		t.Errorf("another account: %v, %v, %v, want not_found", err, err2, err3)
	}
}

// TestOldVersionsLapse checks that the oldest versions are deleted when there
// are too many, that a reader can continue as long as the URLs of their page
// are valid, and that then the bytes are deleted.
func TestOldVersionsLapse(t *testing.T) { onEach(t, testOldVersionsLapse) }

func testOldVersionsLapse(t *testing.T, v *versioned) {
	v.Uploads.Plans[v.Account.Plan] = vitrine.Limits{Versions: 1}
	v.replace("text 2")
	v.replace("text 3")
	v.want("text 3", "3 live current; 2 live; ")
	if n, bytes := v.count(); n != 1 || bytes != 12 {
		t.Errorf("%d links and %d bytes, want 1 and 12", n, bytes)
	}
	v.Must(v.Links.Purge(t.Context()))
	if got := v.text(1); got != "text 1" {
		t.Errorf("text of version 1 = %q, want text 1", got)
	}
	v.Clock.Advance(signer.ContentLife)
	v.Must(v.Links.Purge(t.Context()))
	if got := v.text(1); got != string(vitrine.CodeNotFound) {
		t.Errorf("text of version 1 after its URLs expired = %q, want not_found", got)
	}
	if _, err := v.Blobs.Stat(t.Context(), v.link.Upload); !errors.Is(err, vitrine.ErrNotFound) {
		t.Errorf("bytes of version 1: %v, want ErrNotFound", err)
	}
	v.want("text 3", "3 live current; 2 live; ")
}

// TestHeldVersion checks that the previous version is public until a held one
// is approved, and again if the approval is undone.
func TestHeldVersion(t *testing.T) { onEach(t, testHeldVersion) }

func testHeldVersion(t *testing.T, v *versioned) {
	ctx := t.Context()
	v.Scanner.Verdict = fixture.Suspicious
	if l := v.replace("text 2"); l.State != vitrine.StateLive || l.Version != 1 {
		t.Errorf("link with a held version = %+v", l)
	}
	v.want("text 1", "2 review waits; 1 live current; ")
	if got := v.text(2); got != string(vitrine.CodeNotFound) {
		t.Errorf("text of a held version = %q, want not_found", got)
	}
	held := v.held()
	_, err := v.Links.Clear(ctx, held, fixture.Administrator(""))
	v.Must(err)
	v.want("text 2", "2 live current; 1 live; ")
	_, err = v.Links.Undo(ctx, held, fixture.Administrator(""))
	v.Must(err)
	v.want("text 1", "2 review waits; 1 live current; ")
	_, err = v.Links.Reject(ctx, held, fixture.Administrator(""))
	v.Must(err)
	v.want("text 1", "2 disabled; 1 live current; ")
	if _, err := v.Versions.Restore(ctx, v.Account, string(v.link.Slug), 2,
		nil); vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
		t.Errorf("Restore of a rejected version = %v, want invalid_request", err)
	}
	_, err = v.Links.Undo(ctx, held, fixture.Administrator(""))
	v.Must(err)
	_, err = v.Links.Clear(ctx, held, fixture.Administrator(""))
	v.Must(err)
	v.want("text 2", "2 live current; 1 live; ")
	// The same finding does not hold an approved version again.
	v.Scanner.Known = "2"
	v.Rescan()
	v.WantState(v.link, vitrine.StateLive, "", "")
}

// held returns the slug of the version in review.
func (v *versioned) held() (slug string) {
	v.T.Helper()
	v.Must(v.Store.Read(v.T.Context(), func(tx vitrine.Tx) error {
		list, err := tx.Review(vitrine.ReviewQuery{})
		if len(list) != 1 {
			v.T.Fatalf("%d links in review, want 1", len(list))
		}
		slug = string(list[0].Slug)
		return err
	}))
	return slug
}

// TestHeldVersionComesTooLate checks that approving an earlier file does not
// replace a later one.
func TestHeldVersionComesTooLate(t *testing.T) {
	v := newVersioned(t)
	v.Scanner.Verdict = fixture.Suspicious
	v.replace("text 2")
	held := v.held()
	v.Scanner.Verdict = fixture.Clean
	v.replace("text 3")
	v.want("text 3", "3 live current; 2 review; 1 live; ")
	_, err := v.Links.Clear(t.Context(), held, fixture.Administrator(""))
	v.Must(err)
	v.want("text 3", "3 live current; 2 live; 1 live; ")
	_, err = v.Versions.Restore(t.Context(), v.Account, string(v.link.Slug), 2, nil)
	v.Must(err)
	v.want("text 2", "3 live; 2 live current; 1 live; ")
}

// TestMalwareVersion checks that malware creates no version and leaves the link
// unchanged.
func TestMalwareVersion(t *testing.T) { onEach(t, testMalwareVersion) }

func testMalwareVersion(t *testing.T, v *versioned) {
	v.Scanner.Verdict = fixture.Malware
	if _, err := v.Replace(v.link, "note.txt", "text 2"); vitrine.CodeOf(err) != vitrine.CodeMalware {
		t.Errorf("Replace with malware = %v, want malware", err)
	}
	v.want("text 1", "1 live current; ")
	v.Scanner.Verdict = fixture.Clean
	v.replace("text 2")
	// Malware that is found later in an earlier version disables only that
	// version.
	v.Scanner.Verdict = fixture.Suspicious
	_, err := v.Scans.MarkForScan(t.Context(), "")
	v.Must(err)
	v.Must(v.Store.Update(t.Context(), func(tx vitrine.Tx) error { // the current version is not scanned
		m, err := tx.Link(v.link.ID)
		v.Must(err)
		m.Scanned = v.Scanner.Known
		return tx.PutLink(m)
	}))
	v.Rescan()
	v.want("text 2", "2 live current; 1 review; ")
	if got := v.text(1); got != string(vitrine.CodeNotFound) {
		t.Errorf("text of a version in review = %q, want not_found", got)
	}
}

// TestVideoVersion checks that a video becomes current when the scan has found
// it clean.
func TestVideoVersion(t *testing.T) { onEach(t, testVideoVersion) }

func testVideoVersion(t *testing.T, v *versioned) {
	l, err := v.Replace(v.link, "clip.webm", clip(t))
	v.Must(err)
	if l.Kind != "text" || l.State != vitrine.StateLive {
		t.Errorf("link during the scan = %+v", l)
	}
	v.want("text 1", "2 processing waits; 1 live current; ")
	v.Pending()
	if now, err := v.Links.BySlug(t.Context(), string(v.link.Slug)); err != nil || now.Kind != "video" ||
		now.Version != 2 || now.State != vitrine.StateLive {
		t.Errorf("link after the scan = %+v, %v", now, err)
	}
	v.Audit()
}

// TestReplaceWhileDisabled checks that a link that its owner disabled stays
// disabled with the new file, and that one that a moderator disabled keeps its
// file.
func TestReplaceWhileDisabled(t *testing.T) {
	v := newVersioned(t)
	ctx, slug := t.Context(), string(v.link.Slug)
	_, err := v.Links.Disable(ctx, slug, vitrine.Decision{By: vitrine.Owner(v.Account.ID)})
	v.Must(err)
	if l := v.replace("text 2"); l.State != vitrine.StateDisabled || l.Version != 2 {
		t.Errorf("link = %+v, want version 2 disabled", l)
	}
	_, err = v.Links.Undo(ctx, slug, vitrine.Decision{By: vitrine.Owner(v.Account.ID)}) // undoes the disabling, not the replacement
	v.Must(err)
	v.want("text 2", "2 live current; 1 live; ")
	_, err = v.Links.Disable(ctx, slug, fixture.Administrator(""))
	v.Must(err)
	_, err = v.Replace(v.link, "note.txt", "text 3")
	_, err2 := v.Versions.Restore(ctx, v.Account, slug, 1, nil)
	if vitrine.CodeOf(err) != vitrine.CodeInvalidRequest || vitrine.CodeOf(err2) != vitrine.CodeInvalidRequest {
		t.Errorf("disabled by a moderator: Replace = %v, Restore = %v, want invalid_request", err, err2)
	}
}

// TestDeleteLinkWithVersions checks that deleting a link deletes all versions
// and their bytes, including those that readers still have open.
func TestDeleteLinkWithVersions(t *testing.T) { onEach(t, testDeleteLinkWithVersions) }

func testDeleteLinkWithVersions(t *testing.T, v *versioned) {
	v.Uploads.Plans[v.Account.Plan] = vitrine.Limits{Versions: 1}
	uploads := []vitrine.UploadID{v.link.Upload, v.replace("text 2").Upload, v.replace("text 3").Upload}
	v.Must(v.Links.Delete(t.Context(), string(v.link.Slug), fixture.Administrator("")))
	for i, id := range uploads {
		if _, err := v.Blobs.Stat(t.Context(), id); !errors.Is(err, vitrine.ErrNotFound) {
			t.Errorf("bytes of version %d: %v, want ErrNotFound", i+1, err)
		}
	}
	if n, bytes := v.count(); n != 0 || bytes != 0 {
		t.Errorf("%d links, %d bytes, want 0", n, bytes)
	}
	v.Clock.Advance(2 * time.Hour)
	v.Must(v.Links.Purge(t.Context()))
	v.Audit()
}

// TestReplaceWithinLimits checks that a replacement needs no slot but counts
// towards storage.
func TestReplaceWithinLimits(t *testing.T) {
	v := newVersioned(t)
	v.Uploads.Plans[v.Account.Plan] = vitrine.Limits{Links: 1, StorageBytes: 15, Versions: 10}
	if _, err := v.Uploads.Create(t.Context(), v.Account,
		publish.UploadRequest{Name: "a.txt", Type: "text/plain",
			Size: 1}); vitrine.CodeOf(err) != vitrine.CodeLinkLimit {
		t.Errorf("Create of a second link = %v, want link_limit", err)
	}
	v.replace("text 2")
	if _, err := v.Replace(v.link, "note.txt", "text 3"); vitrine.CodeOf(err) != vitrine.CodeStorageLimit {
		t.Errorf("Replace beyond the storage = %v, want storage_limit", err)
	}
	v.want("text 2", "2 live current; 1 live; ")
}

// TestConditionalReplace checks that of two replacements with the same
// condition one succeeds.
func TestConditionalReplace(t *testing.T) { onEach(t, testConditionalReplace) }

func testConditionalReplace(t *testing.T, v *versioned) {
	changed := &vitrine.Error{Code: vitrine.CodePreconditionFailed}
	first := func(l *vitrine.Link) error {
		if l.Version != 1 {
			return changed
		}
		return nil
	}
	begin := func(text string) publish.CreatedUpload {
		b, err := v.Uploads.Create(t.Context(), v.Account,
			publish.UploadRequest{Name: "note.txt", Type: "text/plain", Size: int64(len(text)),
				Replaces: string(v.link.Slug), Precondition: first})
		v.Must(err)
		v.Put(b.Path, "text/plain", text)
		return b
	}
	a, b := begin("text A"), begin("text B")
	errs := make(chan error, 2)
	for _, begun := range []publish.CreatedUpload{a, b} {
		go func() {
			_, err := v.Uploads.Complete(t.Context(), v.Account,
				publish.CompleteRequest{Path: string(begun.Path), Name: "note.txt", Type: "text/plain",
					Replaces: string(v.link.Slug), Precondition: first})
			errs <- err
		}()
	}
	err1, err2 := <-errs, <-errs
	if (err1 == nil) == (err2 == nil) || vitrine.CodeOf(errors.Join(err1, err2)) != vitrine.CodePreconditionFailed {
		t.Errorf("errors %v and %v, want one success and one precondition_failed", err1, err2)
	}
	if _, err := v.ReplaceBy(v.Uploads, v.link, "note.txt", "text C",
		first); vitrine.CodeOf(err) != vitrine.CodePreconditionFailed {
		t.Errorf("step 1 with an old condition = %v, want precondition_failed", err)
	}
	v.Audit()
}

// TestSweepKeepsVersions checks that sweeping keeps the files of all versions,
// also those that readers may still have open, and removes bytes without a
// version.
func TestSweepKeepsVersions(t *testing.T) { onEach(t, testSweepKeepsVersions) }

func testSweepKeepsVersions(t *testing.T, v *versioned) {
	v.replace("text 2")
	v.Uploads.Plans[v.Account.Plan] = vitrine.Limits{Versions: 1}
	// Upload the bytes of the current version again; their deletion fails.
	b, err := v.Uploads.Create(t.Context(), v.Account,
		publish.UploadRequest{Name: "note.txt", Type: "text/plain", Size: 6, Replaces: string(v.link.Slug)})
	v.Must(err)
	v.Put(b.Path, "text/plain", "text 2")
	kept := &publish.Uploads{Store: v.Store, Blobs: undeletable{v.Blobs}, Scanner: v.Scanner, Plans: v.Uploads.Plans,
		Now: v.Clock.Now}
	_, err = kept.Complete(t.Context(), v.Account,
		publish.CompleteRequest{Path: string(b.Path), Name: "note.txt", Type: "text/plain",
			Replaces: string(v.link.Slug)})
	v.Must(err)
	v.Audit()
	for range 60 {
		v.Clock.Advance(time.Hour)
		v.Must(v.Uploads.Sweep(t.Context()))
	}
	if _, err := v.Blobs.Stat(t.Context(), b.Path); !errors.Is(err, vitrine.ErrNotFound) {
		t.Errorf("bytes without a version: %v, want ErrNotFound", err)
	}
	v.want("text 2", "2 live current; 1 live; ")
	v.replace("text 3")
	v.Must(v.Uploads.Sweep(t.Context()))
	if one, two := v.text(1), v.text(2); one != "text 1" || two != "text 2" {
		t.Errorf("earlier versions = %q and %q", one, two)
	}
	v.want("text 3", "3 live current; 2 live; ")
}

// undeletable is storage that deletes nothing.
type undeletable struct{ vitrine.Blobs }

func (undeletable) Delete(context.Context, vitrine.UploadID) error { return fixture.ErrInjected }

// TestKnownBytesVersion checks that bytes that were taken down elsewhere are
// held as a version, too.
func TestKnownBytesVersion(t *testing.T) {
	v := newVersioned(t)
	bad := v.Note("bad text")
	_, err := v.Links.Disable(t.Context(), string(bad.Slug), fixture.Administrator(""))
	v.Must(err)
	v.replace("bad text")
	v.want("text 1", "2 review waits; 1 live current; ")
	// Bytes that are taken down everywhere are taken from earlier versions,
	// too.
	v.replace("text 3")
	v.replace("text 4")
	_, err = v.Links.RejectSame(t.Context(), string(v.Note("text 3").Slug), fixture.Administrator(""))
	v.Must(err)
	v.want("text 4", "4 live current; 3 disabled; 2 review; 1 live; ")
	if got := v.text(3); got != string(vitrine.CodeNotFound) {
		t.Errorf("text of a version that was taken down = %q, want not_found", got)
	}
}
