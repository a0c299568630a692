package porttest

import (
	"io"
	"strings"
	"testing/iotest"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

func (t blobTest) reading() {
	text := strings.Repeat("0123456789", 10_000)
	g := t.store(text)
	t.seal(g.Key)
	b, err := t.blobs.Open(ctx, g.Key)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := iotest.TestReader(b, []byte(text)); err != nil {
		t.Error(err)
	}
	vitrinetest.Race(10, func(i int) {
		p := make([]byte, 5000)
		at := i * 9999
		n, err := b.ReadAt(p, int64(at))
		if n != len(p) || err != nil || string(p) != text[at:at+len(p)] {
			t.Errorf("ReadAt(%d) = %d, %v, or wrong bytes", at, n, err)
		}
	})
	if n, err := b.ReadAt(make([]byte, 10), int64(len(text))-4); n != 4 || err != io.EOF {
		t.Errorf("ReadAt beyond the end = %d, %v, want 4, EOF", n, err)
	}
}

func (t blobTest) deleteOpen() {
	g := t.store("hello")
	t.seal(g.Key)
	b, err := t.blobs.Open(ctx, g.Key)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := t.blobs.Delete(ctx, g.Key); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(b)
	if err != nil || string(got) != "hello" {
		t.Errorf("open blob after Delete = %q, %v", got, err)
	}
	long := strings.Repeat("0123456789", 200_000)
	g = t.store(long)
	t.seal(g.Key)
	if b, err = t.blobs.Open(ctx, g.Key); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := t.blobs.Delete(ctx, g.Key); err != nil {
		t.Fatal(err)
	}
	got, err = io.ReadAll(b)
	if _, here := t.blobs.(vitrine.Receiver); here && err != nil || err == nil && len(got) != len(long) ||
		!strings.HasPrefix(long, string(got)) {
		t.Errorf("open blob after Delete: %d of %d bytes, %v", len(got), len(long), err)
	}
}
