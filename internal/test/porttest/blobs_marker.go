package porttest

import (
	"fmt"
	"strings"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// mark tests that Marker returns the last marker, and that Each and Sweep
// ignore it.
func (t blobTest) mark() {
	is := func(when, want string) {
		t.Helper()
		got, err := t.blobs.Marker(ctx)
		if err != nil || got != want {
			t.Errorf("%s: Marker = %q, %v, want %q", when, got, err, want)
		}
	}
	put := func(mark string) {
		t.Helper()
		if err := t.blobs.PutMarker(ctx, mark); err != nil {
			t.Fatalf("PutMarker = %v, want nil", err)
		}
	}
	is("of an empty place", "")
	for _, mark := range []string{"A", strings.Repeat("Z9", 50), "B"} {
		put(mark)
		is("that was put", mark)
	}
	kept := t.store("kept")
	t.seal(kept.Key)
	none := func(vitrine.UploadID) (bool, error) { return false, nil }
	if err := t.blobs.Sweep(ctx, farAhead, none); err != nil {
		t.Fatal(err)
	}
	is("after a sweep that keeps nothing", "B")
	err := t.blobs.Each(ctx, func(k vitrine.UploadID,
		_ vitrine.BlobInfo) error {
		return fmt.Errorf("blob %s exists, want none", k)
	})
	if err != nil {
		t.Errorf("Each after a sweep of everything = %v, want nil", err)
	}
	is("to the end", "B")
}

// markRace tests that a marker is read completely while it is replaced.
func (t blobTest) markRace() {
	marks := map[string]bool{"": true}
	for i := range 8 {
		marks[strings.Repeat(string(rune('A'+i)), 100)] = true
	}
	vitrinetest.Race(8, func(i int) {
		for range 10 {
			if err := t.blobs.PutMarker(ctx, strings.Repeat(string(rune('A'+i)), 100)); err != nil {
				t.Errorf("PutMarker = %v, want nil", err)
			}
			if mark, err := t.blobs.Marker(ctx); err != nil || !marks[mark] {
				t.Errorf("Marker = %q, %v, want a complete one", mark, err)
			}
		}
	})
	if mark, err := t.blobs.Marker(ctx); err != nil || len(mark) != 100 {
		t.Errorf("last Marker = %q, %v", mark, err)
	}
}
