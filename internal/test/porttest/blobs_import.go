package porttest

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing/iotest"

	"vitrine"
)

// imported tests that Import stores all bytes or none.
func (t blobTest) imported() {
	to := t.blobs
	for _, size := range []int{1, 100_000, 20<<20 + 1} {
		k, text := vitrine.NewUploadID(), strings.Repeat("0123456789", size/10+1)[:size]
		for what, body := range map[string]io.Reader{
			"too few bytes":  strings.NewReader(text[:size-1]),
			"too many bytes": strings.NewReader(text + "x"),
			"broken off": io.MultiReader(strings.NewReader(text[:size/2]),
				iotest.ErrReader(errors.New("broken off"))),
		} {
			if err := to.Import(ctx, k, int64(size), body); err == nil {
				t.Errorf("Import of %s of %d bytes succeeds, want an error", what, size)
			}
			t.gone("after "+what, k)
		}
		if err := to.Import(ctx, k, int64(size), iotest.HalfReader(strings.NewReader(text))); err != nil {
			t.Fatalf("Import of %d bytes = %v, want nil", size, err)
		}
		t.holds(k, text)
		if err := to.Import(ctx, k, int64(size), iotest.ErrReader(errors.New("read"))); err != nil {
			t.Errorf("Import of existing bytes = %v, want nil", err)
		}
		if err := to.Import(ctx, k, int64(size)+1, strings.NewReader(text+"x")); !errors.Is(err, vitrine.ErrExists) {
			t.Errorf("Import of another size = %v, want ErrExists", err)
		}
		t.holds(k, text)
		if info := t.seal(k); info.Size != int64(size) {
			t.Errorf("Seal after Import = %+v", info)
		}
		t.putPart(k, vitrine.PartPicture, "a picture")
	}
	if err := to.Import(ctx, "../x", 1, strings.NewReader("x")); !errors.Is(err, vitrine.ErrNotFound) {
		t.Errorf("Import with an invalid key = %v, want ErrNotFound", err)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	k := vitrine.NewUploadID()
	if err := to.Import(over, k, 5, strings.NewReader("hello")); err == nil {
		t.Error("Import succeeds after the end of its context")
	}
	t.gone("after that", k)
}
