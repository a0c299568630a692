package preview

import (
	"hash/crc32"
	"os"
	"strings"
	"testing"

	"vitrine"

	"golang.org/x/sys/unix"
)

func crc(p []byte) uint32 { return crc32.ChecksumIEEE(p) }

// A full disk is the machine's fault: the file is tried again (promise 17).
func TestDiskFull(t *testing.T) {
	m, _ := newMaker(t, Options{})
	if err := m.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=16k"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("a small file system cannot be mounted (%v): a full disk was not tried", err)
	}
	defer unix.Unmount(dir, unix.MNT_DETACH)
	t.Setenv("TMPDIR", dir)
	b := blobFile(t, filled(595, 842, "1 0 0"))
	if parts, err := preview(t, m, "a.pdf", b); err == nil || !strings.Contains(err.Error(), "no space") || len(parts) > 0 {
		t.Errorf("on a full disk: %v, %d parts", err, len(parts))
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT, "size=8m"); err != nil {
		t.Fatal(err)
	}
	if parts, err := preview(t, m, "a.pdf", b); err != nil || parts[vitrine.PartPicture] == nil {
		t.Errorf("with room again: %v", err)
	}
}
