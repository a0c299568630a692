package porttest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing/iotest"
	"time"

	"vitrine"
	"vitrine/internal/test/tier"
)

func (t blobTest) putPart(key vitrine.UploadID, p vitrine.Part, text string) {
	t.Helper()
	if err := t.blobs.PutPart(ctx, key, p, strings.NewReader(text)); err != nil {
		t.Fatalf("PutPart(%s) = %v, want nil", p, err)
	}
}

// partIs checks the bytes of a part. "" means that it must not exist.
func (t blobTest) partIs(key vitrine.UploadID, p vitrine.Part, text string) {
	t.Helper()
	b, err := t.blobs.OpenPart(ctx, key, p)
	if text == "" {
		if !errors.Is(err, vitrine.ErrNotFound) {
			t.Errorf("OpenPart(%q) of %s = %v, want ErrNotFound", p, key, err)
		}
		return
	}
	if err != nil {
		t.Errorf("OpenPart(%s) = %v, want nil", p, err)
		return
	}
	defer b.Close()
	got, err := io.ReadAll(b)
	if err != nil || string(got) != text || b.Size() != int64(len(text)) {
		t.Errorf("part %s = %.40q of %d bytes, %v, want %.40q", p, got, b.Size(), err, text)
	}
}

func (t blobTest) parts() {
	g, other := t.store("hello"), t.store("other")
	t.seal(g.Key)
	t.seal(other.Key)
	t.partIs(g.Key, vitrine.PartPicture, "")
	t.putPart(g.Key, vitrine.PartPicture, "a picture")
	t.putPart(g.Key, vitrine.CaptionsPart("pt-BR"), "WEBVTT")
	t.putPart(other.Key, vitrine.PartPicture, "another picture")
	t.partIs(g.Key, vitrine.PartPicture, "a picture")
	t.partIs(g.Key, "captions-pt-br", "WEBVTT")
	t.partIs(g.Key, vitrine.PartPages, "")

	// A part can be replaced. An incomplete transfer does not replace it.
	broken := io.MultiReader(strings.NewReader("half"), iotest.ErrReader(errors.New("broken off")))
	if err := t.blobs.PutPart(ctx, g.Key, vitrine.PartPicture, broken); err == nil {
		t.Error("PutPart with an incomplete body succeeds, want an error")
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if err := t.blobs.PutPart(over, g.Key, vitrine.PartPicture, strings.NewReader("late")); err == nil {
		t.Error("PutPart succeeds after the end of its context")
	}
	t.partIs(g.Key, vitrine.PartPicture, "a picture")
	t.putPart(g.Key, vitrine.PartPicture, "a newer picture")
	t.partIs(g.Key, vitrine.PartPicture, "a newer picture")

	// Parts are not listed as blobs and do not change them.
	n := 0
	if err := t.blobs.Each(ctx, func(vitrine.UploadID, vitrine.BlobInfo) error { n++; return nil }); err != nil ||
		n != 2 {
		t.Errorf("Each lists %d blobs, %v, want 2", n, err)
	}
	if err := t.blobs.Sweep(ctx, time.Now().Add(time.Hour),
		func(vitrine.UploadID) (bool, error) { return true, nil }); err != nil {
		t.Fatal(err)
	}
	t.partIs(g.Key, vitrine.PartPicture, "a newer picture")
	t.holds(g.Key, "hello")

	for range 2 {
		if err := t.blobs.DeletePart(ctx, g.Key, vitrine.PartPicture); err != nil {
			t.Fatalf("DeletePart = %v, want nil", err)
		}
		t.partIs(g.Key, vitrine.PartPicture, "")
	}
	t.partIs(g.Key, "captions-pt-br", "WEBVTT")
	if err := t.blobs.Delete(ctx, g.Key); err != nil {
		t.Fatal(err)
	}
	t.partIs(g.Key, "captions-pt-br", "")
	t.partIs(other.Key, vitrine.PartPicture, "another picture")

	// A part requires a blob and a valid name.
	for _, key := range []vitrine.UploadID{g.Key, vitrine.NewUploadID(), "", "../x"} {
		if err := t.blobs.PutPart(ctx, key, vitrine.PartPicture, strings.NewReader("x")); !errors.Is(err,
			vitrine.ErrNotFound) {
			t.Errorf("PutPart without a blob, key %q = %v, want ErrNotFound", key, err)
		}
		t.partIs(key, vitrine.PartPicture, "")
	}
	for _, p := range []vitrine.Part{"", "..", "a/b", "../" + vitrine.Part(other.Key), "A", "a b", "x~y", "a.b",
		vitrine.Part(strings.Repeat("x", 65))} {
		if err := t.blobs.PutPart(ctx, other.Key, p, strings.NewReader("x")); !errors.Is(err, vitrine.ErrNotFound) {
			t.Errorf("PutPart(%q) = %v, want ErrNotFound", p, err)
		}
		t.partIs(other.Key, p, "")
		if err := t.blobs.DeletePart(ctx, other.Key, p); err != nil {
			t.Errorf("DeletePart(%q) = %v, want nil", p, err)
		}
	}
	t.holds(other.Key, "other")
}

// partsRace stores parts while their blob is deleted. No part may remain.
func (t blobTest) partsRace() {
	for i := 0; i < 20; i += tier.Pick(5, 1) {
		g := t.store("hello")
		t.seal(g.Key)
		var wg sync.WaitGroup
		for w := range 4 {
			wg.Go(func() {
				for n := range 10 {
					p := vitrine.Part(fmt.Sprintf("part-%d-%d", w, n))
					if err := t.blobs.PutPart(ctx, g.Key, p, strings.NewReader("text")); err != nil &&
						!errors.Is(err, vitrine.ErrNotFound) {
						t.Errorf("PutPart = %v", err)
					}
				}
			})
		}
		wg.Go(func() {
			for range i {
				_, _ = t.blobs.Stat(ctx, g.Key)
			}
			if err := t.blobs.Delete(ctx, g.Key); err != nil {
				t.Errorf("Delete = %v, want nil", err)
			}
		})
		wg.Wait()
		if err := t.blobs.Sweep(ctx, time.Now().Add(time.Hour),
			func(vitrine.UploadID) (bool, error) { return true, nil }); err != nil {
			t.Fatal(err)
		}
		for w := range 4 {
			for n := range 10 {
				t.partIs(g.Key, vitrine.Part(fmt.Sprintf("part-%d-%d", w, n)), "")
			}
		}
	}
}
