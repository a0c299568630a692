package porttest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// Times before and after the test, by the clock of any backend.
var (
	longAgo  = time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)
	farAhead = time.Date(2199, 1, 1, 0, 0, 0, 0, time.UTC)
)

func (t blobTest) sweep() {
	kept, unknown, deleted := t.store("kept"), t.store("unknown"), t.store("deleted")
	waiting := t.store("waiting for its completion")
	t.seal(kept.Key)
	t.seal(unknown.Key)
	failed := grant("failed")
	_ = t.put(failed, strings.NewReader("fail"))
	if err := t.blobs.Delete(ctx, deleted.Key); err != nil {
		t.Fatal(err)
	}
	sweep := func(before time.Time, known ...vitrine.UploadID) {
		t.Helper()
		err := t.blobs.Sweep(ctx, before, func(k vitrine.UploadID) (bool, error) {
			return slices.Contains(known, k), nil
		})
		if err != nil {
			t.Fatalf("Sweep = %v, want nil", err)
		}
	}
	_, receives := t.blobs.(vitrine.Receiver)
	// No bytes are that old.
	sweep(longAgo)
	t.holds(kept.Key, "kept")
	t.holds(unknown.Key, "unknown")
	if receives {
		t.refused("a deleted key after a sweep of older ones", t.put(deleted, strings.NewReader("deleted")),
			vitrine.CodeURLUsed)
	}
	// Known keys stay.
	sweep(farAhead, kept.Key, unknown.Key, deleted.Key, waiting.Key, failed.Key)
	t.holds(kept.Key, "kept")
	t.holds(unknown.Key, "unknown")
	if receives {
		t.refused("a deleted key that is known, after a sweep", t.put(deleted, strings.NewReader("deleted")),
			vitrine.CodeURLUsed)
	}
	t.seal(waiting.Key)
	t.holds(waiting.Key, "waiting for its completion")
	// Unknown keys may be deleted. Known ones stay.
	sweep(farAhead, kept.Key)
	t.holds(kept.Key, "kept")
	if err := t.put(failed, strings.NewReader("failed")); err != nil {
		t.Errorf("put after the sweep of a failed one = %v, want nil", err)
	}
}

func (t blobTest) sweepFails() {
	g := t.store("deleted")
	if err := t.blobs.Delete(ctx, g.Key); err != nil {
		t.Fatal(err)
	}
	asked := false
	err := t.blobs.Sweep(ctx, farAhead, func(vitrine.UploadID) (bool, error) {
		asked = true
		return false, vitrinetest.ErrAbandoned
	})
	if asked && !errors.Is(err, vitrinetest.ErrAbandoned) {
		t.Errorf("Sweep whose keep function fails = %v, want ErrAbandoned", err)
	}
	if _, ok := t.blobs.(vitrine.Receiver); ok && asked {
		t.refused("a deleted key that nobody could say was unknown", t.put(g, strings.NewReader("deleted")),
			vitrine.CodeURLUsed)
	}
}

func (t blobTest) each() {
	want := map[vitrine.UploadID]vitrine.BlobInfo{}
	for i := range 50 {
		g := t.store(strings.Repeat("x", i+1))
		if i%5 == 0 {
			if err := t.blobs.Delete(ctx, g.Key); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want[g.Key] = t.seal(g.Key)
	}
	got := map[vitrine.UploadID]vitrine.BlobInfo{}
	err := t.blobs.Each(ctx, func(k vitrine.UploadID, info vitrine.BlobInfo) error {
		if _, again := got[k]; again {
			t.Errorf("%s is listed twice", k)
		}
		got[k] = info
		return nil
	})
	if err != nil {
		t.Fatalf("Each = %v, want nil", err)
	}
	vitrinetest.Equal(t, "sealed blobs", got, want)
	calls := 0
	err = t.blobs.Each(ctx, func(vitrine.UploadID, vitrine.BlobInfo) error { calls++; return vitrinetest.ErrAbandoned })
	if !errors.Is(err, vitrinetest.ErrAbandoned) || calls != 1 {
		t.Errorf("Each whose function fails = %v after %d calls, want ErrAbandoned after 1", err, calls)
	}
}

// keys tests that invalid keys are neither stored nor found.
func (t blobTest) keys() {
	for _, key := range []vitrine.UploadID{"", "a", "../../../../../../etc/passwd",
		vitrine.UploadID(strings.Repeat("/", 26)),
		vitrine.UploadID(strings.Repeat(".", 26)), vitrine.UploadID(strings.Repeat("A", 26)),
		vitrine.NewUploadID() + "/x", "aaaaaaaaaaaaaaaaaaaaaaaaa\x00"} {
		t.gone(fmt.Sprintf("of the key %q", key), key)
		if r, ok := t.blobs.(vitrine.Receiver); ok {
			if _, err := r.Receive(ctx, vitrine.PutGrant{Key: key, Size: 1, Expires: farAhead},
				strings.NewReader("x")); err == nil {
				t.Errorf("Receive with the key %q succeeds, want an error", key)
			}
		}
		if err := t.blobs.Delete(ctx, key); err != nil {
			t.Errorf("Delete of the key %q = %v, want nil", key, err)
		}
	}
}
