package links_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/publish"
	"vitrine/internal/test/fixture"
)

// TestReplaceFailsAtEveryStep fails each operation of a replacement, before or
// after its effect. A retry creates the version once, and until then the
// previous version is complete.
func TestReplaceFailsAtEveryStep(t *testing.T) { onEach(t, testReplaceFailsAtEveryStep) }

func testReplaceFailsAtEveryStep(t *testing.T, v *versioned) {
	before := "text 1"
	for _, after := range []bool{false, true} {
		for n := int64(1); ; n++ {
			v.Clock.Advance(4 * time.Minute) // stays below the hourly limit
			f := &fixture.Injector{N: n, After: after}
			u := &publish.Uploads{Store: f.Store(v.Store), Blobs: f.Blobs(v.Blobs), Scanner: v.Scanner,
				Plans: v.Uploads.Plans, Now: v.Clock.Now}
			text := fmt.Sprint("text ", after, n)
			last := v.replaceUntilDone(u, before, text)
			before = text
			v.Audit()
			if got := v.text(0); got != text {
				t.Fatalf("with operation %d failing (after: %v) readers see %q", n, after, got)
			}
			if _, all, err := v.Versions.List(t.Context(), v.Account, string(v.link.Slug)); err != nil ||
				all[0].Version != last.Version || !all[0].Current {
				t.Fatalf("with operation %d failing (after: %v): version %d, %v", n, after, all[0].Version, err)
			}
			if !f.Hit() {
				t.Logf("%d operations (after: %v)", f.Operations(), after)
				break
			}
		}
	}
}

// put stores the bytes of an upload if they are missing.
func (v *versioned) put(id vitrine.UploadID, text string) {
	v.T.Helper()
	if _, err := v.Blobs.Stat(v.T.Context(), id); errors.Is(err, vitrine.ErrNotFound) {
		v.Put(id, "text/plain", text)
	}
}

// replaceUntilDone repeats each step that fails, and checks what readers see
// after each failure.
func (v *versioned) replaceUntilDone(u *publish.Uploads, before, text string) *vitrine.Link {
	v.T.Helper()
	ctx, key := v.T.Context(), newKey()
	request := publish.UploadRequest{Name: "note.txt", Type: "text/plain", Size: int64(len(text)),
		Replaces: string(v.link.Slug), IdempotencyKey: &key}
	var last error
	for range 3 {
		l, err := func() (*vitrine.Link, error) {
			b, err := u.Create(ctx, v.Account, request)
			if err != nil || b.Existing != nil {
				return b.Existing, err
			}
			v.put(b.Path, text)
			return u.Complete(ctx, v.Account, publish.CompleteRequest{Path: string(b.Path), Name: request.Name,
				Type: request.Type, Replaces: request.Replaces, IdempotencyKey: &key})
		}()
		if err == nil {
			if l.State != vitrine.StateLive {
				v.T.Fatalf("state = %s, want live", l.State)
			}
			if l.Pending != 0 { // bytes that could not be scanned are not published
				if got := v.text(0); got != before {
					v.T.Fatalf("with a held version readers see %q, want %q", got, before)
				}
				l, err = v.Links.Clear(ctx, v.held(), fixture.Administrator(""))
				v.Must(err)
			}
			return l
		}
		last = err
		if got := v.text(0); got != before && got != text {
			v.T.Fatalf("after %v readers see %q, want %q", err, got, before)
		}
		v.Audit()
	}
	v.T.Fatalf("it fails repeatedly: %v", last)
	return nil
}
