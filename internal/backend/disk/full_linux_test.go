package disk

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"vitrine"
	"vitrine/internal/test/vitrinetest"

	"golang.org/x/sys/unix"
)

// TestDiskFull checks that a full disk is answered with 503, keeps nothing, and
// recovers by itself (promise 17).
func TestDiskFull(t *testing.T) {
	dir := vitrinetest.SmallFileSystem(t, "1m")
	b := newBlobs(t, dir)
	g := grant(4 << 20)
	big := bytes.Repeat([]byte("a"), 4<<20)
	_, err := b.Receive(ctx, g, bytes.NewReader(big))
	if vitrine.CodeOf(err) != vitrine.CodeUnavailable || !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("Receive on a full disk = %v, want unavailable", err)
	}
	if left := files(t, dir); left != nil {
		t.Errorf("files left: %v", left)
	}
	vitrinetest.Resize(t, dir, "8m")
	if _, err := b.Receive(ctx, g, bytes.NewReader(big)); err != nil {
		t.Errorf("Receive with space again = %v, want nil", err)
	}
}

// TestDiskFullOfChunks checks the same of a chunk. What was recorded before it
// stays.
func TestDiskFullOfChunks(t *testing.T) {
	dir := vitrinetest.SmallFileSystem(t, "1m")
	b := newBlobs(t, dir)
	g := grant(4 << 20)
	big := bytes.Repeat([]byte("a"), 4<<20)
	const first = 100 << 10
	if at, err := b.Append(t.Context(), g, 0, bytes.NewReader(big[:first]), nil); err != nil || at != first {
		t.Fatalf("Append = %d, %v, want %d", at, err, first)
	}
	at, err := b.Append(t.Context(), g, first, bytes.NewReader(big[first:]), nil)
	if vitrine.CodeOf(err) != vitrine.CodeUnavailable || !errors.Is(err, unix.ENOSPC) || at != first {
		t.Fatalf("Append on a full disk = %d, %v, want %d and unavailable", at, err, first)
	}
	if st, err := os.Stat(b.chunks(g.Key)); err != nil || st.Size() != first {
		t.Errorf("the bytes of the chunk stay (%v), want %d bytes", err, first)
	}
	vitrinetest.Resize(t, dir, "8m")
	if at, err := b.Append(t.Context(), g, first, bytes.NewReader(big[first:]), nil); err != nil || at != g.Size {
		t.Errorf("Append with space again = %d, %v, want %d", at, err, g.Size)
	}
}
