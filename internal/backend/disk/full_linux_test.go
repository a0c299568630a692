package disk

import (
	"bytes"
	"errors"
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
