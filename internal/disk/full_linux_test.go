package disk

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"vitrine"

	"golang.org/x/sys/unix"
)

// A full disk refuses with 503, keeps nothing, and heals by itself (promise 17).
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("a small file system cannot be mounted (%v): a full disk was not tried", err)
	}
	defer unix.Unmount(dir, unix.MNT_DETACH)
	b := newBlobs(t, dir)
	g := grant(4 << 20)
	big := bytes.Repeat([]byte("a"), 4<<20)
	_, err := b.Receive(ctx, g, bytes.NewReader(big))
	if vitrine.CodeOf(err) != vitrine.CodeUnavailable || !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("on a full disk: %v", err)
	}
	if left := files(t, dir); left != nil {
		t.Errorf("left behind: %v", left)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT, "size=8m"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Receive(ctx, g, bytes.NewReader(big)); err != nil {
		t.Errorf("with room again: %v", err)
	}
}
